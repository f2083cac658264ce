/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "words.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "must.h"

/* Takes word over. */
static void add_owned(struct words *words, char *word)
{
	if (words->n + 2 > words->capacity) {
		words->capacity = words->capacity ? words->capacity * 2 : 16;
		words->at = must(realloc(words->at, words->capacity * sizeof *words->at));
	}
	words->at[words->n++] = word;
	words->at[words->n] = NULL;
}

static char *format_list(const char *format, va_list args)
{
	char *text = NULL;
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	return must(text);
}

void words_add(struct words *words, const char *word)
{
	add_owned(words, text_copy(word));
}

void words_addf(struct words *words, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	add_owned(words, format_list(format, args));
	va_end(args);
}

void words_append(struct words *words, const struct words *more)
{
	for (size_t i = 0; i < more->n; i++)
		words_add(words, more->at[i]);
}

void words_add_all(struct words *words, ...)
{
	va_list args;
	va_start(args, words);
	for (const char *word; (word = va_arg(args, const char *));)
		words_add(words, word);
	va_end(args);
}

bool words_have(const struct words *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++)
		if (!strcmp(words->at[i], word))
			return true;
	return false;
}

void words_split(struct words *words, const char *text, char separator)
{
	while (*text) {
		const char *end = strchrnul(text, separator);
		if (end > text)
			add_owned(words, text_copy_n(text, (size_t)(end - text)));
		text = *end ? end + 1 : end;
	}
}

bool words_parse(struct words *words, const char *text)
{
	char *word = must(malloc(strlen(text) + 1));
	size_t n = 0;
	bool in_word = false;
	char quote = 0;
	for (; *text; text++) {
		if (*text == '\\' && quote != '\'' && text[1]) {
			word[n++] = *++text;
			in_word = true;
		} else if (quote) {
			if (*text == quote)
				quote = 0;
			else
				word[n++] = *text;
		} else if (*text == '"' || *text == '\'') {
			quote = *text;
			in_word = true;
		} else if (isspace((unsigned char)*text)) {
			if (in_word)
				add_owned(words, text_copy_n(word, n));
			in_word = false;
			n = 0;
		} else {
			word[n++] = *text;
			in_word = true;
		}
	}
	if (in_word && !quote)
		add_owned(words, text_copy_n(word, n));
	free(word);
	return !quote;
}

static bool is_plain(const char *word)
{
	for (const char *c = word; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-+=./,:@%^", *c))
			return false;
	return *word;
}

char *words_quote(const struct words *words)
{
	char *line = NULL;
	size_t size = 0;
	FILE *out = must(open_memstream(&line, &size));
	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->at[i];
		if (i)
			fputc(' ', out);
		if (is_plain(word) || strstr(word, "$(cat ")) {
			fputs(word, out);
			continue;
		}
		fputc('\'', out);
		for (const char *c = word; *c; c++)
			fputs(*c == '\'' ? "'\\''" : (char[]){*c, 0}, out);
		fputc('\'', out);
	}
	fclose(out);
	return must(line);
}

void words_fini(struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->at[i]);
	free(words->at);
	*words = (struct words){0};
}

char *text_format(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = format_list(format, args);
	va_end(args);
	return text;
}

char *text_copy(const char *text)
{
	return must(strdup(text));
}

char *text_copy_n(const char *text, size_t n)
{
	return must(strndup(text, n));
}

bool text_starts(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

bool text_ends(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);
	return n >= m && !strcmp(text + n - m, suffix);
}

void output_remove(const char *path)
{
	struct stat about;
	if (!lstat(path, &about) && S_ISREG(about.st_mode))
		unlink(path);
}

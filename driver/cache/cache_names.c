/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cache_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && isblank((unsigned char)*at))
		at++;
	return at;
}

static const char *skip_word(const char *at, const char *end)
{
	while (at < end && is_in_word(*at))
		at++;
	return at;
}

/* Whether what stands before `at` makes it no use: a question whether the macro is there, its
 * definition or its end. */
static bool is_no_use(const char *text, const char *at)
{
	static const char *const before[] = {"defined", "ifdef", "ifndef", "define", "undef"};
	while (at > text && (isblank((unsigned char)at[-1]) || at[-1] == '('))
		at--;
	for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
		size_t n = strlen(before[i]);
		if ((size_t)(at - text) >= n && !memcmp(at - n, before[i], n))
			return true;
	}
	return false;
}

/* The beginning of the line, with those before it that end in a backslash. */
static const char *line_of(const char *text, const char *at)
{
	while (at > text && (at[-1] != '\n' || (at - 1 > text && at[-2] == '\\')))
		at--;
	return at;
}

/* The macro in whose definition `at` stands if word is its only parameter, the caller's to free; or
 * NULL. */
static char *macro_at(const char *text, const char *at, const char *word, size_t n)
{
	static const char define[] = "define";
	const char *c = skip_blanks(line_of(text, at), at);
	if (c == at || *c != '#')
		return NULL;
	c = skip_blanks(c + 1, at);
	if ((size_t)(at - c) < sizeof define || memcmp(c, define, sizeof define - 1))
		return NULL;
	const char *name = skip_blanks(c + sizeof define - 1, at), *after = skip_word(name, at);
	if (after == at || *after != '(')
		return NULL;
	const char *parameter = skip_blanks(after + 1, at), *end = skip_word(parameter, at);
	if ((size_t)(end - parameter) != n || memcmp(parameter, word, n))
		return NULL;
	end = skip_blanks(end, at);
	return end < at && *end == ')' ? text_copy_n(name, (size_t)(after - name)) : NULL;
}

static void add(struct words *words, const char *word)
{
	if (!words_have(words, word))
		words_add(words, word);
}

bool cache_names_find(const char *text, size_t n, const char *macro, struct words *names,
		      struct words *macros)
{
	const char *end = text + n, *at = text;
	size_t length = strlen(macro);
	bool all = true;
	for (; (at = memmem(at, (size_t)(end - at), macro, length)); at += length) {
		const char *c = at + length;
		if (end - c > 5 && !memcmp(c, "_next", 5))
			c += 5;
		if ((at > text && is_in_word(at[-1])) || (c < end && is_in_word(*c)))
			continue; /* a part of another word */
		while (c < end && (isblank((unsigned char)*c) || *c == '('))
			c++;
		const char *close = NULL;
		if (c < end && (*c == '<' || *c == '"'))
			close = memchr(c + 1, *c == '<' ? '>' : '"', (size_t)(end - c - 1));
		if (close) {
			char *name = text_copy_n(c + 1, (size_t)(close - c - 1));
			add(names, name);
			free(name);
		} else if (!is_no_use(text, at)) {
			char *through = macro_at(text, at, c, (size_t)(skip_word(c, end) - c));
			if (through)
				add(macros, through);
			else
				all = false;
			free(through);
		}
	}
	return all;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "manual.h"

enum { WIDTH = 64 }; /* leaves room for escapes */

static void put(FILE *out, char c)
{
	switch (c) {
	case '\\':
		fputs("\\e", out);
		break;
	case '-':
		fputs("\\-", out);
		break;
	case '\'':
		fputs("\\(aq", out);
		break;
	case '`':
		fputs("\\(ga", out);
		break;
	case '^':
		fputs("\\(ha", out);
		break;
	case '~':
		fputs("\\(ti", out);
		break;
	default:
		fputc(c, out);
	}
}

void roff_escape(FILE *out, const char *text, size_t n)
{
	if (n && *text == '.')
		fputs("\\&", out);
	for (size_t i = 0; i < n; i++)
		put(out, text[i]);
}

/* How many letters of text belong to a word in capitals; 0 where it is none. */
static size_t capitals(const char *text, size_t n)
{
	size_t length = 0;
	while (length < n && (isupper((unsigned char)text[length]) || text[length] == '_'))
		length++;
	bool ends = length == n || !isalnum((unsigned char)text[length]);
	return length && ends && text[0] != '_' ? length : 0;
}

/* Does the word stand in this text, as one of its placeholders? */
static bool stands_in(const char *text, const char *word, size_t n)
{
	for (const char *at = text; text && *at;) {
		size_t length = capitals(at, strlen(at));
		if (length == n && !memcmp(at, word, n))
			return true;
		while (isalnum((unsigned char)*at) || *at == '_')
			at++;
		at += *at != '\0';
	}
	return false;
}

static bool is_placeholder(const struct manual *manual, const char *word, size_t n)
{
	struct manual_option option;
	if (!manual || !n)
		return false;
	bool ret = stands_in(manual->usage, word, n);
	for (size_t i = 0; !ret && manual_option(manual, i, &option); i++)
		ret = option.status == MANUAL_DONE && stands_in(option.value, word, n);
	return ret;
}

/* One word; *bold: within `...`, also behind it. */
static void put_word(FILE *out, const struct manual *manual, const char *word, size_t n, bool *bold)
{
	if (n && *word == '.')
		fputs("\\&", out);
	for (size_t i = 0; i < n;) {
		bool begins = !i || !isalnum((unsigned char)word[i - 1]);
		size_t length = begins && !*bold ? capitals(word + i, n - i) : 0;
		if (is_placeholder(manual, word + i, length)) {
			fprintf(out, "\\fI%.*s\\fR", (int)length, word + i);
			i += length;
		} else if (word[i] == '`') {
			*bold = !*bold;
			fputs(*bold ? "\\fB" : "\\fR", out);
			i++;
		} else {
			put(out, word[i++]);
		}
	}
}

void roff_paragraph(FILE *out, const struct manual *manual, const char *text, size_t n)
{
	size_t column = 0;
	bool bold = false, full_stop = false;
	for (size_t i = 0; i < n;) {
		const char *blank = memchr(text + i, ' ', n - i);
		size_t length = blank ? (size_t)(blank - text) - i : n - i;
		/* A sentence begins a line, as roff wants it. */
		if (column && (full_stop || column + 1 + length > WIDTH)) {
			fputc('\n', out);
			column = 0;
		}
		if (column)
			fputc(' ', out);
		put_word(out, manual, text + i, length, &bold);
		column += length + 1;
		full_stop = length && text[i + length - 1] == '.' && !bold;
		i += length + 1;
	}
	fputc('\n', out);
}

void roff_text(FILE *out, const struct manual *manual, const char *text)
{
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		if (line != text)
			fputs(".PP\n", out);
		roff_paragraph(out, manual, line, n);
		line += n + (line[n] == '\n');
	}
}

void roff_syntax(FILE *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t length = capitals(text + i, n - i), word = 0;
		if (length) {
			fprintf(out, "\\fI%.*s\\fR", (int)length, text + i);
			i += length;
			continue;
		}
		while (i + word < n && !strchr(" []|,", text[i + word]) &&
		       strncmp(text + i + word, "...", 3))
			word++;
		/* kns=TEXT: the word ends behind the sign. */
		const char *sign = memchr(text + i, '=', word);
		if (sign)
			word = (size_t)(sign + 1 - text) - i;
		if (word) {
			fputs("\\fB", out);
			roff_escape(out, text + i, word);
			fputs("\\fR", out);
			i += word;
		} else {
			size_t dots = !strncmp(text + i, "...", 3) ? 3 : 1;
			fprintf(out, "%.*s", (int)dots, text + i);
			i += dots;
		}
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool starts_word(const char *at, const char *word)
{
	size_t n = strlen(word);
	return !strncmp(at, word, n) && !is_word(at[n]);
}

bool piece_is(struct piece p, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(p.end - p.start) == n && !strncmp(p.start, word, n);
}

struct piece trim(struct piece p)
{
	while (p.start < p.end && isspace((unsigned char)*p.start))
		p.start++;
	while (p.end > p.start && isspace((unsigned char)p.end[-1]))
		p.end--;
	return p;
}

struct piece last_word(struct piece p)
{
	p = trim(p);
	struct piece word = {p.end, p.end};
	while (word.start > p.start && is_word(word.start[-1]))
		word.start--;
	if (word.start < word.end && isdigit((unsigned char)*word.start))
		word.start = word.end;
	return word;
}

bool contains(struct piece p, const char *any)
{
	for (const char *c = p.start; c < p.end; c++)
		if (strchr(any, *c))
			return true;
	return false;
}

static const char *skip_comment(const char *at)
{
	if (!strncmp(at, "//", 2))
		return at + strcspn(at, "\n");
	if (strncmp(at, "/*", 2))
		return at;
	const char *end = strstr(at + 2, "*/");
	return end ? end + 2 : at + strlen(at);
}

const char *skip_space(const char *at)
{
	for (;;) {
		const char *start = at;
		while (isspace((unsigned char)*at))
			at++;
		at = skip_comment(at);
		if (at == start)
			return at;
	}
}

/* R"x(...)x", at the quote. */
static const char *skip_raw(const char *quote)
{
	size_t n = strcspn(quote + 1, "(");
	char *close = quote[n + 1] ? text_format(")%.*s\"", (int)n, quote + 1) : NULL;
	const char *end = close ? strstr(quote, close) : NULL;
	end = end ? end + strlen(close) : quote + strlen(quote);
	free(close);
	return end;
}

const char *skip_literal(const char *text, const char *at)
{
	if (*at == '/')
		return skip_comment(at);
	if (*at != '"' && *at != '\'')
		return at;
	char before = at > text ? at[-1] : ' ';
	if (*at == '"' && before == 'R')
		return skip_raw(at);
	if (*at == '\'' && isxdigit((unsigned char)before) && isxdigit((unsigned char)at[1]))
		return at;
	char quote = *at;
	const char *c = at + 1;
	while (*c && *c != quote && *c != '\n')
		c += *c == '\\' && c[1] ? 2 : 1;
	return *c == quote ? c + 1 : c;
}

const char *skip_brackets(const char *at)
{
	int depth = 0;
	for (const char *start = at; *at;) {
		const char *end = skip_literal(start, at);
		if (end > at) {
			at = end;
			continue;
		}
		if (strchr("([{", *at))
			depth++;
		else if (strchr(")]}", *at) && --depth == 0)
			return at + 1;
		at++;
	}
	return NULL;
}

const char *opening_bracket(const char *text, const char *end)
{
	int depth = 0;
	while (end > text) {
		end--;
		if (strchr(")]}", *end))
			depth++;
		else if (strchr("([{", *end) && --depth == 0)
			return end;
	}
	return NULL;
}

char *text_replace(const char *text, const char *start, const char *end, const char *fresh)
{
	return text_format("%.*s%s%s", (int)(start - text), text, fresh, end);
}

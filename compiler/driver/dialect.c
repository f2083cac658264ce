/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "dialect.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

static const char shared[] = "__shared__";

/* A piece of the text. */
struct piece {
	const char *start, *end;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool starts_word(const char *at, const char *word)
{
	size_t n = strlen(word);
	return !strncmp(at, word, n) && !is_word(at[n]);
}

static struct piece trim(struct piece p)
{
	while (p.start < p.end && isspace((unsigned char)*p.start))
		p.start++;
	while (p.end > p.start && isspace((unsigned char)p.end[-1]))
		p.end--;
	return p;
}

/* Behind the bracket that closes the one at `at`; NULL if none does. */
static const char *skip_brackets(const char *at)
{
	int depth = 0;
	for (; *at; at++) {
		if (strchr("([{", *at))
			depth++;
		else if (strchr(")]}", *at) && --depth == 0)
			return at + 1;
	}
	return NULL;
}

static const char *find_spot(const char *text, const struct dialect_spot *spot)
{
	for (unsigned line = 1; line < spot->line; line++) {
		text = strchr(text, '\n');
		if (!text)
			return NULL;
		text++;
	}
	if (strcspn(text, "\n") < spot->column - 1)
		return NULL;
	return text + spot->column - 1;
}

/* Words that may stand before the attribute in its declaration. */
static bool is_specifier(struct piece word)
{
	static const char *const specifiers[] = {shared, "static", "extern", "volatile", "const"};
	size_t n = (size_t)(word.end - word.start);
	for (size_t i = 0; i < sizeof specifiers / sizeof *specifiers; i++)
		if (strlen(specifiers[i]) == n && !strncmp(specifiers[i], word.start, n))
			return true;
	return false;
}

/* The specifiers right before `at`, the first of which begins the piece. Empty
 * if __shared__ is not among them. */
static struct piece specifiers_before(const char *text, const char *at)
{
	struct piece all = {at, at};
	bool has_shared = false;
	for (const char *c = at;;) {
		while (c > text && isspace((unsigned char)c[-1]))
			c--;
		struct piece word = {c, c};
		while (word.start > text && is_word(word.start[-1]))
			word.start--;
		if (!is_specifier(word))
			break;
		has_shared |= starts_word(word.start, shared);
		all.start = c = word.start;
	}
	return has_shared ? all : (struct piece){at, at};
}

/* Behind the attributes alignas(...) and [[...]] at `at`. */
static const char *skip_attributes(const char *at)
{
	for (;;) {
		const char *end = NULL, *next = at;
		while (isspace((unsigned char)*next))
			next++;
		if (starts_word(next, "alignas") && strchr(next, '('))
			end = skip_brackets(strchr(next, '('));
		else if (!strncmp(next, "[[", 2))
			end = skip_brackets(next);
		if (!end)
			return at;
		at = end;
	}
}

static char *replace(const char *text, const char *start, const char *end, const char *fresh)
{
	return text_format("%.*s%s%s", (int)(start - text), text, fresh, end);
}

static char *mend_attribute(const char *text, const char *at)
{
	const char *end = skip_attributes(at);
	struct piece specifiers = specifiers_before(text, at);
	if (end == at || specifiers.start == at)
		return NULL;
	char *fresh = text_format("%.*s %.*s", (int)(end - at), at,
				  (int)(specifiers.end - specifiers.start), specifiers.start);
	/* The space between the two pieces went along with the specifiers. */
	char *mended = replace(text, specifiers.start, end, fresh);
	free(fresh);
	return mended;
}

/* The identifier at the end of a piece; empty if there is none. */
static struct piece last_word(struct piece p)
{
	p = trim(p);
	struct piece word = {p.end, p.end};
	while (word.start > p.start && is_word(word.start[-1]))
		word.start--;
	if (word.start < word.end && isdigit((unsigned char)*word.start))
		word.start = word.end;
	return word;
}

static bool contains(struct piece p, const char *any)
{
	for (const char *c = p.start; c < p.end; c++)
		if (strchr(any, *c))
			return true;
	return false;
}

static char *mend_extern(const char *text, const char *at)
{
	if (!starts_word(at, shared))
		return NULL;
	struct piece whole = {at + strlen(shared), strchr(at, ';')};
	if (!whole.end || contains(whole, "=([{,}"))
		return NULL;
	struct piece name = last_word(whole);
	struct piece type = trim((struct piece){whole.start, name.start});
	if (name.start == name.end || type.start == type.end)
		return NULL;
	int n_name = (int)(name.end - name.start), n_type = (int)(type.end - type.start);
	char *fresh = text_format("%s %.*s __cudasim_extern_%.*s[]; %.*s &%.*s = *__cudasim_extern_%.*s",
				  shared, n_type, type.start, n_name, name.start, n_type, type.start,
				  n_name, name.start, n_name, name.start);
	char *mended = replace(text, at, whole.end, fresh);
	free(fresh);
	return mended;
}

/* The next declarator's end: a comma outside all brackets, or p.end. Angle
 * brackets count outside of square ones, where > is a comparison. */
static const char *declarator_end(struct piece p)
{
	int depth = 0, angle = 0;
	for (const char *c = p.start; c < p.end; c++) {
		if (strchr("([{", *c))
			depth++;
		else if (strchr(")]}", *c))
			depth--;
		else if (!depth && *c == '<')
			angle++;
		else if (!depth && *c == '>')
			angle--;
		else if (!depth && !angle && *c == ',')
			return c;
	}
	return p.end;
}

/* Where a declarator's array bounds begin: its first [ outside of < > and
 * behind the type; its end if it is no array. */
static const char *bounds_of(struct piece p)
{
	int angle = 0;
	for (const char *c = p.start; c < p.end; c++) {
		if (*c == '<')
			angle++;
		else if (*c == '>')
			angle--;
		else if (*c == '[' && !angle)
			return c;
	}
	return p.end;
}

static char *mend_constructor(const char *text, const char *at)
{
	const char *start = at, *semicolon = strchr(at, ';');
	while (start > text && !strchr(";{}", start[-1]))
		start--;
	const char *mark = memmem(start, (size_t)(at - start), shared, strlen(shared));
	if (!mark || !semicolon)
		return NULL;
	struct piece rest = {mark + strlen(shared), semicolon};
	if (contains(rest, "={"))
		return NULL;
	char *fresh = text_copy("");
	struct piece type = {NULL, NULL};
	while (rest.start < rest.end) {
		struct piece declarator = {rest.start, declarator_end(rest)};
		const char *bounds = bounds_of(declarator);
		struct piece name = last_word((struct piece){declarator.start, bounds});
		if (!type.start)
			type = trim((struct piece){declarator.start, name.start});
		if (name.start == name.end || type.start == type.end) {
			free(fresh);
			return NULL;
		}
		int n = (int)(name.end - name.start);
		char *more = text_format(
			"%s%s __shared__ __cudasim_raw<%.*s %.*s> __cudasim_raw_%.*s; "
			"auto &%.*s = __cudasim_raw_%.*s.value", fresh, *fresh ? ";" : "",
			(int)(type.end - type.start), type.start, (int)(declarator.end - bounds), bounds,
			n, name.start, n, name.start, n, name.start);
		free(fresh);
		fresh = more;
		rest.start = declarator.end + (declarator.end < rest.end);
	}
	char *mended = replace(text, mark, semicolon, fresh + 1);
	free(fresh);
	return mended;
}

/* `#pragma WORDS` in a macro's definition, up to the line's end or a comment. */
static char *mend_pragma(const char *text, const char *at)
{
	const char *line = at, *word = at + 1;
	if (*at != '#')
		return NULL;
	while (line > text && line[-1] != '\n')
		line--;
	line += strspn(line, " \t");
	while (isblank((unsigned char)*word))
		word++;
	if (*line != '#' || line == at || !starts_word(word, "pragma"))
		return NULL;
	struct piece rest = {word + strlen("pragma"), word + strcspn(word, "\n")};
	for (const char *c = rest.start; c < rest.end; c++)
		if ((*c == '/' && (c[1] == '/' || c[1] == '*')) || (*c == '\\' && c + 1 == rest.end))
			rest.end = c;
	rest = trim(rest);
	char *quoted = text_copy("");
	for (const char *c = rest.start; c < rest.end; c++) {
		char *longer = text_format("%s%s%c", quoted, *c == '"' || *c == '\\' ? "\\" : "", *c);
		free(quoted);
		quoted = longer;
	}
	char *fresh = text_format("_Pragma(\"%s\")", quoted);
	char *mended = replace(text, at, rest.end, fresh);
	free(quoted);
	free(fresh);
	return mended;
}

char *dialect_mend(const char *text, const struct dialect_spot *spot)
{
	const char *at = find_spot(text, spot);
	if (!at)
		return NULL;
	switch (spot->kind) {
	case DIALECT_ATTRIBUTE:
		return mend_attribute(text, at);
	case DIALECT_EXTERN:
		return mend_extern(text, at);
	case DIALECT_CONSTRUCTOR:
		return mend_constructor(text, at);
	case DIALECT_PRAGMA:
		return mend_pragma(text, at);
	}
	return NULL;
}

/* Reads "PATH:LINE:COLUMN: error: MESSAGE", and notes alike. */
static bool read_error(const char *line, struct dialect_spot *ret)
{
	static const char *const messages[] = {
		[DIALECT_ATTRIBUTE] = "an attribute list cannot appear here",
		[DIALECT_EXTERN] = "cannot be 'extern'",
		[DIALECT_CONSTRUCTOR] = "initialization is not supported for __shared__ variables",
		[DIALECT_PRAGMA] = ": note: expanded from macro",
	};
	const char *error = strstr(line, ": error: ");
	if (!error)
		error = strstr(line, ": note: ");
	if (!error)
		return false;
	const char *numbers = error;
	for (int colons = 0; numbers > line && colons < 2; colons += *numbers == ':')
		numbers--;
	if (sscanf(numbers, ":%u:%u:", &ret->line, &ret->column) != 2 || !ret->line || !ret->column)
		return false;
	for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
		if (strstr(error, messages[i])) {
			ret->kind = (enum dialect_kind)i;
			ret->path = text_copy_n(line, (size_t)(numbers - line));
			return true;
		}
	return false;
}

size_t dialect_find_spots(const char *diagnostics, struct dialect_spot **ret)
{
	struct words lines = {0};
	words_split(&lines, diagnostics, '\n');
	size_t n = 0;
	*ret = calloc(lines.n + 1, sizeof **ret);
	for (size_t i = 0; *ret && i < lines.n; i++)
		n += read_error(lines.at[i], &(*ret)[n]);
	words_fini(&lines);
	return n;
}

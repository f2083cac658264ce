/* SPDX-License-Identifier: Apache-2.0 */
/* dialect_shared.c - __shared__ variables that clang does not take: extern ones
 * that are no arrays of unknown size, and objects with a constructor. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "dialect_text.h"
#include "words.h"

static const char shared[] = "__shared__";

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

/* With a size nvcc takes it for a definition. */
static char *without_extern(const char *text, const char *at)
{
	static const char word[] = "extern";
	size_t n = sizeof word - 1;
	const char *start = at;
	while (start > text && !strchr(";{}", start[-1]))
		start--;
	const char *found = memmem(start, (size_t)(at - start), word, n);
	return found ? text_replace(text, found, found + n, "") : NULL;
}

char *mend_extern(const char *text, const char *at)
{
	if (!starts_word(at, shared))
		return NULL;
	struct piece whole = {at + strlen(shared), strchr(at, ';')};
	if (!whole.end || contains(whole, "=({,}"))
		return NULL;
	if (contains(whole, "["))
		return without_extern(text, at);
	struct piece name = last_word(whole);
	struct piece type = trim((struct piece){whole.start, name.start});
	if (name.start == name.end || type.start == type.end)
		return NULL;
	int n_name = (int)(name.end - name.start), n_type = (int)(type.end - type.start);
	char *fresh = text_format("%s %.*s __cudasim_extern_%.*s[]; %.*s &%.*s = *__cudasim_extern_%.*s",
				  shared, n_type, type.start, n_name, name.start, n_type, type.start,
				  n_name, name.start, n_name, name.start);
	char *mended = text_replace(text, at, whole.end, fresh);
	free(fresh);
	return mended;
}

char *mend_constructor(const char *text, const char *at)
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
	char *mended = text_replace(text, mark, semicolon, fresh + 1);
	free(fresh);
	return mended;
}

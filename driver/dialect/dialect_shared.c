/* SPDX-License-Identifier: Apache-2.0 */
/* dialect_shared.c - __shared__ variables that clang does not take: extern ones
 * that are no arrays of unknown size, and objects with a constructor. */
#define _GNU_SOURCE
#include <ctype.h>
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
		const char *behind = *c == '{' ? skip_brackets(c) : NULL;
		if (behind && behind < p.end)
			c = behind; /* a class defined here */
		if (*c == '<')
			angle++;
		else if (*c == '>')
			angle--;
		else if (*c == '[' && !angle)
			return c;
	}
	return p.end;
}

/* What goes before __shared__, since it is no part of the type: alignas(8), __align__(8), [[...]], a
 * macro's call. Taken from the front of *rest; empty if there is none. */
static struct piece take_attributes(struct piece *rest)
{
	*rest = trim(*rest);
	struct piece taken = {rest->start, rest->start};
	for (;;) {
		const char *at = skip_space(taken.end), *word = at;
		while (is_word(*at))
			at++;
		bool is_type = starts_word(word, "decltype") || starts_word(word, "__typeof__");
		bool is_call = at > word && !is_type && *skip_space(at) == '(';
		const char *end = is_call                   ? skip_brackets(skip_space(at))
				  : !strncmp(word, "[[", 2) ? skip_brackets(word)
							    : NULL;
		if (!end || end > rest->end)
			break;
		taken.end = end;
	}
	rest->start = taken.end;
	*rest = trim(*rest);
	return taken;
}

/* A reference outside of functions is the host's, too, which has no such memory. */
static const char *reference_storage(const char *text, const char *at)
{
	struct piece head = function_around(text, at);
	bool inside = head.start < head.end && head.end < at;
	return inside ? "" : "static ";
}

/* The ; that ends the declaration, NULL if there is none. */
static const char *declaration_end(const char *at)
{
	while (*at && *at != ';') {
		const char *behind = strchr("([{", *at) ? skip_brackets(at) : NULL;
		at = behind ? behind : at + 1;
	}
	return *at ? at : NULL;
}

/* Where the declaration that `at` is in begins, behind directives. */
static const char *declaration_start(const char *text, const char *at)
{
	const char *start = at;
	while (start > text && !strchr(";{}", start[-1]))
		start--;
	start = skip_space(start);
	while (*start == '#')
		start = skip_space(start + strcspn(start, "\n"));
	return start < at ? start : at;
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

/* The words that all declarators of a declaration share. */
struct specifiers {
	struct piece before, attributes, type; /* before: of __shared__ */
	const char *storage; /* of a reference */
};

/* What becomes of one declarator. The caller frees it. */
typedef char *(*mend_one)(const struct specifiers *all, struct piece declarator);

static int length(struct piece p)
{
	return (int)(p.end - p.start);
}

/* Each declarator of the declaration with `mark`, its __shared__, becomes a declaration. */
static char *mend_declarators(const char *text, const char *mark, mend_one one)
{
	const char *first = declaration_start(text, mark), *semicolon = declaration_end(mark);
	if (!semicolon)
		return NULL;
	struct piece rest = {mark + strlen(shared), semicolon};
	struct specifiers all = {.before = {first, mark}, .storage = reference_storage(text, mark)};
	all.attributes = take_attributes(&rest);
	char *fresh = text_copy("");
	while (fresh && rest.start < rest.end) {
		struct piece declarator = {rest.start, declarator_end(rest)};
		struct piece name =
			last_word((struct piece){declarator.start, bounds_of(declarator)});
		if (!all.type.start)
			all.type = trim((struct piece){declarator.start, name.start});
		if (all.type.start == all.type.end) { /* int __shared__ x; */
			all.type = all.before;
			all.attributes = take_attributes(&all.type);
			all.before = (struct piece){first, first};
		}
		bool known = name.start < name.end && all.type.start < all.type.end;
		declarator.start = name.start;
		char *more = known ? one(&all, declarator) : NULL;
		struct piece before = trim(all.before);
		char *longer = more ? text_format("%s%s%.*s%s%.*s%s%s", fresh, *fresh ? "; " : "",
						  length(before), before.start,
						  length(before) ? " " : "", length(all.attributes),
						  all.attributes.start,
						  length(all.attributes) ? " " : "", more)
				    : NULL;
		free(more);
		free(fresh);
		fresh = longer;
		rest.start = declarator.end + (declarator.end < rest.end);
	}
	char *mended = fresh ? text_replace(text, first, semicolon, fresh) : NULL;
	free(fresh);
	return mended;
}

static char *extern_one(const struct specifiers *all, struct piece declarator)
{
	static const char any[] = "auto";
	struct piece name = trim(declarator), type = all->type;
	if (starts_word(type.start, "extern"))
		type = trim((struct piece){type.start + strlen("extern"), type.end});
	/* A class is defined once. */
	struct piece alias = contains(type, "{") ? (struct piece){any, any + strlen(any)} : type;
	int n = length(name);
	return text_format(
		"%s__shared__ %.*s __cudasim_extern_%.*s[]; %s%.*s &%.*s = *__cudasim_extern_%.*s",
		type.start == all->type.start ? "" : "extern ", length(type), type.start, n,
		name.start, all->storage, length(alias), alias.start, n, name.start, n, name.start);
}

char *mend_extern(const char *text, const char *at)
{
	if (!starts_word(at, shared))
		return NULL;
	struct piece whole = {at + strlen(shared), declaration_end(at)};
	if (!whole.end || contains(whole, "="))
		return NULL;
	struct piece declarators = whole;
	while (contains(declarators, "}"))
		declarators.start++;
	return contains(declarators, "[") ? without_extern(text, at)
					  : mend_declarators(text, at, extern_one);
}

/* Declared again, in a header and behind it: the reference that mend_extern() made is there. */
char *mend_repeated(const char *text, const char *at)
{
	const char *end = at, *start = at;
	while (is_word(*end))
		end++;
	char *made = text_format(" = *__cudasim_extern_%.*s;", (int)(end - at), at);
	bool ours = end > at && at > text && at[-1] == '&' && !strncmp(end, made, strlen(made));
	end += strlen(made) - 1;
	free(made);
	while (start > text && start[-1] != ';')
		start--;
	return ours ? text_replace(text, start, end, "") : NULL;
}

static char *raw_one(const struct specifiers *all, struct piece declarator)
{
	const char *bounds = bounds_of(declarator);
	struct piece name = last_word((struct piece){declarator.start, bounds});
	int n = length(name);
	/* A class cannot be defined among a template's arguments. */
	if (contains(all->type, "{"))
		return text_format(
			"typedef %.*s __cudasim_type_%.*s; "
			"__shared__ __cudasim_raw<__cudasim_type_%.*s %.*s> __cudasim_raw_%.*s; "
			"%sauto &%.*s = __cudasim_raw_%.*s.value",
			length(all->type), all->type.start, n, name.start, n, name.start,
			(int)(declarator.end - bounds), bounds, n, name.start, all->storage, n,
			name.start, n, name.start);
	return text_format("__shared__ __cudasim_raw<%.*s %.*s> __cudasim_raw_%.*s; "
			   "%sauto &%.*s = __cudasim_raw_%.*s.value",
			   length(all->type), all->type.start, (int)(declarator.end - bounds),
			   bounds, n, name.start, all->storage, n, name.start, n, name.start);
}

char *mend_constructor(const char *text, const char *at)
{
	const char *start = declaration_start(text, at), *before = start;
	while (before > text && isspace((unsigned char)before[-1]))
		before--;
	const char *open = before > text && before[-1] == '}' ? opening_bracket(text, before)
							      : NULL;
	const char *mark = memmem(start, (size_t)(at - start), shared, strlen(shared));
	if (!mark && open) { /* __shared__ struct { ... } x; */
		start = declaration_start(text, open);
		mark = memmem(start, (size_t)(open - start), shared, strlen(shared));
	}
	const char *end = mark ? declaration_end(mark) : NULL;
	if (!end || contains((struct piece){at, end}, "={"))
		return NULL;
	return mend_declarators(text, mark, raw_one);
}

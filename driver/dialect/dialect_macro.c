/* SPDX-License-Identifier: Apache-2.0 */
/* dialect_macro.c - a macro's expansion in the place of its use, so that the
 * declaration it hides can be mended like any other. clang's notes say where the
 * macro is defined. Operators # and ## are obeyed; the expansion is not expanded
 * again, for the next round's errors name the next macro. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>

#include "dialect_text.h"
#include "words.h"

enum { MAX_PARAMETERS = 32 };

struct macro {
	bool takes_arguments, variadic; /* variadic: the last parameter takes the rest */
	size_t n;
	struct piece parameters[MAX_PARAMETERS];
	const char *body;
};

/* The definition's text, its continued lines joined and comments gone, from
 * behind "define"; NULL if none ends at or holds this line of the file. */
static char *read_definition(const struct dialect_macro *place)
{
	FILE *file = fopen(place->path, "re");
	if (!file)
		return NULL;
	char *line = NULL, *whole = text_copy("");
	size_t size = 0;
	bool goes_on = false, found = false;
	ssize_t n;
	for (unsigned number = 1; (n = getline(&line, &size, file)) >= 0; number++) {
		if (!goes_on)
			whole[0] = '\0';
		while (n && isspace((unsigned char)line[n - 1]))
			line[--n] = '\0';
		goes_on = n && line[n - 1] == '\\';
		if (goes_on)
			line[n - 1] = '\0';
		char *longer = text_format("%s%s ", whole, line);
		free(whole);
		whole = longer;
		found = number >= place->line && !goes_on;
		if (found)
			break;
	}
	free(line);
	fclose(file);
	const char *at = skip_space(whole);
	at = found && *at == '#' ? skip_space(at + 1) : "";
	char *definition = starts_word(at, "define") ? text_copy(skip_space(at + 6)) : NULL;
	free(whole);
	for (char *c = definition; c && *c;) {
		const char *end = skip_literal(definition, c);
		if (end > c && *c == '/')
			memset(c, ' ', (size_t)(end - c));
		c = end > c ? (char *)(uintptr_t)end : c + 1;
	}
	return definition;
}

static bool read_macro(const char *definition, const char *name, struct macro *ret)
{
	if (!starts_word(definition, name))
		return false;
	const char *at = definition + strlen(name);
	*ret = (struct macro){.body = at};
	if (*at != '(')
		return true;
	ret->takes_arguments = true;
	at = skip_space(at + 1);
	while (*at && *at != ')' && ret->n < MAX_PARAMETERS) {
		const char *start = at;
		at += strcspn(at, ",)");
		struct piece parameter = trim((struct piece){start, at});
		if (parameter.end - parameter.start >= 3 && !strncmp(parameter.end - 3, "...", 3)) {
			ret->variadic = true;
			parameter.end -= 3;
		}
		ret->parameters[ret->n++] = trim(parameter);
		at = skip_space(*at == ',' ? at + 1 : at);
	}
	ret->body = at + 1;
	return *at == ')';
}

/* Reads the arguments behind the ( at `at`; *ret is behind the ). */
static bool read_arguments(const struct macro *macro, const char *at, struct piece *arguments,
			   const char **ret)
{
	const char *end = skip_brackets(at);
	if (!end)
		return false;
	size_t n = 0;
	const char *start = at + 1;
	int depth = 0;
	for (const char *c = at + 1; c < end; c++) {
		const char *behind = skip_literal(at, c);
		if (behind > c) {
			c = behind - 1;
			continue;
		}
		bool takes_rest = macro->variadic && n + 1 == macro->n;
		if ((!depth && *c == ',' && !takes_rest) || c == end - 1) {
			if (n >= MAX_PARAMETERS)
				return false;
			arguments[n++] = trim((struct piece){start, c});
			start = c + 1;
		} else if (*c == '(') {
			depth++;
		} else if (*c == ')') {
			depth--;
		}
	}
	/* F() has one empty argument, or none. */
	if (!macro->n && n == 1 && arguments[0].start == arguments[0].end)
		n = 0;
	while (n < macro->n)
		arguments[n++] = (struct piece){end, end};
	*ret = end;
	return n == macro->n;
}

static void put(FILE *out, struct piece p)
{
	for (const char *c = p.start; c < p.end; c++)
		fputc(*c == '\n' ? ' ' : *c, out);
}

static void put_quoted(FILE *out, struct piece p)
{
	fputc('"', out);
	for (const char *c = p.start; c < p.end; c++) {
		if (*c == '"' || *c == '\\')
			fputc('\\', out);
		fputc(*c == '\n' ? ' ' : *c, out);
	}
	fputc('"', out);
}

static const struct piece *argument_of(const struct macro *macro, const struct piece *arguments,
				       struct piece word)
{
	for (size_t i = 0; i < macro->n; i++) {
		struct piece p = macro->parameters[i];
		bool rest = p.start == p.end && piece_is(word, "__VA_ARGS__");
		if (rest || (p.end - p.start == word.end - word.start &&
			     !strncmp(p.start, word.start, (size_t)(word.end - word.start))))
			return &arguments[i];
	}
	return NULL;
}

static void put_body(FILE *out, const struct macro *macro, const struct piece *arguments)
{
	for (const char *at = macro->body; *at;) {
		const char *end = skip_literal(macro->body, at);
		if (isspace((unsigned char)*at) || !strncmp(at, "##", 2)) {
			const char *next = at;
			while (isspace((unsigned char)*next))
				next++;
			bool pastes = !strncmp(next, "##", 2);
			at = pastes ? next + 2 : next;
			while (pastes && isspace((unsigned char)*at))
				at++;
			if (!pastes)
				fputc(' ', out);
			continue;
		}
		if (end > at) {
			put(out, (struct piece){at, end});
			at = end;
			continue;
		}
		bool quotes = *at == '#' && macro->takes_arguments;
		const char *start = quotes ? skip_space(at + 1) : at;
		end = start;
		while (is_word(*end))
			end++;
		struct piece word = {start, end};
		const struct piece *argument = word.start < word.end
						       ? argument_of(macro, arguments, word)
						       : NULL;
		if (argument && quotes)
			put_quoted(out, *argument);
		else if (argument)
			put(out, *argument);
		else
			put(out, (struct piece){at, end > at ? end : end + 1});
		at = end > at ? end : at + 1;
	}
}

/* Any mistake of a program's can be an "expected expression": a definition holds a launch, or template
 * arguments of which there may be none. In a constant it is a member's offset. */
static bool may_hide(const char *definition, enum dialect_kind kind)
{
	if (kind == DIALECT_THIS)
		return strstr(definition, "->") != NULL;
	return kind != DIALECT_LAUNCH || strstr(definition, "<<") ||
	       (strstr(definition, "__VA_ARGS__") && strchr(definition, '>'));
}

static char *expand(const char *text, const char *at, const struct dialect_macro *place,
		    enum dialect_kind kind)
{
	char *definition = read_definition(place);
	struct macro macro;
	struct piece arguments[MAX_PARAMETERS];
	char *mended = NULL;
	size_t n = strlen(place->name);
	if (!definition || !may_hide(definition, kind) ||
	    !read_macro(definition, place->name, &macro))
		goto out;
	for (const char *use = at;; use--) {
		if (starts_word(use, place->name) && (use == text || !is_word(use[-1]))) {
			const char *end = use + n, *open = skip_space(end);
			if (macro.takes_arguments &&
			    (*open != '(' || !read_arguments(&macro, open, arguments, &end)))
				goto out;
			if (end <= at)
				goto out;
			char *fresh = NULL;
			size_t size;
			FILE *out = open_memstream(&fresh, &size);
			if (!out)
				goto out;
			put_body(out, &macro, arguments);
			/* What follows keeps its line. */
			for (const char *c = use; c < end; c++)
				if (*c == '\n')
					fputc('\n', out);
			fclose(out);
			mended = text_replace(text, use, end, fresh);
			free(fresh);
			goto out;
		}
		if (use == text)
			break;
	}
out:
	free(definition);
	return mended;
}

char *mend_macro(const char *text, const char *at, const struct dialect_spot *spot)
{
	char *mended = NULL;
	for (size_t i = 0; !mended && i < spot->n_macros; i++)
		mended = expand(text, at, &spot->macros[i], spot->kind);
	return mended;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_type.c - a recursive descent over types. A type is a basic one, a name, an array, a
 * vector or a structure, and what follows it: the parameters of a function, `*`, or
 * `addrspace(N)*`. */
#define _GNU_SOURCE
#include "assembly_type.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"

enum { MAX_DEPTH = 128 };

struct reader {
	const char *text;
	const struct assembly_token *tokens;
	unsigned depth;
};

static bool read_type(struct reader *reader, size_t at, struct assembly_type *ret);

static bool is(const struct reader *reader, size_t at, const char *word)
{
	return assembly_is(reader->text, &reader->tokens[at], word);
}

/* Text becomes what the format says of it. */
__attribute__((format(printf, 2, 3))) static void replace(char **text, const char *format, ...)
{
	char *made;
	va_list list;
	va_start(list, format);
	if (vasprintf(&made, format, list) < 0)
		must_fail();
	va_end(list);
	free(*text);
	*text = made;
}

static char *copy(const struct reader *reader, size_t at)
{
	const struct assembly_token *token = &reader->tokens[at];
	return must(strndup(reader->text + token->start, token->end - token->start));
}

static bool is_basic(const struct reader *reader, size_t at)
{
	static const char *const names[] = {"void",  "half",     "bfloat",    "float",   "double",
					    "fp128", "x86_fp80", "ppc_fp128", "x86_mmx", "x86_amx",
					    "label", "token",    "metadata",  "ptr"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (is(reader, at, names[i]))
			return true;
	const struct assembly_token *token = &reader->tokens[at];
	const char *word = reader->text + token->start;
	size_t n = token->end - token->start;
	return token->kind == ASSEMBLY_WORD && n > 1 && *word == 'i' &&
	       strspn(word + 1, "0123456789") >= n - 1;
}

/* `addrspace ( N )`: the number's token, 0 where there is none. */
static size_t address_space(const struct reader *reader, size_t at)
{
	bool found = is(reader, at, "addrspace") && is(reader, at + 1, "(") &&
		     reader->tokens[at + 2].kind == ASSEMBLY_NUMBER && is(reader, at + 3, ")");
	return found ? at + 2 : 0;
}

/* Types between at and the mark `close`, with commas between them, appended to ret->text;
 * ret->end is then behind the mark. */
static bool read_list(struct reader *reader, size_t at, const char *close,
		      struct assembly_type *ret)
{
	if (is(reader, at, close)) {
		ret->end = at + 1;
		return true;
	}
	for (;;) {
		struct assembly_type element;
		if (is(reader, at, "...") && *close == ')') {
			replace(&ret->text, "%s...", ret->text);
			at++;
		} else if (read_type(reader, at, &element)) {
			replace(&ret->text, "%s%s", ret->text, element.text);
			at = element.end;
			ret->changed |= element.changed;
			assembly_type_fini(&element);
		} else {
			return false;
		}
		if (is(reader, at, close)) {
			ret->end = at + 1;
			return true;
		}
		if (!is(reader, at, ","))
			return false;
		replace(&ret->text, "%s, ", ret->text);
		at++;
	}
}

static bool read_structure(struct reader *reader, size_t at, struct assembly_type *ret)
{
	replace(&ret->text, "{ ");
	if (!read_list(reader, at + 1, "}", ret))
		return false;
	replace(&ret->text, "%s }", ret->text);
	return true;
}

/* `[ N x T ]`, `< N x T >`, `< vscale x N x T >`. */
static bool read_sequence(struct reader *reader, size_t at, const char *close,
			  struct assembly_type *ret)
{
	struct assembly_type element;
	char *open = copy(reader, at++);
	bool scalable = is(reader, at, "vscale") && is(reader, at + 1, "x");
	at += scalable ? 2 : 0;
	bool found = reader->tokens[at].kind == ASSEMBLY_NUMBER && is(reader, at + 1, "x") &&
		     read_type(reader, at + 2, &element);
	if (!found) {
		free(open);
		return false;
	}
	char *number = copy(reader, at);
	found = is(reader, element.end, close);
	replace(&ret->text, "%s%s%s x %s%s", open, scalable ? "vscale x " : "", number,
		element.text, close);
	ret->end = element.end + 1;
	ret->changed |= element.changed;
	assembly_type_fini(&element);
	free(number);
	free(open);
	return found;
}

static bool read_first(struct reader *reader, size_t at, struct assembly_type *ret)
{
	size_t space;
	ret->end = at + 1;
	if (is(reader, at, "ptr") && (space = address_space(reader, at + 1))) {
		char *number = copy(reader, space);
		replace(&ret->text, "ptr addrspace(%s)", number);
		free(number);
		ret->end = space + 2;
		return true;
	}
	if (is_basic(reader, at) || reader->tokens[at].kind == ASSEMBLY_LOCAL) {
		free(ret->text);
		ret->text = copy(reader, at);
		return true;
	}
	if (is(reader, at, "["))
		return read_sequence(reader, at, "]", ret);
	if (is(reader, at, "{"))
		return read_structure(reader, at, ret);
	if (is(reader, at, "<") && is(reader, at + 1, "{")) {
		if (!read_structure(reader, at + 1, ret) || !is(reader, ret->end, ">"))
			return false;
		replace(&ret->text, "<%s>", ret->text);
		ret->end++;
		return true;
	}
	return is(reader, at, "<") && read_sequence(reader, at, ">", ret);
}

/* The parameters of a function type; what is not is left alone. */
static bool read_parameters(struct reader *reader, struct assembly_type *type)
{
	struct assembly_type whole = {.text = NULL};
	replace(&whole.text, "%s (", type->text);
	if (!read_list(reader, type->end + 1, ")", &whole)) {
		assembly_type_fini(&whole);
		return false;
	}
	replace(&type->text, "%s)", whole.text);
	type->changed |= whole.changed;
	type->end = whole.end;
	free(type->pointee);
	type->pointee = NULL;
	type->to_function = false;
	assembly_type_fini(&whole);
	return true;
}

static bool read_suffixes(struct reader *reader, struct assembly_type *ret)
{
	bool is_function = false;
	for (;;) {
		size_t space = address_space(reader, ret->end);
		size_t star = space ? space + 2 : ret->end;
		if (is(reader, star, "*")) {
			char *number = space ? copy(reader, space) : NULL;
			free(ret->pointee);
			ret->pointee = ret->text;
			ret->text = NULL;
			if (number)
				replace(&ret->text, "ptr addrspace(%s)", number);
			else
				replace(&ret->text, "ptr");
			free(number);
			ret->to_function = is_function;
			ret->changed = true;
			is_function = false;
			ret->end = star + 1;
		} else if (is(reader, ret->end, "(") && read_parameters(reader, ret)) {
			is_function = true;
		} else {
			return true;
		}
	}
}

static bool read_type(struct reader *reader, size_t at, struct assembly_type *ret)
{
	*ret = (struct assembly_type){.text = must(strdup(""))};
	bool found = reader->depth < MAX_DEPTH;
	reader->depth++;
	found = found && read_first(reader, at, ret) && read_suffixes(reader, ret);
	reader->depth--;
	if (!found)
		assembly_type_fini(ret);
	return found;
}

bool assembly_type_read(const char *text, const struct assembly_token *tokens, size_t at,
			struct assembly_type *ret)
{
	struct reader reader = {text, tokens, 0};
	return read_type(&reader, at, ret);
}

void assembly_type_fini(struct assembly_type *type)
{
	free(type->text);
	free(type->pointee);
	*type = (struct assembly_type){0};
}

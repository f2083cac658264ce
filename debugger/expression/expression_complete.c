/* SPDX-License-Identifier: Apache-2.0 */
/* expression_complete.c - what could stand where an expression is cut off: members
 * behind . and ->, else names of the selected frame, of the program, and C++'s words. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "expression_evaluate.h"
#include "expression_tree.h"
#include "stack.h"

#define MAX_WORDS 5000

struct completion {
	const char *prefix;
	size_t n_prefix;
	char **words;
	size_t n, capacity;
};

static void offer(struct completion *c, const char *word)
{
	if (!word || strncmp(word, c->prefix, c->n_prefix) || strpbrk(word, " (<{") ||
	    c->n == MAX_WORDS)
		return;
	/* What the prefix did not ask for: names of the implementation. */
	if (word[0] == '_' && word[1] == '_' && c->n_prefix < 2)
		return;
	if (c->n == c->capacity) {
		size_t more = c->capacity ? 2 * c->capacity : 64;
		char **grown = realloc(c->words, more * sizeof *grown);
		if (!grown)
			return;
		c->words = grown;
		c->capacity = more;
	}
	char *copy = strdup(word);
	if (copy)
		c->words[c->n++] = copy;
}

/* ---- members ------------------------------------------------------------------------ */

static void offer_members(struct completion *c, const struct type *type, int depth)
{
	type = type_strip(type);
	if (type->kind != TYPE_STRUCT || depth > MAX_BASES)
		return;
	for (size_t i = 0; i < type->n_members; i++) {
		const struct member *member = &type->members[i];
		if (member->is_base || !member->name)
			offer_members(c, member->type, depth + 1);
		else if (!member->is_vptr)
			offer(c, member->name);
	}
	for (size_t i = 0; i < type->n_methods; i++)
		if (!type->methods[i].is_artificial && !type->methods[i].is_constructor)
			offer(c, type->methods[i].name);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Where the operand that ends before `end` begins: names, members, calls and
 * subscripts that hang together. */
static size_t operand_begin(const char *text, size_t end)
{
	size_t at = end;
	while (at > 0) {
		char c = text[at - 1];
		if (c == ')' || c == ']') {
			int depth = 0;
			do {
				at--;
				depth += text[at] == ')' || text[at] == ']';
				depth -= text[at] == '(' || text[at] == '[';
			} while (depth && at > 0);
			if (depth)
				return end;
		} else if (is_word(c) || c == '.') {
			at--;
		} else if (at > 1 && ((c == ':' && text[at - 2] == ':') ||
				      (c == '>' && text[at - 2] == '-'))) {
			at -= 2;
		} else {
			break;
		}
	}
	return at;
}

static void complete_member(struct completion *c, const char *text, size_t end)
{
	struct expression *expression;
	const struct type *type;
	size_t begin = operand_begin(text, end);
	char *operand = strndup(text + begin, end - begin);
	if (!operand)
		return;
	struct cudasim_error *error = expression_parse_in(operand, frame_selected(), &expression);
	free(operand);
	if (!error) {
		error = expression_type(expression, &type, NULL);
		if (!error) {
			type = type_target(type);
			if (type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY)
				type = type->target;
			offer_members(c, type, 0);
		}
		expression_free(expression);
	}
	cudasim_error_free(error);
}

/* ---- names ---------------------------------------------------------------------------- */

static void offer_variables(struct completion *c, const struct frame *frame)
{
	for (size_t i = 0; i < frame->n_scopes; i++) {
		for (size_t k = 0; k < frame->scopes[i].n_variables; k++) {
			const struct variable *variable = &frame->scopes[i].variables[k];
			offer(c, variable->name);
			if (!variable->name || strcmp(variable->name, "this"))
				continue;
			const struct type *type = type_strip(variable->type);
			if (type->kind == TYPE_POINTER)
				offer_members(c, type->target, 0);
		}
		if (frame->scopes[i].inlined)
			break;
	}
}

static void offer_function(void *user, const struct function *function)
{
	offer(user, function->name);
}

static void offer_global(void *user, const struct variable *variable)
{
	offer(user, variable->name);
}

static void offer_type(void *user, const struct type *type, const struct type_place *place)
{
	(void)place;
	offer(user, type->name);
	for (size_t i = 0; i < type->n_enumerators; i++)
		offer(user, type->enumerators[i].name);
}

static void offer_convenience(void *user, const char *name, const struct value *value)
{
	char word[256];
	(void)value;
	snprintf(word, sizeof word, "$%s", name);
	offer(user, word);
}

static void complete_name(struct completion *c)
{
	static const char *const device[] = {"threadIdx",  "blockIdx",   "blockDim", "gridDim",
					     "clusterIdx", "clusterDim", "warpSize"};
	static const char *const words[] = {
		"sizeof",     "alignof",      "static_cast", "reinterpret_cast",
		"const_cast", "dynamic_cast", "true",        "false",
		"nullptr",    "unsigned",     "signed",      "const",
		"struct",     "char",         "short",       "int",
		"long",       "float",        "double",      "bool",
		"void",
	};
	static const char *const registers[] = {"$pc", "$sp", "$fp", "$rip", "$rsp", "$rbp"};
	const struct frame *frame = frame_selected();
	if (*c->prefix == '$') {
		convenience_each(offer_convenience, c);
		for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
			offer(c, registers[i]);
		for (size_t i = 0; internal_name(i); i++)
			offer(c, internal_name(i));
		return;
	}
	if (frame)
		offer_variables(c, frame);
	for (size_t i = 0; frame && frame->is_device && i < sizeof device / sizeof *device; i++)
		offer(c, device[i]);
	symbols_each_global(offer_global, c);
	symbols_each_function(offer_function, c);
	symbols_each_type(offer_type, c);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		offer(c, words[i]);
}

/* ---- all -------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t expression_complete(const char *text, void (*f)(void *user, const char *word), void *user)
{
	size_t n = strlen(text), begin = n;
	while (begin > 0 && (is_word(text[begin - 1]) ||
			     (text[begin - 1] == ':' && begin > 1 && text[begin - 2] == ':') ||
			     (text[begin - 1] == ':' && begin < n && text[begin] == ':')))
		begin--;
	struct completion c = {.prefix = text + begin, .n_prefix = n - begin};
	size_t before = begin;
	while (before > 0 && isspace((unsigned char)text[before - 1]))
		before--;
	bool arrow = before > 1 && text[before - 1] == '>' && text[before - 2] == '-';
	bool dot = before > 0 && text[before - 1] == '.';
	if (begin < n && isdigit((unsigned char)text[begin]))
		return begin;
	if (arrow || dot)
		complete_member(&c, text, before - (arrow ? 2 : 1));
	else
		complete_name(&c);
	if (c.n)
		qsort(c.words, c.n, sizeof *c.words, by_text);
	for (size_t i = 0; i < c.n; i++) {
		if (!i || strcmp(c.words[i], c.words[i - 1]))
			f(user, c.words[i]);
	}
	for (size_t i = 0; i < c.n; i++)
		free(c.words[i]);
	free(c.words);
	return begin;
}

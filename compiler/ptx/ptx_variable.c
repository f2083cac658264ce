/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_variable.c - variables outside of functions, and their values. */
#include <string.h>

#include "ptx_module.h"
#include "ptx_parser.h"

static struct cudasim_error *nomem(void)
{
	return &cudasim_error_nomem;
}

/* ---- values -------------------------------------------------------------- */

static struct cudasim_error *parse_value(struct ptx_parser *parser, struct ptx_value *ret)
{
	*ret = (struct ptx_value){0};
	if (parser->token.kind == PTX_T_WORD && strcmp(parser->token.text, "WARP_SZ")) {
		const char *word = parser->token.text;

		ret->kind = PTX_V_NAME;
		ptx_parser_consume(parser);
		ret->is_generic = !strcmp(word, "generic") && ptx_parser_accept(parser, '(');
		if (ret->is_generic) {
			if (parser->token.kind != PTX_T_WORD)
				return ptx_parser_fail(parser, "a variable's name");
			word = parser->token.text;
			ptx_parser_consume(parser);
			if (!ptx_parser_accept(parser, ')'))
				return ptx_parser_fail(parser, "')'");
		}
		ret->name = word;
		if (ptx_parser_at(parser, '+') || ptx_parser_at(parser, '-'))
			return ptx_parser_expression(parser, 0, &ret->integer);
		return NULL;
	}
	if (parser->token.kind == PTX_T_INTEGER) {
		/* 0xFF00(generic(name)) is a byte of its address. */
		struct ptx_place before = ptx_parser_place(parser);
		uint64_t mask = parser->token.integer;

		ptx_parser_consume(parser);
		if (ptx_parser_accept(parser, '(')) {
			struct cudasim_error *error =
				++parser->depth > 8 ? ptx_parser_fail(parser, "less nesting")
						    : parse_value(parser, ret);

			parser->depth--;
			if (error)
				return error;
			if (ret->kind != PTX_V_NAME || ret->mask || !mask ||
			    !ptx_parser_accept(parser, ')'))
				return ptx_parser_fail(parser, "a variable's name and ')'");
			ret->mask = mask;
			return NULL;
		}
		ptx_parser_go_back(parser, &before);
	}
	if (parser->token.kind == PTX_T_REAL || ptx_parser_at(parser, '-')) {
		struct ptx_place before = ptx_parser_place(parser);
		bool minus = ptx_parser_accept(parser, '-');

		if (parser->token.kind == PTX_T_REAL) {
			ret->kind = PTX_V_REAL;
			ret->real = minus ? -parser->token.real : parser->token.real;
			ptx_parser_consume(parser);
			return NULL;
		}
		ptx_parser_go_back(parser, &before);
	}
	ret->kind = PTX_V_INTEGER;
	return ptx_parser_expression(parser, 0, &ret->integer);
}

static struct cudasim_error *add_value(struct ptx_parser *parser, struct ptx_global *global)
{
	global->values = ptx_parser_grow(parser, global->values, global->n_values,
					 sizeof(*global->values));
	if (!global->values)
		return nomem();
	return parse_value(parser, &global->values[global->n_values++]);
}

/* Behind '{' of an array's values. dims: the elements of one item of this level;
 * what a shorter list leaves out is 0. */
static struct cudasim_error *parse_values(struct ptx_parser *parser, struct ptx_global *global,
					  const uint32_t *dims, unsigned n_dims)
{
	struct cudasim_error *error = NULL;
	uint64_t first = global->n_values, below = 1;

	if (++parser->depth > 8)
		return ptx_parser_fail(parser, "less nesting");
	for (unsigned i = 1; i < n_dims; i++)
		below *= dims[i];
	while (!error && !ptx_parser_at(parser, '}')) {
		if (ptx_parser_accept(parser, '{')) {
			uint64_t wanted;

			error = n_dims > 1 ? parse_values(parser, global, dims + 1, n_dims - 1)
					   : ptx_parser_fail(parser, "a number");
			/* Up to the beginning of the next row. */
			wanted = first + (global->n_values - first + below - 1) / below * below;
			while (!error && global->n_values < wanted &&
			       global->n_values < global->n_elements) {
				global->values = ptx_parser_grow(parser, global->values,
								 global->n_values,
								 sizeof(*global->values));
				if (!global->values)
					return nomem();
				global->values[global->n_values++] = (struct ptx_value){0};
			}
		} else {
			error = add_value(parser, global);
		}
		if (!error && !ptx_parser_accept(parser, ','))
			break;
	}
	parser->depth--;
	if (error)
		return error;
	return ptx_parser_accept(parser, '}') ? NULL : ptx_parser_fail(parser, "'}'");
}

#define MAX_DIMS 8
#define MAX_ELEMENTS (1u << 30)

/* [2][3]: dims; 0 for the first where it is []. */
static struct cudasim_error *parse_dims(struct ptx_parser *parser, uint32_t *dims, unsigned *n)
{
	const uint64_t most = MAX_ELEMENTS;
	uint64_t all = 1;

	for (*n = 0; ptx_parser_accept(parser, '['); ++*n) {
		if (*n == MAX_DIMS)
			return ptx_parser_fail(parser, "fewer dimensions");
		dims[*n] = 0;
		if (*n == 0 && ptx_parser_accept(parser, ']'))
			continue;
		struct cudasim_error *error = ptx_parser_count(parser, (uint32_t)most, &dims[*n]);

		if (error)
			return error;
		all *= dims[*n];
		if (all > most || !ptx_parser_accept(parser, ']'))
			return ptx_parser_fail(parser, "']' after a smaller number");
	}
	return NULL;
}

static struct cudasim_error *parse_global(struct ptx_parser *parser, struct ptx_module *module,
					  enum ptx_linkage linkage, const char *space,
					  bool is_managed, const struct ptx_kind *kind)
{
	uint32_t dims[MAX_DIMS];
	uint64_t n = kind->n_lanes; /* elements */
	unsigned n_dims;
	struct ptx_global *global;
	struct cudasim_error *error;

	module->globals = ptx_parser_grow(parser, module->globals, module->n_globals,
					  sizeof(*module->globals));
	if (!module->globals)
		return nomem();
	if (parser->token.kind != PTX_T_WORD)
		return ptx_parser_fail(parser, "a variable's name");
	global = &module->globals[module->n_globals++];
	*global = (struct ptx_global){.name = parser->token.text,
				      .space = space,
				      .type = kind->type,
				      .linkage = linkage,
				      .n_lanes = kind->n_lanes,
				      .alignment = kind->alignment,
				      .n_elements = kind->n_lanes,
				      .is_managed = is_managed,
				      .line = parser->token.line};
	ptx_parser_consume(parser);
	error = parse_dims(parser, dims, &n_dims);
	if (error)
		return error;
	for (unsigned i = 0; i < n_dims; i++)
		n *= dims[i];
	if (n > MAX_ELEMENTS)
		return ptx_parser_fail(parser, "a smaller variable");
	global->n_elements = (uint32_t)n;
	if (!ptx_parser_accept(parser, '='))
		return NULL;
	global->is_initialized = true;
	if (!ptx_parser_accept(parser, '{')) {
		error = add_value(parser, global);
	} else {
		if (kind->n_lanes > 1 && n_dims < MAX_DIMS)
			dims[n_dims++] = kind->n_lanes;
		/* int a[] = {1, 2, 3}; */
		if (n_dims && !dims[0])
			global->n_elements = UINT32_MAX;
		error = parse_values(parser, global, dims, n_dims ? n_dims : 1);
		if (!error && global->n_elements == UINT32_MAX)
			global->n_elements = global->n_values;
	}
	if (!error && global->n_values > global->n_elements)
		error = ptx_parser_fail(parser, "fewer values");
	return error;
}

struct cudasim_error *ptx_parser_globals(struct ptx_parser *parser, struct ptx_module *module,
					 enum ptx_linkage linkage)
{
	const char *space = parser->token.text;
	struct ptx_kind kind;
	struct cudasim_error *error;
	bool is_managed = false;

	ptx_parser_consume(parser);
	while (ptx_parser_at_word(parser, "attribute")) {
		ptx_parser_consume(parser);
		if (!ptx_parser_accept(parser, '(') || !ptx_parser_at_word(parser, "managed"))
			return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
						 "only the .attribute(.managed) is supported");
		ptx_parser_consume(parser);
		if (!ptx_parser_accept(parser, ')'))
			return ptx_parser_fail(parser, "')'");
		is_managed = true;
	}
	error = ptx_parser_kind(parser, &kind);
	if (error)
		return error;
	do {
		error = parse_global(parser, module, linkage, space, is_managed, &kind);
	} while (!error && ptx_parser_accept(parser, ','));
	return error ? error : ptx_parser_semicolon(parser);
}

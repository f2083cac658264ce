/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_declaration.c - directives inside function bodies: registers, variables,
 * targets of branches and calls, lines. */
#include "ptx_parser.h"

#include <string.h>

static struct cudasim_error *nomem(void)
{
	return &cudasim_error_nomem;
}

struct cudasim_error *ptx_parser_count(struct ptx_parser *parser, uint32_t most, uint32_t *ret)
{
	int64_t count;
	struct cudasim_error *error = ptx_parser_expression(parser, 0, &count);

	if (!error && (count < 1 || count > most))
		error = ptx_parser_fail(parser, "a smaller number above 0");
	if (!error)
		*ret = (uint32_t)count;
	return error;
}

/* .ptr .global .align 8: what a kernel's pointer points to. */
static struct cudasim_error *skip_pointer(struct ptx_parser *parser)
{
	static const char *const spaces[] = {"const", "global", "local", "shared"};
	uint32_t alignment;

	ptx_parser_consume(parser);
	for (size_t i = 0; i < 4 && parser->token.kind == PTX_T_DOT; i++)
		if (!strcmp(parser->token.text, spaces[i])) {
			ptx_parser_consume(parser);
			break;
		}
	if (parser->token.kind != PTX_T_DOT || strcmp(parser->token.text, "align"))
		return NULL;
	ptx_parser_consume(parser);
	return ptx_parser_count(parser, 1u << 20, &alignment);
}

struct cudasim_error *ptx_parser_kind(struct ptx_parser *parser, struct ptx_kind *ret)
{
	struct cudasim_error *error = NULL;

	*ret = (struct ptx_kind){.n_lanes = 1};
	while (!error && parser->token.kind == PTX_T_DOT) {
		const char *word = parser->token.text;

		if (!strcmp(word, "ptr") && parser->is_module) {
			error = skip_pointer(parser);
			continue;
		}
		ptx_parser_consume(parser);
		if (!strcmp(word, "align"))
			error = ptx_parser_count(parser, 4096, &ret->alignment);
		else if (!strcmp(word, "v2") || !strcmp(word, "v4"))
			ret->n_lanes = (uint32_t)(word[1] - '0');
		else if (!ret->type)
			ret->type = word;
		else
			error = ptx_parser_fail(parser, "one type");
	}
	if (!error && (!ret->type || (ret->alignment & (ret->alignment - 1))))
		error = ptx_parser_fail(parser, "a type and an alignment of a power of two");
	return error;
}

struct cudasim_error *ptx_parser_elements(struct ptx_parser *parser, uint32_t *ret, bool *is_open,
					  bool *is_array)
{
	const uint32_t most = 1u << 24;
	struct cudasim_error *error;
	uint32_t count;

	*ret = 1;
	*is_array = ptx_parser_at(parser, '[');
	if (is_open)
		*is_open = false;
	while (ptx_parser_accept(parser, '[')) {
		if (is_open && ptx_parser_accept(parser, ']')) {
			*is_open = true;
			*ret = 0;
			is_open = NULL;
			continue;
		}
		error = ptx_parser_count(parser, most, &count);
		if (error)
			return error;
		if ((uint64_t)*ret * count > most || !ptx_parser_accept(parser, ']'))
			return ptx_parser_fail(parser, "']' after a smaller number");
		*ret *= count;
		is_open = NULL;
	}
	return NULL;
}

static struct cudasim_error *parse_param(struct ptx_parser *parser, struct ptx_param *ret)
{
	struct cudasim_error *error;
	struct ptx_kind kind;

	*ret = (struct ptx_param){0};
	if (parser->token.kind != PTX_T_DOT)
		return ptx_parser_fail(parser, "a parameter");
	ret->is_register = !strcmp(parser->token.text, "reg");
	if (!ret->is_register && strcmp(parser->token.text, "param"))
		return ptx_parser_fail(parser, "'.param' or '.reg'");
	ptx_parser_consume(parser);
	error = ptx_parser_kind(parser, &kind);
	if (error)
		return error;
	if (parser->token.kind != PTX_T_WORD || kind.n_lanes > 1)
		return ptx_parser_fail(parser, "a parameter's name");
	ret->name = parser->token.text;
	ret->type = kind.type;
	ret->alignment = kind.alignment;
	ptx_parser_consume(parser);
	return ptx_parser_elements(parser, &ret->n_elements, NULL, &ret->is_array);
}

struct cudasim_error *ptx_parser_params(struct ptx_parser *parser, struct ptx_param **ret,
					uint32_t *n)
{
	if (!ptx_parser_accept(parser, '('))
		return ptx_parser_fail(parser, "'('");
	if (ptx_parser_accept(parser, ')'))
		return NULL;
	do {
		struct cudasim_error *error;

		*ret = ptx_parser_grow(parser, *ret, *n, sizeof(**ret));
		if (!*ret)
			return nomem();
		error = parse_param(parser, &(*ret)[*n]);
		if (error)
			return error;
		++*n;
	} while (ptx_parser_accept(parser, ','));
	return ptx_parser_accept(parser, ')') ? NULL : ptx_parser_fail(parser, "')'");
}

/* A name that is declared, as a statement of its own. */
static struct cudasim_error *parse_declared(struct ptx_parser *parser, enum ptx_statement_kind kind,
					    const char *type, uint32_t n_lanes,
					    struct ptx_statement **ret)
{
	if (parser->token.kind != PTX_T_WORD)
		return ptx_parser_fail(parser, kind == PTX_REGISTER ? "a register's name"
								    : "a variable's name");
	*ret = ptx_parser_add(parser, kind);
	if (!*ret)
		return nomem();
	(*ret)->name = parser->token.text;
	(*ret)->type = type;
	(*ret)->n_lanes = n_lanes;
	ptx_parser_consume(parser);
	return NULL;
}

/* .reg .b32 a, b, %r<4>;  or .reg .v2 .b32 v; the directive is consumed. */
static struct cudasim_error *parse_registers(struct ptx_parser *parser)
{
	struct ptx_kind kind;
	struct cudasim_error *error = ptx_parser_kind(parser, &kind);

	if (error)
		return error;
	if (kind.alignment)
		return ptx_parser_fail(parser, "a type");
	do {
		struct ptx_statement *ret = NULL;
		int64_t count;

		error = parse_declared(parser, PTX_REGISTER, kind.type, kind.n_lanes, &ret);
		if (error)
			return error;
		if (ptx_parser_accept(parser, '<')) {
			error = ptx_parser_expression(parser, 0, &count);
			if (error)
				return error;
			if (count < 1 || count > 1000000)
				return ptx_parser_fail(parser, "a count from 1 to 1000000");
			ret->n_family = (uint32_t)count;
			if (!ptx_parser_accept(parser, '>'))
				return ptx_parser_fail(parser, "'>'");
		}
		ret->text = ptx_parser_squeeze(parser, parser->begin, parser->last);
	} while (ptx_parser_accept(parser, ','));
	return ptx_parser_end(parser);
}

/* .local .align 8 .b32 a[4], b;  the first directive is consumed. */
static struct cudasim_error *parse_variables(struct ptx_parser *parser, enum ptx_space space)
{
	struct ptx_kind kind;
	struct cudasim_error *error = ptx_parser_kind(parser, &kind);
	bool is_array;

	if (error)
		return error;
	do {
		struct ptx_statement *ret = NULL;

		error = parse_declared(parser, PTX_VARIABLE, kind.type, kind.n_lanes, &ret);
		if (error)
			return error;
		ret->space = space;
		ret->alignment = kind.alignment;
		error = ptx_parser_elements(parser, &ret->n_elements, NULL, &is_array);
		if (error)
			return error;
		ret->text = ptx_parser_squeeze(parser, parser->begin, parser->last);
	} while (ptx_parser_accept(parser, ','));
	return ptx_parser_end(parser);
}

/* The label before the statement at hand, or NULL. */
static const char *label_before(const struct ptx_parser *parser)
{
	const struct ptx_program *program = parser->program;

	return program->n_statements &&
			       program->statements[program->n_statements - 1].kind == PTX_LABEL
		       ? program->statements[program->n_statements - 1].name
		       : NULL;
}

/* .branchtargets A, B, C;  the directive is consumed; its label is the statement
 * before. */
static struct cudasim_error *parse_targets(struct ptx_parser *parser)
{
	const char *label = label_before(parser);
	struct ptx_statement *ret = ptx_parser_add(parser, PTX_TARGETS);
	struct cudasim_error *error = NULL;

	if (!ret)
		return nomem();
	ret->name = label;
	do {
		ret->operands = ptx_parser_grow(parser, ret->operands, ret->n_operands,
						sizeof(*ret->operands));
		if (!ret->operands)
			return nomem();
		error = ptx_parser_operand(parser, &ret->operands[ret->n_operands++]);
	} while (!error && ptx_parser_accept(parser, ','));
	if (error)
		return error;
	ret->text = ptx_parser_squeeze(parser, parser->begin, parser->last);
	return ptx_parser_accept(parser, ';') ? NULL : ptx_parser_fail(parser, "',' or ';'");
}

/* .callprototype (.param .b32 _) _ (.param .b64 _);  the directive is consumed. */
static struct cudasim_error *parse_prototype(struct ptx_parser *parser)
{
	const char *label = label_before(parser);
	struct ptx_statement *ret = ptx_parser_add(parser, PTX_PROTOTYPE);
	struct cudasim_error *error = NULL;

	if (!ret)
		return nomem();
	ret->name = label;
	if (ptx_parser_at(parser, '('))
		error = ptx_parser_params(parser, &ret->returns, &ret->n_returns);
	if (error)
		return error;
	if (parser->token.kind != PTX_T_WORD || strcmp(parser->token.text, "_"))
		return ptx_parser_fail(parser, "'_'");
	ptx_parser_consume(parser);
	if (ptx_parser_at(parser, '('))
		error = ptx_parser_params(parser, &ret->params, &ret->n_params);
	if (error)
		return error;
	if (parser->token.kind == PTX_T_DOT && !strcmp(parser->token.text, "noreturn"))
		ptx_parser_consume(parser);
	ret->text = ptx_parser_squeeze(parser, parser->begin, parser->last);
	return ptx_parser_accept(parser, ';') ? NULL : ptx_parser_fail(parser, "';'");
}

/* .loc FILE LINE COLUMN and what may follow on the line. */
static void parse_line(struct ptx_parser *parser)
{
	uint32_t line = parser->token.line, numbers[2], n = 0;

	ptx_parser_consume(parser);
	while (!ptx_parser_ends_here(parser) && parser->token.line == line) {
		if (n < 2)
			numbers[n] = parser->token.kind == PTX_T_INTEGER &&
						     parser->token.integer <= UINT32_MAX
					     ? (uint32_t)parser->token.integer
					     : 0;
		n++;
		ptx_parser_consume(parser);
	}
	if (n >= 2 && numbers[1]) {
		parser->file = numbers[0];
		parser->source_line = numbers[1];
	}
}

struct cudasim_error *ptx_parser_directive(struct ptx_parser *parser)
{
	const char *name = parser->token.text;

	if (!strcmp(name, "reg")) {
		ptx_parser_consume(parser);
		return parse_registers(parser);
	}
	if (!strcmp(name, "local") || !strcmp(name, "shared") ||
	    (!strcmp(name, "param") && parser->is_module)) {
		ptx_parser_consume(parser);
		return parse_variables(parser, name[0] == 'l'   ? PTX_LOCAL
					       : name[0] == 's' ? PTX_SHARED
								: PTX_PARAM);
	}
	/* Where calls may lead is not asked. */
	if (!strcmp(name, "branchtargets") || (!strcmp(name, "calltargets") && parser->is_module)) {
		ptx_parser_consume(parser);
		return parse_targets(parser);
	}
	if (!strcmp(name, "callprototype") && parser->is_module) {
		ptx_parser_consume(parser);
		return parse_prototype(parser);
	}
	/* Hints to the assembler and debug lines change no behaviour. */
	if (!strcmp(name, "loc")) {
		parse_line(parser);
		return NULL;
	}
	if (!strcmp(name, "pragma")) {
		ptx_parser_consume(parser);
		while (!ptx_parser_ends_here(parser))
			ptx_parser_consume(parser);
		ptx_parser_accept(parser, ';');
		return NULL;
	}
	return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "PTX directive '.%s' is not supported",
				 name);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_parser.c - recursive descent over PTX statements.
 *
 * One token of lookahead. Constant expressions (PTX ISA, "Constant
 * Expressions") are evaluated on the spot in 64 bits, by precedence climbing. */
#include "ptx_syntax.h"

#include <stdlib.h>
#include <string.h>

#include "ptx_lexer.h"

/* Deeper nesting of parentheses or vectors is not PTX that anybody writes. */
#define MAX_DEPTH 32

struct parser {
	struct ptx_lexer lexer;
	struct ptx_token token; /* the next one, not consumed */
	struct ptx_arena *arena;
	struct ptx_program *program;
	size_t n_room;
	size_t begin; /* of the statement at hand */
	size_t last;  /* end of the last consumed token */
	uint32_t depth;
	uint32_t n_open;
};

static void consume(struct parser *parser)
{
	parser->last = parser->token.end;
	parser->token = ptx_lexer_next(&parser->lexer);
}

static bool at_punct(const struct parser *parser, int punct)
{
	return parser->token.kind == PTX_T_PUNCT && parser->token.punct == punct;
}

static bool accept(struct parser *parser, int punct)
{
	if (!at_punct(parser, punct))
		return false;
	consume(parser);
	return true;
}

/* Source text as a user would write it: blanks squeezed, $0 shown as %0. */
static const char *squeeze(struct parser *parser, size_t begin, size_t end)
{
	const size_t limit = 200;
	char *text = ptx_arena_alloc(parser->arena, limit + 8);
	size_t n = 0;

	if (!text)
		return "";
	for (size_t i = begin; i < end && n < limit; i++) {
		char c = parser->lexer.text[i];

		if (c == '$' && parser->lexer.is_template) {
			if (i + 1 < end && parser->lexer.text[i + 1] == '$')
				i++;
			else
				c = '%';
		}
		if (c == ' ' || (c >= '\t' && c <= '\r')) {
			if (n && text[n - 1] != ' ')
				text[n++] = ' ';
		} else {
			text[n++] = c >= ' ' && c < 127 ? c : '?';
		}
	}
	while (n && text[n - 1] == ' ')
		n--;
	if (n == limit)
		memcpy(text + n, "...", 4);
	return text;
}

static struct cudasim_error *nomem(void)
{
	return &cudasim_error_nomem;
}

/* Shows the rest of the statement at hand. */
static struct cudasim_error *fail(struct parser *parser, const char *expected)
{
	const char *text = parser->lexer.text;
	size_t end = parser->begin;

	if (parser->token.kind == PTX_T_NOMEM)
		return nomem();
	while (end < parser->lexer.size && text[end] != ';' &&
	       !(text[end] == '\n' && end > parser->token.begin))
		end++;
	return cudasim_error_new(CUDASIM_E_FORMAT, "PTX '%s' cannot be read: expected %s",
				 squeeze(parser, parser->begin, end), expected);
}

static struct cudasim_error *parse_expression(struct parser *parser, int floor, int64_t *ret);

static struct cudasim_error *parse_primary(struct parser *parser, int64_t *ret)
{
	struct cudasim_error *error;

	if (++parser->depth > MAX_DEPTH)
		return fail(parser, "less nesting");
	if (accept(parser, '-')) {
		error = parse_primary(parser, ret);
		*ret = (int64_t)(0 - (uint64_t)*ret);
	} else if (accept(parser, '+')) {
		error = parse_primary(parser, ret);
	} else if (accept(parser, '~')) {
		error = parse_primary(parser, ret);
		*ret = ~*ret;
	} else if (accept(parser, '!')) {
		error = parse_primary(parser, ret);
		*ret = !*ret;
	} else if (accept(parser, '(')) {
		error = parse_expression(parser, 0, ret);
		if (!error && !accept(parser, ')'))
			error = fail(parser, "')'");
	} else if (parser->token.kind == PTX_T_INTEGER) {
		*ret = (int64_t)parser->token.integer;
		consume(parser);
		error = NULL;
	} else if (parser->token.kind == PTX_T_WORD && !strcmp(parser->token.text, "WARP_SZ")) {
		*ret = 32;
		consume(parser);
		error = NULL;
	} else {
		error = fail(parser, "a number");
	}
	parser->depth--;
	return error;
}

/* How tightly a binary operator binds; 0 for anything else. '|' is left out:
 * between operands it makes a pair. */
static int precedence(const struct ptx_token *token)
{
	if (token->kind != PTX_T_PUNCT)
		return 0;
	switch (token->punct) {
	case '&': return 1;
	case '^': return 1;
	case PTX_SHIFT_LEFT:
	case PTX_SHIFT_RIGHT: return 2;
	case '+':
	case '-': return 3;
	case '*':
	case '/':
	case '%': return 4;
	default: return 0;
	}
}

static int64_t apply(int op, int64_t a, int64_t b)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (op) {
	case '&': return (int64_t)(x & y);
	case '^': return (int64_t)(x ^ y);
	case PTX_SHIFT_LEFT: return y < 64 ? (int64_t)(x << y) : 0;
	case PTX_SHIFT_RIGHT: return a >> (y < 64 ? y : 63);
	case '+': return (int64_t)(x + y);
	case '-': return (int64_t)(x - y);
	case '*': return (int64_t)(x * y);
	case '/': return b == -1 ? (int64_t)(0 - x) : a / b;
	default: return b == -1 ? 0 : a % b;
	}
}

static struct cudasim_error *parse_expression(struct parser *parser, int floor, int64_t *ret)
{
	struct cudasim_error *error = parse_primary(parser, ret);

	while (!error && precedence(&parser->token) > floor) {
		int op = parser->token.punct, tight = precedence(&parser->token);
		int64_t right;

		consume(parser);
		error = parse_expression(parser, tight, &right);
		if (!error && (op == '/' || op == '%') && right == 0)
			error = fail(parser, "a divisor other than 0");
		if (!error)
			*ret = apply(op, *ret, right);
	}
	return error;
}

static struct cudasim_error *parse_operand(struct parser *parser, struct ptx_operand *ret);

/* Grows an arena array by one zeroed element, in doubling steps. */
static void *grow(struct parser *parser, void *array, uint32_t n, size_t size)
{
	void *bigger;

	if (n & (n - 1) || (n == 0 && array))
		return array;
	bigger = ptx_arena_alloc(parser->arena, (n ? 2 * n : 1) * size);
	if (bigger && n)
		memcpy(bigger, array, n * size);
	return bigger;
}

static struct cudasim_error *add_part(struct parser *parser, struct ptx_operand *whole)
{
	whole->parts = grow(parser, whole->parts, whole->n_parts, sizeof(*whole->parts));
	if (!whole->parts)
		return nomem();
	return parse_operand(parser, &whole->parts[whole->n_parts++]);
}

static struct cudasim_error *parse_vector(struct parser *parser, struct ptx_operand *ret)
{
	struct cudasim_error *error;

	ret->kind = PTX_VECTOR;
	do {
		error = add_part(parser, ret);
		if (error)
			return error;
	} while (accept(parser, ','));
	return accept(parser, '}') ? NULL : fail(parser, "'}'");
}

/* After '[': base, base+5, base-4, base+$2, 1024, or a tensor's [map, {x, y}]. */
static struct cudasim_error *parse_address(struct parser *parser, struct ptx_operand *ret)
{
	struct cudasim_error *error = NULL;
	enum ptx_token_kind kind = parser->token.kind;

	ret->kind = PTX_ADDRESS;
	if ((kind == PTX_T_WORD && strcmp(parser->token.text, "WARP_SZ")) || kind == PTX_T_OPERAND)
		error = add_part(parser, ret);
	else
		error = parse_expression(parser, 0, &ret->value);
	if (!error && ret->n_parts && at_punct(parser, '+')) {
		consume(parser);
		kind = parser->token.kind;
		if (kind == PTX_T_OPERAND || kind == PTX_T_WORD)
			error = add_part(parser, ret);
		else
			error = parse_expression(parser, 0, &ret->value);
	} else if (!error && ret->n_parts && at_punct(parser, '-')) {
		error = parse_expression(parser, 0, &ret->value);
	} else if (!error && accept(parser, ',')) {
		/* Kept as a part that no instruction expects, so it is refused by name. */
		while (ret->n_parts < 2 && !error) {
			error = add_part(parser, ret);
			ret->parts[ret->n_parts - 1].kind = PTX_VECTOR;
		}
		while (!error && accept(parser, ','))
			error = add_part(parser, ret);
	}
	if (error)
		return error;
	return accept(parser, ']') ? NULL : fail(parser, "']'");
}

/* .x or .b0, where no blank stands before it. */
static void parse_component(struct parser *parser, struct ptx_operand *ret)
{
	if (parser->token.kind == PTX_T_DOT && parser->token.begin == parser->last) {
		ret->component = parser->token.text;
		consume(parser);
	}
}

static struct cudasim_error *parse_name(struct parser *parser, struct ptx_operand *ret)
{
	ret->name = parser->token.text;
	ret->kind = strcmp(ret->name, "_") ? PTX_NAME : PTX_SINK;
	consume(parser);
	parse_component(parser, ret);
	return NULL;
}

static struct cudasim_error *parse_simple(struct parser *parser, struct ptx_operand *ret)
{
	bool minus = false;

	if (accept(parser, '{'))
		return parse_vector(parser, ret);
	if (accept(parser, '['))
		return parse_address(parser, ret);
	if (parser->token.kind == PTX_T_WORD && strcmp(parser->token.text, "WARP_SZ"))
		return parse_name(parser, ret);
	if (at_punct(parser, '-') || at_punct(parser, '!')) {
		struct ptx_lexer saved = parser->lexer;
		struct ptx_token token = parser->token;
		size_t last = parser->last;

		minus = true;
		consume(parser);
		if (parser->token.kind == PTX_T_WORD || parser->token.kind == PTX_T_OPERAND) {
			ret->negated = true;
			return parse_simple(parser, ret);
		}
		if (parser->token.kind != PTX_T_REAL) {
			parser->lexer = saved;
			parser->token = token;
			parser->last = last;
			minus = false;
		}
	}
	if (parser->token.kind == PTX_T_REAL) {
		ret->kind = PTX_FLOAT;
		ret->real = minus ? -parser->token.real : parser->token.real;
		consume(parser);
		return NULL;
	}
	if (parser->token.kind == PTX_T_OPERAND) {
		ret->kind = PTX_ASM;
		ret->number = (uint32_t)parser->token.integer;
		consume(parser);
		parse_component(parser, ret);
		return NULL;
	}
	ret->kind = PTX_INTEGER;
	return parse_expression(parser, 0, &ret->value);
}

static struct cudasim_error *parse_operand(struct parser *parser, struct ptx_operand *ret)
{
	struct cudasim_error *error;

	if (++parser->depth > MAX_DEPTH)
		return fail(parser, "less nesting");
	error = parse_simple(parser, ret);
	if (!error && accept(parser, '|')) {
		ret->second = ptx_arena_alloc(parser->arena, sizeof(*ret->second));
		error = ret->second ? parse_operand(parser, ret->second) : nomem();
	}
	parser->depth--;
	return error;
}

static struct ptx_statement *add_statement(struct parser *parser, enum ptx_statement_kind kind)
{
	struct ptx_program *program = parser->program;
	struct ptx_statement *statement;

	if (program->n_statements == parser->n_room) {
		size_t room = parser->n_room ? 2 * parser->n_room : 8;
		struct ptx_statement *bigger =
			ptx_arena_alloc(parser->arena, room * sizeof(*bigger));

		if (!bigger)
			return NULL;
		if (program->n_statements)
			memcpy(bigger, program->statements,
			       program->n_statements * sizeof(*bigger));
		program->statements = bigger;
		parser->n_room = room;
	}
	statement = &program->statements[program->n_statements++];
	statement->kind = kind;
	statement->line = parser->token.line;
	statement->text = "";
	return statement;
}

static struct cudasim_error *parse_modifiers(struct parser *parser, struct ptx_statement *ret)
{
	while (parser->token.kind == PTX_T_DOT) {
		ret->modifiers = grow(parser, ret->modifiers, ret->n_modifiers,
				      sizeof(*ret->modifiers));
		if (!ret->modifiers)
			return nomem();
		ret->modifiers[ret->n_modifiers++] = parser->token.text;
		consume(parser);
	}
	return NULL;
}

/* A statement ends at a semicolon; the last one before } or the end may lack it. */
static bool ends_here(const struct parser *parser)
{
	return at_punct(parser, ';') || at_punct(parser, '}') || parser->token.kind == PTX_T_END;
}

static struct cudasim_error *parse_instruction(struct parser *parser, struct ptx_operand *guard)
{
	struct ptx_statement *ret = add_statement(parser, PTX_INSTRUCTION);
	struct cudasim_error *error;

	if (!ret)
		return nomem();
	ret->guard = guard;
	ret->opcode = parser->token.text;
	consume(parser);
	error = parse_modifiers(parser, ret);
	if (!error && at_punct(parser, '('))
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "PTX instruction '%s' is not supported", ret->opcode);
	while (!error && !ends_here(parser)) {
		ret->operands = grow(parser, ret->operands, ret->n_operands,
				     sizeof(*ret->operands));
		if (!ret->operands)
			return nomem();
		error = parse_operand(parser, &ret->operands[ret->n_operands++]);
		if (!error && !accept(parser, ',')) {
			if (!ends_here(parser))
				error = fail(parser, "',' or ';'");
			break;
		}
	}
	if (error)
		return error;
	ret->text = squeeze(parser, parser->begin, parser->last);
	accept(parser, ';');
	return NULL;
}

/* One of the words of a declaration: .v2, .v4 or the type. */
static void parse_kind(struct parser *parser, const char **type, uint32_t *n_lanes)
{
	if (!strcmp(parser->token.text, "v2"))
		*n_lanes = 2;
	else if (!strcmp(parser->token.text, "v4"))
		*n_lanes = 4;
	else
		*type = parser->token.text;
	consume(parser);
}

/* A name that is declared, as a statement of its own. */
static struct cudasim_error *parse_declared(struct parser *parser, enum ptx_statement_kind kind,
					    const char *type, uint32_t n_lanes,
					    struct ptx_statement **ret)
{
	if (parser->token.kind != PTX_T_WORD)
		return fail(parser, kind == PTX_REGISTER ? "a register's name" : "a variable's name");
	*ret = add_statement(parser, kind);
	if (!*ret)
		return nomem();
	(*ret)->name = parser->token.text;
	(*ret)->type = type;
	(*ret)->n_lanes = n_lanes;
	consume(parser);
	return NULL;
}

/* .reg .b32 a, b, %r<4>;  or .reg .v2 .b32 v; the directive is consumed. */
static struct cudasim_error *parse_registers(struct parser *parser)
{
	const char *type = NULL;
	uint32_t n_lanes = 1;
	struct cudasim_error *error;

	while (parser->token.kind == PTX_T_DOT) {
		if (!strcmp(parser->token.text, "align"))
			return fail(parser, "a type");
		parse_kind(parser, &type, &n_lanes);
	}
	if (!type)
		return fail(parser, "a type");
	do {
		struct ptx_statement *ret = NULL;
		int64_t count;

		error = parse_declared(parser, PTX_REGISTER, type, n_lanes, &ret);
		if (error)
			return error;
		if (accept(parser, '<')) {
			error = parse_expression(parser, 0, &count);
			if (error)
				return error;
			if (count < 1 || count > 1000000)
				return fail(parser, "a count from 1 to 1000000");
			ret->n_family = (uint32_t)count;
			if (!accept(parser, '>'))
				return fail(parser, "'>'");
		}
		ret->text = squeeze(parser, parser->begin, parser->last);
	} while (accept(parser, ','));
	if (!ends_here(parser))
		return fail(parser, "',' or ';'");
	accept(parser, ';');
	return NULL;
}

static struct cudasim_error *parse_count(struct parser *parser, uint32_t most, uint32_t *ret)
{
	int64_t count;
	struct cudasim_error *error = parse_expression(parser, 0, &count);

	if (!error && (count < 1 || count > most))
		error = fail(parser, "a smaller number above 0");
	if (!error)
		*ret = (uint32_t)count;
	return error;
}

/* .local .align 8 .b32 a[4], b;  the first directive is consumed. */
static struct cudasim_error *parse_variables(struct parser *parser, bool is_shared)
{
	const char *type = NULL;
	uint32_t n_lanes = 1, alignment = 0, count;
	struct cudasim_error *error = NULL;

	while (!error && parser->token.kind == PTX_T_DOT) {
		if (strcmp(parser->token.text, "align")) {
			parse_kind(parser, &type, &n_lanes);
		} else {
			consume(parser);
			error = parse_count(parser, 4096, &alignment);
		}
	}
	if (error)
		return error;
	if (!type || (alignment & (alignment - 1)))
		return fail(parser, "a type and an alignment of a power of two");
	do {
		struct ptx_statement *ret = NULL;

		error = parse_declared(parser, PTX_VARIABLE, type, n_lanes, &ret);
		if (error)
			return error;
		ret->is_shared = is_shared;
		ret->alignment = alignment;
		ret->n_elements = 1;
		while (accept(parser, '[')) {
			error = parse_count(parser, 1u << 24, &count);
			if (error)
				return error;
			if ((uint64_t)ret->n_elements * count > 1u << 24 || !accept(parser, ']'))
				return fail(parser, "']' after a smaller number");
			ret->n_elements *= count;
		}
		ret->text = squeeze(parser, parser->begin, parser->last);
	} while (accept(parser, ','));
	if (!ends_here(parser))
		return fail(parser, "',' or ';'");
	accept(parser, ';');
	return NULL;
}

/* .branchtargets A, B, C;  the directive is consumed; its label is the statement
 * before. */
static struct cudasim_error *parse_targets(struct parser *parser)
{
	struct ptx_program *program = parser->program;
	const char *label = program->n_statements &&
					    program->statements[program->n_statements - 1].kind ==
						    PTX_LABEL
				    ? program->statements[program->n_statements - 1].name
				    : NULL;
	struct ptx_statement *ret = add_statement(parser, PTX_TARGETS);
	struct cudasim_error *error = NULL;

	if (!ret)
		return nomem();
	ret->name = label;
	do {
		ret->operands = grow(parser, ret->operands, ret->n_operands,
				     sizeof(*ret->operands));
		if (!ret->operands)
			return nomem();
		error = parse_operand(parser, &ret->operands[ret->n_operands++]);
	} while (!error && accept(parser, ','));
	if (error)
		return error;
	ret->text = squeeze(parser, parser->begin, parser->last);
	return accept(parser, ';') ? NULL : fail(parser, "',' or ';'");
}

static struct cudasim_error *parse_directive(struct parser *parser)
{
	const char *name = parser->token.text;
	bool is_pragma = !strcmp(name, "pragma");

	if (!strcmp(name, "reg")) {
		consume(parser);
		return parse_registers(parser);
	}
	if (!strcmp(name, "local") || !strcmp(name, "shared")) {
		consume(parser);
		return parse_variables(parser, !strcmp(name, "shared"));
	}
	if (!strcmp(name, "branchtargets")) {
		consume(parser);
		return parse_targets(parser);
	}
	/* Hints to the assembler and debug lines change no behaviour. */
	if (is_pragma || !strcmp(name, "loc")) {
		uint32_t line = parser->token.line;

		consume(parser);
		while (!ends_here(parser) && (is_pragma || parser->token.line == line))
			consume(parser);
		if (is_pragma)
			accept(parser, ';');
		return NULL;
	}
	return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "PTX directive '.%s' is not supported",
				 name);
}

static struct cudasim_error *parse_guard(struct parser *parser, struct ptx_operand **ret)
{
	struct ptx_operand *guard = ptx_arena_alloc(parser->arena, sizeof(*guard));

	if (!guard)
		return nomem();
	*ret = guard;
	guard->negated = accept(parser, '!');
	if (parser->token.kind == PTX_T_WORD)
		return parse_name(parser, guard);
	return fail(parser, "a predicate register");
}

static struct cudasim_error *parse_statement(struct parser *parser)
{
	struct ptx_operand *guard = NULL;
	struct ptx_statement *statement;
	struct cudasim_error *error;

	parser->begin = parser->token.begin;
	if (accept(parser, ';'))
		return NULL;
	if (at_punct(parser, '{') || at_punct(parser, '}')) {
		bool open = at_punct(parser, '{');

		if (!open && parser->n_open == 0)
			return fail(parser, "'{' before '}'");
		parser->n_open += open ? 1 : -1u;
		statement = add_statement(parser, open ? PTX_OPEN : PTX_CLOSE);
		consume(parser);
		return statement ? NULL : nomem();
	}
	if (accept(parser, '@')) {
		error = parse_guard(parser, &guard);
		if (error)
			return error;
	}
	if (parser->token.kind == PTX_T_DOT && !guard)
		return parse_directive(parser);
	if (parser->token.kind != PTX_T_WORD)
		return fail(parser, "an instruction");
	if (!guard) {
		struct ptx_lexer saved = parser->lexer;
		struct ptx_token token = parser->token;

		consume(parser);
		if (accept(parser, ':')) {
			statement = add_statement(parser, PTX_LABEL);
			if (!statement)
				return nomem();
			statement->name = token.text;
			statement->text = token.text;
			return NULL;
		}
		parser->lexer = saved;
		parser->token = token;
	}
	return parse_instruction(parser, guard);
}

struct cudasim_error *ptx_parse(const char *text, size_t size, bool is_template,
				struct ptx_program *ret)
{
	struct parser parser = { .program = ret };
	struct cudasim_error *error = NULL;

	*ret = (struct ptx_program){ .arena = ptx_arena_new() };
	if (!ret->arena)
		return nomem();
	parser.arena = ret->arena;
	parser.lexer = (struct ptx_lexer){ .text = text, .size = size, .line = 1,
					   .is_template = is_template, .arena = ret->arena };
	consume(&parser);
	while (!error && parser.token.kind != PTX_T_END)
		error = parse_statement(&parser);
	if (!error && parser.n_open)
		error = cudasim_error_new(CUDASIM_E_FORMAT, "PTX '%s' cannot be read: expected '}'",
					  squeeze(&parser, 0, size));
	if (error)
		ptx_program_free(ret);
	return error;
}

void ptx_program_free(struct ptx_program *program)
{
	ptx_arena_free(program->arena);
	*program = (struct ptx_program){ 0 };
}

bool ptx_has(const struct ptx_statement *statement, const char *modifier)
{
	for (uint32_t i = 0; i < statement->n_modifiers; i++)
		if (!strcmp(statement->modifiers[i], modifier))
			return true;
	return false;
}

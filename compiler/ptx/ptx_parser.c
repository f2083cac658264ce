/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_parser.c - recursive descent over PTX statements.
 *
 * One token of lookahead. Constant expressions (PTX ISA, "Constant
 * Expressions") are evaluated on the spot in 64 bits, by precedence climbing. */
#include "ptx_syntax.h"

#include <stdlib.h>
#include <string.h>

#include "ptx_parser.h"

/* Deeper nesting of parentheses or vectors is not PTX that anybody writes. */
#define MAX_DEPTH 32

void ptx_parser_consume(struct ptx_parser *parser)
{
	parser->last = parser->token.end;
	parser->token = ptx_lexer_next(&parser->lexer);
}

bool ptx_parser_at(const struct ptx_parser *parser, int punct)
{
	return parser->token.kind == PTX_T_PUNCT && parser->token.punct == punct;
}

bool ptx_parser_accept(struct ptx_parser *parser, int punct)
{
	if (!ptx_parser_at(parser, punct))
		return false;
	ptx_parser_consume(parser);
	return true;
}

bool ptx_parser_at_word(const struct ptx_parser *parser, const char *directive)
{
	return parser->token.kind == PTX_T_DOT && !strcmp(parser->token.text, directive);
}

struct cudasim_error *ptx_parser_semicolon(struct ptx_parser *parser)
{
	return ptx_parser_accept(parser, ';') ? NULL : ptx_parser_fail(parser, "';'");
}

struct cudasim_error *ptx_parser_end(struct ptx_parser *parser)
{
	if (!ptx_parser_ends_here(parser))
		return ptx_parser_fail(parser, "',' or ';'");
	ptx_parser_accept(parser, ';');
	return NULL;
}

struct ptx_place ptx_parser_place(const struct ptx_parser *parser)
{
	return (struct ptx_place){parser->lexer, parser->token, parser->last};
}

void ptx_parser_go_back(struct ptx_parser *parser, const struct ptx_place *place)
{
	parser->lexer = place->lexer;
	parser->token = place->token;
	parser->last = place->last;
}

/* Source text as a user would write it: blanks squeezed, $0 shown as %0. */
const char *ptx_parser_squeeze(struct ptx_parser *parser, size_t begin, size_t end)
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
struct cudasim_error *ptx_parser_fail(struct ptx_parser *parser, const char *expected)
{
	const char *text = parser->lexer.text;
	size_t end = parser->begin;

	if (parser->token.kind == PTX_T_NOMEM)
		return nomem();
	while (end < parser->lexer.size && text[end] != ';' &&
	       !(text[end] == '\n' && end > parser->token.begin))
		end++;
	return cudasim_error_new(CUDASIM_E_FORMAT, "PTX '%s' cannot be read: expected %s",
				 ptx_parser_squeeze(parser, parser->begin, end), expected);
}

static struct cudasim_error *parse_primary(struct ptx_parser *parser, int64_t *ret)
{
	struct cudasim_error *error;

	if (++parser->depth > MAX_DEPTH)
		return ptx_parser_fail(parser, "less nesting");
	if (ptx_parser_accept(parser, '-')) {
		error = parse_primary(parser, ret);
		*ret = (int64_t)(0 - (uint64_t)*ret);
	} else if (ptx_parser_accept(parser, '+')) {
		error = parse_primary(parser, ret);
	} else if (ptx_parser_accept(parser, '~')) {
		error = parse_primary(parser, ret);
		*ret = ~*ret;
	} else if (ptx_parser_accept(parser, '!')) {
		error = parse_primary(parser, ret);
		*ret = !*ret;
	} else if (ptx_parser_accept(parser, '(')) {
		error = ptx_parser_expression(parser, 0, ret);
		if (!error && !ptx_parser_accept(parser, ')'))
			error = ptx_parser_fail(parser, "')'");
	} else if (parser->token.kind == PTX_T_INTEGER) {
		*ret = (int64_t)parser->token.integer;
		ptx_parser_consume(parser);
		error = NULL;
	} else if (parser->token.kind == PTX_T_WORD && !strcmp(parser->token.text, "WARP_SZ")) {
		*ret = 32;
		ptx_parser_consume(parser);
		error = NULL;
	} else {
		error = ptx_parser_fail(parser, "a number");
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
	case '&':
		return 1;
	case '^':
		return 1;
	case PTX_SHIFT_LEFT:
	case PTX_SHIFT_RIGHT:
		return 2;
	case '+':
	case '-':
		return 3;
	case '*':
	case '/':
	case '%':
		return 4;
	default:
		return 0;
	}
}

static int64_t apply(int op, int64_t a, int64_t b)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (op) {
	case '&':
		return (int64_t)(x & y);
	case '^':
		return (int64_t)(x ^ y);
	case PTX_SHIFT_LEFT:
		return y < 64 ? (int64_t)(x << y) : 0;
	case PTX_SHIFT_RIGHT:
		return a >> (y < 64 ? y : 63);
	case '+':
		return (int64_t)(x + y);
	case '-':
		return (int64_t)(x - y);
	case '*':
		return (int64_t)(x * y);
	case '/':
		return b == -1 ? (int64_t)(0 - x) : a / b;
	default:
		return b == -1 ? 0 : a % b;
	}
}

struct cudasim_error *ptx_parser_expression(struct ptx_parser *parser, int floor, int64_t *ret)
{
	struct cudasim_error *error = parse_primary(parser, ret);

	while (!error && precedence(&parser->token) > floor) {
		int op = parser->token.punct, tight = precedence(&parser->token);
		int64_t right;

		ptx_parser_consume(parser);
		error = ptx_parser_expression(parser, tight, &right);
		if (!error && (op == '/' || op == '%') && right == 0)
			error = ptx_parser_fail(parser, "a divisor other than 0");
		if (!error)
			*ret = apply(op, *ret, right);
	}
	return error;
}

/* Grows an arena array by one zeroed element, in doubling steps. */
void *ptx_parser_grow(struct ptx_parser *parser, void *array, uint32_t n, size_t size)
{
	void *bigger;

	if (n & (n - 1) || (n == 0 && array))
		return array;
	bigger = ptx_arena_alloc(parser->arena, (n ? 2 * n : 1) * size);
	if (bigger && n)
		memcpy(bigger, array, n * size);
	return bigger;
}

static struct cudasim_error *add_part(struct ptx_parser *parser, struct ptx_operand *whole)
{
	whole->parts = ptx_parser_grow(parser, whole->parts, whole->n_parts, sizeof(*whole->parts));
	if (!whole->parts)
		return nomem();
	return ptx_parser_operand(parser, &whole->parts[whole->n_parts++]);
}

static struct cudasim_error *parse_vector(struct ptx_parser *parser, struct ptx_operand *ret)
{
	struct cudasim_error *error;

	ret->kind = PTX_VECTOR;
	do {
		error = add_part(parser, ret);
		if (error)
			return error;
	} while (ptx_parser_accept(parser, ','));
	return ptx_parser_accept(parser, '}') ? NULL : ptx_parser_fail(parser, "'}'");
}

/* After '[': base, base+5, base-4, base+$2, 1024, or a tensor's [map, {x, y}]. */
static struct cudasim_error *parse_address(struct ptx_parser *parser, struct ptx_operand *ret)
{
	struct cudasim_error *error = NULL;
	enum ptx_token_kind kind = parser->token.kind;

	ret->kind = PTX_ADDRESS;
	parser->in_address = true;
	if ((kind == PTX_T_WORD && strcmp(parser->token.text, "WARP_SZ")) || kind == PTX_T_OPERAND)
		error = add_part(parser, ret);
	else
		error = ptx_parser_expression(parser, 0, &ret->value);
	if (!error && ret->n_parts && ptx_parser_at(parser, '+')) {
		ptx_parser_consume(parser);
		kind = parser->token.kind;
		if (kind == PTX_T_OPERAND || kind == PTX_T_WORD)
			error = add_part(parser, ret);
		else
			error = ptx_parser_expression(parser, 0, &ret->value);
	} else if (!error && ret->n_parts && ptx_parser_at(parser, '-')) {
		error = ptx_parser_expression(parser, 0, &ret->value);
	} else if (!error && ptx_parser_accept(parser, ',')) {
		/* Kept as a part that no instruction expects, so it is refused by name. */
		while (ret->n_parts < 2 && !error) {
			error = add_part(parser, ret);
			ret->parts[ret->n_parts - 1].kind = PTX_VECTOR;
		}
		while (!error && ptx_parser_accept(parser, ','))
			error = add_part(parser, ret);
	}
	parser->in_address = false;
	if (error)
		return error;
	return ptx_parser_accept(parser, ']') ? NULL : ptx_parser_fail(parser, "']'");
}

/* .x or .b0, where no blank stands before it. */
static void parse_component(struct ptx_parser *parser, struct ptx_operand *ret)
{
	if (parser->token.kind == PTX_T_DOT && parser->token.begin == parser->last) {
		ret->component = parser->token.text;
		ptx_parser_consume(parser);
	}
}

static struct cudasim_error *parse_name(struct ptx_parser *parser, struct ptx_operand *ret)
{
	ret->name = parser->token.text;
	ret->kind = strcmp(ret->name, "_") ? PTX_NAME : PTX_SINK;
	ptx_parser_consume(parser);
	parse_component(parser, ret);
	/* mov.u64 d, table+8; */
	if (parser->is_module && !parser->in_address &&
	    (ptx_parser_at(parser, '+') || ptx_parser_at(parser, '-')))
		return ptx_parser_expression(parser, 0, &ret->value);
	return NULL;
}

/* After '(' of a call. */
static struct cudasim_error *parse_list(struct ptx_parser *parser, struct ptx_operand *ret)
{
	struct cudasim_error *error = NULL;

	ret->kind = PTX_LIST;
	if (ptx_parser_accept(parser, ')'))
		return NULL;
	do {
		error = add_part(parser, ret);
	} while (!error && ptx_parser_accept(parser, ','));
	if (error)
		return error;
	return ptx_parser_accept(parser, ')') ? NULL : ptx_parser_fail(parser, "')'");
}

static struct cudasim_error *parse_simple(struct ptx_parser *parser, struct ptx_operand *ret)
{
	bool minus = false;

	if (ptx_parser_accept(parser, '{'))
		return parse_vector(parser, ret);
	if (ptx_parser_accept(parser, '['))
		return parse_address(parser, ret);
	if (parser->token.kind == PTX_T_WORD && strcmp(parser->token.text, "WARP_SZ"))
		return parse_name(parser, ret);
	if (ptx_parser_at(parser, '-') || ptx_parser_at(parser, '!')) {
		struct ptx_place before = ptx_parser_place(parser);

		minus = true;
		ptx_parser_consume(parser);
		if (parser->token.kind == PTX_T_WORD || parser->token.kind == PTX_T_OPERAND) {
			ret->negated = true;
			return parse_simple(parser, ret);
		}
		if (parser->token.kind != PTX_T_REAL) {
			ptx_parser_go_back(parser, &before);
			minus = false;
		}
	}
	if (parser->token.kind == PTX_T_REAL) {
		ret->kind = PTX_FLOAT;
		ret->real = minus ? -parser->token.real : parser->token.real;
		ptx_parser_consume(parser);
		return NULL;
	}
	if (parser->token.kind == PTX_T_OPERAND) {
		ret->kind = PTX_ASM;
		ret->number = (uint32_t)parser->token.integer;
		ptx_parser_consume(parser);
		parse_component(parser, ret);
		return NULL;
	}
	ret->kind = PTX_INTEGER;
	return ptx_parser_expression(parser, 0, &ret->value);
}

struct cudasim_error *ptx_parser_operand(struct ptx_parser *parser, struct ptx_operand *ret)
{
	struct cudasim_error *error;

	if (++parser->depth > MAX_DEPTH)
		return ptx_parser_fail(parser, "less nesting");
	error = parse_simple(parser, ret);
	if (!error && ptx_parser_accept(parser, '|')) {
		ret->second = ptx_arena_alloc(parser->arena, sizeof(*ret->second));
		error = ret->second ? ptx_parser_operand(parser, ret->second) : nomem();
	}
	parser->depth--;
	return error;
}

struct ptx_statement *ptx_parser_add(struct ptx_parser *parser, enum ptx_statement_kind kind)
{
	struct ptx_program *program = parser->program;
	struct ptx_statement *statement;

	if (program->n_statements == parser->n_room) {
		size_t room = parser->n_room ? 2 * parser->n_room : 8;
		struct ptx_statement *bigger = ptx_arena_alloc(parser->arena,
							       room * sizeof(*bigger));

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
	statement->file = parser->file;
	statement->source_line = parser->source_line;
	statement->text = "";
	return statement;
}

static struct cudasim_error *parse_modifiers(struct ptx_parser *parser, struct ptx_statement *ret)
{
	while (parser->token.kind == PTX_T_DOT) {
		ret->modifiers = ptx_parser_grow(parser, ret->modifiers, ret->n_modifiers,
						 sizeof(*ret->modifiers));
		if (!ret->modifiers)
			return nomem();
		ret->modifiers[ret->n_modifiers++] = parser->token.text;
		ptx_parser_consume(parser);
	}
	return NULL;
}

/* A statement ends at a semicolon; the last one before } or the end may lack it. */
bool ptx_parser_ends_here(const struct ptx_parser *parser)
{
	return ptx_parser_at(parser, ';') || ptx_parser_at(parser, '}') ||
	       parser->token.kind == PTX_T_END;
}

static struct cudasim_error *parse_instruction(struct ptx_parser *parser, struct ptx_operand *guard)
{
	struct ptx_statement *ret = ptx_parser_add(parser, PTX_INSTRUCTION);
	struct cudasim_error *error;

	if (!ret)
		return nomem();
	ret->guard = guard;
	ret->opcode = parser->token.text;
	ptx_parser_consume(parser);
	error = parse_modifiers(parser, ret);
	if (!error && ptx_parser_at(parser, '(') && !parser->is_module)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "PTX instruction '%s' is not supported", ret->opcode);
	while (!error && !ptx_parser_ends_here(parser)) {
		ret->operands = ptx_parser_grow(parser, ret->operands, ret->n_operands,
						sizeof(*ret->operands));
		if (!ret->operands)
			return nomem();
		struct ptx_operand *operand = &ret->operands[ret->n_operands++];

		error = parser->is_module && !strcmp(ret->opcode, "call") &&
					ptx_parser_accept(parser, '(')
				? parse_list(parser, operand)
				: ptx_parser_operand(parser, operand);
		if (!error && !ptx_parser_accept(parser, ',')) {
			if (!ptx_parser_ends_here(parser))
				error = ptx_parser_fail(parser, "',' or ';'");
			break;
		}
	}
	if (error)
		return error;
	ret->text = ptx_parser_squeeze(parser, parser->begin, parser->last);
	ptx_parser_accept(parser, ';');
	return NULL;
}

static struct cudasim_error *parse_guard(struct ptx_parser *parser, struct ptx_operand **ret)
{
	struct ptx_operand *guard = ptx_arena_alloc(parser->arena, sizeof(*guard));

	if (!guard)
		return nomem();
	*ret = guard;
	guard->negated = ptx_parser_accept(parser, '!');
	if (parser->token.kind == PTX_T_WORD)
		return parse_name(parser, guard);
	return ptx_parser_fail(parser, "a predicate register");
}

struct cudasim_error *ptx_parser_statement(struct ptx_parser *parser)
{
	struct ptx_operand *guard = NULL;
	struct ptx_statement *statement;
	struct cudasim_error *error;

	parser->begin = parser->token.begin;
	if (ptx_parser_accept(parser, ';'))
		return NULL;
	if (ptx_parser_at(parser, '{') || ptx_parser_at(parser, '}')) {
		bool open = ptx_parser_at(parser, '{');

		if (!open && parser->n_open == 0)
			return ptx_parser_fail(parser, "'{' before '}'");
		parser->n_open += open ? 1 : -1u;
		statement = ptx_parser_add(parser, open ? PTX_OPEN : PTX_CLOSE);
		ptx_parser_consume(parser);
		return statement ? NULL : nomem();
	}
	if (ptx_parser_accept(parser, '@')) {
		error = parse_guard(parser, &guard);
		if (error)
			return error;
	}
	if (parser->token.kind == PTX_T_DOT && !guard)
		return ptx_parser_directive(parser);
	if (parser->token.kind != PTX_T_WORD)
		return ptx_parser_fail(parser, "an instruction");
	if (!guard) {
		struct ptx_place before = ptx_parser_place(parser);

		ptx_parser_consume(parser);
		if (ptx_parser_accept(parser, ':')) {
			statement = ptx_parser_add(parser, PTX_LABEL);
			if (!statement)
				return nomem();
			statement->name = before.token.text;
			statement->text = before.token.text;
			return NULL;
		}
		ptx_parser_go_back(parser, &before);
	}
	return parse_instruction(parser, guard);
}

struct cudasim_error *ptx_parse(const char *text, size_t size, bool is_template,
				struct ptx_program *ret)
{
	struct ptx_parser parser = {.program = ret};
	struct cudasim_error *error = NULL;

	*ret = (struct ptx_program){.arena = ptx_arena_new()};
	if (!ret->arena)
		return nomem();
	parser.arena = ret->arena;
	parser.lexer = (struct ptx_lexer){.text = text,
					  .size = size,
					  .line = 1,
					  .is_template = is_template,
					  .arena = ret->arena};
	ptx_parser_consume(&parser);
	while (!error && parser.token.kind != PTX_T_END)
		error = ptx_parser_statement(&parser);
	if (!error && parser.n_open)
		error = cudasim_error_new(CUDASIM_E_FORMAT, "PTX '%s' cannot be read: expected '}'",
					  ptx_parser_squeeze(&parser, 0, size));
	if (error)
		ptx_program_free(ret);
	return error;
}

void ptx_program_free(struct ptx_program *program)
{
	ptx_arena_free(program->arena);
	*program = (struct ptx_program){0};
}

bool ptx_has(const struct ptx_statement *statement, const char *modifier)
{
	for (uint32_t i = 0; i < statement->n_modifiers; i++)
		if (!strcmp(statement->modifiers[i], modifier))
			return true;
	return false;
}

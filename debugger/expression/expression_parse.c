/* SPDX-License-Identifier: Apache-2.0 */
/* expression_parse.c - C++ expressions by recursive descent; binary operators by
 * precedence climbing. gdb's a@n binds tighter than << and looser than +. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expression_tree.h"

/* Deeper trees would make the evaluator's recursion a danger to its stack. */
#define MAX_DEPTH 1000
#define MAX_NESTING 200

/* ---- memory ------------------------------------------------------------------- */

struct chunk {
	struct chunk *next;
	size_t used, size;
	max_align_t bytes[];
};

void *expression_allocate(struct expression *expression, size_t n)
{
	struct chunk *chunk = expression->chunks;
	n = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (!chunk || chunk->size - chunk->used < n) {
		size_t size = n > 4096 ? n : 4096;
		chunk = calloc(1, sizeof *chunk + size);
		if (!chunk)
			return NULL;
		chunk->size = size;
		chunk->next = expression->chunks;
		expression->chunks = chunk;
	}
	void *ret = (char *)chunk->bytes + chunk->used;
	chunk->used += n;
	return ret;
}

void expression_free(struct expression *expression)
{
	if (!expression)
		return;
	for (struct chunk *chunk = expression->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(expression->program);
	free(expression->text);
	free(expression);
}

const char *expression_text(const struct expression *expression)
{
	return expression->text;
}

/* ---- helpers --------------------------------------------------------------------- */

void *parser_fail(struct parser *p, struct cudasim_error *error)
{
	if (p->error)
		cudasim_error_free(error);
	else
		p->error = error;
	return NULL;
}

void *parser_syntax(struct parser *p)
{
	return parser_fail(p, cudasim_error_new(CUDASIM_E_ARGUMENT,
						"A syntax error in expression, near `%s'.",
						p->token.start));
}

void parser_advance(struct parser *p)
{
	struct cudasim_error *error = lex(p->expression, &p->at, &p->token);
	if (!error)
		return;
	parser_fail(p, error);
	p->token = (struct token){.kind = TOKEN_END, .start = p->at, .end = p->at};
}

bool parser_is(const struct parser *p, uint32_t mark)
{
	return p->token.kind == TOKEN_MARK && p->token.mark == mark;
}

bool parser_accept(struct parser *p, uint32_t mark)
{
	bool found = parser_is(p, mark);
	if (found)
		parser_advance(p);
	return found;
}

bool parser_is_word(const struct parser *p, const char *word)
{
	size_t n = strlen(word);
	return p->token.kind == TOKEN_NAME && (size_t)(p->token.end - p->token.start) == n &&
	       !memcmp(p->token.start, word, n);
}

struct node *node_new(struct parser *p, enum node_kind kind, struct node *a, struct node *b)
{
	if (p->error)
		return NULL;
	struct node *node = expression_allocate(p->expression, sizeof *node);
	if (!node)
		return parser_fail(p, &cudasim_error_nomem);
	*node = (struct node){.kind = kind, .a = a, .b = b, .depth = 1};
	if (a && a->depth >= node->depth)
		node->depth = a->depth + 1;
	if (b && b->depth >= node->depth)
		node->depth = b->depth + 1;
	if (node->depth > MAX_DEPTH)
		return parser_fail(
			p, cudasim_error_new(CUDASIM_E_ARGUMENT, "The expression is too long."));
	return node;
}

bool parser_expect(struct parser *p, uint32_t mark)
{
	if (parser_accept(p, mark))
		return true;
	parser_syntax(p);
	return false;
}

struct node *node_literal(struct parser *p, struct value value)
{
	struct node *node = node_new(p, NODE_LITERAL, NULL, NULL);
	if (node)
		node->literal = value;
	return node;
}

/* ---- postfix ------------------------------------------------------------------------ */

static struct node *parse_subscript(struct parser *p, struct node *a)
{
	struct node *b = NULL, *c = NULL;
	parser_advance(p);
	if (!parser_is(p, ':') && !(b = parse_comma(p)))
		return NULL;
	bool slice = parser_accept(p, ':');
	if (slice && !parser_is(p, ']') && !(c = parse_assignment(p)))
		return NULL;
	if (!parser_expect(p, ']'))
		return NULL;
	struct node *node = node_new(p, slice ? NODE_SLICE : NODE_SUBSCRIPT, a, b);
	if (node)
		node->c = c;
	return node;
}

static struct node *parse_call(struct parser *p, struct node *a)
{
	parser_advance(p);
	struct node *node = node_new(p, NODE_CALL, a, NULL);
	struct node **end = node ? &node->arguments : NULL;
	while (node && !p->error && !parser_is(p, ')')) {
		struct node *argument = parse_assignment(p);
		/* A node that is an argument elsewhere has a next already: none is
		 * shared, but a literal's may be. */
		if (!argument)
			return NULL;
		*end = argument;
		end = &argument->next;
		if (argument->depth >= node->depth)
			node->depth = argument->depth + 1;
		if (!parser_accept(p, ','))
			break;
	}
	return node && parser_expect(p, ')') ? node : NULL;
}

static struct node *parse_member(struct parser *p, struct node *a)
{
	bool arrow = parser_is(p, MARK2('-', '>'));
	parser_advance(p);
	if (p->token.kind != TOKEN_NAME && !parser_is(p, '~'))
		return parser_syntax(p);
	const char *name = parse_name(p);
	struct node *node = name ? node_new(p, NODE_MEMBER, a, NULL) : NULL;
	if (node) {
		node->name = name;
		node->relative = arrow;
	}
	return node;
}

static struct node *parse_postfix(struct parser *p)
{
	struct node *node = parse_primary(p);
	while (node && !p->error) {
		if (parser_is(p, '[')) {
			node = parse_subscript(p, node);
		} else if (parser_is(p, '(')) {
			node = parse_call(p, node);
		} else if (parser_is(p, '.') || parser_is(p, MARK2('-', '>'))) {
			node = parse_member(p, node);
		} else if (parser_is(p, MARK2('+', '+')) || parser_is(p, MARK2('-', '-'))) {
			enum operator op = parser_is(p, MARK2('+', '+')) ? OP_ADD : OP_SUBTRACT;
			parser_advance(p);
			node = node_new(p, NODE_STEP, node, NULL);
			if (node) {
				node->op = op;
				node->relative = true;
			}
		} else {
			break;
		}
	}
	return p->error ? NULL : node;
}

/* ---- unary ----------------------------------------------------------------------------- */

/* Can what stands behind (TYPE) be the operand of a cast? */
static bool begins_operand(const struct parser *p)
{
	switch (p->token.kind) {
	case TOKEN_END:
		return false;
	case TOKEN_MARK:
		return strchr("(+-!~*&{", (int)(p->token.mark & 0xff)) != NULL &&
				       (p->token.mark < 0x100 || parser_is(p, MARK2('+', '+')) ||
					parser_is(p, MARK2('-', '-')))
			       ? true
			       : parser_is(p, MARK2(':', ':'));
	default:
		return true;
	}
}

/* (TYPE) operand; NULL without an error where no type stands in parentheses. */
static struct node *parse_cast(struct parser *p)
{
	struct parser before = *p;
	parser_advance(p);
	if (!p->error && parse_type_ahead(p)) {
		const struct type *type = parse_type(p);
		if (p->error)
			return NULL;
		if (type && parser_accept(p, ')')) {
			if (!begins_operand(p))
				return node_of_type(p, type);
			struct node *a = parse_unary(p);
			struct node *node = a ? node_new(p, NODE_CAST, a, NULL) : NULL;
			if (node)
				node->type = type;
			return node;
		}
		if (p->token.kind == TOKEN_END)
			return parser_syntax(p);
	}
	if (p->error)
		return NULL;
	*p = before;
	return NULL;
}

static struct node *unary(struct parser *p, enum operator op)
{
	parser_advance(p);
	struct node *a = parse_unary(p);
	struct node *node = a ? node_new(p, NODE_UNARY, a, NULL) : NULL;
	if (node)
		node->op = op;
	return node;
}

static struct node *parse_operator(struct parser *p)
{
	struct node *a;
	if (p->token.kind != TOKEN_MARK)
		return parse_postfix(p);
	switch (p->token.mark) {
	case '+':
		return unary(p, OP_PLUS);
	case '-':
		return unary(p, OP_NEGATE);
	case '~':
		return unary(p, OP_COMPLEMENT);
	case '!':
		return unary(p, OP_NOT);
	case '&':
	case '*': {
		bool address = p->token.mark == '&';
		parser_advance(p);
		a = parse_unary(p);
		return a ? node_new(p, address ? NODE_ADDRESS : NODE_DEREFERENCE, a, NULL) : NULL;
	}
	case MARK2('+', '+'):
	case MARK2('-', '-'): {
		enum operator op = p->token.mark == MARK2('+', '+') ? OP_ADD : OP_SUBTRACT;
		parser_advance(p);
		a = parse_unary(p);
		struct node *node = a ? node_new(p, NODE_STEP, a, NULL) : NULL;
		if (node)
			node->op = op;
		return node;
	}
	case '(':
		a = parse_cast(p);
		return a || p->error ? a : parse_postfix(p);
	default:
		return parse_postfix(p);
	}
}

struct node *parse_unary(struct parser *p)
{
	if (p->error)
		return NULL;
	if (++p->depth > MAX_NESTING)
		return parser_fail(p, cudasim_error_new(CUDASIM_E_ARGUMENT,
							"The expression is nested too deeply."));
	struct node *node = parse_operator(p);
	p->depth--;
	return node;
}

/* ---- binary ---------------------------------------------------------------------------- */

static const struct {
	uint32_t mark;
	enum operator op;
	int precedence;
} binaries[] = {
	{MARK2('|', '|'), OP_EITHER, 1},
	{MARK2('&', '&'), OP_BOTH, 2},
	{'|', OP_OR, 3},
	{'^', OP_XOR, 4},
	{'&', OP_AND, 5},
	{MARK2('=', '='), OP_EQUAL, 6},
	{MARK2('!', '='), OP_UNEQUAL, 6},
	{'<', OP_LESS, 7},
	{'>', OP_GREATER, 7},
	{MARK2('<', '='), OP_LESS_EQUAL, 7},
	{MARK2('>', '='), OP_GREATER_EQUAL, 7},
	{MARK2('<', '<'), OP_SHIFT_LEFT, 8},
	{MARK2('>', '>'), OP_SHIFT_RIGHT, 8},
	{'@', OP_REPEAT, 9},
	{'+', OP_ADD, 10},
	{'-', OP_SUBTRACT, 10},
	{'*', OP_MULTIPLY, 11},
	{'/', OP_DIVIDE, 11},
	{'%', OP_MODULO, 11},
	{MARK2('.', '*'), OP_MEMBER_POINTER, 12},
	{MARK3('-', '>', '*'), OP_MEMBER_POINTER_ARROW, 12},
};

static struct node *parse_binary(struct parser *p, int least)
{
	struct node *a = parse_unary(p);
	while (a && p->token.kind == TOKEN_MARK) {
		size_t i = 0, n = sizeof binaries / sizeof *binaries;
		while (i < n && binaries[i].mark != p->token.mark)
			i++;
		if (i == n || binaries[i].precedence < least)
			break;
		parser_advance(p);
		struct node *b = parse_binary(p, binaries[i].precedence + 1);
		a = b ? node_new(p, NODE_BINARY, a, b) : NULL;
		if (a)
			a->op = binaries[i].op;
	}
	return a;
}

static const struct {
	uint32_t mark;
	enum operator op;
} assignments[] = {
	{'=', OP_NONE},
	{MARK2('+', '='), OP_ADD},
	{MARK2('-', '='), OP_SUBTRACT},
	{MARK2('*', '='), OP_MULTIPLY},
	{MARK2('/', '='), OP_DIVIDE},
	{MARK2('%', '='), OP_MODULO},
	{MARK2('&', '='), OP_AND},
	{MARK2('|', '='), OP_OR},
	{MARK2('^', '='), OP_XOR},
	{MARK3('<', '<', '='), OP_SHIFT_LEFT},
	{MARK3('>', '>', '='), OP_SHIFT_RIGHT},
};

static struct node *parse_ternary(struct parser *p, struct node *a)
{
	parser_advance(p);
	struct node *b = parse_comma(p);
	if (!b || !parser_expect(p, ':'))
		return NULL;
	struct node *c = parse_assignment(p);
	struct node *node = c ? node_new(p, NODE_TERNARY, a, b) : NULL;
	if (node) {
		node->c = c;
		node->depth = c->depth >= node->depth ? c->depth + 1 : node->depth;
	}
	return node;
}

struct node *parse_assignment(struct parser *p)
{
	if (++p->depth > MAX_NESTING)
		return parser_fail(p, cudasim_error_new(CUDASIM_E_ARGUMENT,
							"The expression is nested too deeply."));
	struct node *a = parse_binary(p, 1);
	if (a && parser_is(p, '?'))
		a = parse_ternary(p, a);
	if (a && p->token.kind == TOKEN_MARK)
		for (size_t i = 0; i < sizeof assignments / sizeof *assignments; i++) {
			if (assignments[i].mark != p->token.mark)
				continue;
			parser_advance(p);
			struct node *b = parse_assignment(p);
			a = b ? node_new(p, NODE_ASSIGN, a, b) : NULL;
			if (a)
				a->op = assignments[i].op;
			break;
		}
	p->depth--;
	return p->error ? NULL : a;
}

struct node *parse_comma(struct parser *p)
{
	struct node *a = parse_assignment(p);
	while (a && parser_accept(p, ',')) {
		struct node *b = parse_assignment(p);
		a = b ? node_new(p, NODE_COMMA, a, b) : NULL;
	}
	return a;
}

/* ---- all --------------------------------------------------------------------------------- */

static struct cudasim_error *parse(const char *text, uint64_t pc, const struct scope *scopes,
				   size_t n_scopes, bool is_device, struct expression **ret)
{
	struct expression *expression = calloc(1, sizeof *expression);
	if (!expression)
		return &cudasim_error_nomem;
	expression->text = strdup(text);
	expression->pc = pc;
	if (!expression->text) {
		free(expression);
		return &cudasim_error_nomem;
	}
	struct parser p = {.expression = expression,
			   .at = expression->text,
			   .pc = pc,
			   .scopes = scopes,
			   .n_scopes = n_scopes,
			   .function = pc ? symbols_function_at(pc) : NULL};
	/* A frame knows it also where its function has no debug information. */
	p.is_device = is_device || (p.function && p.function->is_device);
	parser_advance(&p);
	expression->root = p.error ? NULL : parse_comma(&p);
	if (!p.error && p.token.kind != TOKEN_END) {
		if (parser_is(&p, ')') || parser_is(&p, ']') || parser_is(&p, '}'))
			parser_fail(&p, cudasim_error_new(CUDASIM_E_ARGUMENT,
							  "Junk after end of expression."));
		else
			parser_syntax(&p);
	}
	if (p.error) {
		expression_free(expression);
		return p.error;
	}
	*ret = expression;
	return NULL;
}

struct cudasim_error *expression_parse(const char *text, uint64_t pc, struct expression **ret)
{
	const struct scope *scopes = NULL;
	size_t n = pc ? symbols_scopes(pc, &scopes) : 0;
	return parse(text, pc, scopes, n, false, ret);
}

struct cudasim_error *expression_parse_truth(const char *text, uint64_t pc, struct expression **ret)
{
	/* As it is first, for errors in the user's words. */
	struct cudasim_error *error = expression_parse(text, pc, ret);
	char *wrapped = NULL;
	if (error)
		return error;
	expression_free(*ret);
	*ret = NULL;
	if (asprintf(&wrapped, "(%s) ? 1 : 0", text) < 0)
		return &cudasim_error_nomem;
	error = expression_parse(wrapped, pc, ret);
	free(wrapped);
	return error;
}

struct cudasim_error *expression_parse_in(const char *text, const struct frame *frame,
					  struct expression **ret)
{
	if (!frame)
		return parse(text, 0, NULL, 0, false, ret);
	return parse(text, frame->lookup, frame->scopes, frame->n_scopes, frame->is_device, ret);
}

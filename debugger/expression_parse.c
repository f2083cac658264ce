/* SPDX-License-Identifier: Apache-2.0 */
/* expression_parse.c - C++ expressions by recursive descent; binary operators by
 * precedence climbing. gdb's a@n binds tighter than << and looser than +. */
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
		"A syntax error in expression, near `%s'.", p->token.start));
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

static bool is_word(const struct parser *p, const char *word)
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
		return parser_fail(p, cudasim_error_new(CUDASIM_E_ARGUMENT,
							"The expression is too long."));
	return node;
}

static bool expect(struct parser *p, uint32_t mark)
{
	if (parser_accept(p, mark))
		return true;
	parser_syntax(p);
	return false;
}

static struct node *parse_comma(struct parser *p);
static struct node *parse_unary(struct parser *p);

static struct node *literal(struct parser *p, struct value value)
{
	struct node *node = node_new(p, NODE_LITERAL, NULL, NULL);
	if (node)
		node->literal = value;
	return node;
}

/* ---- primaries -------------------------------------------------------------------- */

static struct node *parse_number(struct parser *p)
{
	const struct token token = p->token;
	parser_advance(p);
	if (token.type && token.type->float_format)
		return literal(p, value_real(token.type, token.real));
	return literal(p, value_integer(token.type, (wide)token.integer));
}

static struct node *parse_character(struct parser *p)
{
	uint32_t c = 0;
	const struct token token = p->token;
	if (!token.length)
		return parser_fail(p, cudasim_error_new(CUDASIM_E_ARGUMENT,
			"A character constant must contain at least one character."));
	if (token.length > 1)
		return parser_fail(p, cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid character constant."));
	memcpy(&c, token.string, token.type->size);
	parser_advance(p);
	return literal(p, value_integer(token.type, (wide)c));
}

/* Adjacent literals are one string. */
static struct node *parse_string(struct parser *p)
{
	struct node *node = node_new(p, NODE_STRING, NULL, NULL);
	const struct type *type = p->token.type;
	while (node && p->token.kind == TOKEN_STRING) {
		if (p->token.type->size != type->size)
			return parser_fail(p, cudasim_error_new(CUDASIM_E_ARGUMENT,
								"Undefined string concatenation."));
		size_t n = node->length + p->token.length * type->size;
		char *text = expression_allocate(p->expression, n + type->size);
		if (!text)
			return parser_fail(p, &cudasim_error_nomem);
		if (node->length)
			memcpy(text, node->name, node->length);
		memcpy(text + node->length, p->token.string, p->token.length * type->size);
		memset(text + n, 0, type->size);
		node->name = text;
		node->length = n;
		parser_advance(p);
	}
	if (!node || p->error)
		return NULL;
	node->type = type_array(type, node->length / type->size + 1);
	node->length += type->size;
	return node;
}

static const char *const registers[] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip",
};
static const struct {
	const char *name;
	int number;
} register_aliases[] = {{"pc", 16}, {"sp", 7}, {"fp", 6}};

static int register_number(const char *name)
{
	for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
		if (!strcmp(registers[i], name))
			return (int)i;
	for (size_t i = 0; i < sizeof register_aliases / sizeof *register_aliases; i++)
		if (!strcmp(register_aliases[i].name, name))
			return register_aliases[i].number;
	return -1;
}

/* $, $$, $5, $$5, $pc, $name. */
static struct node *parse_dollar(struct parser *p)
{
	size_t n = (size_t)(p->token.end - p->token.start);
	char *name = expression_allocate(p->expression, n + 1);
	if (!name)
		return parser_fail(p, &cudasim_error_nomem);
	memcpy(name, p->token.start, n);
	name[n] = 0;
	parser_advance(p);
	bool relative = n > 1 && name[1] == '$';
	char *digits = name + 1 + relative;
	struct node *node = node_new(p, NODE_HISTORY, NULL, NULL);
	if (!node)
		return NULL;
	if (digits[strspn(digits, "0123456789")] == 0) {
		node->relative = relative || !*digits;
		node->number = *digits ? strtoll(digits, NULL, 10) : relative;
		return node;
	}
	node->name = name + 1;
	node->number = register_number(name + 1);
	node->kind = node->number >= 0 ? NODE_REGISTER : NODE_CONVENIENCE;
	return node;
}

/* dynamic_cast<T>(e) and its kin. */
static struct node *parse_named_cast(struct parser *p)
{
	bool reinterpret = is_word(p, "reinterpret_cast");
	bool dynamic = is_word(p, "dynamic_cast");
	parser_advance(p);
	if (!expect(p, '<'))
		return NULL;
	const struct type *type = parse_type(p);
	if (!type)
		return parser_syntax(p);
	if (!expect(p, '>') || !expect(p, '('))
		return NULL;
	struct node *a = parse_comma(p);
	if (!a || !expect(p, ')'))
		return NULL;
	struct node *node = node_new(p, NODE_CAST, a, NULL);
	if (node) {
		node->type = type;
		node->relative = reinterpret;
		node->number = dynamic;
	}
	return node;
}

/* sizeof and alignof: of a type in parentheses or of a unary expression. */
static struct node *parse_measure(struct parser *p, enum node_kind kind)
{
	parser_advance(p);
	struct parser before = *p;
	struct node *node = node_new(p, kind, NULL, NULL);
	if (!node)
		return NULL;
	if (parser_accept(p, '(') && parse_type_ahead(p)) {
		node->type = parse_type(p);
		if (node->type && parser_is(p, ')')) {
			parser_advance(p);
			return node;
		}
	}
	if (p->error && !before.error)
		return NULL;
	*p = before;
	node->type = NULL;
	node->a = parse_unary(p);
	if (node->a)
		node->depth = node->a->depth + 1;
	return node->a ? node : NULL;
}

/* T(e) and T{e}, T(): conversions that look like calls. */
static struct node *parse_functional_cast(struct parser *p, const struct type *type)
{
	uint32_t close = parser_is(p, '{') ? '}' : ')';
	parser_advance(p);
	struct node *a = parser_is(p, close) ? literal(p, value_integer(type_base("int"), 0))
					     : parse_assignment(p);
	if (!a || !expect(p, close))
		return NULL;
	struct node *node = node_new(p, NODE_CAST, a, NULL);
	if (node)
		node->type = type;
	return node;
}

static struct node *type_node(struct parser *p, const struct type *type)
{
	struct node *node = node_new(p, NODE_TYPE, NULL, NULL);
	if (node)
		node->type = type;
	return node;
}

static struct node *parse_word(struct parser *p)
{
	if (is_word(p, "sizeof"))
		return parse_measure(p, NODE_SIZEOF);
	if (is_word(p, "alignof") || is_word(p, "_Alignof"))
		return parse_measure(p, NODE_ALIGNOF);
	if (is_word(p, "static_cast") || is_word(p, "reinterpret_cast") ||
	    is_word(p, "const_cast") || is_word(p, "dynamic_cast"))
		return parse_named_cast(p);
	if (is_word(p, "true") || is_word(p, "false")) {
		bool truth = is_word(p, "true");
		parser_advance(p);
		return literal(p, value_integer(type_base("bool"), truth));
	}
	if (is_word(p, "nullptr")) {
		parser_advance(p);
		return literal(p, value_integer(type_pointer(type_base("void"), STORAGE_NONE), 0));
	}
	if (parse_type_ahead(p)) {
		enum storage storage;
		const struct type *type = parse_specifiers(p, &storage);
		if (!type)
			return p->error ? NULL : parser_syntax(p);
		/* T(*p) converts *p; T (*)(int) is a type. */
		bool group = parser_is(p, '(') && p->at[0] == '*' && strchr(")*", p->at[1]);
		if (!group && (parser_is(p, '(') || parser_is(p, '{')))
			return parse_functional_cast(p, type);
		type = parse_declarator(p, type, storage);
		return type ? type_node(p, type) : NULL;
	}
	const char *name = parse_name(p);
	if (!name)
		return NULL;
	struct node *node = resolve_name(p, name);
	if (!node && !p->error)
		parser_fail(p, resolve_failure(name));
	return node;
}

/* {TYPE} ADDRESS: gdb's own way to say *(TYPE *)ADDRESS. */
static struct node *parse_brace(struct parser *p)
{
	parser_advance(p);
	const struct type *type = parse_type(p);
	if (!type || !expect(p, '}'))
		return parser_syntax(p);
	struct node *a = parse_unary(p);
	struct node *cast = a ? node_new(p, NODE_CAST, a, NULL) : NULL;
	if (!cast)
		return NULL;
	cast->type = type_pointer(type, STORAGE_NONE);
	return node_new(p, NODE_DEREFERENCE, cast, NULL);
}

static struct node *parse_primary(struct parser *p)
{
	switch (p->token.kind) {
	case TOKEN_NUMBER:
		return parse_number(p);
	case TOKEN_CHARACTER:
		if (p->at[0] == ':' && p->at[1] == ':')
			return parse_word(p); /* 'file.cu'::name */
		return parse_character(p);
	case TOKEN_STRING:
		return parse_string(p);
	case TOKEN_DOLLAR:
		return parse_dollar(p);
	case TOKEN_NAME:
	case TOKEN_STORAGE:
		return parse_word(p);
	case TOKEN_MARK:
		break;
	case TOKEN_END:
		return parser_syntax(p);
	}
	if (parser_is(p, MARK2(':', ':')))
		return parse_word(p);
	if (parser_is(p, '{'))
		return parse_brace(p);
	if (!parser_accept(p, '('))
		return parser_syntax(p);
	struct node *node = parse_comma(p);
	return node && expect(p, ')') ? node : NULL;
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
	if (!expect(p, ']'))
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
	return node && expect(p, ')') ? node : NULL;
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
			parser_is(p, MARK2('-', '-'))) ? true : parser_is(p, MARK2(':', ':'));
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
				return type_node(p, type);
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

static struct node *parse_unary(struct parser *p)
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
	{MARK2('=', '='), OP_EQUAL, 6}, {MARK2('!', '='), OP_UNEQUAL, 6},
	{'<', OP_LESS, 7}, {'>', OP_GREATER, 7},
	{MARK2('<', '='), OP_LESS_EQUAL, 7}, {MARK2('>', '='), OP_GREATER_EQUAL, 7},
	{MARK2('<', '<'), OP_SHIFT_LEFT, 8}, {MARK2('>', '>'), OP_SHIFT_RIGHT, 8},
	{'@', OP_REPEAT, 9},
	{'+', OP_ADD, 10}, {'-', OP_SUBTRACT, 10},
	{'*', OP_MULTIPLY, 11}, {'/', OP_DIVIDE, 11}, {'%', OP_MODULO, 11},
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
	{'=', OP_NONE}, {MARK2('+', '='), OP_ADD}, {MARK2('-', '='), OP_SUBTRACT},
	{MARK2('*', '='), OP_MULTIPLY}, {MARK2('/', '='), OP_DIVIDE}, {MARK2('%', '='), OP_MODULO},
	{MARK2('&', '='), OP_AND}, {MARK2('|', '='), OP_OR}, {MARK2('^', '='), OP_XOR},
	{MARK3('<', '<', '='), OP_SHIFT_LEFT}, {MARK3('>', '>', '='), OP_SHIFT_RIGHT},
};

static struct node *parse_ternary(struct parser *p, struct node *a)
{
	parser_advance(p);
	struct node *b = parse_comma(p);
	if (!b || !expect(p, ':'))
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

static struct node *parse_comma(struct parser *p)
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
				   size_t n_scopes, struct expression **ret)
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
	struct parser p = {.expression = expression, .at = expression->text, .pc = pc,
			   .scopes = scopes, .n_scopes = n_scopes,
			   .function = pc ? symbols_function_at(pc) : NULL};
	p.is_device = p.function && p.function->is_device;
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
	return parse(text, pc, scopes, n, ret);
}

struct cudasim_error *expression_parse_in(const char *text, const struct frame *frame,
					  struct expression **ret)
{
	if (!frame)
		return parse(text, 0, NULL, 0, ret);
	return parse(text, frame->lookup, frame->scopes, frame->n_scopes, ret);
}

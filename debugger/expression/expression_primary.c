/* SPDX-License-Identifier: Apache-2.0 */
/* expression_primary.c - what expressions are made of: numbers, strings, names, $1,
 * sizeof, named casts, parentheses. */
#include <stdlib.h>
#include <string.h>

#include "expression_math.h"
#include "expression_tree.h"

static struct node *parse_number(struct parser *p)
{
	const struct token token = p->token;
	parser_advance(p);
	if (token.type && token.type->float_format)
		return node_literal(p, value_real(token.type, token.real));
	return node_literal(p, value_integer(token.type, (wide)token.integer));
}

static struct node *parse_character(struct parser *p)
{
	uint32_t c = 0;
	const struct token token = p->token;
	if (!token.length)
		return parser_fail(
			p, cudasim_error_new(
				   CUDASIM_E_ARGUMENT,
				   "A character constant must contain at least one character."));
	if (token.length > 1)
		return parser_fail(
			p, cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid character constant."));
	memcpy(&c, token.string, token.type->size);
	parser_advance(p);
	return node_literal(p, value_integer(token.type, (wide)c));
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
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip",
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
	bool reinterpret = parser_is_word(p, "reinterpret_cast");
	bool dynamic = parser_is_word(p, "dynamic_cast");
	parser_advance(p);
	if (!parser_expect(p, '<'))
		return NULL;
	const struct type *type = parse_type(p);
	if (!type)
		return parser_syntax(p);
	if (!parser_expect(p, '>') || !parser_expect(p, '('))
		return NULL;
	struct node *a = parse_comma(p);
	if (!a || !parser_expect(p, ')'))
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
	struct node *a = parser_is(p, close) ? node_literal(p, value_integer(type_base("int"), 0))
					     : parse_assignment(p);
	if (!a || !parser_expect(p, close))
		return NULL;
	struct node *node = node_new(p, NODE_CAST, a, NULL);
	if (node)
		node->type = type;
	return node;
}

struct node *node_of_type(struct parser *p, const struct type *type)
{
	struct node *node = node_new(p, NODE_TYPE, NULL, NULL);
	if (node)
		node->type = type;
	return node;
}

static struct node *parse_word(struct parser *p)
{
	if (parser_is_word(p, "sizeof"))
		return parse_measure(p, NODE_SIZEOF);
	if (parser_is_word(p, "alignof") || parser_is_word(p, "_Alignof"))
		return parse_measure(p, NODE_ALIGNOF);
	if (parser_is_word(p, "static_cast") || parser_is_word(p, "reinterpret_cast") ||
	    parser_is_word(p, "const_cast") || parser_is_word(p, "dynamic_cast"))
		return parse_named_cast(p);
	if (parser_is_word(p, "true") || parser_is_word(p, "false")) {
		bool truth = parser_is_word(p, "true");
		parser_advance(p);
		return node_literal(p, value_integer(type_base("bool"), truth));
	}
	if (parser_is_word(p, "nullptr")) {
		parser_advance(p);
		return node_literal(
			p, value_integer(type_pointer(type_base("void"), STORAGE_NONE), 0));
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
		return type ? node_of_type(p, type) : NULL;
	}
	p->is_global = parser_is(p, MARK2(':', ':'));
	const char *name = parse_name(p);
	if (!name)
		return NULL;
	struct node *node = resolve_name(p, name);
	bool calls = !node && !p->error && parser_is(p, '(');
	if (calls && math_is_known(name) && (node = node_new(p, NODE_MATH, NULL, NULL))) {
		node->name = name;
		return node;
	}
	if (calls && math_is_collective(name)) {
		parser_fail(
			p,
			cudasim_error_new(
				CUDASIM_E_UNSUPPORTED,
				"%s cannot be called from the debugger: it needs other threads or changes memory.",
				name));
		return NULL;
	}
	if (!node && !p->error)
		parser_fail(
			p,
			p->is_device && !p->function
				? cudasim_error_new(
					  CUDASIM_E_NOTFOUND,
					  "No symbol \"%s\": the code here has no debug information.",
					  name)
				: resolve_failure(name));
	return node;
}

/* {TYPE} ADDRESS: gdb's own way to say *(TYPE *)ADDRESS. */
static struct node *parse_brace(struct parser *p)
{
	parser_advance(p);
	const struct type *type = parse_type(p);
	if (!type || !parser_expect(p, '}'))
		return parser_syntax(p);
	struct node *a = parse_unary(p);
	struct node *cast = a ? node_new(p, NODE_CAST, a, NULL) : NULL;
	if (!cast)
		return NULL;
	cast->type = type_pointer(type, STORAGE_NONE);
	return node_new(p, NODE_DEREFERENCE, cast, NULL);
}

struct node *parse_primary(struct parser *p)
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
	return node && parser_expect(p, ')') ? node : NULL;
}

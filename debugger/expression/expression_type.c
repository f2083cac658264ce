/* SPDX-License-Identifier: Apache-2.0 */
/* expression_type.c - type names in expressions: specifiers in any order, cuda-gdb's
 * @storage, and abstract declarators such as int (*)[3] or float (*)(int). */
#include <stdlib.h>
#include <string.h>

#include "expression_tree.h"

/* ---- specifiers -------------------------------------------------------------------- */

struct specifiers {
	bool is_const, is_volatile, is_unsigned, is_signed, is_elaborated;
	int n_short, n_long;
	const char *word;         /* int, char, double, ... or NULL */
	const struct type *named; /* a type by its own name */
	enum storage storage;
};

static const char *const base_words[] = {
	"void",    "bool",    "char",     "int",      "float",    "double",
	"wchar_t", "char8_t", "char16_t", "char32_t", "__int128",
};
static const char *const other_words[] = {
	"const", "volatile", "unsigned", "signed",   "short",    "long",         "struct",
	"class", "union",    "enum",     "typename", "restrict", "__restrict__", "__restrict",
};

static bool token_is(const struct parser *p, const char *word)
{
	size_t n = strlen(word);
	return p->token.kind == TOKEN_NAME && (size_t)(p->token.end - p->token.start) == n &&
	       !memcmp(p->token.start, word, n);
}

static const char *base_word(const struct parser *p)
{
	for (size_t i = 0; i < sizeof base_words / sizeof *base_words; i++)
		if (token_is(p, base_words[i]))
			return base_words[i];
	return NULL;
}

static bool is_type_word(const struct parser *p)
{
	for (size_t i = 0; i < sizeof other_words / sizeof *other_words; i++)
		if (token_is(p, other_words[i]))
			return true;
	return base_word(p) != NULL;
}

bool parse_type_ahead(struct parser *p)
{
	if (p->error)
		return false;
	if (p->token.kind == TOKEN_STORAGE || is_type_word(p))
		return true;
	if (p->token.kind != TOKEN_NAME && !parser_is(p, MARK2(':', ':')))
		return false;
	struct parser before = *p;
	const char *name = parse_name(p);
	bool found = name && resolve_type(p, name, false);
	if (p->error && !before.error)
		cudasim_error_free(p->error);
	*p = before;
	return found;
}

/* One specifier; false where none stands. */
static bool specifier(struct parser *p, struct specifiers *s)
{
	const char *word = base_word(p);
	bool any = s->word || s->named || s->n_long || s->n_short || s->is_unsigned || s->is_signed;
	if (p->token.kind == TOKEN_STORAGE)
		s->storage = p->token.storage;
	else if (token_is(p, "const"))
		s->is_const = true;
	else if (token_is(p, "volatile"))
		s->is_volatile = true;
	else if (token_is(p, "unsigned"))
		s->is_unsigned = true;
	else if (token_is(p, "signed"))
		s->is_signed = true;
	else if (token_is(p, "short"))
		s->n_short++;
	else if (token_is(p, "long"))
		s->n_long++;
	else if (token_is(p, "struct") || token_is(p, "class") || token_is(p, "union") ||
		 token_is(p, "enum") || token_is(p, "typename"))
		s->is_elaborated = true;
	else if (word && !s->word && !s->named)
		s->word = word;
	else if (any || word || !(p->token.kind == TOKEN_NAME || parser_is(p, MARK2(':', ':'))))
		return false;
	else {
		struct parser before = *p;
		const char *name = parse_name(p);
		s->named = name ? resolve_type(p, name, s->is_elaborated) : NULL;
		if (s->named)
			return true;
		if (s->is_elaborated && name)
			parser_fail(p, cudasim_error_new(CUDASIM_E_NOTFOUND,
							 "No struct type named %s.", name));
		else if (!p->error)
			*p = before;
		return false;
	}
	parser_advance(p);
	return true;
}

static const char *integer_name(const struct specifiers *s)
{
	if (s->n_short)
		return s->is_unsigned ? "unsigned short" : "short";
	if (s->n_long > 1)
		return s->is_unsigned ? "unsigned long long" : "long long";
	if (s->n_long)
		return s->is_unsigned ? "unsigned long" : "long";
	return s->is_unsigned ? "unsigned int" : "int";
}

static const struct type *base_type(const struct specifiers *s)
{
	if (s->named)
		return s->named;
	if (!s->word || !strcmp(s->word, "int")) {
		bool any = s->word || s->is_unsigned || s->is_signed || s->n_short || s->n_long;
		return any ? type_base(integer_name(s)) : NULL;
	}
	if (!strcmp(s->word, "char"))
		return type_base(s->is_unsigned ? "unsigned char"
				 : s->is_signed ? "signed char"
						: "char");
	if (!strcmp(s->word, "double") && s->n_long)
		return type_base("long double");
	if (!strcmp(s->word, "__int128"))
		return type_base(s->is_unsigned ? "unsigned __int128" : "__int128");
	return type_base(s->word);
}

const struct type *parse_specifiers(struct parser *p, enum storage *ret_storage)
{
	struct specifiers s = {0};
	while (!p->error && specifier(p, &s))
		;
	const struct type *type = p->error ? NULL : base_type(&s);
	if (!type)
		return NULL;
	*ret_storage = s.storage;
	if (s.is_const || s.is_volatile)
		type = type_qualified(type, s.is_const, s.is_volatile);
	return type;
}

/* ---- declarators ---------------------------------------------------------------------- */

#define MAX_DECLARATOR 16

/* Behind a * : const, volatile, restrict, and the storage of the pointer itself. */
static const struct type *pointer_qualifiers(struct parser *p, const struct type *type,
					     enum storage *storage)
{
	*storage = STORAGE_NONE;
	for (; !p->error; parser_advance(p)) {
		if (p->token.kind == TOKEN_STORAGE)
			*storage = p->token.storage;
		else if (token_is(p, "const"))
			type = type_qualified(type, true, false);
		else if (token_is(p, "volatile"))
			type = type_qualified(type, false, true);
		else if (!token_is(p, "restrict") && !token_is(p, "__restrict__") &&
			 !token_is(p, "__restrict"))
			break;
	}
	return type;
}

static const struct type *pointers(struct parser *p, const struct type *type, enum storage *storage)
{
	int n = 0;
	while (!p->error &&
	       (parser_is(p, '*') || parser_is(p, '&') || parser_is(p, MARK2('&', '&')))) {
		bool reference = !parser_is(p, '*');
		if (++n > MAX_DECLARATOR)
			return parser_syntax(p);
		parser_advance(p);
		type = reference ? type_reference(type) : type_pointer(type, *storage);
		type = pointer_qualifiers(p, type, storage);
	}
	return type;
}

static const struct type *function_type(struct parser *p, const struct type *result)
{
	struct member members[MAX_DECLARATOR];
	size_t n = 0;
	parser_advance(p);
	while (!p->error && !parser_is(p, ')')) {
		const struct type *type = parse_type(p);
		if (!type || n == MAX_DECLARATOR)
			return parser_syntax(p);
		if (type->kind != TYPE_VOID)
			members[n++] = (struct member){.type = type};
		if (!parser_accept(p, ','))
			break;
	}
	if (!parser_accept(p, ')'))
		return parser_syntax(p);
	/* Types live until the process ends. */
	struct type *function = calloc(1, sizeof *function + n * sizeof *members);
	if (!function || !expression_keep(function)) {
		free(function);
		return parser_fail(p, &cudasim_error_nomem);
	}
	struct member *parameters = (struct member *)(function + 1);
	memcpy(parameters, members, n * sizeof *members);
	*function = (struct type){.kind = TYPE_FUNCTION,
				  .target = result,
				  .members = parameters,
				  .n_members = n,
				  .size = 1};
	return function;
}

static const struct type *suffixes(struct parser *p, const struct type *type)
{
	uint64_t bounds[MAX_DECLARATOR];
	int n = 0;
	if (parser_is(p, '('))
		return function_type(p, type);
	while (!p->error && parser_accept(p, '[')) {
		if (n == MAX_DECLARATOR || (p->token.kind != TOKEN_NUMBER && !parser_is(p, ']')))
			return parser_syntax(p);
		bounds[n] = 0;
		if (p->token.kind == TOKEN_NUMBER) {
			bounds[n] = p->token.integer;
			parser_advance(p);
		}
		n++;
		if (!parser_accept(p, ']'))
			return parser_syntax(p);
	}
	while (n--) {
		uint64_t size;
		if (__builtin_mul_overflow(type_strip(type)->size, bounds[n], &size))
			return parser_fail(p, cudasim_error_new(CUDASIM_E_ARGUMENT,
								"size of the array is too large"));
		type = type_array(type, bounds[n]);
	}
	return type;
}

/* In "(*)": what stands in parentheses belongs to what suffixes make. */
static bool is_group(const struct parser *p)
{
	const char *c = p->at + strspn(p->at, " \t");
	return parser_is(p, '(') && (*c == '*' || *c == '&');
}

const struct type *parse_declarator(struct parser *p, const struct type *type, enum storage storage)
{
	type = pointers(p, type, &storage);
	if (!type || p->error)
		return NULL;
	if (!is_group(p))
		return parser_is(p, '[') ? suffixes(p, type) : type;
	uint32_t inner[MAX_DECLARATOR];
	int n = 0;
	parser_advance(p);
	while (!p->error && (parser_is(p, '*') || parser_is(p, '&')) && n < MAX_DECLARATOR) {
		enum storage ignored;
		inner[n++] = p->token.mark;
		parser_advance(p);
		pointer_qualifiers(p, type, &ignored);
	}
	if (!parser_accept(p, ')'))
		return parser_syntax(p);
	type = suffixes(p, type);
	for (int i = 0; i < n && type; i++) {
		type = inner[i] == '*' ? type_pointer(type, storage) : type_reference(type);
		storage = STORAGE_NONE;
	}
	return type;
}

const struct type *parse_type(struct parser *p)
{
	enum storage storage = STORAGE_NONE;
	if (p->error)
		return NULL;
	if (++p->depth > 100)
		return parser_fail(p, cudasim_error_new(CUDASIM_E_ARGUMENT,
							"The expression is nested too deeply."));
	const struct type *type = parse_specifiers(p, &storage);
	if (type)
		type = parse_declarator(p, type, storage);
	p->depth--;
	return type;
}

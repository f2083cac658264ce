/* SPDX-License-Identifier: Apache-2.0 */
/* expression_lex.c - C++ tokens, with gdb's $names and cuda-gdb's @storage. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expression_tree.h"

static bool is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_name_part(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* ---- numbers -------------------------------------------------------------------- */

static struct cudasim_error *invalid(const struct token *token)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid number \"%.*s\".",
				 (int)(token->end - token->start), token->start);
}

/* Letters behind the digits: u, l, ll in any order and case; f, l of floats. */
static bool suffix(const char *at, const char *end, bool *is_unsigned, int *n_long)
{
	*is_unsigned = false;
	*n_long = 0;
	for (; at < end; at++) {
		if ((*at == 'u' || *at == 'U') && !*is_unsigned)
			*is_unsigned = true;
		else if ((*at == 'l' || *at == 'L') && *n_long < 2)
			++*n_long;
		else
			return false;
	}
	return true;
}

/* C's rule: decimal literals without u stay signed, others take the first type
 * that holds them. */
static const struct type *integer_type(uint64_t number, bool decimal, bool is_unsigned, int n_long)
{
	if (!n_long && number <= INT32_MAX && !is_unsigned)
		return type_base("int");
	if (!n_long && number <= UINT32_MAX && (is_unsigned || !decimal))
		return type_base("unsigned int");
	bool is_signed = !is_unsigned && number <= INT64_MAX;
	if (n_long == 2)
		return type_base(is_signed ? "long long" : "unsigned long long");
	return type_base(is_signed ? "long" : "unsigned long");
}

static struct cudasim_error *lex_integer(struct token *token)
{
	const char *digits = token->start;
	int base = 10, n_long;
	bool is_unsigned;
	char *end;
	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
		base = 16;
		digits += 2;
	} else if (digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B')) {
		base = 2;
		digits += 2;
	} else if (digits[0] == '0') {
		base = 8;
	}
	if (!isxdigit((unsigned char)*digits))
		return invalid(token);
	/* C++'s digit separators are no part of the number. */
	char plain[80];
	size_t n = 0;
	for (const char *c = digits; c < token->end; c++) {
		if (*c == '\'')
			continue;
		if (n + 1 == sizeof plain)
			return cudasim_error_new(CUDASIM_E_ARGUMENT, "Numeric constant too large.");
		plain[n++] = *c;
	}
	plain[n] = 0;
	errno = 0;
	token->integer = strtoull(plain, &end, base);
	if (end == plain || !suffix(end, plain + n, &is_unsigned, &n_long))
		return invalid(token);
	if (errno)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Numeric constant too large.");
	token->type = integer_type(token->integer, base == 10, is_unsigned, n_long);
	return NULL;
}

static struct cudasim_error *lex_real(struct token *token)
{
	char plain[128], *end;
	size_t n = (size_t)(token->end - token->start);
	if (n >= sizeof plain)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Numeric constant too large.");
	memcpy(plain, token->start, n);
	plain[n] = 0;
	token->real = strtold(plain, &end);
	token->type = type_float(8);
	if (end == plain)
		return invalid(token);
	if ((*end == 'f' || *end == 'F') && !end[1]) {
		token->type = type_float(4);
		token->real = strtof(plain, NULL);
	} else if ((*end == 'l' || *end == 'L') && !end[1]) {
		token->type = type_float(16);
	} else if (*end) {
		return invalid(token);
	} else {
		token->real = strtod(plain, NULL);
	}
	return token->type ? NULL : invalid(token);
}

/* All letters, digits and dots that hang together are one number, so that 12abc is
 * told as a whole. */
static struct cudasim_error *lex_number(struct token *token, const char **at)
{
	const char *c = token->start;
	bool hexadecimal = c[0] == '0' && (c[1] == 'x' || c[1] == 'X');
	bool real = false;
	while (is_name_part(*c) || *c == '.' || (*c == '\'' && is_name_part(c[1]))) {
		bool exponent = hexadecimal ? *c == 'p' || *c == 'P' : *c == 'e' || *c == 'E';
		if (*c == '.' && real)
			break; /* 1.2.3: the parser says so */
		real |= *c == '.' || (exponent && (hexadecimal || c > token->start));
		if (exponent && (c[1] == '+' || c[1] == '-'))
			c++;
		c++;
	}
	token->end = *at = c;
	token->kind = TOKEN_NUMBER;
	return real ? lex_real(token) : lex_integer(token);
}

/* ---- characters and strings -------------------------------------------------------- */

static uint32_t hexadecimal(const char **at, int most)
{
	uint32_t c = 0;
	for (int i = 0; i < most && isxdigit((unsigned char)**at); i++, ++*at)
		c = c * 16 + (uint32_t)(isdigit((unsigned char)**at) ? **at - '0'
								     : tolower(**at) - 'a' + 10);
	return c;
}

/* One character behind a backslash. */
static uint32_t escape(const char **at)
{
	static const char letters[] = "abfnrtve", meant[] = "\a\b\f\n\r\t\v\033";
	char c = *(*at)++;
	const char *found = c ? strchr(letters, c) : NULL;
	if (found)
		return (unsigned char)meant[found - letters];
	if (c == 'x')
		return hexadecimal(at, 8);
	if (c == 'u')
		return hexadecimal(at, 4);
	if (c == 'U')
		return hexadecimal(at, 8);
	if (c < '0' || c > '7')
		return (unsigned char)c;
	uint32_t octal = (uint32_t)(c - '0');
	for (int i = 0; i < 2 && **at >= '0' && **at <= '7'; i++)
		octal = octal * 8 + (uint32_t)(*(*at)++ - '0');
	return octal;
}

/* One UTF-8 character, or a byte that is none. */
static uint32_t utf8(const char **at)
{
	const unsigned char *c = (const unsigned char *)*at;
	int more = *c >= 0xf0 ? 3 : *c >= 0xe0 ? 2 : *c >= 0xc0 ? 1 : 0;
	uint32_t code = more ? *c & (0x3fu >> more) : *c;
	for (int i = 1; i <= more; i++) {
		if ((c[i] & 0xc0) != 0x80) {
			++*at;
			return *c;
		}
		code = code << 6 | (c[i] & 0x3f);
	}
	*at += more + 1;
	return code;
}

/* Type of the characters by the letters before the quote. */
static const struct type *character_type(const char *prefix, size_t n)
{
	if (n == 1 && *prefix == 'L')
		return type_base("wchar_t");
	if (n == 1 && *prefix == 'u')
		return type_base("char16_t");
	if (n == 1 && *prefix == 'U')
		return type_base("char32_t");
	return type_base("char");
}

static struct cudasim_error *lex_quoted(struct expression *expression, struct token *token,
					const char *quote, const char **at)
{
	const char *c = quote + 1;
	const struct type *type = character_type(token->start, (size_t)(quote - token->start));
	if (!type)
		type = type_base("char");
	uint32_t width = type ? (uint32_t)type->size : 1;
	char *units = expression_allocate(expression, (strlen(c) + 1) * width);
	if (!units)
		return &cudasim_error_nomem;
	size_t n = 0;
	while (*c && *c != *quote) {
		uint32_t one;
		if (*c == '\\' && c[1]) {
			c++;
			one = escape(&c);
		} else {
			one = width == 1 ? (unsigned char)*c++ : utf8(&c);
		}
		memcpy(units + n++ * width, &one, width);
	}
	if (!*c)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 *quote == '"' ? "Unterminated string in expression."
						       : "Unmatched single quote.");
	memset(units + n * width, 0, width);
	token->end = *at = c + 1;
	token->type = type;
	token->string = units;
	token->length = n;
	token->kind = *quote == '"' ? TOKEN_STRING : TOKEN_CHARACTER;
	return NULL;
}

/* ---- all ----------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum storage storage;
} storages[] = {
	{"generic", STORAGE_GENERIC},        {"local", STORAGE_LOCAL},
	{"shared", STORAGE_SHARED},          {"global", STORAGE_GLOBAL},
	{"constant", STORAGE_CONSTANT},      {"parameter", STORAGE_PARAMETER},
	{"managed", STORAGE_MANAGED},        {"register", STORAGE_NONE},
	{"managed_global", STORAGE_MANAGED},
};

static bool lex_storage(struct token *token, const char **at)
{
	const char *c = token->start + 1;
	while (is_name_part(*c))
		c++;
	size_t n = (size_t)(c - token->start) - 1;
	for (size_t i = 0; n && i < sizeof storages / sizeof *storages; i++)
		if (strlen(storages[i].name) == n &&
		    !memcmp(storages[i].name, token->start + 1, n)) {
			token->kind = TOKEN_STORAGE;
			token->storage = storages[i].storage;
			token->end = *at = c;
			return true;
		}
	return false;
}

static struct cudasim_error *lex_mark(struct token *token, const char **at)
{
	static const char *const marks[] = {
		"<<=", ">>=", "->*", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
		"!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", ".*",
	};
	const char *c = token->start;
	size_t n = 1;
	for (size_t i = 0; i < sizeof marks / sizeof *marks && n == 1; i++)
		if (!strncmp(c, marks[i], strlen(marks[i])))
			n = strlen(marks[i]);
	if (n == 1 && !strchr("+-*/%&|^~!=<>?:,.()[]@{}", *c))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Invalid character '%c' in expression.", *c);
	token->kind = TOKEN_MARK;
	token->mark = 0;
	for (size_t i = 0; i < n; i++)
		token->mark |= (uint32_t)(unsigned char)c[i] << (8 * i);
	token->end = *at = c + n;
	return NULL;
}

struct cudasim_error *lex(struct expression *expression, const char **at, struct token *ret)
{
	const char *c = *at;
	while (isspace((unsigned char)*c))
		c++;
	*ret = (struct token){.kind = TOKEN_END, .start = c, .end = c};
	*at = c;
	if (!*c)
		return NULL;
	if (isdigit((unsigned char)*c) || (*c == '.' && isdigit((unsigned char)c[1])))
		return lex_number(ret, at);
	if (*c == '\'' || *c == '"')
		return lex_quoted(expression, ret, c, at);
	if (*c == '@' && lex_storage(ret, at))
		return NULL;
	if (*c == '$' || is_name_start(*c)) {
		ret->kind = *c == '$' ? TOKEN_DOLLAR : TOKEN_NAME;
		while (is_name_part(*c) || *c == '$')
			c++;
		ret->end = *at = c;
		size_t n = (size_t)(c - ret->start);
		bool prefix = n == 1 ? strchr("LuU", *ret->start) != NULL
				     : n == 2 && !memcmp(ret->start, "u8", 2);
		if (prefix && (*c == '\'' || *c == '"'))
			return lex_quoted(expression, ret, c, at);
		return NULL;
	}
	return lex_mark(ret, at);
}

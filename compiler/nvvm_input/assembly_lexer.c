/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_lexer.c - as LLVM's own lexer (LLLexer.cpp) divides a text. It has no escapes in
 * strings that could hide a quote: a quote is \22. */
#include "assembly_lexer.h"

#include <string.h>

#include "vector.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A byte of a name. */
static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' ||
	       c == '$' || c == '.' || c == '_';
}

struct lexer {
	const char *text;
	size_t size, at;
};

static char peek(const struct lexer *lexer, size_t ahead)
{
	return lexer->at + ahead < lexer->size ? lexer->text[lexer->at + ahead] : 0;
}

static void skip_blanks(struct lexer *lexer)
{
	while (lexer->at < lexer->size) {
		char c = lexer->text[lexer->at];
		if (c == ';')
			while (lexer->at < lexer->size && lexer->text[lexer->at] != '\n')
				lexer->at++;
		else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || !c)
			lexer->at++;
		else
			return;
	}
}

/* Past a string whose first quote is next; an open one ends with the text. */
static void skip_string(struct lexer *lexer)
{
	const char *start = lexer->text + lexer->at + 1;
	const char *end = memchr(start, '"', lexer->size - lexer->at - 1);
	lexer->at = end ? (size_t)(end - lexer->text) + 1 : lexer->size;
}

static void skip_name(struct lexer *lexer)
{
	while (lexer->at < lexer->size &&
	       (is_name(lexer->text[lexer->at]) || lexer->text[lexer->at] == '\\'))
		lexer->at++;
}

static enum assembly_kind skip_token(struct lexer *lexer)
{
	char c = peek(lexer, 0), next = peek(lexer, 1);
	if (c == '"') {
		skip_string(lexer);
		return ASSEMBLY_STRING;
	}
	if ((c == '%' || c == '@' || c == '$') && (next == '"' || is_name(next))) {
		lexer->at++;
		if (next == '"')
			skip_string(lexer);
		else
			skip_name(lexer);
		return c == '%' ? ASSEMBLY_LOCAL : c == '@' ? ASSEMBLY_GLOBAL : ASSEMBLY_WORD;
	}
	if (c == '!' && is_name(next)) {
		lexer->at++;
		skip_name(lexer);
		return ASSEMBLY_METADATA;
	}
	if (is_digit(c) || ((c == '-' || c == '+') && is_digit(next))) {
		lexer->at++;
		while (is_name(peek(lexer, 0)) ||
		       (peek(lexer, 0) == '+' && (lexer->text[lexer->at - 1] | 32) == 'e'))
			lexer->at++;
		return ASSEMBLY_NUMBER;
	}
	if (is_name(c)) {
		skip_name(lexer);
		return ASSEMBLY_WORD;
	}
	lexer->at++;
	return ASSEMBLY_MARK;
}

struct assembly_token *assembly_lex(const char *text, size_t size, size_t *n)
{
	struct lexer lexer = {text, size, 0};
	VECTOR(struct assembly_token) tokens = {0};
	enum assembly_kind kind;
	do {
		skip_blanks(&lexer);
		size_t start = lexer.at;
		kind = start < size ? skip_token(&lexer) : ASSEMBLY_END;
		*vector_add(&tokens) = (struct assembly_token){kind, start, lexer.at};
	} while (kind != ASSEMBLY_END);
	*n = tokens.n;
	return tokens.at;
}

bool assembly_is(const char *text, const struct assembly_token *token, const char *word)
{
	size_t n = strlen(word);
	return (token->kind == ASSEMBLY_WORD || token->kind == ASSEMBLY_MARK) &&
	       token->end - token->start == n && !memcmp(text + token->start, word, n);
}

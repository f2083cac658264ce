/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_lexer.c - tokens of PTX, and the arena that the syntax tree lives in.
 *
 * PTX ISA, section "Lexical Elements". Numbers: decimal, 0x, 0b and octal
 * integers with an optional U, decimal reals, and the bit patterns 0f (8 hex
 * digits) and 0d (16). In templates a dollar speaks LLVM's asm string language:
 * $$ is a dollar, $3 and ${3:m} are operands, ${:uid} is a unique number (every
 * string is translated on its own, so any number is unique). */
#include "ptx_lexer.h"

#include <stdlib.h>
#include <string.h>

struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(16) unsigned char bytes[];
};

struct ptx_arena {
	struct chunk *chunks;
};

struct ptx_arena *ptx_arena_new(void)
{
	return calloc(1, sizeof(struct ptx_arena));
}

void *ptx_arena_alloc(struct ptx_arena *arena, size_t size)
{
	struct chunk *chunk = arena->chunks;

	size = (size + 15) & ~(size_t)15;
	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = size > 4000 ? size : 4000;

		chunk = calloc(1, sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->size = room;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
	}
	chunk->used += size;
	return chunk->bytes + chunk->used - size;
}

void ptx_arena_free(struct ptx_arena *arena)
{
	if (!arena)
		return;
	for (struct chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(arena);
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(int c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

/* The byte `ahead` bytes on, or 0 past the end. */
static int peek(const struct ptx_lexer *lexer, size_t ahead)
{
	size_t at = lexer->at + ahead;

	return at < lexer->size ? (unsigned char)lexer->text[at] : 0;
}

static void advance(struct ptx_lexer *lexer, size_t n)
{
	for (; n && lexer->at < lexer->size; n--)
		if (lexer->text[lexer->at++] == '\n')
			lexer->line++;
}

static void skip_blanks(struct ptx_lexer *lexer)
{
	for (;;) {
		int c = peek(lexer, 0);

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f') {
			advance(lexer, 1);
		} else if (c == '/' && peek(lexer, 1) == '/') {
			while (lexer->at < lexer->size && peek(lexer, 0) != '\n')
				advance(lexer, 1);
		} else if (c == '/' && peek(lexer, 1) == '*') {
			advance(lexer, 2);
			while (lexer->at < lexer->size &&
			       !(peek(lexer, 0) == '*' && peek(lexer, 1) == '/'))
				advance(lexer, 1);
			advance(lexer, 2);
		} else {
			return;
		}
	}
}

/* Length of an escaped dollar or of ${:uid} at `ahead`, else 0. */
static size_t dollar_in_word(const struct ptx_lexer *lexer, size_t ahead)
{
	const char *rest = lexer->text + lexer->at + ahead;
	size_t left = lexer->at + ahead < lexer->size ? lexer->size - lexer->at - ahead : 0;

	if (!left || rest[0] != '$')
		return 0;
	if (!lexer->is_template)
		return 1;
	if (left >= 2 && rest[1] == '$')
		return 2;
	if (left >= 7 && !memcmp(rest, "${:uid}", 7))
		return 7;
	return 0;
}

/* A word from the current byte on; `first` bytes belong to it in any case. */
static struct ptx_token lex_word(struct ptx_lexer *lexer, struct ptx_token token, size_t first,
				 bool colons)
{
	size_t length = first, n = 0;
	char *text;

	for (;;) {
		size_t dollar = dollar_in_word(lexer, length);

		if (dollar)
			length += dollar;
		else if (is_word(peek(lexer, length)))
			length++;
		else if (colons && peek(lexer, length) == ':' && peek(lexer, length + 1) == ':' &&
			 is_word(peek(lexer, length + 2)))
			length += 2;
		else
			break;
	}
	text = ptx_arena_alloc(lexer->arena, length + 1);
	if (!text) {
		token.kind = PTX_T_NOMEM;
		return token;
	}
	for (size_t i = 0; i < length;) {
		size_t dollar = dollar_in_word(lexer, i);

		text[n++] = dollar == 7 ? '0' : lexer->text[lexer->at + i];
		i += dollar ? dollar : 1;
	}
	text[n] = '\0';
	advance(lexer, length);
	token.text = text;
	token.end = lexer->at;
	return token;
}

static int digit_value(int c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* Digits of a base; the value wraps never: more than 64 bits is malformed. */
static bool lex_digits(struct ptx_lexer *lexer, unsigned base, uint64_t *value, unsigned *n)
{
	*value = 0;
	for (*n = 0; digit_value(peek(lexer, 0)) < (int)base; advance(lexer, 1), ++*n) {
		uint64_t next;

		if (__builtin_mul_overflow(*value, (uint64_t)base, &next) ||
		    __builtin_add_overflow(next, (uint64_t)digit_value(peek(lexer, 0)), &next))
			return false;
		*value = next;
	}
	return *n > 0;
}

/* 0f3f800000 and 0d3ff0000000000000. */
static struct ptx_token lex_bits(struct ptx_lexer *lexer, struct ptx_token token, bool is_double)
{
	uint64_t bits;
	unsigned n;

	advance(lexer, 2);
	if (!lex_digits(lexer, 16, &bits, &n) || n != (is_double ? 16 : 8)) {
		token.kind = PTX_T_BAD;
		return token;
	}
	token.kind = PTX_T_REAL;
	token.integer = bits;
	if (is_double) {
		memcpy(&token.real, &bits, sizeof(token.real));
	} else {
		uint32_t half = (uint32_t)bits;
		float single;

		memcpy(&single, &half, sizeof(single));
		token.real = single;
		/* A signalling NaN would be quieted by the conversion: keep its bits. */
		if (single != single) {
			uint64_t wide = (uint64_t)(half >> 31) << 63 | 0x7ffULL << 52 |
					(uint64_t)(half & 0x7fffff) << 29;
			memcpy(&token.real, &wide, sizeof(wide));
		}
	}
	return token;
}

static struct ptx_token lex_real(struct ptx_lexer *lexer, struct ptx_token token)
{
	char buffer[64];
	size_t n = 0;
	char *end;

	while (n + 1 < sizeof(buffer)) {
		int c = peek(lexer, n);
		bool sign = (c == '+' || c == '-') && n > 0 &&
			    (peek(lexer, n - 1) == 'e' || peek(lexer, n - 1) == 'E');

		if (!is_digit(c) && c != '.' && c != 'e' && c != 'E' && !sign)
			break;
		buffer[n++] = (char)c;
	}
	buffer[n] = '\0';
	token.real = strtod(buffer, &end);
	token.kind = *end || end == buffer ? PTX_T_BAD : PTX_T_REAL;
	advance(lexer, n);
	return token;
}

static struct ptx_token lex_number(struct ptx_lexer *lexer, struct ptx_token token)
{
	int second = peek(lexer, 1);
	unsigned base = 10, n;
	size_t digits = 0;

	if (peek(lexer, 0) == '0' && (second == 'f' || second == 'F'))
		token = lex_bits(lexer, token, false);
	else if (peek(lexer, 0) == '0' && (second == 'd' || second == 'D'))
		token = lex_bits(lexer, token, true);
	else {
		if (peek(lexer, 0) == '0' && (second == 'x' || second == 'X'))
			base = 16;
		else if (peek(lexer, 0) == '0' && (second == 'b' || second == 'B'))
			base = 2;
		else
			while (is_digit(peek(lexer, digits)))
				digits++;
		if (base == 10 &&
		    (peek(lexer, digits) == 'e' || peek(lexer, digits) == 'E' ||
		     (peek(lexer, digits) == '.' && !is_letter(peek(lexer, digits + 1))))) {
			token = lex_real(lexer, token);
		} else {
			if (base != 10)
				advance(lexer, 2);
			else if (peek(lexer, 0) == '0' && digits > 1)
				base = 8;
			token.kind = lex_digits(lexer, base, &token.integer, &n) ? PTX_T_INTEGER
										 : PTX_T_BAD;
			if (peek(lexer, 0) == 'U' || peek(lexer, 0) == 'u')
				advance(lexer, 1);
		}
	}
	if (is_word(peek(lexer, 0)))
		token.kind = PTX_T_BAD;
	token.end = lexer->at;
	return token;
}

/* $3 or ${3:m}. Anything else after a dollar is malformed. */
static struct ptx_token lex_operand(struct ptx_lexer *lexer, struct ptx_token token)
{
	bool brace = peek(lexer, 1) == '{';
	unsigned n;

	advance(lexer, brace ? 2 : 1);
	token.kind = PTX_T_BAD;
	if (lex_digits(lexer, 10, &token.integer, &n) && n < 6)
		token.kind = PTX_T_OPERAND;
	if (brace) {
		if (peek(lexer, 0) == ':')
			for (advance(lexer, 1); is_letter(peek(lexer, 0));)
				advance(lexer, 1);
		if (peek(lexer, 0) != '}')
			token.kind = PTX_T_BAD;
		advance(lexer, 1);
	}
	token.end = lexer->at;
	return token;
}

struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer)
{
	struct ptx_token token = {.kind = PTX_T_PUNCT};
	int c;

	skip_blanks(lexer);
	token.begin = token.end = lexer->at;
	token.line = lexer->line;
	if (lexer->at >= lexer->size) {
		token.kind = PTX_T_END;
		return token;
	}
	c = peek(lexer, 0);
	if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1)) && !is_word(peek(lexer, 2))))
		return lex_number(lexer, token);
	if (c == '.' && is_word(peek(lexer, 1))) {
		advance(lexer, 1);
		token.kind = PTX_T_DOT;
		return lex_word(lexer, token, 0, true);
	}
	if (dollar_in_word(lexer, 0) || is_letter(c) || c == '_' ||
	    (c == '%' && (is_word(peek(lexer, 1)) || dollar_in_word(lexer, 1)))) {
		token.kind = PTX_T_WORD;
		return lex_word(lexer, token, c == '%' ? 1 : 0, false);
	}
	if (c == '$' && lexer->is_template)
		return lex_operand(lexer, token);
	if (c == '"') {
		token.kind = PTX_T_STRING;
		for (advance(lexer, 1); lexer->at < lexer->size && peek(lexer, 0) != '"';)
			advance(lexer, 1);
		advance(lexer, 1);
	} else {
		bool twice = peek(lexer, 1) == c;

		token.punct = c;
		if (c == '<' && twice)
			token.punct = PTX_SHIFT_LEFT;
		else if (c == '>' && twice)
			token.punct = PTX_SHIFT_RIGHT;
		else if (c == 0 || !strchr("{}[](),;:@!|+-*/%~^&<>=?", c))
			token.kind = PTX_T_BAD;
		advance(lexer, token.punct > 0xff ? 2 : 1);
	}
	token.end = lexer->at;
	return token;
}

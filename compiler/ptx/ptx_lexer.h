/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_lexer.h - from PTX text to tokens; for ptx_parser.c only. */
#ifndef CUDASIM_COMPILER_PTX_LEXER_H
#define CUDASIM_COMPILER_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_token_kind {
	PTX_T_END,
	PTX_T_WORD,    /* identifier, also %r1 and _: text */
	PTX_T_DOT,     /* .word, with the dot and any ::word: text is what follows the dot */
	PTX_T_OPERAND, /* $0: integer */
	PTX_T_INTEGER, /* integer */
	PTX_T_REAL,    /* real */
	PTX_T_STRING,  /* "..." of a .pragma */
	PTX_T_PUNCT,   /* one character, or << >> : punct */
	PTX_T_BAD,     /* a byte that starts no token, or a malformed number */
	PTX_T_NOMEM,
};

#define PTX_SHIFT_LEFT 0x100
#define PTX_SHIFT_RIGHT 0x101

struct ptx_token {
	enum ptx_token_kind kind;
	const char *text;
	uint64_t integer;
	double real;
	int punct;
	size_t begin, end; /* in the lexer's text */
	uint32_t line;
};

struct ptx_arena;

struct ptx_lexer {
	const char *text;
	size_t size, at;
	uint32_t line;
	bool is_template;
	struct ptx_arena *arena; /* owns the texts of tokens */
};

struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer);

/* Memory that is freed at once. alloc returns zeroed bytes or NULL. */
struct ptx_arena *ptx_arena_new(void);
void *ptx_arena_alloc(struct ptx_arena *arena, size_t size);
void ptx_arena_free(struct ptx_arena *arena);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_lexer.h - tokens of LLVM's assembly language, of any version. */
#ifndef CUDASIM_COMPILER_ASSEMBLY_LEXER_H
#define CUDASIM_COMPILER_ASSEMBLY_LEXER_H

#include <stdbool.h>
#include <stddef.h>

enum assembly_kind {
	ASSEMBLY_END,
	ASSEMBLY_WORD,      /* i32, define, nocapture, ... */
	ASSEMBLY_LOCAL,     /* %name, %"name", %7 */
	ASSEMBLY_GLOBAL,    /* @name */
	ASSEMBLY_METADATA,  /* !name, !7; a single ! is a mark */
	ASSEMBLY_NUMBER,    /* integers and reals */
	ASSEMBLY_STRING,    /* "text" */
	ASSEMBLY_MARK,      /* one byte: ( ) * , ... */
};

struct assembly_token {
	enum assembly_kind kind;
	size_t start, end; /* bytes of the text */
};

/* The tokens of a text, without blanks and comments; the last one is ASSEMBLY_END. The caller
 * frees the array. What is no token of the language is a mark. */
struct assembly_token *assembly_lex(const char *text, size_t size, size_t *n);

/* Is the token this word, or this mark? */
bool assembly_is(const char *text, const struct assembly_token *token, const char *word);

#endif

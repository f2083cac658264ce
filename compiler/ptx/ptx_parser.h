/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_parser.h - the parser's state, for ptx_parser.c, ptx_declaration.c, ptx_variable.c
 * and ptx_module_parser.c only. */
#ifndef CUDASIM_COMPILER_PTX_PARSER_H
#define CUDASIM_COMPILER_PTX_PARSER_H

#include "ptx_lexer.h"
#include "ptx_module.h"
#include "ptx_syntax.h"

struct ptx_parser {
	struct ptx_lexer lexer;
	struct ptx_token token; /* the next one, not consumed */
	struct ptx_arena *arena;
	struct ptx_program *program; /* statements are added to it */
	size_t n_room;               /* of its statements */
	size_t begin; /* of the statement at hand */
	size_t last;  /* end of the last consumed token */
	uint32_t depth;
	uint32_t n_open; /* braces */
	bool in_address; /* between [ and ], where an offset is the address's */
	bool is_module;  /* a whole module's text, not that of an asm statement */
	uint32_t file, source_line; /* of the last .loc; 0 before the first */
};

void ptx_parser_consume(struct ptx_parser *parser);
bool ptx_parser_at(const struct ptx_parser *parser, int punct);
/* Consumes the token if it is this one. */
bool ptx_parser_accept(struct ptx_parser *parser, int punct);
/* At this directive. */
bool ptx_parser_at_word(const struct ptx_parser *parser, const char *directive);
/* Consumes a semicolon, or fails. */
struct cudasim_error *ptx_parser_semicolon(struct ptx_parser *parser);
/* At the end of a declaration inside a body: consumes its semicolon, or fails. */
struct cudasim_error *ptx_parser_end(struct ptx_parser *parser);
/* At a semicolon, which a statement may lack before } and the end. */
bool ptx_parser_ends_here(const struct ptx_parser *parser);

/* Where the parser is, for text that is read again if it turns out to be something else. */
struct ptx_place {
	struct ptx_lexer lexer;
	struct ptx_token token;
	size_t last;
};
struct ptx_place ptx_parser_place(const struct ptx_parser *parser);
void ptx_parser_go_back(struct ptx_parser *parser, const struct ptx_place *place);

/* Source text [begin, end) for messages; lives in the arena. */
const char *ptx_parser_squeeze(struct ptx_parser *parser, size_t begin, size_t end);
/* The error that shows the statement at hand. */
struct cudasim_error *ptx_parser_fail(struct ptx_parser *parser, const char *expected);

/* Room for element n of an arena array; n is how many it has. NULL: no memory. */
void *ptx_parser_grow(struct ptx_parser *parser, void *array, uint32_t n, size_t size);

/* A constant expression; floor is 0. */
struct cudasim_error *ptx_parser_expression(struct ptx_parser *parser, int floor, int64_t *ret);
/* One from 1 to most. */
struct cudasim_error *ptx_parser_count(struct ptx_parser *parser, uint32_t most, uint32_t *ret);
struct cudasim_error *ptx_parser_operand(struct ptx_parser *parser, struct ptx_operand *ret);

/* A zeroed statement of the program; NULL: no memory. */
struct ptx_statement *ptx_parser_add(struct ptx_parser *parser, enum ptx_statement_kind kind);
struct cudasim_error *ptx_parser_statement(struct ptx_parser *parser);
/* At a directive inside a body. */
struct cudasim_error *ptx_parser_directive(struct ptx_parser *parser);

/* .align N, .v2, a type and what follows it in a declaration, up to the name. */
struct ptx_kind {
	const char *type;
	uint32_t n_lanes;   /* 1, 2, 4 */
	uint32_t alignment; /* in bytes; 0 where not given */
};
struct cudasim_error *ptx_parser_kind(struct ptx_parser *parser, struct ptx_kind *ret);
/* [2][3] behind a name: 6; 1 without any. is_open, which may be NULL, allows [] in
 * the first place and says whether it was that (the count is 0 then). */
struct cudasim_error *ptx_parser_elements(struct ptx_parser *parser, uint32_t *ret, bool *is_open,
					  bool *is_array);
/* (.param .b32 a, .reg .u64 b): what functions and prototypes take and return. */
struct cudasim_error *ptx_parser_params(struct ptx_parser *parser, struct ptx_param **ret,
					uint32_t *n);

/* At .global, .const, .shared or .local outside of functions. */
struct cudasim_error *ptx_parser_globals(struct ptx_parser *parser, struct ptx_module *module,
					 enum ptx_linkage linkage);

#endif

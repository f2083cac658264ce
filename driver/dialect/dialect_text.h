/* SPDX-License-Identifier: Apache-2.0 */
/* dialect_text.h - a reader of C++ text that the mending of dialect.h shares:
 * words, brackets, comments and literals, no grammar. For dialect*.c only. */
#ifndef CUDASIM_DRIVER_DIALECT_TEXT_H
#define CUDASIM_DRIVER_DIALECT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "dialect.h"

/* A piece of the text. */
struct piece {
	const char *start, *end;
};

bool is_word(char c);
/* Whether this very word begins at `at`. */
bool starts_word(const char *at, const char *word);
bool piece_is(struct piece p, const char *word);
struct piece trim(struct piece p);
/* The identifier at the end of a piece; empty if there is none. */
struct piece last_word(struct piece p);
bool contains(struct piece p, const char *any);

/* Behind the space, and the comments, at `at`. */
const char *skip_space(const char *at);
/* Behind the string or character literal or the comment that begins at `at`;
 * `at` itself if none does. Digit separators are no characters. */
const char *skip_literal(const char *text, const char *at);
/* Behind the bracket that closes the one at `at`; NULL if none does. */
const char *skip_brackets(const char *at);
/* The bracket that opens the one that closes right before `end`; NULL if none. */
const char *opening_bracket(const char *text, const char *end);
/* The head of the function around `at`, without its template's parameters; empty
 * if none is around it. */
struct piece function_around(const char *text, const char *at);
/* The same with them. */
struct piece template_around(const char *text, const char *at);

/* The text with [start, end) replaced. The caller frees it. */
char *text_replace(const char *text, const char *start, const char *end, const char *fresh);

/* The mends with a file of their own; each as dialect_mend, at being the spot. */
char *mend_align(const char *text, const char *at);
char *mend_array(const char *text, const char *at);
char *mend_template(const char *text, const char *at);
char *mend_typename(const char *text, const char *at);
char *mend_member(const char *text, const char *at);
char *mend_this(const char *text, const char *at);
char *mend_offset(const char *text, const char *at);
char *mend_constexpr(const char *text, const char *at);
char *mend_unread(const char *text, const char *at);
char *mend_extern(const char *text, const char *at);
char *mend_repeated(const char *text, const char *at);
char *mend_constructor(const char *text, const char *at);
char *mend_guide(const char *text, const char *at); /* at: the class's name */
/* A function of one side that is to be one of both in the pass of the other side. */
char *mend_side(const char *text, const char *at, bool device);
char *mend_device_call(const char *text, const char *at);
char *mend_host_call(const char *text, const char *at, const struct dialect_spot *spot);
/* A kernel that device code launches, or whose address it takes; one that it launches by a
 * pointer. */
char *mend_kernel(const char *text, const char *at, bool value_too);
char *mend_kernel_pointer(const char *text, const char *at);
/* Puts a macro's expansion in the place of its use at, or around, `at`. */
char *mend_macro(const char *text, const char *at, const struct dialect_spot *spot);

#endif

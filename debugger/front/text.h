/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - words of a line that the user has typed. */
#ifndef CUDASIM_DEBUGGER_TEXT_H
#define CUDASIM_DEBUGGER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudasim/error.h"

const char *text_skip(const char *text); /* blanks */
bool text_word(const char **text, char *ret,
	       size_t size); /* next word, advances; false at the end */
/* /FMT at the start of *text ("/4xw"): count (default 1), letters or 0; advances. */
struct cudasim_error *text_format(const char **text, int64_t *count, char *format, char *size);
/* How much of line is its first word: letters, digits, - and _, or ! or |. */
size_t text_word_length(const char *line);
/* If the whole words of text[0..n) match the first words of name: the rest of name. */
const char *text_after_words(const char *name, const char *text, size_t n);

#endif

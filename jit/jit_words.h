/* SPDX-License-Identifier: Apache-2.0 */
/* jit_words.h - strings and command lines of programs that must go on without memory: what cannot
 * be had is NULL or false. */
#ifndef CUDASIM_JIT_JIT_WORDS_H
#define CUDASIM_JIT_JIT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* printf to a new string, the caller's to free; NULL without memory. */
char *jit_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A list of strings for exec: NULL behind the last. {0} is the empty list. */
struct jit_words {
	char **at;
	size_t n;
};

/* Takes text over, also where it returns false: without memory, or if text is NULL. */
bool jit_words_add(struct jit_words *words, char *text);
void jit_words_fini(struct jit_words *words);

#endif

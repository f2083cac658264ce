/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - growing lists of strings, and strings made by printf.
 *
 * The driver is a short-lived program whose every string lives until it ends,
 * so nothing here hands errors about: without memory it ends (base/must.h). */
#ifndef CUDASIM_DRIVER_WORDS_H
#define CUDASIM_DRIVER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A list of strings that it owns. {0} is the empty list. at[n] is NULL once
 * there is a word, so at can be given to execv. */
struct words {
	char **at;
	size_t n, capacity;
};

/* Adds a copy of word. */
void words_add(struct words *words, const char *word);

/* Adds a word made by printf. */
void words_addf(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds copies of all of more's words; words and more may not be the same. */
void words_append(struct words *words, const struct words *more);

/* Adds the words of a NULL-terminated argument list. */
void words_add_all(struct words *words, ...) __attribute__((sentinel));

/* True if one of the words equals word. */
bool words_have(const struct words *words, const char *word);

/* Adds the pieces of text between separators; empty pieces are left out. */
void words_split(struct words *words, const char *text, char separator);

/* Splits text as a command line: white space separates, quotes and the
 * backslash protect, as nvcc reads its response files and variables. Returns
 * false when a quote is never closed; words then holds what came before. */
bool words_parse(struct words *words, const char *text);

/* The words as one line that a shell reads back as the same words. A word
 * with "$(cat " in it is left open to the shell. The caller frees it. */
char *words_quote(const struct words *words);

void words_fini(struct words *words);

/* Removes what a failed job left; nothing but an ordinary file: who builds with -o /dev/null
 * as root keeps it. */
void output_remove(const char *path);

/* A string made by printf, of a copy, of the first n bytes; never NULL. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_copy(const char *text);
char *text_copy_n(const char *text, size_t n);

bool text_starts(const char *text, const char *prefix);
bool text_ends(const char *text, const char *suffix);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* sarif.h - the checkers' report in SARIF 2.1.0, for tools that put findings beside lines of the
 * source: the rules, and the file.
 *
 * `cudasim check` begins the file, and the processes that are checked add their results. The file
 * is a whole document at every moment: what closes it is written anew with each result, in the
 * same write(). It has one run, since GitHub refuses several of one tool in a file. */
#ifndef CUDASIM_FORMATS_SARIF_H
#define CUDASIM_FORMATS_SARIF_H

#include <stddef.h>

#include "cudasim/error.h"

/* A kind of finding. Texts have no character that JSON escapes. */
struct sarif_rule {
	const char *kind;    /* struct finding's kind; the rule's id */
	const char *tool;    /* the first checker that reports it */
	const char *section; /* of docs/CHECKERS.md */
	const char *what;    /* one line */
};
extern const struct sarif_rule sarif_rules[];
extern const size_t sarif_n_rules;

/* The index of the rule of a kind; sarif_n_rules where it has none. */
size_t sarif_rule_of(const char *kind);

/* Make the file, or empty it, with no results. root is an absolute path: what the results'
 * relative paths are relative to. The error names the file. */
struct cudasim_error *sarif_begin(const char *path, const char *root);

/* Add a result, an object of JSON in one line. Safe among threads and processes. A file that a
 * process has left torn is mended: what is not whole at its end is dropped.
 * CUDASIM_E_FORMAT: the file is none of sarif_begin()'s. */
struct cudasim_error *sarif_add(const char *path, const char *result);

/* A path as part of a URI: all but letters, digits and -._~/ becomes %XX. Malloc'ed, NULL where
 * memory is out. */
char *sarif_uri(const char *path);

#endif

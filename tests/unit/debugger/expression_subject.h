/* SPDX-License-Identifier: Apache-2.0 */
/* expression_subject.h - what tests of expressions ask of expression_subject.cpp's variables. */
#ifndef EXPRESSION_SUBJECT_H
#define EXPRESSION_SUBJECT_H

#include <stddef.h>

/* A group's setup for cmocka: reads the test's own debug information and makes the subject's
 * values. */
int subject_load(void **state);

/* What `print/F text` shows, without "$1 = "; errors as they are. It lives until the next call. */
const char *subject_shown(const char *text, char format);

/* What `whatis text` shows, likewise. */
const char *subject_type(const char *text);

struct expectation {
	const char *text, *expected;
	char format;
};

/* Fails where one of n texts shows something else. */
void subject_check(const struct expectation *e, size_t n);

#endif

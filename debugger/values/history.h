/* SPDX-License-Identifier: Apache-2.0 */
/* history.h - values that stay when the program goes on. */
#ifndef CUDASIM_DEBUGGER_HISTORY_H
#define CUDASIM_DEBUGGER_HISTORY_H

#include <stdio.h>

#include "value.h"

/* Value history and convenience variables ($1, $, $$, $$3, $x, $_, $__). */
uint32_t history_add(const struct value *value); /* number given: 1.. */
uint32_t history_length(void);
struct cudasim_error *history_at(int64_t number, struct value *ret); /* a copy */
void convenience_set(const char *name, const struct value *value); /* name without $ */
bool convenience_get(const char *name, struct value *ret);
/* `set` commands for those that are numbers. */
void convenience_save(FILE *out);
/* The same of the history: `maintenance history EXPRESSION`, without one for values that no line
 * of text can hold. */
void history_save(FILE *out);
void history_forget(void);
/* Other values and variables take the place of the present ones: conditions of another time have
 * their own. */
struct values_history;
void history_swap(struct values_history *other);
void convenience_each(void (*f)(void *user, const char *name, const struct value *), void *user);
/* The same; relative: that many before the last one. */
struct cudasim_error *history_get(int64_t number, bool relative, struct value *ret);

#endif

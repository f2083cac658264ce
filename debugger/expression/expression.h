/* SPDX-License-Identifier: Apache-2.0 */
/* expression.h - C++ expressions over the program's variables.
 *
 * Text is parsed once, in a scope, into a typed tree whose names are resolved
 * to locations; the tree is then evaluated for any number of threads that stand
 * in the same function. */
#ifndef CUDASIM_DEBUGGER_EXPRESSION_H
#define CUDASIM_DEBUGGER_EXPRESSION_H

#include "frame.h"
#include "value.h"

struct expression;

/* Where names are looked up: scopes at pc (innermost first), then members of
 * `this`, the namespaces around the function, globals, device and host. */
struct context {
	struct cudasim_thread *thread; /* NULL on the host or before the start */
	struct cudasim_launch *launch;
	const struct frame *frame;     /* NULL where none: only globals and numbers */
};
/* The selected frame of the focused thread. */
struct context context_of_focus(void);

/* Parse all of text. pc 0: no scope. The caller frees *ret. Errors have
 * cuda-gdb's texts: `No symbol "x" in current context.`, `A syntax error in
 * expression, near `...'.` */
struct cudasim_error *expression_parse(const char *text, uint64_t pc, struct expression **ret);
/* The same in the scopes of a frame (which, for one with inlined calls, are not all
 * that hold its pc); NULL: no scope. */
struct cudasim_error *expression_parse_in(const char *text, const struct frame *frame,
					  struct expression **ret);
/* The same of whether text is true: 1 or 0. */
struct cudasim_error *expression_parse_truth(const char *text, uint64_t pc,
					     struct expression **ret);
void expression_free(struct expression *expression);
const char *expression_text(const struct expression *expression);
/* Type without evaluating; storage may be NULL. */
struct cudasim_error *expression_type(const struct expression *expression, const struct type **ret,
				      enum storage *ret_storage);

/* Evaluate. Assignments, ++, -- and calls are carried out. */
struct cudasim_error *expression_evaluate(const struct expression *expression,
					  const struct context *context, struct value *ret);
/* For watchpoints: evaluates, and calls f for each piece of memory that the value comes
 * from: the object itself where it is an lvalue (a whole array or struct is one piece),
 * and every variable, pointer and index read on the way to it. local: it is a thread's
 * own (a local, an argument), which goes with its frame. */
struct cudasim_error *expression_objects(const struct expression *expression,
					 const struct context *context,
					 void (*f)(void *user, uint64_t address, uint64_t size,
						   enum storage storage, bool local),
					 void *user);

/* Convenience: text in the focus's context. */
struct cudasim_error *evaluate_text(const char *text, struct value *ret);
/* ... as an integer, for command arguments. */
struct cudasim_error *evaluate_integer(const char *text, int64_t *ret);

/* Completion: names of variables, members, types that could continue `text`
 * (an expression cut at the cursor); calls f with whole replacements of the last
 * word, and tells where that word begins. */
size_t expression_complete(const char *text, void (*f)(void *user, const char *word), void *user);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes each atomic or volatile access and each fence of scopes.cu: its line,
 * what it is, size, operation, scope and order. */
#include <stdio.h>

#include "cudasim/observer.h"

static const char *const scopes[] = { "thread", "block", "cluster", "device", "system" };
static const char *const orders[] = { "weak", "relaxed", "acquire", "release", "acq_rel", "seq_cst" };
static const char *const ops[] = { "none", "load", "store", "xchg", "cas", "add", "sub", "and",
				   "or", "xor", "min", "max", "inc", "dec" };

static enum cudasim_verdict on_access(void *tool, struct cudasim_thread *thread,
				      const struct cudasim_access *a)
{
	(void)tool;
	(void)thread;
	if (!(a->what & (CUDASIM_ACCESS_ATOMIC | CUDASIM_ACCESS_VOLATILE)))
		return CUDASIM_GO;
	fprintf(stderr, "%u: %s%s%s%s %llu %s %s %s\n", a->site->line,
		a->what & CUDASIM_ACCESS_ATOMIC ? "atomic " : "",
		a->what & CUDASIM_ACCESS_VOLATILE ? "volatile " : "",
		a->what & CUDASIM_ACCESS_LOAD ? "load" : "",
		a->what & CUDASIM_ACCESS_STORE ? "store" : "", (unsigned long long)a->size,
		ops[a->op], scopes[a->scope], orders[a->order]);
	return CUDASIM_GO;
}

static enum cudasim_verdict on_fence(void *tool, struct cudasim_thread *thread,
				     const struct cudasim_fence *f)
{
	(void)tool;
	(void)thread;
	fprintf(stderr, "%u: fence %s %s\n", f->site->line, scopes[f->scope], orders[f->order]);
	return CUDASIM_GO;
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "scopes-test",
	.access = on_access,
	.fence = on_fence,
};

const struct cudasim_observer *cudasim_observer_init(void)
{
	return &observer;
}

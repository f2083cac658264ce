/* SPDX-License-Identifier: Apache-2.0 */
/* vector.h - arrays that grow.
 *
 *	VECTOR(struct job) jobs = {0};
 *	*vector_add(&jobs) = (struct job){.phase = "link"};
 *	for (size_t i = 0; i < jobs.n; i++)
 *		run(&jobs.at[i]);
 *	vector_fini(&jobs);
 *
 * All zero is an empty one. The room doubles, so adding takes constant time on average. */
#ifndef CUDASIM_BASE_VECTOR_H
#define CUDASIM_BASE_VECTOR_H

#include <stddef.h>
#include <stdlib.h>

#include "must.h"

/* An anonymous struct; for a member or a variable, not for parameters. */
#define VECTOR(TYPE)                                                                               \
	struct {                                                                                   \
		TYPE *at;                                                                          \
		size_t n, capacity;                                                                \
	}

/* The new last element, which is not initialised; valid until the next one. Without memory it
 * ends the process (must.h). */
#define vector_add(v)                                                                              \
	((v)->at = must(vector_grow((v)->at, (v)->n, &(v)->capacity, sizeof *(v)->at)),            \
	 &(v)->at[(v)->n++])

#define vector_fini(v) (free((v)->at), (v)->at = NULL, (v)->n = (v)->capacity = 0)

/* For arrays whose members have other names, and for callers that go on without memory: at, or
 * what it has been moved to, with room for one more than n elements of that size in bytes. NULL
 * without memory; then at and *capacity are as they were. */
void *vector_grow(void *at, size_t n, size_t *capacity, size_t size);

#endif

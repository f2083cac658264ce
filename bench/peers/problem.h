/* SPDX-License-Identifier: Apache-2.0 */
/* problem.h - a row of the table: arrays, and the launches that make results of them. */
#pragma once

#include "machine.h"

enum { MOST_ARRAYS = 6 };

/* Peers that take microseconds a thread are measured on fewer threads, interpreted ones on
 * fewer still. */
enum size { SIZE_FULL, SIZE_SMALL, SIZE_TINY };

enum element { ELEMENT_INT, ELEMENT_FLOAT, ELEMENT_DOUBLE };

struct array {
	enum element element;
	size_t n;      /* elements */
	void *initial; /* the contents before the launches, on the host */
};

/* What a row works on; made by its make(), of a size. */
struct problem {
	int n, width, depth;  /* as the row likes */
	double n_threads;     /* CUDA threads of one run, all launches that share a thread's work
			       * counted once */
	struct array arrays[MOST_ARRAYS];
	int n_arrays;
	int out;              /* the array that is compared */
};

struct row {
	const char *name;
	void (*make)(struct problem *problem, enum size size);
	/* Launches; memory[i] is arrays[i] on the machine. What has to be as it was before
	 * each run is written again by again(), which is not timed; NULL where nothing. */
	void (*launch)(const struct machine *machine, const struct problem *problem, void **memory);
	void (*again)(const struct machine *machine, const struct problem *problem, void **memory);
	double tolerance; /* of (1 + |expected|) */
	double strays;    /* the share of elements that may differ all the same */
	int is_empty;     /* nothing to compare, and nothing for plain C to do */
};

extern const struct row rows[]; /* ends with a name of NULL */

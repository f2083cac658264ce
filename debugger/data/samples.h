/* SPDX-License-Identifier: Apache-2.0 */
/* samples.h - an expression's values in many threads at once. */
#ifndef CUDASIM_DEBUGGER_SAMPLES_H
#define CUDASIM_DEBUGGER_SAMPLES_H

#include "command_data.h"
#include "value.h"

/* The value of one thread. */
struct sample {
	uint32_t block[3], thread[3];
	uint32_t warp, lane;
	uint64_t position;   /* of the thread in the grid: block index * block size + linear;
	                      * of EACH_BLOCK: the block index; of EACH_LANE: the lane */
	uint32_t linear;     /* within its block */
	char *text;          /* as print writes it; owned */
	bool is_missing;     /* text says why there is none */
	bool is_number, is_integer;
	bool is_nan;
	long double number;  /* where is_number and not is_nan */
	bool is_focus;
};
struct samples {
	struct sample *all;
	size_t n;
	enum each each;
};

/* Values of the focused kernel's threads in flight, in the order of blocks and
 * threads: of all (EACH_THREAD), those of the focused warp (EACH_LANE), or the first
 * one that can be seen of each block (EACH_BLOCK). The text is evaluated in each
 * thread's innermost frame of the selected frame's function; a thread that is not
 * in it has a sample that is missing. only_block: threads of the focused block only.
 * Errors: no focus on the device; the text means nothing in the selected frame. */
struct cudasim_error *samples_collect(enum each each, const char *text, char format,
				      bool only_block, struct samples *ret);
void samples_fini(struct samples *samples);

/* The same, with the value itself for f: of each thread, in order, while f returns NULL. value is
 * NULL where there is none, and missing says why. */
typedef struct cudasim_error *samples_visit_fn(void *user, struct cudasim_thread *thread,
					       const struct value *value, const char *missing);
struct cudasim_error *samples_visit(enum each each, const char *text, bool only_block,
				    samples_visit_fn *f, void *user);

/* A run of samples that are equal, or grow evenly: next to each other, or every stride-th one. */
struct fold {
	size_t first, n, stride;
	bool is_even;      /* grows by step, which is not 0 */
	long double step;
};
/* Folds samples[0, n): at least three grow evenly, or they are folds of their own. Where every
 * stride-th of them are alike, and that makes no more than half as many folds, those stand one after
 * the other for the whole stretch. *ret is malloc'ed. */
struct cudasim_error *samples_fold(const struct sample *samples, size_t n, struct fold **ret,
				   size_t *ret_n);

/* What most samples follow: value == base + step * (position, threadIdx.x, ... ). */
enum pattern_kind {
	PATTERN_NONE,
	PATTERN_CONSTANT,
	PATTERN_POSITION,
	PATTERN_X,
	PATTERN_Y,
	PATTERN_Z,
	PATTERN_LINEAR /* the number within the block */
};
struct pattern {
	enum pattern_kind kind;
	size_t like;       /* of CONSTANT: index of a sample that has it */
	long double base, step;
	size_t n_following;
};
/* The pattern that most samples follow, the first of the kinds above where several do
 * equally well; NONE where no more than half follow any. */
struct pattern samples_pattern(const struct sample *samples, size_t n);
bool sample_follows(const struct sample *sample, const struct pattern *pattern,
		    const struct sample *samples);

#endif

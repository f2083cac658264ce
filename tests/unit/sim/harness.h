/* SPDX-License-Identifier: Apache-2.0 */
/* harness.h - kernels made by hand for tests of the scheduler: a fake device in
 * the place of the runtime, and launches that are waited for. */
#ifndef CUDASIM_TESTS_HARNESS_H
#define CUDASIM_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "device.h"
#include "fiber.h"
#include "launch.h"
#include "scheduler.h"

/* How a launch is run: engine, order, workers. */
struct way {
	const char *name;
	struct scheduler_config config;
};
extern const struct way harness_ways[];
extern const unsigned harness_n_ways;

struct shape {
	uint32_t grid, block, dynamic_shared, cluster;
	bool cooperative;
	uint32_t local_bytes;
	/* The kernel's form as a loop that calls nobody, or NULL. */
	void (*loop)(const void *params, struct cudasim_block *block, uint32_t n_blocks);
};

/* The fake device: an H200 as far as the scheduler looks. */
extern struct device harness_device;

/* Run entry(params) on the started scheduler and wait for its end; returns the
 * launch's error. A launch that takes more than a minute ends the process. */
int harness_launch(void (*entry)(const void *params), const void *params, struct shape shape);

/* The same in several launches at a time: begin, then end for each. */
struct launch *harness_begin(void (*entry)(const void *params), const void *params,
			     struct shape shape);
int harness_end(struct launch *launch);

/* Start and stop the scheduler in one of the ways. */
void harness_start(const struct way *way);
void harness_stop(void);

/* Run test(arg) in a child process; its stderr goes to text, which the caller
 * frees. Returns the child's wait status. */
int harness_child(void (*test)(void *arg), void *arg, char **text);

/* The calling CUDA thread. */
static inline uint32_t tid(void)
{
	return __cudasim_self->linear;
}
static inline uint32_t bid(void)
{
	return __cudasim_self->block->ctaid[0];
}
static inline uint32_t gid(void)
{
	return bid() * __cudasim_self->block->ntid[0] + tid();
}

/* A place in the source, for calls that want one. */
#define HERE                                                                                       \
	__extension__({                                                                            \
		SITE(here_);                                                                       \
		&here_;                                                                            \
	})
#define SITE(name)                                                                                 \
	static const struct cudasim_site name = {.file = "test.cu",                                \
						 .function = __func__,                             \
						 .line = __LINE__,                                 \
						 .kind = CUDASIM_SITE_SYNC}

/* What compiled code does at the back-edge of a loop that may spin. */
#define BACK_EDGE(site)                                                                            \
	do {                                                                                       \
		if (--__cudasim_self->fuel < 0)                                                    \
			__cudasim_yield(NULL, 0, site);                                            \
	} while (0)

#endif

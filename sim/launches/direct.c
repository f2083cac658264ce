/* SPDX-License-Identifier: Apache-2.0 */
/* direct.c - see direct.h.
 *
 * Each host thread that calls has a worker of its own, never a pthread of its own: it
 * has one block of one thread, which is set back for each call, and one fiber. So
 * barriers, printf, faults and deadlocks are what they are in any launch, while a call
 * costs two switches of stacks. The run stands in no list; nobody else sees it. */
#define _GNU_SOURCE
#include "direct.h"

#include <driver_types.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "dispatch.h"
#include "observer.h"
#include "operation.h"
#include "run_new.h"
#include "scheduler.h"
#include "stream.h"
#include "worker.h"

struct direct {
	struct worker worker;
	struct launch launch;
	struct run *run;      /* of `function`, NULL before the first call */
	const struct function *function;
	const void *stub;     /* the function's */
	unsigned removals;    /* registry_removals when it was looked up */
	struct device *device;
	struct block *block;
	bool is_simple;       /* block_restart() is enough */
	bool busy;            /* a call from within a call is a launch */
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local struct direct *own __attribute__((tls_model("initial-exec")));

static void drop_run(struct direct *d)
{
	if (!d->run)
		return;
	worker_retire_alone(&d->worker);
	run_free(d->run);
	free((void *)d->launch.pub.params);
	d->run = NULL;
	d->function = NULL;
	d->stub = NULL;
}

static void direct_free(void *arg)
{
	struct direct *d = arg;
	drop_run(d);
	worker_fini_alone(&d->worker);
	free(d);
}

static void make_key(void)
{
	pthread_key_create(&key, direct_free);
}

static struct direct *direct_own(void)
{
	struct direct *d = own;
	if (d)
		return d;
	pthread_once(&once, make_key);
	d = calloc(1, sizeof *d);
	if (!d)
		return NULL;
	worker_init_alone(&d->worker);
	pthread_setspecific(key, d);
	return own = d;
}

static bool is_current(const struct direct *d)
{
	return d->removals == atomic_load_explicit(&registry_removals, memory_order_acquire);
}

const struct function *direct_last(const void *stub)
{
	const struct direct *d = own;
	return d && stub && d->stub == stub && is_current(d) ? d->function : NULL;
}

bool direct_possible(struct device *device, const struct function *function)
{
	const struct cudasim_kernel *k = function->kernel;
	if (own && own->busy)
		return false;
	if (k->cluster[0] > 1 || k->cluster[1] > 1 || k->cluster[2] > 1)
		return false;
	return scheduler_is_plain() && device_idle(device);
}

/* The run of another kernel than last time's. */
static bool prepare(struct direct *d, struct device *device, const struct function *function)
{
	drop_run(d);
	d->removals = atomic_load(&registry_removals);
	memset(&d->launch, 0, sizeof d->launch);
	struct launch *l = &d->launch;
	l->pub.module = function->module;
	l->pub.kernel = function->kernel;
	l->device = device;
	l->pub.device = device->ordinal;
	for (int i = 0; i < 3; i++)
		l->pub.grid[i] = l->pub.block[i] = l->pub.cluster[i] = 1;
	l->pub.params = work_params_new(function->kernel);
	if (!l->pub.params)
		return false;
	d->run = scheduler_run_new(l);
	l->scheduler = d->run;
	if (d->run && d->run->entry && worker_start_alone(&d->worker, d->run, &d->block)) {
		d->run->direct = &d->worker;
		d->run->taken = d->run->n_units;
		d->run->begun = true;
		d->function = function;
		d->stub = function->stub;
		d->device = device;
		d->is_simple = !function->kernel->static_shared_bytes &&
			       !(function->kernel->flags &
				 (CUDASIM_KERNEL_BARRIER | CUDASIM_KERNEL_WARP |
				  CUDASIM_KERNEL_CONVERGE | CUDASIM_KERNEL_INDIRECT));
		d->block->n_live = 1; /* as started: not to be started again that way */
		return true;
	}
	run_free(d->run);
	free((void *)l->pub.params);
	d->run = NULL;
	return false;
}

/* How it ended; the next call begins anew. */
static int end(struct direct *d)
{
	int error = atomic_load_explicit(&d->run->dead, memory_order_relaxed);
	if (__builtin_expect(!error, 1))
		return 0;
	device_fail(d->device, error);
	drop_run(d);
	return error;
}

/* Few parameters are larger than a register. */
static inline void copy_parameter(char *to, const void *from, uint64_t bytes)
{
	if (bytes == 8)
		memcpy(to, from, 8);
	else if (bytes == 4)
		memcpy(to, from, 4);
	else if (bytes == 1)
		*to = *(const char *)from;
	else
		memcpy(to, from, bytes);
}

int direct_run(struct device *device, const struct function *function, void **arguments)
{
	struct direct *d = direct_own();
	const struct cudasim_kernel *k = function->kernel;
	if (!d)
		return cudaErrorMemoryAllocation;
	if ((d->function != function || d->device != device || !is_current(d)) &&
	    !prepare(d, device, function))
		return cudaErrorMemoryAllocation;
	if (watch_wants(&d->launch) & ~CUDASIM_WANT_BODY)
		return DIRECT_WATCHED;
	char *params = (char *)d->launch.pub.params;
	for (uint32_t i = 0; i < k->n_params; i++) {
		if (!arguments || !arguments[i])
			return cudaErrorInvalidValue;
		copy_parameter(params + k->params[i].offset, arguments[i], k->params[i].size);
	}
	d->busy = true;
	if (d->is_simple && !d->block->n_live)
		block_restart(d->block);
	else
		block_reset(d->block);
	scheduler_direct(d->run, true);
	worker_run_alone(&d->worker, d->block);
	scheduler_direct(d->run, false);
	d->busy = false;
	return end(d);
}

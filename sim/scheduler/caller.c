/* SPDX-License-Identifier: Apache-2.0 */
/* caller.c - see caller.h.
 *
 * Each host thread that launches has a worker of its own, which is no pthread of its own
 * and takes from the list of runs only what the thread waits for. Otherwise kernels come
 * here whose work is bounded (CUDASIM_KERNEL_SHORT): one that waited for what the host does
 * next would never end. */
#define _GNU_SOURCE
#include "caller.h"

#include <pthread.h>
#include <stdlib.h>

#include "host_call.h"
#include "worker.h"

struct caller {
	struct worker worker;
	bool busy;
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local struct caller *own __attribute__((tls_model("initial-exec")));

static void caller_free(void *arg)
{
	struct caller *c = arg;
	own = NULL;
	worker_fini_alone(&c->worker);
	free(c);
}

static void make_key(void)
{
	pthread_key_create(&key, caller_free);
}

bool caller_may(void)
{
	if (own)
		return !own->busy;
	if (worker_running || host_call_running)
		return false;
	pthread_once(&once, make_key);
	struct caller *c = calloc(1, sizeof *c);
	if (!c)
		return false;
	worker_init_alone(&c->worker);
	pthread_setspecific(key, c);
	own = c;
	return true;
}

struct worker *caller_worker(void)
{
	return &own->worker;
}

void caller_run(const struct chunk *chunk)
{
	own->busy = true;
	worker_run_chunk(&own->worker, chunk);
	own->busy = false;
}

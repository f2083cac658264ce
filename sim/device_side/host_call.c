/* SPDX-License-Identifier: Apache-2.0 */
/* host_call.c - code of the host's that device code calls (device.h).
 *
 * Both compilations of a program know a place by the same text; the host's registers
 * what to run before main(). It runs on the worker's own stack: a CUDA thread's is too
 * small for a library of the host's, and a fault in it is no fault of a kernel. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "host_call.h"
#include "dispatch.h"
#include "observer.h"
#include "worker.h"

_Thread_local bool host_call_running __attribute__((tls_model("initial-exec")));

static struct entry {
	const char *name;
	void (*run)(void *work);
} *entries;
static size_t n_entries, capacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int cudasim_host_register(const char *name, void (*run)(void *work))
{
	pthread_mutex_lock(&lock);
	if (n_entries == capacity) {
		size_t bigger = capacity ? 2 * capacity : 16;
		struct entry *list = realloc(entries, bigger * sizeof *list);
		if (!list) {
			fputs("cudasim: out of memory for cudasim_host()\n", stderr);
			exit(1);
		}
		entries = list;
		capacity = bigger;
	}
	entries[n_entries++] = (struct entry){name, run};
	pthread_mutex_unlock(&lock);
	return 1;
}

static void (*find(const char *name))(void *)
{
	void (*run)(void *) = NULL;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n_entries && !run; i++)
		if (!strcmp(entries[i].name, name))
			run = entries[i].run;
	pthread_mutex_unlock(&lock);
	return run;
}

void host_call_run(struct worker *worker)
{
	host_call_running = true;
	worker->host_run(worker->host_work);
	host_call_running = false;
}

void host_call_do(struct thread *t, void (*run)(void *work), void *work)
{
	struct worker *worker = block_of(t)->worker;
	worker->event = EVENT_HOST;
	worker->host_run = run;
	worker->host_work = work;
	dispatch_switch(t, NULL);
	t->state = THREAD_READY;
}

void __cudasim_host(const char *name, void *work, const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	void (*run)(void *) = find(name);
	t->pub.site = site;
	if (!run) {
		struct fault fault = {
			.kind = CUDASIM_FAULT_ILLEGAL,
			.error = ERROR_ILLEGAL_INSTRUCTION,
			.site = site,
			.what = "cudasim_host(): the host's side of this call is not registered",
		};
		dispatch_die(t, &fault);
	}
	host_call_do(t, run, work);
	dispatch_leave(t);
}

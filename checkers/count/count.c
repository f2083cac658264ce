/* SPDX-License-Identifier: Apache-2.0 */
/* count.c - the counting observer: totals of what a program's kernels do.
 *
 *   CUDASIM_OBSERVER=libcudasim-count.so ./app
 *
 * writes at the end of the process, to the file that CUDASIM_COUNT_FILE names or
 * to stderr, one line for each total that is not 0: its name and its value, for
 * accesses their number and bytes. CUDASIM_COUNT_LOCAL=1 counts accesses to the
 * threads' own variables too, which depend on how the compiler lays them out.
 *
 * Each pthread counts for itself, so nothing is shared while kernels run; a
 * list holds the counters of all, and finish() adds them up. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudasim/inspect.h"

enum access_class { LOADS, STORES, ATOMICS, N_CLASSES };

/* One pthread's. All are plain numbers, so that they add up as an array. */
struct counters {
	uint64_t launches, blocks, threads, thread_ends;
	uint64_t barrier_arrivals, barrier_openings, warp_arrivals, warp_meetings;
	uint64_t fences, lines, calls, returns, prints, faults;
	uint64_t allocations, frees, copies, copied_bytes, sets, set_bytes;
	uint64_t accesses[N_CLASSES][CUDASIM_N_SPACES], bytes[N_CLASSES][CUDASIM_N_SPACES];
	uint64_t volatiles;
};

struct node {
	struct counters counters;
	struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *all;
static _Thread_local struct node *own;
static int with_local;

static struct counters *mine(void)
{
	if (own)
		return &own->counters;
	own = calloc(1, sizeof *own);
	if (!own) {
		fputs("cudasim-count: out of memory\n", stderr);
		abort();
	}
	pthread_mutex_lock(&lock);
	own->next = all;
	all = own;
	pthread_mutex_unlock(&lock);
	return &own->counters;
}

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	(void)launch;
	return CUDASIM_WANT_LINE | CUDASIM_WANT_ACCESS | CUDASIM_WANT_CALL | CUDASIM_WANT_FENCE |
	       CUDASIM_WANT_BLOCK | CUDASIM_WANT_THREAD | CUDASIM_WANT_BARRIER | CUDASIM_WANT_WARP |
	       (with_local ? CUDASIM_WANT_LOCAL : 0);
}

static void launch_begin(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	(void)launch;
	mine()->launches++;
}

static void block_begin(void *tool, struct cudasim_block *block)
{
	(void)tool;
	(void)block;
	mine()->blocks++;
}

static enum cudasim_verdict thread_begin(void *tool, struct cudasim_thread *thread)
{
	(void)tool;
	(void)thread;
	mine()->threads++;
	return CUDASIM_GO;
}

static enum cudasim_verdict thread_end(void *tool, struct cudasim_thread *thread)
{
	(void)tool;
	(void)thread;
	mine()->thread_ends++;
	return CUDASIM_GO;
}

static enum cudasim_verdict barrier_arrive(void *tool, struct cudasim_thread *thread,
					   const struct cudasim_barrier *barrier)
{
	(void)tool;
	(void)thread;
	(void)barrier;
	mine()->barrier_arrivals++;
	return CUDASIM_GO;
}

static void barrier_open(void *tool, struct cudasim_block *block,
			 const struct cudasim_barrier *barrier)
{
	(void)tool;
	(void)block;
	(void)barrier;
	mine()->barrier_openings++;
}

/* What the compiler has put in is no operation of the program's. */
static enum cudasim_verdict warp_arrive(void *tool, struct cudasim_thread *thread,
					const struct cudasim_warp_op *op)
{
	(void)tool;
	(void)thread;
	mine()->warp_arrivals += op->kind != CUDASIM_WARP_CONVERGE;
	return CUDASIM_GO;
}

static void warp_meet(void *tool, struct cudasim_block *block, uint32_t warp,
		      const struct cudasim_warp_op *op)
{
	(void)tool;
	(void)block;
	(void)warp;
	mine()->warp_meetings += op->kind != CUDASIM_WARP_CONVERGE;
}

static enum cudasim_verdict on_access(void *tool, struct cudasim_thread *thread,
				      const struct cudasim_access *access)
{
	struct counters *c = mine();
	enum access_class class = access->what & CUDASIM_ACCESS_ATOMIC  ? ATOMICS
				  : access->what & CUDASIM_ACCESS_STORE ? STORES
									: LOADS;
	(void)tool;
	(void)thread;
	c->accesses[class][access->space]++;
	c->bytes[class][access->space] += access->size;
	c->volatiles += (access->what & CUDASIM_ACCESS_VOLATILE) != 0;
	return CUDASIM_GO;
}

static enum cudasim_verdict on_fence(void *tool, struct cudasim_thread *thread,
				     const struct cudasim_fence *fence)
{
	(void)tool;
	(void)thread;
	(void)fence;
	mine()->fences++;
	return CUDASIM_GO;
}

static enum cudasim_verdict on_line(void *tool, struct cudasim_thread *thread,
				    const struct cudasim_site *site)
{
	(void)tool;
	(void)thread;
	(void)site;
	mine()->lines++;
	return CUDASIM_GO;
}

static enum cudasim_verdict call_enter(void *tool, struct cudasim_thread *thread,
				       const struct cudasim_call *call)
{
	(void)tool;
	(void)thread;
	(void)call;
	mine()->calls++;
	return CUDASIM_GO;
}

static enum cudasim_verdict call_leave(void *tool, struct cudasim_thread *thread,
				       const struct cudasim_call *call)
{
	(void)tool;
	(void)thread;
	(void)call;
	mine()->returns++;
	return CUDASIM_GO;
}

static enum cudasim_verdict on_print(void *tool, struct cudasim_thread *thread, const char *text,
				     size_t n, const struct cudasim_site *site)
{
	(void)tool;
	(void)thread;
	(void)text;
	(void)n;
	(void)site;
	mine()->prints++;
	return CUDASIM_GO;
}

static void on_fault(void *tool, struct cudasim_launch *launch, struct cudasim_thread *thread,
		     const struct cudasim_fault *fault)
{
	(void)tool;
	(void)launch;
	(void)thread;
	(void)fault;
	mine()->faults++;
}

static void allocated(void *tool, const struct cudasim_memory *memory)
{
	(void)tool;
	mine()->allocations += memory->kind != CUDASIM_MEMORY_VARIABLE;
}

static void freed(void *tool, const struct cudasim_memory *memory)
{
	(void)tool;
	mine()->frees += memory->kind != CUDASIM_MEMORY_VARIABLE;
}

static void on_copy(void *tool, const struct cudasim_copy *copy)
{
	struct counters *c = mine();
	uint64_t bytes = copy->width * copy->height * copy->depth;
	(void)tool;
	if (copy->kind == CUDASIM_COPY) {
		c->copies++;
		c->copied_bytes += bytes;
	} else {
		c->sets++;
		c->set_bytes += bytes;
	}
}

/* ---- the report ----------------------------------------------------------- */

static struct counters sum(void)
{
	struct counters total = {0};
	uint64_t *to = (uint64_t *)&total;
	pthread_mutex_lock(&lock);
	for (const struct node *n = all; n; n = n->next) {
		const uint64_t *from = (const uint64_t *)&n->counters;
		for (size_t i = 0; i < sizeof total / sizeof *to; i++)
			to[i] += from[i];
	}
	pthread_mutex_unlock(&lock);
	return total;
}

static void line(FILE *out, const char *name, uint64_t n)
{
	if (n)
		fprintf(out, "%s %" PRIu64 "\n", name, n);
}

static void report(FILE *out, const struct counters *c)
{
	static const char *const classes[] = {"loads", "stores", "atomics"};
	static const char *const spaces[] = {"unknown", "global", "shared", "constant", "local"};
	const struct {
		const char *name;
		uint64_t n;
	} lines[] = {
		{"launches", c->launches},
		{"blocks", c->blocks},
		{"threads", c->threads},
		{"thread_ends", c->thread_ends},
		{"barrier_arrivals", c->barrier_arrivals},
		{"barrier_openings", c->barrier_openings},
		{"warp_arrivals", c->warp_arrivals},
		{"warp_meetings", c->warp_meetings},
		{"fences", c->fences},
		{"lines", c->lines},
		{"calls", c->calls},
		{"returns", c->returns},
		{"prints", c->prints},
		{"faults", c->faults},
		{"volatiles", c->volatiles},
		{"allocations", c->allocations},
		{"frees", c->frees},
		{"copies", c->copies},
		{"copied_bytes", c->copied_bytes},
		{"sets", c->sets},
		{"set_bytes", c->set_bytes},
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		line(out, lines[i].name, lines[i].n);
	for (int i = 0; i < N_CLASSES; i++)
		for (int k = 0; k < CUDASIM_N_SPACES; k++)
			if (c->accesses[i][k])
				fprintf(out, "%s_%s %" PRIu64 " %" PRIu64 "\n", classes[i],
					spaces[k], c->accesses[i][k], c->bytes[i][k]);
}

static void finish(void *tool)
{
	const char *path = getenv("CUDASIM_COUNT_FILE");
	struct counters total = sum();
	FILE *out = path ? fopen(path, "w") : stderr;
	(void)tool;
	if (!out) {
		fprintf(stderr, "cudasim-count: %s: %s\n", path, strerror(errno));
		return;
	}
	report(out, &total);
	if (path && fclose(out))
		fprintf(stderr, "cudasim-count: %s: %s\n", path, strerror(errno));
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "count",
	.want = want,
	.finish = finish,
	.launch_begin = launch_begin,
	.block_begin = block_begin,
	.thread_begin = thread_begin,
	.thread_end = thread_end,
	.barrier_arrive = barrier_arrive,
	.barrier_open = barrier_open,
	.warp_arrive = warp_arrive,
	.warp_meet = warp_meet,
	.access = on_access,
	.fence = on_fence,
	.line = on_line,
	.call_enter = call_enter,
	.call_leave = call_leave,
	.print = on_print,
	.fault = on_fault,
	.allocated = allocated,
	.freed = freed,
	.copy = on_copy,
};

const struct cudasim_observer *cudasim_observer_init(void)
{
	const char *local = getenv("CUDASIM_COUNT_LOCAL");
	with_local = local && strcmp(local, "0") != 0;
	return &observer;
}

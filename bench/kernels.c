/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c - what the scheduler costs, against plain C, ucontext and pthreads
 * in the same run. Kernels are C functions that do what compiled kernels do.
 *
 * Prints the rows of a table: what, ns per unit, the unit. Each figure is the
 * least of several repetitions, so that a busy machine shows as little as
 * possible. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "device.h"
#include "launch.h"
#include "scheduler.h"
#include "fiber.h"
#include "cudasim/inspect.h"

enum { REPEATS = 7, BLOCK = 256 };

static const struct profile profile = {
	.key = "bench",
	.name = "bench",
	.major = 9,
	.n_sms = 132,
	.max_threads_per_sm = 2048,
	.max_blocks_per_sm = 32,
	.max_threads_per_block = 1024,
	.shared_per_sm = 233472,
	.clock_khz = 1980000,
};
static struct device device = {.profile = &profile};

/* ---- measuring ------------------------------------------------------------------ */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void row(const char *what, double ns, const char *unit)
{
	printf("| %s | %.*f | %s |\n", what, ns < 10 ? 2 : ns < 1000 ? 1 : 0, ns, unit);
	fflush(stdout);
}

static sem_t over;

static void on_done(struct launch *launch, void *arg)
{
	(void)launch, (void)arg;
	sem_post(&over);
}

static struct cudasim_kernel kernel = {.name = "k", .display = "k"};

static void launch_init(struct launch *l, void (*entry)(const void *), const void *params,
			uint32_t grid, uint32_t block)
{
	for (int i = 0; i < CUDASIM_N_BODIES; i++)
		kernel.entry[i] = entry;
	*l = (struct launch){
		.device = &device,
		.pub =
			{
				.kernel = &kernel,
				.grid = {grid, 1, 1},
				.block = {block, 1, 1},
				.cluster = {1, 1, 1},
				.dynamic_shared_bytes = 4096,
				.params = params,
				.id = 1,
			},
	};
}

static double launch_ns(void (*entry)(const void *), const void *params, uint32_t grid,
			uint32_t block)
{
	double best = 1e30;
	for (int i = 0; i < REPEATS; i++) {
		struct launch l;
		launch_init(&l, entry, params, grid, block);
		double start = now();
		scheduler_submit(&l, on_done, NULL);
		sem_wait(&over);
		double took = now() - start;
		if (l.pub.error)
			abort();
		best = took < best ? took : best;
	}
	return best;
}

/* ---- kernels --------------------------------------------------------------------- */

struct vectors {
	const float *a, *b;
	float *c;
	uint32_t n, rounds;
};

/* As compiled code finds its indices. */
static uint32_t global_index(void)
{
	const struct cudasim_thread *t = __cudasim_self;
	return t->block->ctaid[0] * t->block->ntid[0] + t->tid[0];
}

static void add(const void *params)
{
	const struct vectors *v = params;
	uint32_t i = global_index();
	if (i < v->n)
		v->c[i] = v->a[i] + v->b[i];
}

static void nothing(const void *params)
{
	(void)params;
}

static void barriers(const void *params)
{
	const struct vectors *v = params;
	for (uint32_t i = 0; i < v->rounds; i++)
		__cudasim_barrier(0, 0, NULL);
}

static void reduce(const void *params)
{
	const struct vectors *v = params;
	const struct cudasim_thread *t = __cudasim_self;
	float *s = (float *)(t->block->shared + t->block->dynamic_shared_offset);
	s[t->tid[0]] = v->a[global_index()];
	__cudasim_barrier(0, 0, NULL);
	for (uint32_t half = t->block->ntid[0] / 2; half; half /= 2) {
		if (t->tid[0] < half)
			s[t->tid[0]] += s[t->tid[0] + half];
		__cudasim_barrier(0, 0, NULL);
	}
	if (!t->tid[0])
		v->c[t->block->ctaid[0]] = s[0];
}

static void shuffles(const void *params)
{
	const struct vectors *v = params;
	uint32_t value = __cudasim_self->linear;
	for (uint32_t i = 0; i < v->rounds; i++)
		value += (uint32_t)__cudasim_shfl(CUDASIM_SHFL_DOWN, ~0u, value, 1 << i % 5, 31,
						  NULL);
	((uint32_t *)v->c)[global_index()] = value;
}

static void yields(const void *params)
{
	const struct vectors *v = params;
	for (uint32_t i = 0; i < v->rounds; i++)
		__cudasim_yield(NULL, 0, NULL);
}

/* ---- peers ------------------------------------------------------------------------- */

static void __attribute__((noinline)) plain_add(const struct vectors *v)
{
	for (uint32_t i = 0; i < v->n; i++)
		v->c[i] = v->a[i] + v->b[i];
}

static double plain_add_ns(const struct vectors *v)
{
	double best = 1e30;
	for (int i = 0; i < REPEATS; i++) {
		double start = now();
		plain_add(v);
		double took = now() - start;
		best = took < best ? took : best;
	}
	return best;
}

static ucontext_t contexts[BLOCK], main_context;
static uint32_t context_rounds;

static void context_main(int i)
{
	for (uint32_t k = 0; k < context_rounds; k++)
		swapcontext(&contexts[i], i + 1 < BLOCK ? &contexts[i + 1] : &main_context);
}

/* A barrier of BLOCK ucontexts is a ring of switches. */
static double ucontext_ns(uint32_t rounds)
{
	static char stacks[BLOCK][16384];
	context_rounds = rounds;
	for (int i = 0; i < BLOCK; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = sizeof stacks[i];
		contexts[i].uc_link = &main_context;
		makecontext(&contexts[i], (void (*)(void))context_main, 1, i);
	}
	double start = now();
	for (uint32_t k = 0; k < rounds; k++)
		swapcontext(&main_context, &contexts[0]);
	return (now() - start) / rounds / BLOCK;
}

static pthread_barrier_t pthreads_barrier;

static void *pthread_main(void *arg)
{
	for (uint32_t i = 0; i < *(uint32_t *)arg; i++)
		pthread_barrier_wait(&pthreads_barrier);
	return NULL;
}

static double pthreads_ns(uint32_t rounds)
{
	pthread_t threads[BLOCK];
	pthread_barrier_init(&pthreads_barrier, NULL, BLOCK);
	double start = now();
	for (int i = 0; i < BLOCK; i++)
		pthread_create(&threads[i], NULL, pthread_main, &rounds);
	for (int i = 0; i < BLOCK; i++)
		pthread_join(threads[i], NULL);
	double took = now() - start;
	pthread_barrier_destroy(&pthreads_barrier);
	return took / rounds / BLOCK;
}

/* ---- the table --------------------------------------------------------------------- */

static void start(uint32_t workers, int engine)
{
	struct scheduler_config config = {.n_workers = workers, .engine = engine};
	if (scheduler_start_with(&config))
		abort();
}

static double launch_alone(void)
{
	enum { N = 2000 };
	double best = 1e30;
	for (int r = 0; r < REPEATS; r++) {
		double begin = now();
		for (int i = 0; i < N; i++) {
			struct launch l;
			launch_init(&l, nothing, NULL, 1, 32);
			scheduler_submit(&l, on_done, NULL);
			sem_wait(&over);
		}
		double took = (now() - begin) / N;
		best = took < best ? took : best;
	}
	return best;
}

static double launch_queued(void)
{
	enum { N = 2000 };
	static struct launch launches[N];
	double best = 1e30;
	for (int r = 0; r < REPEATS; r++) {
		double begin = now();
		for (int i = 0; i < N; i++) {
			launch_init(&launches[i], nothing, NULL, 1, 32);
			scheduler_submit(&launches[i], on_done, NULL);
		}
		for (int i = 0; i < N; i++)
			sem_wait(&over);
		double took = (now() - begin) / N;
		best = took < best ? took : best;
	}
	return best;
}

int main(void)
{
	enum { N = 1 << 22, ROUNDS = 200 };
	struct vectors v = {.n = N, .rounds = ROUNDS};
	float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
	v.c = malloc(N * sizeof *v.c);
	for (uint32_t i = 0; i < N; i++) {
		a[i] = (float)i;
		b[i] = 1;
		v.c[i] = 0;
	}
	v.a = a;
	v.b = b;
	sem_init(&over, 0, 0);

	start(1, FIBER_STACK);
	row("plain C, vector add", plain_add_ns(&v) / N, "ns an element");
	row("kernel without waiting, vector add", launch_ns(add, &v, N / BLOCK, BLOCK) / N,
	    "ns a thread");
	row("empty kernel", launch_ns(nothing, &v, N / BLOCK, BLOCK) / N, "ns a thread");
	row("empty kernel, blocks of 32", launch_ns(nothing, &v, N / BLOCK, 32) / (N / BLOCK),
	    "ns a block");
	double start_only = launch_ns(barriers, &(struct vectors){.rounds = 1}, 64, BLOCK);
	row("barrier, fibers",
	    (launch_ns(barriers, &v, 64, BLOCK) - start_only) / 64 / BLOCK / (ROUNDS - 1),
	    "ns a thread and barrier");
	row("start, one barrier, end, fibers", start_only / 64 / BLOCK, "ns a thread");
	row("reduction of 256 in shared memory",
	    launch_ns(reduce, &v, 4096, BLOCK) / 4096 / BLOCK / 9, "ns a thread and barrier");
	row("shuffle", launch_ns(shuffles, &v, 64, BLOCK) / 64 / BLOCK / ROUNDS,
	    "ns a thread and shuffle");
	row("giving way", launch_ns(yields, &v, 64, BLOCK) / 64 / BLOCK / ROUNDS,
	    "ns a thread and yield");
	row("launch of one warp, waited for", launch_alone(), "ns a launch");
	row("launches of one warp in a row", launch_queued(), "ns a launch");
	scheduler_stop();

	start(1, FIBER_PTHREAD);
	v.rounds = 10;
	row("barrier, pthreads engine", launch_ns(barriers, &v, 2, BLOCK) / 2 / BLOCK / v.rounds,
	    "ns a thread and barrier");
	scheduler_stop();
	row("peer: barrier of ucontexts", ucontext_ns(200), "ns a thread and barrier");
	row("peer: barrier of pthreads", pthreads_ns(20), "ns a thread and barrier");
	return 0;
}

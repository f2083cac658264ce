/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "hang.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "block.h"
#include "fault.h"
#include "now.h"
#include "observer.h"
#include "scheduler.h"
#include "scheduler_state.h"
#include "stall.h"
#include "watchdog.h"
#include "worker.h"

enum {
	/* Between two digests of a worker's blocks, and times what the last one took: where threads
	 * take turns at random, each of them has to be met in each of its states. */
	LOOK_NS = 2000000,
	LOOK_TIMES = 50,
	POLL_NS = 50000000, /* a thread that has polled counts as polling for so long */
	AGAIN_NS = 500000000, /* and of memory, at least */
	PATIENCE_NS = 1000000000, /* for the others to come to the end of their round */
};

atomic_bool hang_stops;

/* Under `lock` is whoever leads; the rest is under `gate`. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t come = PTHREAD_COND_INITIALIZER, go_on = PTHREAD_COND_INITIALIZER;
static uint32_t n_parked;

/* The leader's: what memory was when, and when to look again. */
static uint64_t memory, memory_ns, next_ns;

/* ---- stopping the others ---------------------------------------------------- */

void hang_park(void)
{
	pthread_mutex_lock(&gate);
	n_parked++;
	pthread_cond_signal(&come);
	while (atomic_load(&hang_stops))
		pthread_cond_wait(&go_on, &gate);
	n_parked--;
	pthread_mutex_unlock(&gate);
}

static void resume_others(void)
{
	pthread_mutex_lock(&gate);
	atomic_store(&hang_stops, false);
	pthread_cond_broadcast(&go_on);
	pthread_mutex_unlock(&gate);
}

/* False where one of them has not come in time: it computes. */
static bool stop_others(uint32_t n)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += PATIENCE_NS - 1;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&gate);
	atomic_store(&hang_stops, true);
	while (n_parked < n && !pthread_cond_timedwait(&come, &gate, &until))
		;
	bool all = n_parked >= n;
	pthread_mutex_unlock(&gate);
	if (!all)
		resume_others();
	return all;
}

/* ---- who is still ------------------------------------------------------------ */

/* A set of numbers, one for each thread: 8 bytes a slot, where base/hash.h has 16. */
static uint64_t *place_of(const struct hang_states *states, uint64_t digest)
{
	uint32_t at = (uint32_t)(digest >> 32) & (states->capacity - 1);
	while (states->digests[at] && states->digests[at] != digest)
		at = (at + 1) & (states->capacity - 1);
	return &states->digests[at];
}

/* False without memory. */
static bool grow(struct hang_states *states)
{
	struct hang_states bigger = {.capacity = states->capacity ? 2 * states->capacity : 1024};
	bigger.digests = calloc(bigger.capacity, sizeof *bigger.digests);
	if (!bigger.digests)
		return false;
	for (uint32_t i = 0; i < states->capacity; i++)
		if (states->digests[i])
			*place_of(&bigger, states->digests[i]) = states->digests[i];
	free(states->digests);
	states->digests = bigger.digests;
	states->capacity = bigger.capacity;
	return true;
}

struct noting {
	struct hang_states *states;
	bool news;
};

static void note(uint64_t digest, void *arg)
{
	struct noting *noting = arg;
	struct hang_states *states = noting->states;
	if (2 * states->n >= states->capacity && !grow(states)) {
		noting->news = true;
		return;
	}
	uint64_t *place = place_of(states, digest ? digest : 1);
	if (!*place) {
		*place = digest ? digest : 1;
		states->n++;
		noting->news = true;
	}
}

static void clear(struct hang_states *states)
{
	if (states->n)
		memset(states->digests, 0, states->capacity * sizeof *states->digests);
	states->n = 0;
}

/* Threads that compute come to ever new states; these are forgotten. */
static void note_all(struct hang_states *states, const struct worker *worker, bool exact,
		     uint32_t n_threads, uint64_t now)
{
	enum { STATES_OF_A_THREAD = 64 };
	struct noting noting = {states, false};
	if (states->n > n_threads * STATES_OF_A_THREAD)
		clear(states);
	hang_digest(worker, exact, note, &noting);
	if (noting.news)
		states->news_ns = now;
}

static void find_news(uint64_t digest, void *arg)
{
	struct noting *noting = arg;
	noting->news |= !noting->states->n || !*place_of(noting->states, digest ? digest : 1);
}

static bool knows_all(struct hang_states *states, const struct worker *worker, bool exact)
{
	struct noting noting = {states, false};
	hang_digest(worker, exact, find_news, &noting);
	return !noting.news;
}

static bool is_old(const struct hang_states *states, uint64_t now)
{
	return now - states->news_ns >= scheduler.config.hang_ns;
}

void hang_watch_fini(struct hang_watch *watch)
{
	free(watch->exact.digests);
	free(watch->loose.digests);
}

static bool is_of_scheduler(const struct worker *worker)
{
	return worker >= scheduler.workers && worker < scheduler.workers + scheduler.n_workers;
}

/* The next one that runs blocks, from NULL on: the scheduler's, and `leader` where that is a host
 * thread's own (direct.c). */
static struct worker *next_worker(struct worker *leader, const struct worker *after)
{
	struct worker *end = scheduler.workers + scheduler.n_workers;
	if (after == leader && !is_of_scheduler(leader))
		return NULL;
	struct worker *next = after ? &scheduler.workers[after - scheduler.workers + 1]
				    : scheduler.workers;
	return next != end ? next : is_of_scheduler(leader) ? NULL : leader;
}

/* All workers but `own` have nothing to do, or blocks that are still; *ret are the latter. */
static bool others_are_still(const struct worker *own, uint32_t *ret)
{
	bool still = !scheduler.n_helping;
	*ret = 0;
	scheduler_lock();
	for (struct run *run = scheduler.first; run; run = run->next)
		still &= run->begun && !atomic_load(&run->dead);
	for (uint32_t i = 0; i < scheduler.n_workers; i++) {
		const struct worker *w = &scheduler.workers[i];
		if (w == own || !w->busy)
			continue;
		still &= atomic_load(&w->hang.still);
		++*ret;
	}
	scheduler_unlock();
	return still;
}

/* Of all that are stopped, the states are still such as have come up before memory was looked
 * at, and in the time that it takes. */
static bool states_are_old(struct worker *leader, bool exact, uint64_t now)
{
	for (struct worker *w = NULL; (w = next_worker(leader, w));) {
		struct hang_states *states = exact ? &w->hang.exact : &w->hang.loose;
		if (w->n_ring && (!is_old(states, now) || states->news_ns >= memory_ns ||
				  !knows_all(states, w, exact)))
			return false;
	}
	return true;
}

/* ---- can it end? ----------------------------------------------------------------- */

static uint32_t count_tasks(void)
{
	uint32_t n = 0;
	DIR *tasks = opendir("/proc/self/task");
	for (struct dirent *e; tasks && (e = readdir(tasks));)
		n += e->d_name[0] != '.';
	if (tasks)
		closedir(tasks);
	return n;
}

/* Pthreads that run CUDA threads, or look after them. */
static uint32_t count_own(void)
{
	uint32_t n = scheduler.n_workers + watchdog_runs();
	for (uint32_t i = 0; i < scheduler.n_workers; i++) {
		const struct worker *w = &scheduler.workers[i];
		for (uint32_t k = 0; w->engine == FIBER_PTHREAD && k < WORKER_POOLS; k++)
			for (uint32_t j = 0; j < w->pools[k].n_all; j++)
				n += w->pools[k].all[j]->baton != NULL;
	}
	return n;
}

/* A host thread that runs a kernel itself (direct.c) waits for its end. */
static bool all_of_host_wait(const struct worker *leader)
{
	uint32_t hosts, others;
	if (!hang_waiters(&hosts, &others))
		return false;
	hosts += !is_of_scheduler(leader);
	return hosts && count_tasks() == count_own() + hosts + others;
}

static bool reads_clock(struct worker *leader, bool clear)
{
	bool reads = false;
	for (struct worker *w = NULL; (w = next_worker(leader, w));) {
		reads |= w->hang.reads_clock;
		if (clear)
			w->hang.reads_clock = false;
	}
	return reads;
}

/* ---- the verdict ------------------------------------------------------------------ */

static void explain(const struct run *run, const char *table)
{
	const struct launch *l = run->launch;
	fprintf(stderr,
		"cudasim: kernel %s<<<(%u,%u,%u),(%u,%u,%u)>>>, launch %llu: no thread has made "
		"progress for %llu seconds\n%scudasim:   it continues to wait, possibly for the "
		"host or another launch; CUDASIM_TIMEOUT=SECONDS ends such launches\n",
		l->pub.kernel->display, l->pub.grid[0], l->pub.grid[1], l->pub.grid[2],
		l->pub.block[0], l->pub.block[1], l->pub.block[2], (unsigned long long)l->pub.id,
		(unsigned long long)(scheduler.config.hang_ns / 1000000000u), table ? table : "");
}

static void judge_run(struct worker *worker, struct run *run, bool ends)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_DEADLOCK,
		.error = ERROR_LAUNCH_TIMEOUT,
		.what = "deadlock: all threads wait or spin for what nothing can change",
	};
	if (!ends && atomic_exchange(&run->stall_explained, true))
		return;
	char *table = run->direct ? stall_table(worker, run) : stall_table_of_all(run);
	if (ends) {
		if (run->watched)
			observe_stalled(&run->launch->pub, CUDASIM_STALL_DEADLOCK);
		worker_report(worker, run, &fault, table);
	} else {
		explain(run, table);
		if (run->watched)
			observe_stalled(&run->launch->pub, CUDASIM_STALL_SPIN);
	}
	free(table);
}

/* Each run with a block in flight, once. Runs stay in the list as long as they have one. */
static void judge(struct worker *worker, bool ends)
{
	for (struct worker *w = NULL; (w = next_worker(worker, w));) {
		for (uint32_t j = 0; j < w->n_ring; j++) {
			struct run *run = w->ring[j]->run;
			if (!atomic_load(&run->dead))
				judge_run(worker, run, ends);
		}
	}
}

/* All others are stopped. */
static void weigh(struct worker *worker, uint64_t now)
{
	uint32_t n;
	bool shared = hang_is_shared(), waits = all_of_host_wait(worker);
	if (!others_are_still(worker, &n))
		return;
	uint64_t digest = hang_memory(), took = now_ns() - now;
	bool same = digest == memory && states_are_old(worker, false, now);
	bool exact = same && states_are_old(worker, true, now);
	next_ns = now + (AGAIN_NS > 10 * took ? AGAIN_NS : 10 * took);
	memory = digest;
	memory_ns = now;
	bool clock = reads_clock(worker, !same);
	if (same)
		judge(worker, waits && ((exact && !clock && !shared) || scheduler.config.checked));
}

static void suspect(struct worker *worker, uint64_t now)
{
	uint32_t n;
	if (pthread_mutex_trylock(&lock))
		return;
	if (now >= next_ns && others_are_still(worker, &n) && stop_others(n)) {
		weigh(worker, now);
		resume_others();
	}
	pthread_mutex_unlock(&lock);
}

static uint32_t n_threads(const struct worker *worker)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < worker->n_ring; i++)
		n += worker->ring[i]->n_threads;
	return n;
}

static void age_polls(const struct worker *worker)
{
	for (uint32_t i = 0; i < worker->n_ring; i++) {
		struct block *b = worker->ring[i];
		for (uint32_t j = 0; j < b->n_threads; j++)
			b->threads[j].polls -= b->threads[j].polls > 0;
	}
}

static bool is_kept(const struct worker *worker)
{
	for (uint32_t i = 0; i < worker->n_ring; i++)
		if (block_is_kept(worker->ring[i]))
			return true;
	return false;
}

void hang_look(struct worker *worker)
{
	struct hang_watch *watch = &worker->hang;
	uint64_t now = now_ns();
	if (!scheduler.config.hang_ns ||
	    now - watch->looked_ns < LOOK_NS + LOOK_TIMES * watch->took_ns)
		return;
	if (!watch->looked_ns || is_kept(worker)) {
		clear(&watch->exact);
		clear(&watch->loose);
	}
	watch->looked_ns = now;
	uint32_t n = n_threads(worker);
	note_all(&watch->exact, worker, true, n, now);
	note_all(&watch->loose, worker, false, n, now);
	watch->took_ns = now_ns() - now;
	bool still = is_old(&watch->loose, now) && !is_kept(worker);
	atomic_store(&watch->still, still);
	if (still)
		suspect(worker, now);
	if (now - watch->aged_ns >= POLL_NS) {
		watch->aged_ns = now;
		age_polls(worker);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cudasim/inspect.h"
#include "observer.h"

static const struct profile profile = {
	.key = "fake",
	.name = "fake",
	.major = 9,
	.n_sms = 4,
	.max_threads_per_sm = 2048,
	.max_blocks_per_sm = 32,
	.max_threads_per_block = 1024,
	.shared_per_sm = 233472,
	.clock_khz = 1980000,
};
struct device harness_device = {.profile = &profile};

#define WAY(name_, workers, engine_, fixed_, order_, seed_)                                        \
	{name_,                                                                                    \
	 {.n_workers = workers,                                                                    \
	  .engine = engine_,                                                                       \
	  .schedule = {fixed_, order_, seed_},                                                     \
	  .timeout_ns = 0}}
const struct way harness_ways[] = {
	WAY("fibers, 3 workers", 3, FIBER_STACK, false, SCHEDULE_INORDER, 0),
	WAY("fibers, 1 worker", 1, FIBER_STACK, false, SCHEDULE_INORDER, 0),
	WAY("fibers, inorder", 1, FIBER_STACK, true, SCHEDULE_INORDER, 0),
	WAY("fibers, reverse", 1, FIBER_STACK, true, SCHEDULE_REVERSE, 0),
	WAY("fibers, random:1", 1, FIBER_STACK, true, SCHEDULE_RANDOM, 1),
	WAY("fibers, random:2", 1, FIBER_STACK, true, SCHEDULE_RANDOM, 2),
	WAY("pthreads, 2 workers", 2, FIBER_PTHREAD, false, SCHEDULE_INORDER, 0),
	WAY("pthreads, random:3", 1, FIBER_PTHREAD, true, SCHEDULE_RANDOM, 3),
};
const unsigned harness_n_ways = sizeof harness_ways / sizeof *harness_ways;

/* ---- launches ---------------------------------------------------------------- */

struct launched {
	struct launch launch; /* first */
	struct cudasim_kernel kernel;
	pthread_mutex_t lock;
	pthread_cond_t over;
	bool done;
};

static void on_done(struct launch *launch, void *arg)
{
	struct launched *l = arg;
	(void)launch;
	pthread_mutex_lock(&l->lock);
	l->done = true;
	pthread_cond_signal(&l->over);
	pthread_mutex_unlock(&l->lock);
}

struct launch *harness_begin(void (*entry)(const void *params), const void *params, struct shape s)
{
	static uint64_t ids;
	uint64_t id = ++ids;
	struct launched *l = calloc(1, sizeof *l);
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->over, NULL);
	l->kernel = (struct cudasim_kernel){
		.name = "kernel",
		.display = "kernel",
		.entry = {entry, entry, entry},
		.local_bytes = s.local_bytes,
		.loop = {s.loop, s.loop},
		.flags = s.loop ? CUDASIM_KERNEL_ALONE : 0,
	};
	l->launch = (struct launch){
		.device = &harness_device,
		.pub =
			{
				.kernel = &l->kernel,
				.device = harness_device.ordinal,
				.grid = {s.grid, 1, 1},
				.block = {s.block, 1, 1},
				.cluster = {s.cluster ? s.cluster : 1, 1, 1},
				.dynamic_shared_bytes = s.dynamic_shared,
				.cooperative = s.cooperative,
				.params = params,
				.id = id,
				.gridid = id,
			},
	};
	watch_begin(&l->launch);
	scheduler_submit(&l->launch, on_done, l);
	return &l->launch;
}

int harness_end(struct launch *launch)
{
	struct launched *l = (struct launched *)launch;
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	pthread_mutex_lock(&l->lock);
	while (!l->done)
		if (pthread_cond_timedwait(&l->over, &l->lock, &until) == ETIMEDOUT) {
			fputs("a launch did not end within a minute\n", stderr);
			abort();
		}
	pthread_mutex_unlock(&l->lock);
	int error = l->launch.pub.error;
	free(l);
	return error;
}

int harness_launch(void (*entry)(const void *params), const void *params, struct shape shape)
{
	return harness_end(harness_begin(entry, params, shape));
}

void harness_start(const struct way *way)
{
	struct cudasim_error *error = scheduler_start_with(&way->config);
	assert_null(error);
}

void harness_stop(void)
{
	scheduler_stop();
}

/* ---- children ----------------------------------------------------------------- */

static char *read_all(int fd)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	char buffer[4096];
	for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;)
		fwrite(buffer, 1, (size_t)n, out);
	fclose(out);
	return text;
}

int harness_child(void (*test)(void *arg), void *arg, char **text)
{
	int ends[2], status;
	fflush(NULL);
	if (pipe(ends))
		return -1;
	pid_t child = fork();
	if (!child) {
		/* cmocka's own handlers would take a fault for a failed test. */
		signal(SIGSEGV, SIG_DFL);
		signal(SIGILL, SIG_DFL);
		signal(SIGFPE, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		dup2(ends[1], 2);
		close(ends[0]);
		alarm(60);
		test(arg);
		fflush(NULL);
		_exit(0);
	}
	close(ends[1]);
	*text = read_all(ends[0]);
	close(ends[0]);
	waitpid(child, &status, 0);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_process.h - one process that runs or lists tests.
 *
 * It leads a process group, and has nothing on stdin. When it is over, so is whatever it has
 * left behind in its group. */
#ifndef CUDASIM_DRIVER_TEST_PROCESS_H
#define CUDASIM_DRIVER_TEST_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "test.h"

enum {
	TEST_LOOK_MS = 100, /* how long to wait for output before looking whether it has ended */
};

enum test_process_kind {
	TEST_LISTS, /* prints its tests' names */
	TEST_RUNS,  /* an executable of cudasim/test.h */
	TEST_RUNS_PLAIN, /* what does not set the body of its kernels itself: cmocka, pytest */
};

/* In the child: what it finds in its environment. schedule: NULL where none was asked for. */
void test_set_environment(const struct test_options *options, const char *schedule,
			  enum test_process_kind kind);

/* In the child: become the executable, or the command of the options, with this stdout and
 * stderr. */
_Noreturn void test_become(const struct test_options *options, const char *executable, int out,
			   int err);

/* It has ended, which is seen though something that it has started may hold its stdout. */
bool test_has_ended(pid_t pid);

/* End it, and all that it has left behind. Returns its status, as wait() has it. */
int test_reap_group(pid_t pid);

/* From now on the signals that end this process are only noted: the first of them, or 0. */
void test_catch_signals(void);
int test_interrupted(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* test.h - `cudasim test`: executables of cudasim/test.h, found or built, run side by
 * side, and what came of their tests. */
#ifndef CUDASIM_DRIVER_TEST_H
#define CUDASIM_DRIVER_TEST_H

#include <stdbool.h>
#include <stdio.h>

#include "error.h"
#include "words.h"

struct test_options {
	const char *pattern;    /* tests whose name or executable holds it; NULL: all */
	struct words targets;   /* folders and executables; empty: the current folder */
	struct words compile;   /* options for building, after -- */
	int jobs;               /* processes at once, 1.. */
	int schedules;          /* orders to run each executable in, 1.. */
	double timeout;         /* seconds for a test */
	const char *junit;      /* file to write, or NULL */
	bool tap, list, gpu, verbose;
};

enum test_outcome { TEST_PASSED, TEST_FAILED, TEST_SKIPPED };

/* One test under one schedule. */
struct test_result {
	char *executable;       /* as shown: relative to its folder, without ./ */
	char *name;
	const char *schedule;   /* "inorder", "random:3"; NULL where only one was asked for */
	enum test_outcome outcome;
	double seconds;
	char *message;          /* lines; of failed tests, else NULL */
	char *output;           /* what the test printed, or NULL */
};
struct test_results {
	struct test_result *at;
	size_t n, capacity;
};
struct test_result *test_results_add(struct test_results *results);

/* Test executables in the targets, sorted; where a folder has none its .cu files that
 * include cudasim/test.h are built into its .cudasim-test/. */
struct cudasim_error *test_find(const struct test_options *options, struct words *ret);

/* Names of all tests of an executable, in its order. */
struct cudasim_error *test_list(const char *executable, const struct test_options *options,
				struct words *ret);

/* Run them all. Results come in the order of executables, schedules and tests. */
struct cudasim_error *test_run(const struct test_options *options, const struct words *executables,
			       struct test_results *ret);

/* Report. */
void test_print_summary(const struct test_results *results, const struct test_options *options,
			size_t n_executables, double seconds);
void test_print_tap(const struct test_results *results);
struct cudasim_error *test_write_junit(const struct test_results *results, const char *path);

/* One line of a test executable's TAP output; state of one process. For unit tests, too. */
struct test_reader {
	char *running;          /* the test that has begun and not ended, or NULL */
	double began;
	char *message, *output; /* of it so far */
	struct test_result *last; /* whose "# " lines may follow */
};
void test_read_line(struct test_reader *reader, const char *line, struct test_results *results);

#endif

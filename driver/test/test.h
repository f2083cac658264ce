/* SPDX-License-Identifier: Apache-2.0 */
/* test.h - `cudasim test`: executables of cudasim/test.h and plain ones of cmocka, found or
 * built, run side by side, or pytest's tests; and what came of them. */
#ifndef CUDASIM_DRIVER_TEST_H
#define CUDASIM_DRIVER_TEST_H

#include <stdbool.h>
#include <stdio.h>

#include "error.h"
#include "scratch.h"
#include "words.h"

struct test_options {
	const char *pattern;    /* tests whose name or executable holds it; NULL: all */
	struct words targets;   /* folders and executables; empty: the current folder */
	struct words compile;   /* options for building, after -- */
	struct words command;   /* pytest and its arguments, instead of executables; or none */
	int jobs;               /* processes at once, 1.. */
	int schedules;          /* orders to run each executable in, 1.. */
	double timeout;         /* seconds for a test */
	const char *junit;      /* file to write, or NULL */
	const char *sarif;      /* file for the checkers' findings, or NULL */
	const char *check; /* the checkers to run under, as CUDASIM_CHECK has them, or NULL */
	bool tap, list, gpu, verbose;
};

enum test_outcome { TEST_PASSED, TEST_FAILED, TEST_SKIPPED };

/* One test under one schedule. */
struct test_result {
	char *executable; /* as shown: relative to its folder, without ./ */
	size_t index; /* among the executable's tests */
	char *name;
	const char *schedule; /* "inorder", "random:3"; NULL where only one was asked for */
	enum test_outcome outcome;
	double seconds;
	char *message; /* lines; of failed tests, else NULL */
	char *output; /* what the test printed, or NULL */
	long err_from, err_to; /* where that on stderr is, for test_run.c */
	char *err; /* the last of what it wrote there; of failed tests, else NULL */
};
struct test_results {
	struct test_result *at;
	size_t n, capacity;
};
struct test_result *test_results_add(struct test_results *results);

/* Test executables in the targets, sorted; where a folder has none its .cu files that
 * include cudasim/test.h are built into its .cudasim-test/. */
struct cudasim_error *test_find(const struct test_options *options, struct words *ret);

/* Is the word the name of pytest, or of a Python that may run it? Then it and what follows are
 * a command. */
bool test_is_pytest(const char *word);
/* Before a command runs: its environment. Is it `python -m pytest` or `pytest`? With cudasim's
 * libraries and the plugin (python/cudasim/pytest_plugin.py) it prints what an executable of
 * cudasim/test.h does. findings: becomes a folder for the checkers' findings, if they run; it
 * is to be freed after the tests. */
struct cudasim_error *test_prepare_pytest(const struct test_options *options,
					  struct scratch *findings);

/* Before the tests run: begins the file of --sarif, and says in the environment that all processes
 * write into it. */
struct cudasim_error *test_prepare_sarif(const struct test_options *options);

/* Does the pattern (NULL: any) choose this test? */
bool test_is_wanted(const char *executable, const char *name, const char *pattern);
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
/* Could it be written? */
struct cudasim_error *test_check_junit(const char *path);
struct cudasim_error *test_write_junit(const struct test_results *results, const char *path);

/* What is read of one process. */
struct test_reader {
	char *running; /* the test that has begun and has no verdict yet, or NULL */
	size_t index; /* its */
	double began, took; /* seconds, on the process' clock */
	bool ended; /* its verdict is next */
	long err_from, err_to; /* offsets in the process' stderr when it began and ended, or -1 */
	char *message, *output; /* of it so far */
	size_t last; /* 1 + the result whose "# " lines may follow; 0: none */
	/* Of a plain cmocka executable: the group's tests, those with a verdict; whether a
	 * checker has found something since. */
	size_t planned, number;
	bool found;
};
/* An executable that is none of cudasim/test.h and calls cmocka_run_group_tests(). */
bool test_is_plain(const char *executable);
/* One line of what such a process prints, at that time of our clock. */
void test_plain_line(struct test_reader *reader, const char *line, double at,
		     struct test_results *results);
/* It has ended; why: where it should not, or NULL. failed: one of its tests has. */
void test_plain_end(struct test_reader *reader, const char *why, bool failed,
		    struct test_results *results);
/* cmocka's "t.cu:32: error: Failure!", put in front of the message. */
void test_put_place(const char *line, char **message);
/* One line of the process' stdout, without its newline. */
void test_read_line(struct test_reader *reader, const char *line, struct test_results *results);
/* The line of a test's name in a list; false for other lines. *name points into line. */
bool test_read_name(const char *line, size_t *index, const char **name);
/* The running test has come to an end. */
void test_verdict(struct test_reader *reader, enum test_outcome outcome,
		  struct test_results *results);
/* Add a line to a text, up to some 16 KiB. */
void test_append(char **text, const char *line);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* child.h - run a part of this test as a process of its own, with an environment
 * of its own: what libcudasim does at load, at exit and after fork() shows only
 * there. */
#ifndef CUDASIM_TESTS_API_CHILD_H
#define CUDASIM_TESTS_API_CHILD_H

/* What a child left behind. Texts are cut at their size. */
struct child {
	int status;        /* exit status, or 1000 + the signal that ended it */
	double seconds;
	char out[8192], err[8192];
};

/* Run this executable with one argument, `part`, and these NAME=VALUE variables
 * (NULL ends them) added to an environment without any CUDA variables. */
void child_run(struct child *ret, const char *part, const char *const variables[]);

#endif

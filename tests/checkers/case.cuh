/* SPDX-License-Identifier: Apache-2.0 */
/* case.cuh - the cases of one source: functions that are chosen by name.
 *
 * A guilty case NAME has `EXPECT NAME: KIND` in a comment on each line that is to be found
 * (of the kernel, or of the host's call); its innocent twin is NAME_fixed. */
#pragma once
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

struct test_case {
	const char *name;
	void (*run)();
	test_case *next;
	static test_case *&all()
	{
		static test_case *first;
		return first;
	}
	test_case(const char *n, void (*r)()) : name(n), run(r), next(all()) { all() = this; }
};
#define CASE(name)                                                                         \
	static void name();                                                                \
	static test_case name##_case(#name, name);                                         \
	static void name()

int main(int argc, char **argv)
{
	for (test_case *c = test_case::all(); c; c = c->next) {
		if (argc == 1)
			puts(c->name);
		else if (!strcmp(c->name, argv[1])) {
			c->run();
			cudaDeviceSynchronize();
			return 0;
		}
	}
	return argc == 1 ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* cases.h - one program, many kernels: a guilty one and its innocent twin each.
 *
 *   ./app          lists the cases, one to a line
 *   ./app NAME     runs one case
 *
 * A case is a function of the host that launches what it is about. Lines that a
 * finding should name are marked in the source with a comment of the form
 * FINDS(NAME): KIND. */
#ifndef TESTS_CHECKERS_CASES_H
#define TESTS_CHECKERS_CASES_H

#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

struct checker_case {
	const char *name;
	void (*run)();
	checker_case *next;
	static checker_case *&first()
	{
		static checker_case *list;
		return list;
	}
	checker_case(const char *n, void (*r)()) : name(n), run(r), next(nullptr)
	{
		checker_case **end = &first();
		while (*end)
			end = &(*end)->next;
		*end = this;
	}
};

#define CASE(NAME)                                            \
	static void case_##NAME();                            \
	static checker_case the_case_##NAME(#NAME, case_##NAME); \
	static void case_##NAME()

/* n zeroed elements of device memory, freed when it goes. */
template <typename T> struct device_array {
	T *p = nullptr;
	explicit device_array(size_t n)
	{
		cudaMalloc(&p, n * sizeof(T));
		cudaMemset(p, 0, n * sizeof(T));
	}
	~device_array() { cudaFree(p); }
	operator T *() const { return p; }
};

int main(int argc, char **argv)
{
	for (checker_case *c = checker_case::first(); c; c = c->next) {
		if (argc < 2) {
			puts(c->name);
			continue;
		}
		if (strcmp(argv[1], c->name))
			continue;
		c->run();
		cudaError_t error = cudaDeviceSynchronize();
		printf("%s: %s\n", c->name, cudaGetErrorName(error));
		return 0;
	}
	return argc >= 2;
}

#endif

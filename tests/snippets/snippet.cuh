/* SPDX-License-Identifier: Apache-2.0 */
/* snippet.cuh - small kernels that print up to eight numbers each. SNIPPET(name, threads) is a
 * kernel of one block with the array o for its answers; HOST_SNIPPET(name) is host code that fills
 * it. main runs them in the order of the file and prints "name: numbers". */
#ifndef SNIPPET_CUH
#define SNIPPET_CUH

#include <cstdio>
#include <cstring>

struct snippet {
	static constexpr int MOST = 8;
	static inline snippet *first = nullptr, **end = &first;
	const char *name;
	void (*kernel)(int *);
	void (*host)(int *);
	int threads;
	snippet *next = nullptr;

	snippet(const char *name, void (*kernel)(int *), void (*host)(int *), int threads)
		: name(name), kernel(kernel), host(host), threads(threads)
	{
		*end = this;
		end = &next;
	}
};

#define SNIPPET(NAME, THREADS)                                                     \
	__global__ void NAME(int *o);                                              \
	static snippet snippet_##NAME(#NAME, NAME, nullptr, THREADS);              \
	__global__ void NAME([[maybe_unused]] int *o)

#define HOST_SNIPPET(NAME)                                                         \
	static void NAME(int *o);                                                  \
	static snippet snippet_##NAME(#NAME, nullptr, NAME, 0);                    \
	static void NAME([[maybe_unused]] int *o)

int main()
{
	for (snippet *s = snippet::first; s; s = s->next) {
		int *o = nullptr;
		cudaMallocManaged(&o, snippet::MOST * sizeof(int));
		memset(o, 0, snippet::MOST * sizeof(int));
		if (s->kernel)
			s->kernel<<<1, s->threads>>>(o);
		else
			s->host(o);
		cudaError_t error = cudaGetLastError(), later = cudaDeviceSynchronize();
		printf("%s:", s->name);
		for (int i = 0; i < snippet::MOST; i++)
			printf(" %d", o[i]);
		if (error || later)
			printf(" %s", cudaGetErrorName(error ? error : later));
		printf("\n");
		fflush(stdout);
		cudaFree(o);
	}
	return 0;
}

#endif

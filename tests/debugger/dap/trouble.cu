// SPDX-License-Identifier: Apache-2.0
// What goes wrong, or on for ever: the argument says which.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

__device__ volatile int flag;
static volatile long turns;

__global__ void spin()
{
	while (!flag)
		;
}

__global__ void fault(int *p)
{
	p[threadIdx.x] = 1;
}

__global__ void refuse(int limit)
{
	assert((int)threadIdx.x < limit);
}

__global__ void beyond(int *p)
{
	p[threadIdx.x] = 2;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int *p;
	if (!strcmp(what, "host"))
		for (;;)
			turns = turns + 1;
	if (!strcmp(what, "spin"))
		spin<<<1, 32>>>();
	if (!strcmp(what, "fault"))
		fault<<<1, 32>>>(nullptr);
	if (!strcmp(what, "assert"))
		refuse<<<1, 32>>>(5);
	if (!strcmp(what, "abort"))
		abort();
	cudaMalloc(&p, 31 * sizeof *p);
	if (!strcmp(what, "beyond"))
		beyond<<<1, 32>>>(p);
	if (!strcmp(what, "exec"))
		execl(argv[2], argv[2], (char *)nullptr);
	cudaError_t error = cudaDeviceSynchronize();
	printf("%s\n", cudaGetErrorName(error));
	return 0;
}

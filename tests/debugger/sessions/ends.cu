/* SPDX-License-Identifier: Apache-2.0 */
/* Faults, asserts, prints and waits, one kernel each: what catch and stops tell. */
#include <cassert>
#include <cstdio>
#include <cstring>

struct Record {
	int id;
	double value;
};
__device__ int words[8];
__device__ volatile int never;

/* Thread 3 reads a double at an address of 4. */
__global__ void misaligned(char *bytes)
{
	double *p = (double *)(bytes + (threadIdx.x == 3 ? 4 : 8 * threadIdx.x));
	words[threadIdx.x % 8] = (int)*p;
}

__global__ void outside(int *o, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i == n)
		o += 1 << 30;
	o[i] = i;
}

__global__ void asserts(int n)
{
	int t = threadIdx.x;
	assert(t < n);
	words[t % 8] = t;
}

__device__ __noinline__ int dig(int n)
{
	volatile char room[256];
	room[n % 256] = 1;
	return dig(n + 1) + room[n % 256];
}

__global__ void overflow()
{
	words[0] = dig(threadIdx.x);
}

__global__ void prints(int n)
{
	int t = threadIdx.x;
	if (t % 2 == 1)
		printf("thread %d of %d\n", t, n);
	__syncthreads();
	words[t % 8] = n;
}

/* Warp 0 waits for a thread that waits for another barrier. */
__global__ void locks()
{
	int t = threadIdx.x;
	if (t < 32)
		asm volatile("bar.sync 1, 64;");
	else
		asm volatile("bar.sync 2, 64;");
	words[t % 8] = t;
}

__global__ void spins()
{
	int turns = 0;
	while (!never)
		turns++;
	words[0] = turns;
}

__global__ void traps()
{
	if (threadIdx.x == 5)
		__trap();
	words[threadIdx.x % 8] = 1;
}

int main(int argc, char **argv)
{
	int *o;
	const char *what = argc > 1 ? argv[1] : "";
	cudaMalloc(&o, 4096);
	if (!strcmp(what, "misaligned"))
		misaligned<<<1, 8>>>((char *)o);
	if (!strcmp(what, "outside"))
		outside<<<2, 32>>>(o, 40);
	if (!strcmp(what, "asserts"))
		asserts<<<1, 8>>>(6);
	if (!strcmp(what, "overflow"))
		overflow<<<1, 1>>>();
	if (!strcmp(what, "prints"))
		prints<<<1, 4>>>(4);
	if (!strcmp(what, "locks"))
		locks<<<1, 64>>>();
	if (!strcmp(what, "spins"))
		spins<<<1, 1>>>();
	if (!strcmp(what, "traps"))
		traps<<<1, 8>>>();
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}

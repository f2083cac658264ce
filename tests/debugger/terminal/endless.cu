/* SPDX-License-Identifier: Apache-2.0 */
/* What goes on for ever, or for very long, on the host and on the device. */
#include <cstdio>
#include <cstring>
#include <unistd.h>

static volatile long sum;
__device__ volatile int never;

__device__ __noinline__ int device_loop(int v)
{
	while (!never)
		v++;
	return v;
}

__global__ void many(float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float v = i * 2.f;
	for (int k = 0; k < 2000; k++)
		v += k;
	if (i < n)
		x[i] = v;
	__syncthreads();
	if (v < 0)
		x[0] = device_loop(i);
}

__attribute__((noinline)) static void host_loop(void)
{
	for (;;)
		sum += 1;
}

int main(int argc, char **argv)
{
	float *x;
	int n = 16384 * 256;
	cudaMalloc(&x, n * sizeof *x);
	if (argc > 1 && !strcmp(argv[1], "host"))
		host_loop();
	if (argc > 1 && !strcmp(argv[1], "sleep"))
		sleep(10000);
	many<<<16384, 256>>>(x, n);
	cudaDeviceSynchronize();
	puts("done");
	return 0;
}

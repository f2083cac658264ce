/* SPDX-License-Identifier: Apache-2.0 */
/* Small kernels whose events can be counted by hand; totals.txt has the counts.
 * The program runs the one that its argument names. One statement a line, for
 * lines are counted too. Every run allocates one buffer of 64 KiB, clears it
 * and frees it. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void add(const float *a, const float *b, float *c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	c[i] = a[i] + b[i];
}

__global__ void guard(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	p[i] = 1;
}

__global__ void loop(float *p)
{
	float s = 0;
	for (int i = 0; i < 4; i++)
		s += p[i];
	p[threadIdx.x + 8] = s;
}

__global__ void reduce(int *p)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	s[t] = p[t];
	__syncthreads();
	for (int d = 32; d > 0; d /= 2) {
		if (t < d)
			s[t] += s[t + d];
		__syncthreads();
	}
	if (t == 0)
		p[0] = s[0];
}

__global__ void histogram(int *p)
{
	__shared__ int h[4];
	int t = threadIdx.x;
	if (t < 4)
		h[t] = 0;
	__syncthreads();
	atomicAdd(&h[t % 4], 1);
	__syncthreads();
	if (t < 4)
		atomicAdd(&p[t], h[t]);
}

__constant__ float weights[4];

__global__ void constants(float *p)
{
	p[threadIdx.x] = weights[threadIdx.x % 4];
}

__device__ int total;

__global__ void variable()
{
	atomicAdd(&total, 1);
}

__device__ __noinline__ int twice(int x)
{
	return 2 * x;
}

__device__ __forceinline__ int four_times(int x)
{
	return twice(twice(x));
}

__global__ void calls(int *p)
{
	int t = threadIdx.x;
	p[t] = twice(p[t]) + four_times(p[t]);
}

__device__ int factorial(int n)
{
	if (n < 2)
		return 1;
	return n * factorial(n - 1);
}

__global__ void recursion(int *p)
{
	p[0] = factorial(5);
}

struct row {
	float v[8];
};

__global__ void structs(row *to, const row *from)
{
	to[threadIdx.x] = from[threadIdx.x];
}

__global__ void vectors(float4 *p)
{
	float4 v = p[threadIdx.x];
	v.x += 1;
	p[threadIdx.x] = v;
}

__global__ void volatiles(volatile int *p)
{
	p[threadIdx.x] = p[threadIdx.x] + 1;
}

__global__ void fences(int *p)
{
	p[threadIdx.x] = 1;
	__threadfence();
	p[threadIdx.x + 32] = 2;
	__threadfence_block();
}

__global__ void warps(int *p)
{
	int v = p[threadIdx.x];
	v += __shfl_down_sync(0xffffffffu, v, 16);
	__syncwarp();
	v += __ballot_sync(0xffffffffu, v == 0) != 0;
	p[threadIdx.x] = v;
}

__global__ void prints()
{
	printf("thread %d\n", threadIdx.x);
}

__global__ void heap(int *p)
{
	int *q = (int *)malloc(sizeof *q);
	*q = threadIdx.x;
	p[threadIdx.x] = *q;
	free(q);
}

__global__ void grid(short *p)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	p[y * gridDim.x * blockDim.x + x] = 1;
}

__global__ void dynamic(double *p)
{
	extern __shared__ double s[];
	int t = threadIdx.x;
	s[t] = p[t];
	__syncthreads();
	p[t] = s[blockDim.x - 1 - t];
}

__global__ void lock(int *p)
{
	while (atomicCAS(&p[0], 0, 1) != 0)
		;
	p[1] += 1;
	__threadfence();
	atomicExch(&p[0], 0);
}

__global__ void one(char *p)
{
	p[threadIdx.x] = 1;
}

static void run(const char *name, char *buffer)
{
	int *i = (int *)buffer;
	float *f = (float *)buffer;
	if (!strcmp(name, "add"))
		add<<<4, 32>>>(f, f + 128, f + 256);
	if (!strcmp(name, "guard"))
		guard<<<4, 32>>>(i, 100);
	if (!strcmp(name, "loop"))
		loop<<<1, 32>>>(f);
	if (!strcmp(name, "reduce"))
		reduce<<<1, 64>>>(i);
	if (!strcmp(name, "histogram"))
		histogram<<<1, 64>>>(i);
	if (!strcmp(name, "constants")) {
		float w[4] = {1, 2, 3, 4};
		cudaMemcpyToSymbol(weights, w, sizeof w);
		constants<<<1, 32>>>(f);
	}
	if (!strcmp(name, "variable"))
		variable<<<2, 16>>>();
	if (!strcmp(name, "calls"))
		calls<<<1, 32>>>(i);
	if (!strcmp(name, "recursion"))
		recursion<<<1, 1>>>(i);
	if (!strcmp(name, "structs"))
		structs<<<1, 32>>>((row *)buffer, (row *)buffer + 32);
	if (!strcmp(name, "vectors"))
		vectors<<<1, 32>>>((float4 *)buffer);
	if (!strcmp(name, "volatiles"))
		volatiles<<<1, 32>>>(i);
	if (!strcmp(name, "fences"))
		fences<<<1, 32>>>(i);
	if (!strcmp(name, "warps"))
		warps<<<1, 64>>>(i);
	if (!strcmp(name, "prints"))
		prints<<<1, 4>>>();
	if (!strcmp(name, "heap"))
		heap<<<1, 8>>>(i);
	if (!strcmp(name, "grid"))
		grid<<<dim3(2, 3), dim3(4, 8)>>>((short *)buffer);
	if (!strcmp(name, "dynamic"))
		dynamic<<<1, 16, 16 * sizeof(double)>>>((double *)buffer);
	if (!strcmp(name, "lock"))
		lock<<<1, 1>>>(i);
	if (!strcmp(name, "streams")) {
		cudaStream_t s;
		char back[8];
		cudaStreamCreate(&s);
		for (int k = 0; k < 3; k++)
			one<<<2, 8, 0, k & 1 ? s : 0>>>(buffer);
		cudaDeviceSynchronize();
		cudaMemcpy(back, buffer, sizeof back, cudaMemcpyDeviceToHost);
		cudaStreamDestroy(s);
	}
}

int main(int argc, char **argv)
{
	char *buffer;
	if (argc != 2)
		return 2;
	cudaMalloc(&buffer, 1 << 16);
	cudaMemset(buffer, 0, 1 << 16);
	run(argv[1], buffer);
	cudaError_t error = cudaDeviceSynchronize();
	if (error != cudaSuccess)
		printf("%s: %s\n", argv[1], cudaGetErrorString(error));
	cudaFree(buffer);
	return error != cudaSuccess;
}

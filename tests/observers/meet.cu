/* SPDX-License-Identifier: Apache-2.0 */
/* What meet_tool.c makes meet, keeps, and reads. */
#include <cstdio>

struct Three {
	int a, b, c;
};

/* Lane t comes to the armed line t + 1 times. */
__global__ void loops(int *next, int *order)
{
	int t = threadIdx.x;
	for (int k = 0; k <= t; k++) {
		order[atomicAdd(next, 1)] = t * 10 + k; /* armed */
	}
}

/* Lane 0 comes to the armed line; the others spin until it is past it. */
__global__ void spins(volatile int *flag)
{
	if (threadIdx.x)
		while (!*flag)
			;
	else
		*flag = 1; /* armed */
}

__global__ void blocks(int *p)
{
	p[blockIdx.x] = threadIdx.x; /* armed */
}

__device__ __noinline__ int early(int x)
{
	if (x > 1)
		return x * 21;
	return -1;
}

__device__ __noinline__ Three three(int x)
{
	Three t = {x, x + 1, x + 2};
	return t;
}

struct Many {
	int a[30];
};

__device__ __noinline__ Many many(int x)
{
	Many m;
	for (int i = 0; i < 30; i++)
		m.a[i] = x + i;
	return m;
}

__global__ void values(int *p)
{
	p[0] = early(2) + early(1) + three(5).c + many(7).a[29];
}

int main()
{
	int *p, back[16] = {0};
	cudaMalloc(&p, 256);
	cudaMemset(p, 0, 256);
	loops<<<1, 4>>>(p, p + 1);
	cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost);
	for (int i = 1; i <= 10; i++)
		printf("%d%c", back[i], i < 10 ? ' ' : '\n');
	cudaMemset(p, 0, 256);
	spins<<<1, 32>>>(p);
	blocks<<<5, 2>>>(p);
	values<<<1, 1>>>(p);
	cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost);
	printf("%d\n", back[0]);
	return 0;
}

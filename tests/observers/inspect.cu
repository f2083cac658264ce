/* SPDX-License-Identifier: Apache-2.0 */
/* What inspect_tool.c looks at while thread 5 is held in inner(). */
#include <cstdio>

__device__ int table[4] = {1, 2, 3, 4};
__constant__ int shelf = 9;

__device__ int inner(int x)
{
	int y = x + 1; /* line 10: thread 5 is held here */
	return y * 2;
}

__global__ void outer(int *p, int n)
{
	__shared__ int s[32];
	int t = threadIdx.x;
	s[t] = inner(t); /* line 18 */
	__syncthreads(); /* line 19 */
	p[t] = s[31 - t] + n + table[0] + shelf;
}

int main()
{
	int *p, sum = 0, back[32];
	cudaMalloc(&p, sizeof back);
	outer<<<1, 32>>>(p, 42);
	cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost);
	for (int i = 0; i < 32; i++)
		sum += back[i];
	/* 2 * (1 + ... + 32) + 32 * (42 + 1 + 9) */
	printf("sum %d\n", sum);
	return sum != 1056 + 32 * 52;
}

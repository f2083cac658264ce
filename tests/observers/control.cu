/* SPDX-License-Identifier: Apache-2.0 */
/* What control_tool.c steers: the order in which 8 threads come to a counter. */
#include <cstdio>

__global__ void order(int *next, int *place)
{
	place[threadIdx.x] = atomicAdd(next, 1);
}

__global__ void spin(volatile int *flag)
{
	while (!*flag)
		;
}

static void run(int *p)
{
	int back[9] = {0};
	cudaMemset(p, 0, sizeof back);
	order<<<1, 8>>>(p, p + 1);
	cudaError_t error = cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost);
	printf("%s:", cudaGetErrorName(error));
	for (int i = 1; i < 9; i++)
		printf(" %d", back[i]);
	printf("\n");
}

int main()
{
	int *p;
	cudaMalloc(&p, 64);
	run(p); /* reversed by choose() */
	run(p); /* thread 3 is held until nobody else can move */
	cudaMemset(p, 0, 4);
	spin<<<1, 1>>>(p); /* told every line after a while, then ended */
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	cudaDeviceReset();
	cudaMalloc(&p, 64);
	run(p); /* ended by a verdict */
	return 0;
}

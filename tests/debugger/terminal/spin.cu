/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that waits for ever for what the host never writes; what goes on is up to
 * whoever types. */
#include <cstdio>

struct Point {
	float x, y;
	int colour;
};

__device__ volatile int flag;
__device__ Point corner;

__global__ void spin(int *out)
{
	Point mine = {1.5f, 2.5f, (int)threadIdx.x};
	while (!flag)
		;
	out[threadIdx.x] = mine.colour;
}

int main()
{
	char name[64] = "";
	int *out;
	printf("who is there?\n");
	fflush(stdout);
	if (!fgets(name, sizeof name, stdin))
		return 2;
	cudaMalloc(&out, 32 * sizeof(int));
	spin<<<1, 32>>>(out);
	cudaError_t error = cudaDeviceSynchronize();
	printf("%s: hello %s", cudaGetErrorName(error), name);
	return 0;
}

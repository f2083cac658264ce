// SPDX-License-Identifier: Apache-2.0
// Calls of the CUDA API that fail, and one that answers "not yet".
#include <cstdio>

__global__ void wait(volatile int *flag)
{
	while (!*flag)
		;
}

static int ask(cudaStream_t stream)
{
	return cudaStreamQuery(stream);
}

int main()
{
	int *flag;
	void *huge;
	cudaStream_t stream;
	cudaHostAlloc(&flag, sizeof *flag, 0);
	*flag = 0;
	cudaStreamCreate(&stream);
	int error = cudaMalloc(&huge, 1ull << 60);
	printf("malloc: %d\n", error);
	wait<<<1, 1, 0, stream>>>(flag);
	int answer = ask(stream);
	printf("query: %d\n", answer);
	*flag = 1;
	cudaStreamSynchronize(stream);
	error = cudaSetDevice(99);
	error = cudaGetLastError();
	printf("device: %d\n", error);
	return 0;
}

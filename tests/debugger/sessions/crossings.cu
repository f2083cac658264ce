// SPDX-License-Identifier: Apache-2.0
// Threads that come to a line, some of which a condition wants.
#include <cstdio>

__global__ void crossings(int *out)
{
	int t = threadIdx.x;
	int i = blockIdx.x * blockDim.x + t;
	out[i] = t;
	out[i] += i;
}

int main()
{
	int *out;
	cudaMalloc(&out, 8 * sizeof *out);
	crossings<<<2, 4>>>(out);
	crossings<<<2, 4>>>(out);
	cudaDeviceSynchronize();
	cudaFree(out);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Two functions of one name, for locations that say which.
#include <cstdio>

namespace geo {
__device__ int halve(int x)
{
	return x / 2;
}
}

__device__ int halve(int x)
{
	return x / 2 + 1;
}

__global__ void habits(int *out)
{
	int t = threadIdx.x;
	out[t] = geo::halve(t);
	out[t] += halve(t);
}

int main()
{
	int *out;
	cudaMalloc(&out, 4 * sizeof *out);
	habits<<<1, 4>>>(out);
	cudaDeviceSynchronize();
	cudaFree(out);
	return 0;
}

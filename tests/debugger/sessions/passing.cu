// SPDX-License-Identifier: Apache-2.0
// Lines that are passed and functions that are stepped over.
#include <cstdio>

namespace geo {
template <typename T> __device__ T twice(T x)
{
	return x + x;
}
}

__device__ int inner(int x)
{
	return x + 1;
}

__device__ int outer(int x)
{
	int y = inner(x);
	return y * 10;
}

__global__ void passing(int *out)
{
	int t = threadIdx.x;
	int a = outer(t);
	int b = geo::twice(a);
	out[t] = a + b;
}

int triple(int x)
{
	return 3 * x;
}

int main()
{
	int *out;
	cudaMalloc(&out, 4 * sizeof *out);
	int sum = 0;
	for (int i = 0; i < 3; i++)
		sum += triple(i);
	sum += triple(10);
	passing<<<1, 4>>>(out);
	cudaDeviceSynchronize();
	cudaFree(out);
	return sum != 39;
}

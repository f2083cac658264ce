/* SPDX-License-Identifier: Apache-2.0 */
/* Instances of a template whose arguments are constants. */
#include <cstdio>

template <typename T, unsigned int size, bool twice> __global__ void fill(T *out)
{
	T value = size + threadIdx.x;
	if (twice)
		value *= 2;
	out[threadIdx.x] = value;
}

int main()
{
	float *out, host[4];
	cudaMalloc(&out, sizeof host);
	fill<float, 16, true><<<1, 4>>>(out);
	fill<float, 32, false><<<1, 4>>>(out);
	cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
	printf("%g\n", host[3]);
	return 0;
}

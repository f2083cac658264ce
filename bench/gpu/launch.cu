/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch of an empty kernel costs on a GPU: nanoseconds each, in the best of several
 * rounds, for launches that are only submitted, and for launches that are waited for one by
 * one; and of cudaGetLastError() and a cudaMemcpy of 4 bytes. bench/gpu/run builds it three
 * ways. */
#include <chrono>
#include <cstdio>

__global__ void empty()
{
}

static double now()
{
	return std::chrono::duration<double, std::nano>(
		std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename F> static double best(int rounds, int n, F f)
{
	double ret = 1e30;
	for (int r = 0; r < rounds; r++) {
		cudaDeviceSynchronize();
		double start = now();
		for (int i = 0; i < n; i++)
			f();
		double each = (now() - start) / n;
		if (each < ret)
			ret = each;
	}
	return ret;
}

int main()
{
	int *d, h = 0;
	if (cudaMalloc(&d, 4) != cudaSuccess)
		return 1;
	for (int i = 0; i < 1000; i++)
		empty<<<1, 1>>>();
	cudaDeviceSynchronize();
	double submitted = best(30, 500, [] { empty<<<1, 1>>>(); });
	double waited = best(20, 2000, [] { empty<<<1, 1>>>(); cudaDeviceSynchronize(); });
	double error = best(20, 100000, [] { cudaGetLastError(); });
	double copied = best(20, 1000, [&] { cudaMemcpy(d, &h, 4, cudaMemcpyHostToDevice); });
	printf("%.1f %.1f %.2f %.1f\n", submitted, waited, error, copied);
	return cudaGetLastError() != cudaSuccess;
}

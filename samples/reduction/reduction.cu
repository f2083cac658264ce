/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of an array: each block adds its part in shared memory, halving the
 * number of threads at each barrier; then one block adds the blocks' sums. The
 * order of the additions is fixed, so even the rounding is the same each time.
 *
 * usage: reduction [elements] */
#include <vector>

#include "../check.h"

static const int THREADS = 256;

template <typename T> __global__ void sum_blocks(const T *in, T *out, int n)
{
	__shared__ T part[THREADS];
	T mine = 0;
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
		mine += in[i];
	part[threadIdx.x] = mine;
	__syncthreads();

	for (int half = THREADS / 2; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = part[0];
}

template <typename T> static T sum(const std::vector<T> &values, int blocks)
{
	T *in, *parts, *total, result;
	CHECK(cudaMalloc(&in, values.size() * sizeof(T)));
	CHECK(cudaMalloc(&parts, blocks * sizeof(T)));
	CHECK(cudaMalloc(&total, sizeof(T)));
	CHECK(cudaMemcpy(in, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
	sum_blocks<<<blocks, THREADS>>>(in, parts, (int)values.size());
	sum_blocks<<<1, THREADS>>>(parts, total, blocks);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(&result, total, sizeof(T), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(in));
	CHECK(cudaFree(parts));
	CHECK(cudaFree(total));
	return result;
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, 1000003);
	std::vector<int> whole(n);
	std::vector<float> real(n);
	long long expected = 0;
	for (int i = 0; i < n; i++) {
		whole[i] = i % 1001 - 500;
		real[i] = 1.0f / (i + 1);
		expected += whole[i];
	}
	int total = sum(whole, 60);
	printf("integers: %d, the host says %lld\n", total, expected);
	printf("1 + 1/2 + ... + 1/%d: %.9g\n", n, sum(real, 60));
	printf("by one block: %.9g\n", sum(real, 1));
	return total != expected;
}

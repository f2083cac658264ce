/* SPDX-License-Identifier: Apache-2.0 */
/* How often does each byte value occur? Each block counts in shared memory with
 * atomics, then adds its counts to the total, so that blocks meet in global
 * memory only 256 times each.
 *
 * usage: histogram [bytes] */
#include <vector>

#include "../check.h"

static const int BINS = 256;

__global__ void count(const unsigned char *data, int n, unsigned *total)
{
	__shared__ unsigned mine[BINS];
	for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
		mine[bin] = 0;
	__syncthreads();

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&mine[data[i]], 1);
	__syncthreads();

	for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
		if (mine[bin] != 0)
			atomicAdd(&total[bin], mine[bin]);
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, 1000000);
	std::vector<unsigned char> data(n);
	unsigned expected[BINS] = {}, counted[BINS];
	uint32_t random = 1;
	for (unsigned char &byte : data) {
		random = random * 1664525u + 1013904223u;
		byte = (random >> 24) & (random >> 16); /* low values are likelier */
		expected[byte]++;
	}

	unsigned char *there;
	unsigned *total;
	CHECK(cudaMalloc(&there, n));
	CHECK(cudaMalloc(&total, sizeof expected));
	CHECK(cudaMemcpy(there, data.data(), n, cudaMemcpyHostToDevice));
	CHECK(cudaMemset(total, 0, sizeof expected));
	count<<<24, 192>>>(there, n, total);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(counted, total, sizeof counted, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(there));
	CHECK(cudaFree(total));

	int wrong = 0;
	for (int bin = 0; bin < BINS; bin++)
		wrong += counted[bin] != expected[bin];
	for (int bin = 0; bin < 8; bin++)
		printf("%d occurs %u times\n", bin, counted[bin]);
	printf("%d bins differ from the host's, bits %016llx\n", wrong,
	       (unsigned long long)bits(counted, BINS));
	return wrong != 0;
}

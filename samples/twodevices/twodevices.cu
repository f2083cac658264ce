/* SPDX-License-Identifier: Apache-2.0 */
/* Two devices, chosen by number: each squares its half of an array in memory of
 * its own. Where there is one device only, device 1 answers with an error and
 * the halves are both done by device 0. */
#include "../check.h"

__device__ int launches; /* one for each device */

__global__ void square(int *values, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		values[i] *= values[i];
	if (i == 0)
		launches++;
}

int main()
{
	int n_devices;
	CHECK(cudaGetDeviceCount(&n_devices));
	printf("more than one device: %s\n", n_devices > 1 ? "yes" : "no");

	const int half = 1000;
	static int values[2][half];
	int *there[2], used[2];
	for (int part = 0; part < 2; part++) {
		for (int i = 0; i < half; i++)
			values[part][i] = part * half + i;

		cudaError_t error = cudaSetDevice(part);
		printf("choose device %d: %s\n", part, cudaGetErrorName(error));
		if (error != cudaSuccess) {
			cudaGetLastError();
			CHECK(cudaSetDevice(0));
		}
		CHECK(cudaGetDevice(&used[part]));
		CHECK(cudaMalloc(&there[part], sizeof values[part]));
		CHECK(cudaMemcpy(there[part], values[part], sizeof values[part],
				 cudaMemcpyHostToDevice));
		square<<<(half + 255) / 256, 256>>>(there[part], half);
		CHECK(cudaGetLastError());
	}
	for (int part = 0; part < 2; part++) {
		CHECK(cudaSetDevice(used[part]));
		CHECK(cudaMemcpy(values[part], there[part], sizeof values[part],
				 cudaMemcpyDeviceToHost));
		int count;
		CHECK(cudaMemcpyFromSymbol(&count, launches, sizeof count));
		cudaPointerAttributes where;
		CHECK(cudaPointerGetAttributes(&where, there[part]));
		printf("half %d: on device %d, memory of device %d, launches there %d, last value %d\n",
		       part, used[part], where.device, count, values[part][half - 1]);
		CHECK(cudaFree(there[part]));
	}
	printf("bits %016llx\n", (unsigned long long)bits(&values[0][0], 2 * half));
	return 0;
}

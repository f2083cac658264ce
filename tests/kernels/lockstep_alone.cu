/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep_alone.cu - a warp sorts in global memory by a network, in a module that has no shared memory
 * and computes no number of a lane. The case prints the number of elements at wrong places. */
#include <algorithm>

#include "case.cuh"

enum { LANES = 32, N = 128 };

struct view {
	int *data;
	long size;
	__device__ int &operator[](long i) const
	{
		return data[i];
	}
};

/* Nothing but this meeting says that it is for one warp. */
__global__ void by_one_warp(view a)
{
	__syncwarp();
	for (int s = 2; s <= N; s *= 2)
		for (int w = s / 2; w >= 1; w /= 2)
			for (int j = threadIdx.x; j < N / 2; j += blockDim.x) {
				int i = j + (j & -w), low = a[i], high = a[i + w];
				if (i & s ? low < high : low > high) {
					a[i] = high;
					a[i + w] = low;
				}
			}
}

int main()
{
	int *elements, want[N], wrong = 0;
	CHECK(cudaMallocManaged(&elements, N * sizeof *elements));
	for (int i = 0; i < N; i++)
		want[i] = elements[i] = (i * 7919 + i * i % 1009) % 10007;
	std::sort(want, want + N);
	by_one_warp<<<1, LANES>>>(view{elements, N});
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < N; i++)
		wrong += elements[i] != want[i];
	say("one warp", "%d wrong", wrong);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#define ALL 0xffffffffu

__device__ int warp_sum(int value)
{
	for (int far = 16; far > 0; far /= 2)
		value += __shfl_xor_sync(ALL, value, far);
	return value;
}

__device__ int rotate(int value, int by)
{
	return __shfl_sync(ALL, value, (threadIdx.x + by) % 32);
}

__device__ int warp_scan(int value)
{
	int lane = threadIdx.x % 32;
	for (int far = 1; far < 32; far *= 2) {
		int left = __shfl_up_sync(ALL, value, far);
		if (lane >= far)
			value += left;
	}
	return value;
}

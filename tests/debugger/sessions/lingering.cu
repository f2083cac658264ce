/* SPDX-License-Identifier: Apache-2.0 */
/* Steps over what waits for the rest of a block, or of a warp, without a barrier. */
#include <cstdio>

__device__ int sum(int v)
{
	__shared__ int sums[2];
	v = __reduce_add_sync(~0u, v);
	if (threadIdx.x % 32 == 0)
		sums[threadIdx.x / 32] = v;
	__syncthreads();
	if (threadIdx.x == 0)
		sums[0] += sums[1];
	__syncthreads();
	v = sums[0];
	return __shfl_down_sync(0xffff, v, 1);
}

__global__ void twice(int *out)
{
	int a = sum(1);
	int b = sum(2);
	if (threadIdx.x % 32 < 16)
		b += __ballot_sync(0xffff, 1);
	out[threadIdx.x] = a * 1000 + b;
}

int main()
{
	int *out, all[64];
	cudaMalloc(&out, sizeof all);
	twice<<<1, 64>>>(out);
	cudaMemcpy(all, out, sizeof all, cudaMemcpyDeviceToHost);
	printf("%d %d\n", all[0], all[63]);
	return 0;
}

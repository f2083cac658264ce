/* SPDX-License-Identifier: Apache-2.0 */
#define BLOCK 256

__global__ void block_sums(const int *in, int n, int *sums)
{
	__shared__ int part[BLOCK];
	int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
	part[t] = i < n ? in[i] : 0;
	__syncthreads();
	for (int half = BLOCK / 2; half > 0; half /= 2) {
		if (t < half)
			part[t] += part[t + half];
		__syncthreads();
	}
	if (t == 0)
		sums[blockIdx.x] = part[0];
}

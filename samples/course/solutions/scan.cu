/* SPDX-License-Identifier: Apache-2.0 */
#define BLOCK 256

__global__ void scan(const int *in, int *out, int n)
{
	__shared__ int sum[BLOCK];
	int t = threadIdx.x;
	sum[t] = t < n ? in[t] : 0;
	__syncthreads();
	for (int far = 1; far < BLOCK; far *= 2) {
		int left = t >= far ? sum[t - far] : 0;
		__syncthreads();
		sum[t] += left;
		__syncthreads();
	}
	if (t < n)
		out[t] = sum[t];
}

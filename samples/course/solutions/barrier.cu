/* SPDX-License-Identifier: Apache-2.0 */
#define BLOCK 128

__global__ void turn(int *values, int n)
{
	__shared__ int row[BLOCK];
	int first = blockIdx.x * BLOCK, t = threadIdx.x;
	int here = min(n - first, BLOCK);
	if (t < here)
		row[t] = values[first + t];
	__syncthreads();
	if (t < here)
		values[first + t] = row[(t + 1) % here];
}

__global__ void subtract_sum(const int *in, int *out)
{
	__shared__ int sum;
	if (threadIdx.x == 0) {
		sum = 0;
		for (int i = 0; i < 32; i++)
			sum += in[i];
	}
	__syncthreads();
	out[threadIdx.x] = in[threadIdx.x] - sum;
}

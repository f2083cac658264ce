/* SPDX-License-Identifier: Apache-2.0 */
__global__ void twice(int *values, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		values[i] *= 2;
}

__global__ void plus_one(int *values, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		values[i] += 1;
}

__global__ void add(const int *a, const int *b, int *sum, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		sum[i] = a[i] + b[i];
}

void submit(cudaStream_t left, cudaStream_t right, int *a, int *b, int *sum, int n)
{
	int blocks = (n + 127) / 128;
	cudaEvent_t done;
	cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
	twice<<<blocks, 128, 0, left>>>(a, n);
	plus_one<<<blocks, 128, 0, right>>>(b, n);
	cudaEventRecord(done, right);
	cudaStreamWaitEvent(left, done, 0);
	add<<<blocks, 128, 0, left>>>(a, b, sum, n);
	cudaEventDestroy(done);
}

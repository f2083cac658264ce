/* SPDX-License-Identifier: Apache-2.0 */
/* Exercise 12, graphs: submit once, run often.
 *
 * A graph is work with its dependencies, which the device runs as a whole. The simplest way to
 * make one is to record a stream: between cudaStreamBeginCapture and cudaStreamEndCapture what is
 * submitted is not done but becomes nodes. Another stream joins the recording when it waits for an
 * event of the recorded one, and has to be led back by an event before the recording ends. */
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
		sum[i] += a[i] + b[i];
}

/* A graph of three kernels: twice of a, and independently plus_one of b; then add of both to sum.
 *
 * TODO: Record left (the mode is cudaStreamCaptureModeGlobal), let right branch off before the
 * first kernel, and lead it back before add. */
cudaGraph_t record(cudaStream_t left, cudaStream_t right, int *a, int *b, int *sum, int n)
{
	int blocks = (n + 127) / 128;
	cudaGraph_t graph = nullptr;
	twice<<<blocks, 128, 0, left>>>(a, n);
	plus_one<<<blocks, 128, 0, right>>>(b, n);
	add<<<blocks, 128, 0, left>>>(a, b, sum, n);
	return graph;
}

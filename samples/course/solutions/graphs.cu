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
		sum[i] += a[i] + b[i];
}

cudaGraph_t record(cudaStream_t left, cudaStream_t right, int *a, int *b, int *sum, int n)
{
	int blocks = (n + 127) / 128;
	cudaGraph_t graph = nullptr;
	cudaEvent_t begun, done;
	cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
	cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
	cudaStreamBeginCapture(left, cudaStreamCaptureModeGlobal);
	cudaEventRecord(begun, left);
	cudaStreamWaitEvent(right, begun, 0);
	twice<<<blocks, 128, 0, left>>>(a, n);
	plus_one<<<blocks, 128, 0, right>>>(b, n);
	cudaEventRecord(done, right);
	cudaStreamWaitEvent(left, done, 0);
	add<<<blocks, 128, 0, left>>>(a, b, sum, n);
	cudaStreamEndCapture(left, &graph);
	cudaEventDestroy(begun);
	cudaEventDestroy(done);
	return graph;
}

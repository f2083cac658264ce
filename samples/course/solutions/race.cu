/* SPDX-License-Identifier: Apache-2.0 */
#define MOST 256

__global__ void smooth(int *values, int n, int steps)
{
	__shared__ int row[MOST];
	int t = threadIdx.x;
	row[t] = values[t];
	for (int s = 0; s < steps; s++) {
		__syncthreads(); /* all have written */
		int mean = t > 0 ? (row[t - 1] + row[t]) / 2 : row[0];
		__syncthreads(); /* all have read */
		row[t] = mean;
	}
	values[t] = row[t];
}

__global__ void shift(const int *from, int *to, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		to[i] = from[(i + 1) % n];
}

void shift_in_place(int *values, int *spare, int n)
{
	shift<<<(n + 127) / 128, 128>>>(values, spare, n);
	cudaMemcpyAsync(values, spare, n * sizeof *values, cudaMemcpyDeviceToDevice);
}

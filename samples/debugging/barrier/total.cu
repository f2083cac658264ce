/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of 128 numbers, with a missing barrier: find it with the debugger (README.md). */
#include <cstdio>

static const int THREADS = 128;

__global__ void total(const int *in, int *out)
{
	__shared__ int part[THREADS];
	int t = threadIdx.x;
	part[t] = in[t];
	__syncthreads();
	for (int half = THREADS / 2; half > 0; half /= 2) {
		if (t < half)
			part[t] += part[t + half];
	}
	if (t == 0)
		*out = part[0];
}

int main()
{
	int in[THREADS], out, *din, *dout, expected = 0;
	for (int i = 0; i < THREADS; i++)
		expected += in[i] = i + 1;
	cudaMalloc(&din, sizeof in);
	cudaMalloc(&dout, sizeof out);
	cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice);
	total<<<1, THREADS>>>(din, dout);
	cudaMemcpy(&out, dout, sizeof out, cudaMemcpyDeviceToHost);
	printf("the sum is %d, not %d\n", out, expected);
	return out != expected;
}

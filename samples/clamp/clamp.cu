/* SPDX-License-Identifier: Apache-2.0 */
/* One function for both sides: the host and the device call the same clamp. */
#include "../check.h"

template <typename T> __host__ __device__ T clamp(T value, T low, T high)
{
	return value < low ? low : value > high ? high : value;
}

__global__ void clamp_all(float *values, int n, float low, float high)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		values[i] = clamp(values[i], low, high);
}

int main()
{
	const int n = 12;
	float values[n], here[n];
	for (int i = 0; i < n; i++) {
		values[i] = 0.75f * (i - 5);
		here[i] = clamp(values[i], -1.0f, 2.5f);
	}

	float *there;
	CHECK(cudaMalloc(&there, sizeof values));
	CHECK(cudaMemcpy(there, values, sizeof values, cudaMemcpyHostToDevice));
	clamp_all<<<1, 32>>>(there, n, -1.0f, 2.5f);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(values, there, sizeof values, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(there));

	int wrong = 0;
	for (int i = 0; i < n; i++) {
		printf("%2d: host %5.2f, device %5.2f\n", i, here[i], values[i]);
		wrong += here[i] != values[i];
	}
	printf("%d differ\n", wrong);
	return wrong != 0;
}

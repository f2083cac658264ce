// SPDX-License-Identifier: Apache-2.0
// A NaN and an infinity on their way: made in prepare(), through shared memory, a function, sums.
#include <cmath>

__device__ float scaled(float v, float by)
{
	return v * by;
}

__global__ void prepare(float *x)
{
	float v = threadIdx.x;
	x[threadIdx.x] = sqrtf(v - 1);
	if (threadIdx.x == 40)
		x[40] = v / (v - 40);
}

__global__ void use(float *x, float *y)
{
	__shared__ float s[64];
	int t = threadIdx.x;
	s[t] = x[t];
	__syncthreads();
	float sum = 0;
	for (int k = 0; k < 4; k++)
		sum += scaled(s[(t + k) % 64], 2);
	y[t] = sum;
}

__global__ void total(const float *y, double *d)
{
	double all = 0;
	for (int k = 0; k < 64; k++)
		all += y[k];
	*d = all;
}

int main()
{
	float *x, *y;
	double *d;
	cudaMalloc(&x, 64 * sizeof *x);
	cudaMalloc(&y, 64 * sizeof *y);
	cudaMalloc(&d, sizeof *d);
	prepare<<<2, 32>>>(x);
	prepare<<<1, 64>>>(x);
	use<<<1, 64>>>(x, y);
	total<<<1, 1>>>(y, d);
	cudaDeviceSynchronize();
	return 0;
}

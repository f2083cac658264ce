/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.cuh - the kernels that bodies.cu and check.cu both measure: a vector sum, a
 * block's sum by a tree (256 threads), a matrix product by tiles of 16. */
#pragma once

__global__ void add(const float *a, const float *b, float *c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	c[i] = a[i] + b[i];
}

__global__ void reduce(const float *p, float *out)
{
	__shared__ float s[256];
	int t = threadIdx.x;
	s[t] = p[blockIdx.x * 256 + t];
	__syncthreads();
	for (int d = 128; d > 0; d /= 2) {
		if (t < d)
			s[t] += s[t + d];
		__syncthreads();
	}
	if (t == 0)
		out[blockIdx.x] = s[0];
}

__global__ void product(const float *a, const float *b, float *c, int n)
{
	__shared__ float as[16][16], bs[16][16];
	int x = threadIdx.x, y = threadIdx.y;
	int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
	float sum = 0;
	for (int k = 0; k < n; k += 16) {
		as[y][x] = a[row * n + k + x];
		bs[y][x] = b[(k + y) * n + column];
		__syncthreads();
		for (int j = 0; j < 16; j++)
			sum += as[y][j] * bs[j][x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}

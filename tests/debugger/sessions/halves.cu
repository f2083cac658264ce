// SPDX-License-Identifier: Apache-2.0
// Numbers of several formats, and no function called on them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void halves(float *p, __half *h, __nv_bfloat16 *b)
{
	float x = 0.5f * threadIdx.x;
	double d = 0.5;
	h[threadIdx.x] = __half(1.5f);
	b[threadIdx.x] = __nv_bfloat16(-0.25f);
	p[threadIdx.x] = x + (float)d;
	p[threadIdx.x] += 1;
}

int main()
{
	float *p;
	__half *h;
	__nv_bfloat16 *b;
	cudaMalloc(&p, 32 * sizeof *p);
	cudaMalloc(&h, 32 * sizeof *h);
	cudaMalloc(&b, 32 * sizeof *b);
	halves<<<1, 32>>>(p, h, b);
	return cudaDeviceSynchronize() != cudaSuccess;
}

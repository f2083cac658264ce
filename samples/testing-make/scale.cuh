/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCALE_CUH
#define SCALE_CUH

/* value times factor, held to 0 .. 255. */
__host__ __device__ inline int scale(int value, float factor)
{
	float scaled = value * factor;
	return scaled < 0 ? 0 : scaled > 255 ? 255 : (int)scaled;
}

static __global__ void scale_all(int *values, int n, float factor)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		values[i] = scale(values[i], factor);
}

#endif

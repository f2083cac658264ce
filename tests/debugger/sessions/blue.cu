/* SPDX-License-Identifier: Apache-2.0 */
/* The other library: see red.cu. */
#include <cuda_runtime.h>

__device__ int seen = 2;

static __global__ void paint(int *out)
{
	int colour = 200 + threadIdx.x;
	out[threadIdx.x] = colour + seen;
}

void blue(int *out)
{
	paint<<<1, 4>>>(out);
}

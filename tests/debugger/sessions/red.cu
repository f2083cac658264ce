/* SPDX-License-Identifier: Apache-2.0 */
/* One of two libraries with a kernel of the same name; blue.cu is the other. */
#include <cuda_runtime.h>

__device__ int seen = 1;

static __global__ void paint(int *out)
{
	int colour = 100 + threadIdx.x;
	out[threadIdx.x] = colour + seen;
}

void red(int *out)
{
	paint<<<1, 4>>>(out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* drawn.cuh - numbers for kernels to work on: Thomas Wang's hash of 32 bits. */
#ifndef DRAWN_CUH
#define DRAWN_CUH

static __device__ unsigned drawn(unsigned i)
{
	i = (i ^ 61) ^ (i >> 16);
	i *= 9;
	i ^= i >> 4;
	i *= 0x27d4eb2d;
	return i ^ (i >> 15);
}

#endif

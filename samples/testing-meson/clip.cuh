/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLIP_CUH
#define CLIP_CUH

/* A segment of a line, and the part of it within low .. high; empty where from > to. */
struct segment {
	float from, to;
};

__device__ inline segment clip(segment s, float low, float high)
{
	s.from = s.from < low ? low : s.from;
	s.to = s.to > high ? high : s.to;
	return s;
}

/* The length of all parts, added by one block. */
static __global__ void clipped_length(const segment *segments, int n, float low, float high, float *length)
{
	__shared__ float sum;
	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		segment s = clip(segments[i], low, high);
		if (s.from < s.to)
			atomicAdd(&sum, s.to - s.from);
	}
	__syncthreads();
	if (threadIdx.x == 0)
		*length = sum;
}

#endif

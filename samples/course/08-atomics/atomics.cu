/* SPDX-License-Identifier: Apache-2.0 */
/* Exercise 8, atomics: many threads, one counter.
 *
 * bins[b]++ is a load, an addition and a store. If two threads do it at the same time, one of the
 * additions is lost. atomicAdd(&bins[b], 1) does the three as one. Threads that add to the same
 * address wait for each other, and those of all blocks meet at the same 64 addresses; so let each
 * block count in shared memory, and add its counts to the global ones once, when it has all. */
#define BINS 64

/* Adds to bins[b] the number of values b (0 .. BINS - 1) among the n values. Any number of blocks,
 * of at least BINS threads each. A block takes the values blockIdx.x * blockDim.x + threadIdx.x,
 * then those a whole grid further on, until there are none. */
__global__ void histogram(const unsigned char *values, int n, int *bins)
{
	/* TODO: counters of the block, set to 0; note that shared memory is not cleared for you. */
	int grid = gridDim.x * blockDim.x;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += grid)
		bins[values[i]]++; /* TODO */
	/* TODO: add the block's counters to bins. */
}

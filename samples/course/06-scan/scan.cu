/* SPDX-License-Identifier: Apache-2.0 */
/* Exercise 6, scan: the sum of all that came before.
 *
 * The inclusive scan of 3 1 7 0 is 3 4 11 11. It looks like work for one thread, but log2(n) steps
 * of all threads do it: in the first step each thread adds its left neighbour's value, in the next
 * the value two places to the left, then four, eight ...
 *
 *	3 1 7 0   ->   3 4 8 7   ->   3 4 11 11
 *
 * In each step every thread reads a value that another one is about to change (exercise 4). */
#define BLOCK 256

/* out[i] = in[0] + ... + in[i] for n <= BLOCK values, in one block of BLOCK threads. */
__global__ void scan(const int *in, int *out, int n)
{
	__shared__ int sum[BLOCK];
	int t = threadIdx.x;
	sum[t] = t < n ? in[t] : 0;
	__syncthreads();
	/* TODO: the steps */
	if (t < n)
		out[t] = sum[t];
}

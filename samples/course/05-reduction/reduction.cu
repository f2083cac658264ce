/* SPDX-License-Identifier: Apache-2.0 */
/* Exercise 5, reduction: from many values to one, in few steps.
 *
 * One thread needs BLOCK - 1 additions for BLOCK values, one after the other. Many threads need
 * log2(BLOCK) steps: in each step the lower half of the threads adds the upper half's values to its
 * own, and the half becomes the whole. A barrier separates the steps. */
#define BLOCK 256

/* Each block adds its BLOCK values of in (fewer in the last block, since there are n) and stores
 * the sum in sums[its number]. Blocks have BLOCK threads. */
__global__ void block_sums(const int *in, int n, int *sums)
{
	__shared__ int part[BLOCK];
	int t = threadIdx.x;
	/* TODO: each thread loads its value, or 0 where there is none */
	part[t] = 0;
	/* TODO: the steps. In each step whole warps should work or not work: let neighbouring threads
	 * do the same (t < half), not each second, each fourth ... of them. */
	if (t == 0)
		sums[blockIdx.x] = part[0];
}

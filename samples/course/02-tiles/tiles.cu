/* SPDX-License-Identifier: Apache-2.0 */
/* Exercise 2, tiles: load once, use often.
 *
 * Each output needs RADIUS inputs on either side of it, so neighbouring threads need mostly the
 * same inputs. A block loads what its threads need into shared memory, its tile, once, and the
 * threads read the tile.
 *
 *	left halo (RADIUS)  the block's own elements (BLOCK)  right halo (RADIUS)
 */
#define RADIUS 3
#define BLOCK 64

/* out[i] = in[i - RADIUS] + ... + in[i + RADIUS], where elements before in[0] and after in[n - 1]
 * count as 0. Blocks have BLOCK threads. */
__global__ void window_sum(const int *in, int *out, int n)
{
	__shared__ int tile[RADIUS + BLOCK + RADIUS];
	int i = blockIdx.x * BLOCK + threadIdx.x;
	int place = RADIUS + threadIdx.x; /* of element i in the tile */

	tile[place] = i < n ? in[i] : 0;
	/* TODO: the first RADIUS threads of the block load the left halo and the right halo, too. */
	__syncthreads(); /* exercise 3 is about this */

	int sum = 0;
	for (int k = -RADIUS; k <= RADIUS; k++)
		sum += tile[place + k];
	if (i < n)
		out[i] = sum;
}

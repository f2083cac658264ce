/* SPDX-License-Identifier: Apache-2.0 */
/* Exercise 10, matrix product: exercises 1 to 3 in two dimensions.
 *
 * This kernel is right, but each thread loads a whole row and a whole column: every element of a
 * and b is loaded again and again. Let each block of TILE x TILE threads compute a tile of c. It
 * walks along its rows of a and its columns of b in steps of TILE: load a tile of each into shared
 * memory, wait, add the products, wait, next tiles. */
#define TILE 16

/* c = a b, where a has m rows of k elements, b k rows of n, and c m rows of n. Blocks are
 * TILE x TILE threads; the sizes need not be multiples of TILE. */
__global__ void product(const float *a, const float *b, float *c, int m, int k, int n)
{
	int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
	if (row >= m || column >= n)
		return;
	float sum = 0;
	for (int i = 0; i < k; i++)
		sum += a[row * k + i] * b[i * n + column];
	c[row * n + column] = sum;
}

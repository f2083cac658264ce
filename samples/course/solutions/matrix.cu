/* SPDX-License-Identifier: Apache-2.0 */
#define TILE 16

__global__ void product(const float *a, const float *b, float *c, int m, int k, int n)
{
	__shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
	float sum = 0;
	for (int first = 0; first < k; first += TILE) {
		tile_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0;
		tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0;
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += tile_a[y][i] * tile_b[i][x];
		__syncthreads();
	}
	if (row < m && column < n)
		c[row * n + column] = sum;
}

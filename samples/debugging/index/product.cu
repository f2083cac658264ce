/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B by tiles, with a wrong index: find it with the debugger (README.md). */
#include <cstdio>
#include <vector>

static const int TILE = 4;

/* a, b and c are n x n, row by row; n is a multiple of TILE. */
__global__ void multiply(const float *a, const float *b, float *c, int n)
{
	__shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
	float sum = 0;

	for (int k = 0; k < n; k += TILE) {
		tile_a[y][x] = a[row * n + k + x];
		tile_b[y][x] = b[(k + x) * n + column];
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += tile_a[y][i] * tile_b[i][x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}

int main()
{
	const int n = 8;
	std::vector<float> a(n * n), b(n * n), c(n * n);
	for (int i = 0; i < n; i++) {
		a[i * n + i] = 1; /* times the identity: c is to be b */
		for (int j = 0; j < n; j++)
			b[i * n + j] = i * 10 + j;
	}
	float *da, *db, *dc;
	size_t bytes = n * n * sizeof(float);
	cudaMalloc(&da, bytes);
	cudaMalloc(&db, bytes);
	cudaMalloc(&dc, bytes);
	cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
	cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
	multiply<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(da, db, dc, n);
	cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);

	int wrong = 0;
	for (int i = 0; i < n * n; i++)
		wrong += c[i] != b[i];
	printf("%d of %d wrong; c[0][1] is %g, not %g\n", wrong, n * n, c[1], b[1]);
	return wrong != 0;
}

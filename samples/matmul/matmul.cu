/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B by tiles: a block computes a 16x16 tile of C and loads the tiles of A
 * and B that it needs into shared memory, so that each value is read from global
 * memory once per tile instead of once per product.
 *
 * usage: matmul [rows inner columns] */
#include <vector>

#include "../check.h"

static const int TILE = 16;

/* a is rows x inner, b is inner x columns, c is rows x columns, row by row. */
__global__ void multiply(const float *a, const float *b, float *c, int rows, int inner, int columns)
{
	__shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE + 1];
	int x = threadIdx.x, y = threadIdx.y;
	int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
	float sum = 0;

	for (int k = 0; k < inner; k += TILE) {
		tile_a[y][x] = row < rows && k + x < inner ? a[row * inner + k + x] : 0;
		tile_b[y][x] = k + y < inner && column < columns ? b[(k + y) * columns + column] : 0;
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += tile_a[y][i] * tile_b[i][x];
		__syncthreads();
	}
	if (row < rows && column < columns)
		c[row * columns + column] = sum;
}

int main(int argc, char **argv)
{
	int rows = argument(argc, argv, 1, 200), inner = argument(argc, argv, 2, 300),
	    columns = argument(argc, argv, 3, 250);
	std::vector<float> a(rows * inner), b(inner * columns), c(rows * columns);
	for (size_t i = 0; i < a.size(); i++)
		a[i] = (int)(i * 7 % 19 - 9) / 8.0f;
	for (size_t i = 0; i < b.size(); i++)
		b[i] = 1.0f / (1 + i % 23);

	float *da, *db, *dc;
	CHECK(cudaMalloc(&da, a.size() * sizeof(float)));
	CHECK(cudaMalloc(&db, b.size() * sizeof(float)));
	CHECK(cudaMalloc(&dc, c.size() * sizeof(float)));
	CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
	dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
	multiply<<<grid, dim3(TILE, TILE)>>>(da, db, dc, rows, inner, columns);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dc));

	double worst = 0;
	for (int row = 0; row < rows; row++)
		for (int column = 0; column < columns; column++) {
			double sum = 0;
			for (int k = 0; k < inner; k++)
				sum += (double)a[row * inner + k] * b[k * columns + column];
			worst = fmax(worst, fabs(sum - c[row * columns + column]));
		}
	printf("%d x %d times %d x %d\n", rows, inner, inner, columns);
	printf("c[0][0] %.9g, last %.9g, bits %016llx\n", c[0], c.back(),
	       (unsigned long long)bits(c.data(), c.size()));
	printf("within 1e-4 of the host's double sum: %s\n", worst < 1e-4 ? "yes" : "no");
	return !(worst < 1e-4);
}

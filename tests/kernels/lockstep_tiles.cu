/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep_tiles.cu - the borders of tiles, stored by some lanes of a warp where others have stored
 * before. With numbers for the last column and row the source assumes a block; in a larger one what
 * is compared with is not the last, and the border overwrites the next lane's element. The host takes
 * the same steps one after the other, each for all lanes; a case prints the number of lanes that have
 * come to something else. */
#include "lanes.cuh"

enum { COLUMNS = 18, ROWS = 12, ELEMENTS = COLUMNS * ROWS };

static __device__ __host__ int around(const int (*tile)[COLUMNS], int x, int y)
{
	return tile[y + 1][x + 1] + 3 * tile[y + 1][x] + 5 * tile[y + 1][x + 2] +
	       7 * tile[y][x + 1] + 11 * tile[y + 2][x + 1];
}

/* For blocks of 8 x 4. */
__global__ void numbers(const int *from, int *to)
{
	__shared__ int tile[ROWS][COLUMNS];
	int x = threadIdx.x, y = threadIdx.y, lane = y * blockDim.x + x;
	for (int i = lane; i < ELEMENTS; i += LANES)
		tile[0][i] = 0;
	__syncthreads();
	tile[y + 1][x + 1] = from[lane];
	if (x == 0)
		tile[y + 1][0] = 1000 + y;
	if (x == 7)
		tile[y + 1][9] = 2000 + y;
	if (y == 0)
		tile[0][x + 1] = 3000 + x;
	if (y == 3)
		tile[5][x + 1] = 4000 + x;
	__syncthreads();
	to[lane] = around(tile, x, y);
}

/* For any block. */
__global__ void sizes(const int *from, int *to)
{
	__shared__ int tile[ROWS][COLUMNS];
	int x = threadIdx.x, y = threadIdx.y, lane = y * blockDim.x + x;
	for (int i = lane; i < ELEMENTS; i += LANES)
		tile[0][i] = 0;
	__syncthreads();
	tile[y + 1][x + 1] = from[lane];
	if (x == 0)
		tile[y + 1][0] = 1000 + y;
	if (x == blockDim.x - 1)
		tile[y + 1][x + 2] = 2000 + y;
	if (y == 0)
		tile[0][x + 1] = 3000 + x;
	if (y == blockDim.y - 1)
		tile[y + 2][x + 1] = 4000 + x;
	__syncthreads();
	to[lane] = around(tile, x, y);
}

/* A halo of two elements, by the first two lanes of a row or column, in blocks of 8 x 4. In others nvcc
 * chooses the order of the stores. */
__global__ void halo(const int *from, int *to)
{
	__shared__ int tile[ROWS][COLUMNS];
	int x = threadIdx.x, y = threadIdx.y, lane = y * blockDim.x + x;
	for (int i = lane; i < ELEMENTS; i += LANES)
		tile[0][i] = 0;
	__syncthreads();
	int column = blockIdx.x * 8 + x, row = blockIdx.y * 4 + y;
	tile[y + 2][x + 2] = from[row * blockDim.x + column];
	if (x < 2) {
		tile[y + 2][x] = 1000 + row;
		tile[y + 2][x + 8 + 2] = 2000 + row;
	}
	if (y < 2) {
		tile[y][x + 2] = 3000 + column;
		tile[y + 4 + 2][x + 2] = 4000 + column;
	}
	__syncthreads();
	to[lane] = around(tile, x, y) + 13 * around(tile, x + 2, y + 2);
}

/* Some lanes of each row load what lanes of another row have stored. */
__global__ void between_rows(const int *from, int *to)
{
	__shared__ int line[2 * LANES];
	int lane = threadIdx.y * blockDim.x + threadIdx.x;
	line[lane] = line[lane + LANES] = -1;
	to[lane] = 0;
	__syncthreads();
	line[lane + 10] = from[lane];
	if (threadIdx.x < 4)
		to[lane] = line[lane];
}

/* Some lanes of each row load what lanes of another row overwrite. */
__global__ void under_rows(const int *from, int *to)
{
	__shared__ int line[2 * LANES];
	int lane = threadIdx.y * blockDim.x + threadIdx.x, value = -1;
	line[lane] = from[lane];
	line[lane + LANES] = -1;
	__syncthreads();
	if (threadIdx.x < 4)
		value = line[lane];
	line[lane + 10] = -2;
	to[lane] = value;
}

/* ---- the same steps on the host -------------------------------------------------- */

struct block {
	int width, height; /* 32 threads */
};

static block now;

template <class Store> static void each_lane(Store store)
{
	for (int lane = 0; lane < LANES; lane++)
		store(lane % now.width, lane / now.width);
}

static int after_borders(int lane, int last_x, int last_y)
{
	static int tile[ROWS][COLUMNS];
	memset(tile, 0, sizeof tile);
	each_lane([](int x, int y) { tile[y + 1][x + 1] = in[y * now.width + x]; });
	for (int y = 0; y < now.height; y++)
		tile[y + 1][0] = 1000 + y;
	for (int y = 0; y < now.height && last_x < now.width; y++)
		tile[y + 1][last_x + 2] = 2000 + y;
	for (int x = 0; x < now.width; x++)
		tile[0][x + 1] = 3000 + x;
	for (int x = 0; x < now.width && last_y < now.height; x++)
		tile[last_y + 2][x + 1] = 4000 + x;
	return around(tile, lane % now.width, lane / now.width);
}

static int after_numbers(int lane)
{
	return after_borders(lane, 7, 3);
}

static int after_sizes(int lane)
{
	return after_borders(lane, now.width - 1, now.height - 1);
}

static int after_halo(int lane)
{
	static int tile[ROWS][COLUMNS];
	int x = lane % now.width, y = lane / now.width;
	memset(tile, 0, sizeof tile);
	each_lane([](int x, int y) { tile[y + 2][x + 2] = in[y * now.width + x]; });
	for (int i = 0; i < 2 * now.height; i++)
		tile[i / 2 + 2][i % 2] = 1000 + i / 2;
	for (int i = 0; i < 2 * now.height; i++)
		tile[i / 2 + 2][i % 2 + 10] = 2000 + i / 2;
	for (int i = 0; i < 2 * now.width; i++)
		tile[i % 2][i / 2 + 2] = 3000 + i / 2;
	for (int i = 0; i < 2 * now.width; i++)
		tile[i % 2 + 6][i / 2 + 2] = 4000 + i / 2;
	return around(tile, x, y) + 13 * around(tile, x + 2, y + 2);
}

static int from_the_other_row(int lane)
{
	return lane % now.width >= 4 ? 0 : lane < 10 ? -1 : in[lane - 10];
}

static int own_in_a_row(int lane)
{
	return lane % now.width >= 4 ? -1 : in[lane];
}

static void run(const char *name, void (*kernel)(const int *, int *), int (*wanted)(int), block shape)
{
	now = shape;
	kernel<<<1, dim3(shape.width, shape.height)>>>(in, out);
	check(name, wanted);
}

int main()
{
	make_lanes();
	run("numbers, 8 x 4", numbers, after_numbers, {8, 4});
	run("numbers, 16 x 2", numbers, after_numbers, {16, 2});
	run("numbers, 4 x 8", numbers, after_numbers, {4, 8});
	run("sizes, 8 x 4", sizes, after_sizes, {8, 4});
	run("sizes, 16 x 2", sizes, after_sizes, {16, 2});
	run("sizes, 4 x 8", sizes, after_sizes, {4, 8});
	run("halo, 8 x 4", halo, after_halo, {8, 4});
	run("between rows, 16 x 2", between_rows, from_the_other_row, {16, 2});
	run("between rows, 8 x 4", between_rows, from_the_other_row, {8, 4});
	run("under rows, 16 x 2", under_rows, own_in_a_row, {16, 2});
	run("under rows, 8 x 4", under_rows, own_in_a_row, {8, 4});
	return 0;
}

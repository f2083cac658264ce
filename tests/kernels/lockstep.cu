/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep.cu - a warp writes a tile of shared memory, each lane a row, and each lane reads a
 * column, with no __syncwarp() between: all lanes have written before one reads. How the
 * address comes to the access differs. A case prints the number of wrong elements. */
#include <cstring>

#include "case.cuh"

typedef unsigned short element;

enum { SIDE = 32, SIZE = SIDE * SIDE };

static element *out;

/* What element i of the tile is to hold. */
__host__ __device__ static element at(int i, int seed)
{
	return (element)(i * 7 + seed);
}

/* ---- the address lies in an aggregate ------------------------------------- */

struct layout { int row, column; };
struct view {
	struct { element *data; } pointer;
	layout order;

	__device__ element &operator()(int row, int column)
	{
		return pointer.data[row * order.row + column * order.column];
	}
};

template <class A, class B> struct both {
	A first;
	B second;
};

template <class T> __device__ both<T, layout> put_together(T pointer)
{
	return {pointer, {SIDE, 1}};
}

__device__ static view make_view(element *data)
{
	auto parts = put_together(data);
	return view{{parts.first}, parts.second};
}

__global__ void aggregate(element *to, int seed)
{
	__shared__ element tile[SIZE];
	view v = make_view(tile);
	for (int i = 0; i < SIDE; i++)
		v(threadIdx.x, i) = at(threadIdx.x * SIDE + i, seed);
	for (int i = threadIdx.x; i < SIZE; i += 32)
		to[i] = tile[i];
}

/* ---- it lies in a local that stays in memory --------------------------------- */

__device__ __noinline__ void fill(view *v, int row, int seed, int depth)
{
	if (depth > 1)
		fill(v, row, seed, depth - 1);
	for (int i = 0; i < SIDE; i++)
		(*v)(row, i) = at(row * SIDE + i, seed);
}

__global__ void in_memory(element *to, int seed, int depth)
{
	__shared__ element tile[SIZE];
	view v = make_view(tile);
	fill(&v, threadIdx.x, seed, depth);
	for (int i = threadIdx.x; i < SIZE; i += 32)
		to[i] = v(i / SIDE, i % SIDE);
}

__global__ void chosen(element *to, int seed, const int *which)
{
	__shared__ element upper[SIZE / 2], lower[SIZE / 2];
	element *halves[2];
	halves[0] = upper;
	halves[1] = lower;
	element *mine = halves[which[threadIdx.x]];
	for (int i = 0; i < SIDE; i++)
		mine[threadIdx.x % 16 * SIDE + i] = at(threadIdx.x * SIDE + i, seed);
	for (int i = threadIdx.x; i < SIZE; i += 32)
		to[i] = halves[which[i / SIDE]][i % (SIZE / 2)];
}

/* ---- it is an integer ---------------------------------------------------- */

__device__ static void put(unsigned address, element value)
{
	asm volatile("st.shared.u16 [%0], %1;" : : "r"(address), "h"(value) : "memory");
}

__device__ static element get(unsigned address)
{
	element value;
	asm volatile("ld.shared.u16 %0, [%1];" : "=h"(value) : "r"(address) : "memory");
	return value;
}

__global__ void number(element *to, int seed)
{
	__shared__ element tile[SIZE];
	unsigned base = (unsigned)__cvta_generic_to_shared(tile);
	for (int i = 0; i < SIDE; i++)
		put(base + 2 * (threadIdx.x * SIDE + i), at(threadIdx.x * SIDE + i, seed));
	for (int i = threadIdx.x; i < SIZE; i += 32)
		to[i] = get(base + 2 * i);
}

/* Written by PTX, read by C++, and the other way round. */
__global__ void half_number(element *to, int seed)
{
	__shared__ element tile[SIZE], other[SIZE];
	unsigned base = (unsigned)__cvta_generic_to_shared(tile);
	unsigned second = (unsigned)__cvta_generic_to_shared(other);
	for (int i = 0; i < SIDE; i++)
		put(base + 2 * (threadIdx.x * SIDE + i), at(threadIdx.x * SIDE + i, seed));
	for (int i = 0; i < SIDE; i++)
		other[threadIdx.x * SIDE + i] = tile[i * SIDE + threadIdx.x];
	for (int i = threadIdx.x; i < SIZE; i += 32)
		to[i] = get(second + 2 * (i % SIDE * SIDE + i / SIDE));
}

/* ---- it is a parameter ------------------------------------------------------- */

__device__ __noinline__ void write_row(element *tile, int row, int column, int seed)
{
	if (column + 1 < SIDE)
		write_row(tile, row, column + 1, seed);
	tile[row * SIDE + column] = at(row * SIDE + column, seed);
}

__device__ __noinline__ void read_column(const element *tile, int row, int column, element *to)
{
	to[row * SIDE + column] = tile[row * SIDE + column];
	if (row + 1 < SIDE)
		read_column(tile, row + 1, column, to);
}

__global__ void recursive(element *to, int seed)
{
	__shared__ element tile[SIZE];
	write_row(tile, threadIdx.x, 0, seed);
	read_column(tile, 0, threadIdx.x, to);
}

/* ---- two names of one memory, and accesses of other widths ---------------------- */

extern __shared__ element dynamic[];
extern __shared__ unsigned words[];

__global__ void two_names(element *to, int seed)
{
	for (int i = 0; i < SIDE; i += 2) {
		int k = threadIdx.x * SIDE + i;
		words[k / 2] = at(k, seed) | (unsigned)at(k + 1, seed) << 16;
	}
	for (int i = threadIdx.x; i < SIZE; i += 32)
		to[i] = dynamic[i];
}

__global__ void bytes(element *to, int seed)
{
	__shared__ alignas(16) unsigned char tile[2 * SIZE];
	element row[SIDE];
	for (int i = 0; i < SIDE; i++)
		row[i] = at(threadIdx.x * SIDE + i, seed);
	for (int i = 0; i < SIDE; i += 8)
		memcpy(tile + 2 * (threadIdx.x * SIDE + i), row + i, 16);
	for (int i = threadIdx.x; i < SIZE; i += 32)
		to[i] = (element)(tile[2 * i] | tile[2 * i + 1] << 8);
}

__global__ void wide(element *to, int seed)
{
	__shared__ uint4 tile[SIZE / 8];
	for (int i = 0; i < SIDE; i += 8) {
		unsigned pairs[4];
		for (int j = 0; j < 4; j++) {
			int k = threadIdx.x * SIDE + i + 2 * j;
			pairs[j] = at(k, seed) | (unsigned)at(k + 1, seed) << 16;
		}
		tile[(threadIdx.x * SIDE + i) / 8] = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
	}
	for (int i = threadIdx.x; i < SIZE; i += 32)
		to[i] = reinterpret_cast<const element *>(tile)[i];
}

/* ---- rounds of a loop ---------------------------------------------------------- */

/* Where lane `lane` works in a round; all lanes of a round are at different places. */
__host__ __device__ static unsigned place(unsigned lane, unsigned round, unsigned size)
{
	return (lane * 9 + round * 7) % size;
}

__global__ void rounds(element *to, unsigned size)
{
	__shared__ element tile[SIZE];
	for (unsigned i = threadIdx.x; i < size; i += 32)
		tile[i] = i;
	__syncwarp();
	for (unsigned round = 0; round < 50; round++) {
		unsigned i = place(threadIdx.x, round, size);
		tile[i] = tile[i] * 3 + threadIdx.x;
	}
	__syncwarp();
	for (unsigned i = threadIdx.x; i < size; i += 32)
		to[i] = tile[i];
}

/* The next place is looked up. */
__global__ void chased(element *to, const int *next)
{
	__shared__ element tile[32];
	unsigned i = threadIdx.x;
	tile[i] = i;
	__syncwarp();
	for (unsigned round = 0; round < 50; round++) {
		tile[i] = tile[i] * 3 + threadIdx.x;
		i = next[i];
	}
	__syncwarp();
	to[threadIdx.x] = tile[threadIdx.x];
}

/* next: NULL where place() says where a lane works. */
static void check_rounds(const char *name, unsigned size, const int *next)
{
	element tile[SIZE];
	unsigned at[32];
	int wrong = 0;
	for (unsigned i = 0; i < size; i++)
		tile[i] = i;
	for (unsigned lane = 0; lane < 32; lane++)
		at[lane] = lane;
	for (unsigned round = 0; round < 50; round++) {
		for (unsigned lane = 0; lane < 32; lane++) {
			unsigned i = next ? at[lane] : place(lane, round, size);
			tile[i] = tile[i] * 3 + lane;
			at[lane] = next ? next[i] : 0;
		}
	}
	CHECK(cudaDeviceSynchronize());
	for (unsigned i = 0; i < size; i++)
		wrong += out[i] != tile[i];
	memset(out, 0, SIZE * sizeof *out);
	say(name, "%d wrong", wrong);
}

/* ---- a cycle with two ways in --------------------------------------------- */

/* One lane reads the next one's element four times; `late` enters behind the first addition. */
__global__ void two_ways_in(int *to, int factor, int late)
{
	__shared__ int row[32];
	int lane = threadIdx.x, i = 0, sum;
	row[lane] = factor * lane + 1;
	if (late) {
		sum = 100;
		goto in;
	}
	sum = 0;
top:
	sum += 7;
in:
	sum += row[(lane + 1) % 32];
	if (++i < 4)
		goto top;
	to[lane] = sum;
}

static void check_sum(const char *name, const int *sums)
{
	int all = 0;
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 32; i++)
		all += sums[i];
	say(name, "%d in all", all);
}

static void check(const char *name)
{
	int wrong = 0;
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < SIZE; i++)
		wrong += out[i] != at(i, 5);
	memset(out, 0, SIZE * sizeof *out);
	say(name, "%d wrong", wrong);
}

int main()
{
	int *which;
	CHECK(cudaMallocManaged(&out, SIZE * sizeof *out));
	CHECK(cudaMallocManaged(&which, 32 * sizeof *which));
	for (int i = 0; i < 32; i++)
		which[i] = i / 16;
	aggregate<<<1, 32>>>(out, 5);
	check("in an aggregate");
	in_memory<<<1, 32>>>(out, 5, 2);
	check("in memory");
	chosen<<<1, 32>>>(out, 5, which);
	check("one of two");
	number<<<1, 32>>>(out, 5);
	check("a number");
	half_number<<<1, 32>>>(out, 5);
	check("a number in half of the places");
	recursive<<<1, 32>>>(out, 5);
	check("a parameter");
	two_names<<<1, 32, SIZE * sizeof(element)>>>(out, 5);
	check("two names");
	bytes<<<1, 32>>>(out, 5);
	check("bytes");
	wide<<<1, 32>>>(out, 5);
	check("vectors");
	rounds<<<1, 32>>>(out, 32);
	check_rounds("rounds", 32, NULL);
	rounds<<<1, 32>>>(out, 256);
	check_rounds("rounds of a larger tile", 256, NULL);
	for (int i = 0; i < 32; i++)
		which[i] = (i * 5 + 3) % 32;
	chased<<<1, 32>>>(out, which);
	check_rounds("chased rounds", 32, which);
	/* 32 * (100 + 3 * 7) + 4 * (3 * 496 + 32), where 496 is 0 + ... + 31 */
	two_ways_in<<<1, 32>>>(which, 3, 1);
	check_sum("a late way in", which);
	/* 32 * 4 * 7 + 4 * (5 * 496 + 32) */
	two_ways_in<<<1, 32>>>(which, 5, 0);
	check_sum("an early way in", which);
	return 0;
}

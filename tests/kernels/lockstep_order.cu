/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep_order.cu - a warp's lanes take a step together: what all lanes store comes before what
 * any of them stores, or loads, in the next step, and lanes that part at a branch go on together
 * behind it. No case has a barrier. The host takes the same steps one after the other, each for
 * all lanes; a case prints the number of lanes that have come to something else. */
#include "lanes.cuh"

/* ---- stores over stores ----------------------------------------------------- */

/* Rows of 8 that begin 4 elements apart: the later columns stay. */
__global__ void overlapping_rows(const int *from, int *to)
{
	__shared__ volatile int tile[LANES * 4 + 4];
	int lane = threadIdx.x, sum = 0;
	for (int i = 0; i < 8; i++)
		tile[lane * 4 + i] = from[lane] + i;
	for (int i = 0; i < 4; i++)
		sum = sum * 3 + tile[lane * 4 + i];
	to[lane] = sum;
}

static int after_overlapping_rows(int lane)
{
	int tile[LANES * 4 + 4], sum = 0;
	for (int i = 0; i < 8; i++)
		for (int l = 0; l < LANES; l++)
			tile[l * 4 + i] = in[l] + i;
	for (int i = 0; i < 4; i++)
		sum = sum * 3 + tile[lane * 4 + i];
	return sum;
}

/* All elements are cleared before some get a value at a place from memory. */
__global__ void cleared(const int *from, int *to)
{
	__shared__ volatile int tile[LANES];
	int lane = threadIdx.x;
	tile[lane] = -1;
	if (from[lane] & 1)
		tile[(from[lane] >> 8) & 31] = from[lane];
	to[lane] = tile[lane];
}

static int after_clearing(int lane)
{
	int value = -1;
	for (int l = 0; l < LANES; l++)
		if (in[l] & 1 && ((in[l] >> 8) & 31) == lane)
			value = in[l];
	return value;
}

/* One flag for all lanes, cleared by all and set by some. */
__global__ void flags(const int *from, int *to)
{
	__shared__ volatile int any;
	int lane = threadIdx.x, n = 0;
	for (int i = 0; i < 16; i++) {
		any = 0;
		if ((from[lane] >> 8 & 31) < i)
			any = 1;
		n += any;
	}
	to[lane] = n;
}

static int after_flags(int)
{
	return 15; /* one of the numbers is 0 */
}

/* ---- structures ---------------------------------------------------------------- */

struct particle {
	int x, y, z;
};

/* Each field is loaded by the neighbour before it is changed. */
__global__ void fields(const int *from, int *to, int n)
{
	__shared__ particle all[LANES];
	int lane = threadIdx.x;
	all[lane] = particle{from[lane], 2, 0};
	for (int k = 0; k < n; k++) {
		particle other = all[lane ^ (1 << k)];
		all[lane].x += other.x;
		all[lane].y = other.y + 1;
		all[lane].z += other.z + 1;
	}
	to[lane] = all[lane].x + all[lane].y * 3 + all[lane].z;
}

static int after_fields(int)
{
	int sum = 0;
	for (int l = 0; l < LANES; l++)
		sum += in[l];
	return sum + 7 * 3 + 31; /* z is 2 z + 1, five times */
}

struct words {
	int of[4];
};

__global__ void rotated(const int *from, int *to)
{
	__shared__ words all[LANES];
	int lane = threadIdx.x;
	for (int i = 0; i < 4; i++)
		all[lane].of[i] = from[lane] + i;
	all[lane] = all[(lane + 1) & 31];
	to[lane] = all[lane].of[lane & 3];
}

static int after_rotation(int lane)
{
	return in[(lane + 1) & 31] + (lane & 3);
}

/* ---- branches and loops ---------------------------------------------------------- */

/* Lanes that sit a round out load and store nothing in it. */
__global__ void sat_out(const int *from, int *to, int n)
{
	__shared__ int tile[LANES];
	int lane = threadIdx.x, sum = 0;
	tile[lane] = from[lane];
	for (int i = 0; i < n; i++) {
		if (from[lane] >> (i & 7) & 1)
			continue;
		tile[lane] = sum + i;
		sum += tile[(lane + i) & 31] & 3;
		sum = sum * 3;
	}
	to[lane] = tile[lane ^ 1];
}

static int after_sitting_out(int lane)
{
	int tile[LANES], sum[LANES] = {0};
	memcpy(tile, in, sizeof tile);
	for (int i = 0; i < 20; i++) {
		for (int l = 0; l < LANES; l++)
			if (!(in[l] >> (i & 7) & 1))
				tile[l] = sum[l] + i;
		for (int l = 0; l < LANES; l++)
			if (!(in[l] >> (i & 7) & 1))
				sum[l] = (int)(3u * (unsigned)(sum[l] + (tile[(l + i) & 31] & 3)));
	}
	return tile[lane ^ 1];
}

/* Each lane fills a stack of its own in a function, as often as it has to, before others look. */
struct stack {
	int of[7], top;

	__device__ void push(int value)
	{
		of[top++] = value;
	}
};

__global__ void stacks(const int *from, int *to)
{
	__shared__ stack all[LANES];
	int lane = threadIdx.x, sum = 0;
	all[lane].top = 0;
	for (int i = 0; i < (from[lane] & 7); i++)
		all[lane].push(from[(lane + i) & 31]);
	for (int i = 0; i < all[lane ^ 1].top; i++)
		sum = sum * 3 + all[lane ^ 1].of[i];
	to[lane] = sum;
}

static int after_stacks(int lane)
{
	unsigned sum = 0;
	for (int i = 0; i < (in[lane ^ 1] & 7); i++)
		sum = sum * 3 + (unsigned)in[((lane ^ 1) + i) & 31];
	return (int)sum;
}

/* A tree whose steps are functions: the lanes above do not come to the result before it is there. */
struct tree {
	volatile int *at;

	template <int N> __device__ void step(int lane)
	{
		if constexpr (N > 0) {
			if (lane < N)
				at[lane] = at[lane] + at[lane + N];
			step<N / 2>(lane);
		}
	}
};

__global__ void steps_in_functions(const int *from, int *to)
{
	__shared__ volatile int tile[LANES];
	int lane = threadIdx.x;
	tile[lane] = from[lane];
	tree{tile}.step<LANES / 2>(lane);
	to[lane] = tile[0];
}

static int sum_of_all(int)
{
	unsigned sum = 0;
	for (int l = 0; l < LANES; l++)
		sum += (unsigned)in[l];
	return (int)sum;
}

/* ---- addresses in global memory ---------------------------------------------------- */

__device__ int *there, *places[LANES];

__global__ void pointer_in_memory(const int *from, int *to)
{
	__shared__ int tile[LANES];
	int lane = threadIdx.x;
	*(int *volatile *)&there = tile;
	tile[lane] = from[lane];
	to[lane] = (*(int *volatile *)&there)[lane ^ 1];
}

__global__ void pointers_in_memory(const int *from, int *to)
{
	__shared__ int tile[LANES];
	int lane = threadIdx.x;
	places[lane] = &tile[lane ^ 3];
	__syncthreads();
	tile[lane] = from[lane];
	to[lane] = *places[lane ^ 2];
}

static int neighbour(int lane)
{
	return in[lane ^ 1];
}

/* ---- one of several lanes has the last word ------------------------------------------ */

/* How many lanes find their own number where all have stored theirs? */
__global__ void one_for_all(const int *, int *to)
{
	__shared__ volatile int last;
	int lane = threadIdx.x;
	last = lane;
	to[lane] = __popc(__ballot_sync(~0u, last == lane));
}

static int one(int)
{
	return 1;
}

/* The same in 8 places, behind a fence. */
__global__ void one_for_each_place(const int *from, int *to)
{
	__shared__ int last[8];
	int lane = threadIdx.x, place = from[lane] >> 8 & 7;
	last[place] = lane;
	__threadfence_block();
	to[lane] = __popc(__ballot_sync(~0u, last[place] == lane));
}

static int places_that_are_used(int)
{
	unsigned used = 0;
	for (int l = 0; l < LANES; l++)
		used |= 1u << (in[l] >> 8 & 7);
	return __builtin_popcount(used);
}

/* What one column of a tile stores where its neighbour has stored, in a block that goes on behind it. */
__global__ void column(const int *from, int *to)
{
	__shared__ int tile[3][LANES + 8];
	int x = threadIdx.x, y = threadIdx.y;
	tile[y + 1][x + 1] = from[y * LANES + x];
	if (x == 0)
		tile[y + 1][0] = -1;
	if (x == 8)
		tile[y + 1][10] = 100;
	to[y * LANES + x] = tile[y + 1][x + 1];
}

static int after_the_column(int lane)
{
	return lane == 9 ? 100 : in[lane];
}

int main()
{
	make_lanes();
	overlapping_rows<<<1, LANES>>>(in, out);
	check("overlapping rows", after_overlapping_rows);
	cleared<<<1, LANES>>>(in, out);
	check("cleared", after_clearing);
	flags<<<1, LANES>>>(in, out);
	check("flags", after_flags);
	fields<<<1, LANES>>>(in, out, 5);
	check("fields", after_fields);
	rotated<<<1, LANES>>>(in, out);
	check("rotated", after_rotation);
	sat_out<<<1, LANES>>>(in, out, 20);
	check("rounds that some sit out", after_sitting_out);
	stacks<<<1, LANES>>>(in, out);
	check("stacks", after_stacks);
	steps_in_functions<<<1, LANES>>>(in, out);
	check("steps in functions", sum_of_all);
	pointer_in_memory<<<1, LANES>>>(in, out);
	check("a pointer in memory", neighbour);
	pointers_in_memory<<<1, LANES>>>(in, out);
	check("pointers in memory", neighbour);
	one_for_all<<<1, LANES>>>(in, out);
	check("one for all", one);
	one_for_each_place<<<1, LANES>>>(in, out);
	check("one for each place", places_that_are_used);
	column<<<1, dim3(LANES, 1)>>>(in, out);
	check("a column", after_the_column);
	return 0;
}

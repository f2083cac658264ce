/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep_forms.cu - lanes of a warp exchange elements without a barrier, written in the forms in
 * which programs do: layouts, structures, calls, selected pointers, assembly. The host takes the
 * same steps one after the other, each for all lanes; a case prints the number of lanes that have
 * come to something else. */
#include "lanes.cuh"

/* ---- layouts ----------------------------------------------------------------- */

template <int Rows, int Columns, int RowStride, int ColumnStride> struct layout {
	__device__ static constexpr int at(int i)
	{
		return i % Rows * RowStride + i / Rows * ColumnStride;
	}
	static constexpr int size = Rows * Columns;
};

/* The index's bits 5 and 6 are combined with 0 and 1. */
template <class Layout> struct swizzled {
	__device__ static constexpr int at(int i)
	{
		int n = Layout::at(i);
		return n ^ (n >> 5 & 3);
	}
	static constexpr int size = Layout::size;
};

template <class Layout, class T> struct view {
	T *data;
	__device__ T &operator()(int i) const
	{
		return data[Layout::at(i)];
	}
};

template <class To, class From, class T, int N>
__device__ static void copy(view<To, T> to, const T (&from)[N], int lane)
{
	for (int i = 0; i < N; i++)
		to(lane * N + i) = from[i];
}

/* 8 x 16 elements, 4 of each lane, which other lanes read across. */
__global__ void layouts(const int *from, int *to)
{
	using tile_layout = swizzled<layout<8, 16, 16, 1>>;
	__shared__ unsigned short tile[tile_layout::size];
	view<tile_layout, unsigned short> all{tile};
	int lane = threadIdx.x, sum = 0;
	unsigned short mine[4];
	for (int i = 0; i < 4; i++)
		mine[i] = (unsigned short)(from[lane] * 4 + i);
	copy<tile_layout, tile_layout>(all, mine, lane);
	for (int i = lane; i < tile_layout::size; i += LANES)
		sum = sum * 3 + all(i);
	to[lane] = sum;
}

static int after_layouts(int lane)
{
	unsigned sum = 0;
	for (int i = lane; i < 128; i += LANES)
		sum = sum * 3 + (unsigned short)(in[i / 4] * 4 + i % 4);
	return (int)sum;
}

/* ---- structures and unions ------------------------------------------------------ */

struct record {
	int key;
	short low[2];
	int value;
};

__global__ void records(const int *from, int *to)
{
	__shared__ record all[LANES];
	int lane = threadIdx.x;
	all[lane] = record{lane, {(short)from[lane], (short)(lane * 2)}, from[lane]};
	for (int k = 0; k < 3; k++) {
		record other = all[(lane + 1) & 31];
		all[lane].key += other.value;
		all[lane].low[k & 1] = (short)(other.low[(k + 1) & 1] + 1);
		all[lane].value = other.key + k;
	}
	to[lane] = all[lane].key * 7 + all[lane].value * 3 + all[lane].low[0] + all[lane].low[1];
}

static int after_records(int lane)
{
	record all[LANES];
	for (int l = 0; l < LANES; l++)
		all[l] = record{l, {(short)in[l], (short)(l * 2)}, in[l]};
	for (int k = 0; k < 3; k++) {
		record other[LANES];
		for (int l = 0; l < LANES; l++)
			other[l] = all[(l + 1) & 31];
		for (int l = 0; l < LANES; l++) {
			all[l].key += other[l].value;
			all[l].low[k & 1] = (short)(other[l].low[(k + 1) & 1] + 1);
			all[l].value = other[l].key + k;
		}
	}
	return all[lane].key * 7 + all[lane].value * 3 + all[lane].low[0] + all[lane].low[1];
}

/* 16 bytes at once, which others read one by one. */
__global__ void vectors(const int *from, int *to)
{
	__shared__ uint4 tile[LANES];
	int lane = threadIdx.x, sum = 0;
	unsigned x = (unsigned)from[lane];
	tile[lane] = make_uint4(x, x * 3, x * 5, x * 7);
	const unsigned char *bytes = (const unsigned char *)tile;
	for (int i = 0; i < 16; i++)
		sum = sum * 5 + bytes[i * LANES + lane];
	to[lane] = sum;
}

static int after_vectors(int lane)
{
	unsigned words[LANES][4], sum = 0;
	for (int l = 0; l < LANES; l++)
		for (unsigned k = 0; k < 4; k++)
			words[l][k] = (unsigned)in[l] * (2 * k + 1);
	for (int i = 0; i < 16; i++)
		sum = sum * 5 + ((unsigned char *)words)[i * LANES + lane];
	return (int)sum;
}

union either {
	int word;
	unsigned char bytes[4];
};

__global__ void unions(const int *from, int *to)
{
	__shared__ either all[LANES];
	int lane = threadIdx.x, sum = 0;
	all[lane].word = from[lane] * 0x10203;
	for (int i = 0; i < 4; i++)
		sum = sum * 7 + all[(lane + i) & 31].bytes[i];
	all[lane ^ 3].bytes[lane & 3] = 1;
	to[lane] = sum + all[lane].word;
}

static int after_unions(int lane)
{
	either all[LANES];
	unsigned sum = 0;
	for (int l = 0; l < LANES; l++)
		all[l].word = in[l] * 0x10203;
	for (int i = 0; i < 4; i++)
		sum = sum * 7 + all[(lane + i) & 31].bytes[i];
	for (int l = 0; l < LANES; l++)
		all[l ^ 3].bytes[l & 3] = 1;
	return (int)(sum + (unsigned)all[lane].word);
}

/* ---- pointers ------------------------------------------------------------------ */

__device__ __noinline__ static void put(int *to, int value)
{
	*to = value;
}

__device__ __noinline__ static int get(const int *from)
{
	return *from;
}

__global__ void calls(const int *from, int *to)
{
	__shared__ int tile[LANES];
	int lane = threadIdx.x, sum = 0;
	for (int i = 1; i < 4; i++) {
		put(&tile[lane], from[lane] + sum);
		sum = sum * 3 + get(&tile[(lane + i) & 31]);
	}
	to[lane] = sum;
}

static int after_calls(int lane)
{
	unsigned tile[LANES], sum[LANES] = {0};
	for (int i = 1; i < 4; i++) {
		for (int l = 0; l < LANES; l++)
			tile[l] = (unsigned)in[l] + sum[l];
		for (int l = 0; l < LANES; l++)
			sum[l] = sum[l] * 3 + tile[(l + i) & 31];
	}
	return (int)sum[lane];
}

/* Half of the lanes store to each array. */
__global__ void selected(const int *from, int *to)
{
	__shared__ int even[LANES], odd[LANES];
	int lane = threadIdx.x;
	int *mine = from[lane] & 1 ? odd : even, *other = from[lane ^ 1] & 1 ? odd : even;
	mine[lane] = from[lane];
	int got = other[lane ^ 1];
	mine[lane ^ 1] = 5;
	to[lane] = got * 3 + mine[lane ^ 1] + other[lane ^ 1] % 2;
}

static int after_selected(int lane)
{
	int tile[2][LANES], got[LANES];
	for (int l = 0; l < LANES; l++)
		tile[in[l] & 1][l] = in[l];
	for (int l = 0; l < LANES; l++)
		got[l] = tile[in[l ^ 1] & 1][l ^ 1];
	for (int l = 0; l < LANES; l++)
		tile[in[l] & 1][l ^ 1] = 5;
	int *mine = tile[in[lane] & 1], *other = tile[in[lane ^ 1] & 1];
	return got[lane] * 3 + mine[lane ^ 1] + other[lane ^ 1] % 2;
}

/* Two parts of one array, whose sizes only the host knows. */
__global__ void carved(const int *from, int *to, int n)
{
	extern __shared__ int whole[];
	int *first = whole, *second = whole + n, lane = threadIdx.x;
	first[lane] = from[lane];
	second[lane] = first[lane ^ 1] + 1;
	first[lane ^ 2] = second[lane ^ 4] * 3;
	to[lane] = first[lane] + second[31 - lane];
}

static int after_carving(int lane)
{
	int second[LANES], first[LANES];
	for (int l = 0; l < LANES; l++)
		second[l] = in[l ^ 1] + 1;
	for (int l = 0; l < LANES; l++)
		first[l ^ 2] = second[l ^ 4] * 3;
	return first[lane] + second[31 - lane];
}

__device__ static void store_shared(unsigned to, int value)
{
	asm volatile("st.shared.s32 [%0], %1;" : : "r"(to), "r"(value) : "memory");
}

__device__ static int load_shared(unsigned from)
{
	int value;
	asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"(from) : "memory");
	return value;
}

__global__ void assembly(const int *from, int *to)
{
	__shared__ int tile[LANES];
	unsigned at = (unsigned)__cvta_generic_to_shared(tile), lane = threadIdx.x;
	int sum = 0;
	for (unsigned i = 1; i < 4; i++) {
		store_shared(at + 4 * lane, from[lane] + sum);
		sum = sum * 3 + load_shared(at + 4 * ((lane + i) & 31));
	}
	to[lane] = sum;
}

/* ---- loops and branches ------------------------------------------------------------ */

/* Buffers that take turns. */
__global__ void buffers(const int *from, int *to, int n)
{
	__shared__ int tile[2][LANES];
	int lane = threadIdx.x;
	tile[0][lane] = from[lane];
	for (int i = 0; i < n; i++)
		tile[~i & 1][lane] = tile[i & 1][(lane + 1) & 31] * 3 + tile[i & 1][lane ^ 4];
	to[lane] = tile[n & 1][31 - lane];
}

static int after_buffers(int lane)
{
	unsigned tile[2][LANES];
	for (int l = 0; l < LANES; l++)
		tile[0][l] = (unsigned)in[l];
	for (int i = 0; i < 9; i++)
		for (int l = 0; l < LANES; l++)
			tile[~i & 1][l] = tile[i & 1][(l + 1) & 31] * 3 + tile[i & 1][l ^ 4];
	return (int)tile[1][31 - lane];
}

/* In place: all of a lane's elements are loaded before it stores them elsewhere. */
__global__ void strides(const int *from, int *to)
{
	__shared__ int tile[8 * LANES];
	int lane = threadIdx.x, mine[8], sum = 0;
	for (int i = lane; i < 8 * LANES; i += LANES)
		tile[i] = from[lane] + i;
	for (int i = 0; i < 8; i++)
		mine[i] = tile[lane * 8 + i];
	for (int i = 0; i < 8; i++)
		tile[i * LANES + (lane ^ i)] = mine[i];
	for (int i = 0; i < 8; i++)
		sum = sum * 3 + tile[lane * 8 + i];
	to[lane] = sum;
}

static int after_strides(int lane)
{
	unsigned tile[8 * LANES], next[8 * LANES], sum = 0;
	for (int i = 0; i < 8 * LANES; i++)
		tile[i] = (unsigned)(in[i % LANES] + i);
	for (int l = 0; l < LANES; l++)
		for (int i = 0; i < 8; i++)
			next[i * LANES + (l ^ i)] = tile[l * 8 + i];
	for (int i = 0; i < 8; i++)
		sum = sum * 3 + next[lane * 8 + i];
	return (int)sum;
}

/* Arms within arms, in rounds of which each lane takes some. */
__global__ void nested(const int *from, int *to, int n)
{
	__shared__ int tile[LANES];
	int lane = threadIdx.x, bits = from[lane], sum = 0;
	tile[lane] = bits;
	for (int i = 0; i < n; i++)
		if (bits >> (i & 7) & 1) {
			if (bits >> ((i + 3) & 7) & 1)
				tile[lane] = sum + i;
			sum = sum * 3 + tile[(lane + i) & 31];
		}
	to[lane] = sum;
}

static int after_nesting(int lane)
{
	unsigned tile[LANES], sum[LANES] = {0};
	for (int l = 0; l < LANES; l++)
		tile[l] = (unsigned)in[l];
	for (int i = 0; i < 20; i++) {
		for (int l = 0; l < LANES; l++)
			if (in[l] >> (i & 7) & 1 && in[l] >> ((i + 3) & 7) & 1)
				tile[l] = sum[l] + (unsigned)i;
		for (int l = 0; l < LANES; l++)
			if (in[l] >> (i & 7) & 1)
				sum[l] = sum[l] * 3 + tile[(l + i) & 31];
	}
	return (int)sum[lane];
}

/* Rounds that some lanes sit out while others read in a loop of their own. */
__global__ void reading_loops(const int *from, int *to, int n)
{
	__shared__ int tile[LANES];
	int lane = threadIdx.x, sum = 0;
	tile[lane] = from[lane];
	for (int i = 0; i < n; i++)
		if (from[lane] >> (i & 7) & 1) {
			tile[lane] = sum + i;
			for (int j = 1; j < 4; j++)
				sum = sum * 3 + tile[(lane + j) & 31];
		}
	to[lane] = sum;
}

static int after_reading_loops(int lane)
{
	unsigned tile[LANES], sum[LANES] = {0};
	for (int l = 0; l < LANES; l++)
		tile[l] = (unsigned)in[l];
	for (int i = 0; i < 20; i++) {
		for (int l = 0; l < LANES; l++)
			if (in[l] >> (i & 7) & 1)
				tile[l] = sum[l] + (unsigned)i;
		for (int l = 0; l < LANES; l++)
			for (int j = 1; j < 4 && in[l] >> (i & 7) & 1; j++)
				sum[l] = sum[l] * 3 + tile[(l + j) & 31];
	}
	return (int)sum[lane];
}

/* The last round that comes to a place stays there; within one round the places differ. */
__global__ void last_round(const int *from, int *to)
{
	__shared__ volatile int last[LANES];
	int lane = threadIdx.x;
	last[lane] = -1;
	for (int i = 0; i < 8; i++)
		last[((from[lane] >> 8) + 5 * i) & 31] = i * LANES + lane;
	to[lane] = last[lane];
}

static int after_last_round(int lane)
{
	for (int l = 0; l < LANES; l++)
		if ((((in[l] >> 8) + 35) & 31) == lane)
			return 7 * LANES + l;
	return -1;
}

/* The same with places from memory. */
__global__ void scattered(const int *from, const int *places, int *to)
{
	__shared__ int last[LANES];
	int lane = threadIdx.x;
	last[lane] = -1;
	__syncwarp();
	for (int i = 0; i < 8; i++)
		last[places[i * LANES + lane]] = i * LANES + lane;
	to[lane] = last[lane] + from[lane];
}

static int *places;

static int after_scattering(int lane)
{
	int last = -1;
	for (int i = 0; i < 8 * LANES; i++)
		last = places[i] == lane ? i : last;
	return last + in[lane];
}

/* A block of 8 x 4 threads. */
__global__ void rows(const int *from, int *to)
{
	__shared__ int tile[8][9];
	int x = threadIdx.x, y = threadIdx.y, lane = y * 8 + x;
	tile[y][x] = from[lane];
	tile[y + 4][x] = from[lane] * 3;
	int got = tile[x][y * 2] + tile[x][y * 2 + 1];
	tile[(x + y) & 7][x] = lane;
	to[lane] = got * 5 + tile[x][x];
}

static int after_rows(int lane)
{
	int tile[8][8], x = lane % 8, y = lane / 8;
	for (int l = 0; l < LANES; l++) {
		tile[l / 8][l % 8] = in[l];
		tile[l / 8 + 4][l % 8] = in[l] * 3;
	}
	int got = tile[x][y * 2] + tile[x][y * 2 + 1];
	for (int l = 0; l < LANES; l++)
		tile[(l % 8 + l / 8) & 7][l % 8] = l;
	return got * 5 + tile[x][x];
}

/* ---- global memory --------------------------------------------------------------- */

__global__ void volatile_global(const int *from, int *to, volatile int *tile)
{
	int lane = threadIdx.x, sum = 0;
	for (int i = 1; i < 4; i++) {
		tile[lane] = from[lane] + sum;
		sum = sum * 3 + tile[(lane + i) & 31];
	}
	to[lane] = sum;
}

__global__ void plain_global(const int *from, int *to, int *tile)
{
	int lane = threadIdx.x, sum = 0;
	for (int i = 1; i < 4; i++) {
		tile[lane] = from[lane] + sum;
		sum = sum * 3 + tile[(lane + i) & 31];
	}
	to[lane] = sum;
}

int main()
{
	int *tile;
	make_lanes();
	CHECK(cudaMallocManaged(&places, 8 * LANES * sizeof *places));
	CHECK(cudaMalloc(&tile, LANES * sizeof *tile));
	/* A permutation in each round. */
	for (int i = 0; i < 8 * LANES; i++)
		places[i] = (i * 11 + i / LANES) % LANES;
	layouts<<<1, LANES>>>(in, out);
	check("layouts", after_layouts);
	records<<<1, LANES>>>(in, out);
	check("records", after_records);
	vectors<<<1, LANES>>>(in, out);
	check("vectors", after_vectors);
	unions<<<1, LANES>>>(in, out);
	check("unions", after_unions);
	calls<<<1, LANES>>>(in, out);
	check("calls", after_calls);
	selected<<<1, LANES>>>(in, out);
	check("selected", after_selected);
	carved<<<1, LANES, 3 * LANES * sizeof(int)>>>(in, out, 40);
	check("carved", after_carving);
	assembly<<<1, LANES>>>(in, out);
	check("assembly", after_calls);
	buffers<<<1, LANES>>>(in, out, 9);
	check("buffers", after_buffers);
	strides<<<1, LANES>>>(in, out);
	check("strides", after_strides);
	nested<<<1, LANES>>>(in, out, 20);
	check("nested", after_nesting);
	reading_loops<<<1, LANES>>>(in, out, 20);
	check("reading loops", after_reading_loops);
	last_round<<<1, LANES>>>(in, out);
	check("last round", after_last_round);
	scattered<<<1, LANES>>>(in, places, out);
	check("scattered", after_scattering);
	rows<<<1, dim3(8, 4)>>>(in, out);
	check("rows", after_rows);
	volatile_global<<<1, LANES>>>(in, out, tile);
	check("volatile in global memory", after_calls);
	plain_global<<<1, LANES>>>(in, out, tile);
	check("global memory", after_calls);
	return 0;
}

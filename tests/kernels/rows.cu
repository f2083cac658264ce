/* SPDX-License-Identifier: Apache-2.0 */
/* rows.cu - blocks side by side, which one call may run as one long row of threads: ways
 * to compute an index from blockIdx.x and threadIdx.x, and kernels that do other things
 * with them. The host goes through the same functions thread by thread; every case is run
 * with several shapes of grids and blocks, and "same" is what a right answer prints. */
#include "case.cuh"

enum { MOST = 1 << 19 };
static unsigned *out;

/* Where a thread is, from the builtin variables or from the host's loops. */
struct where {
	uint3 t, b;
	dim3 nt, nb;
};

#define BOTH __host__ __device__ static

/* Index of x in a plane of rows of that width; each thread's own. */
BOTH unsigned at(const where &w, unsigned x, unsigned width)
{
	unsigned y = w.b.y * w.nt.y + w.t.y, z = w.b.z * w.nt.z + w.t.z;
	return (z * w.nb.y * w.nt.y + y) * width + x;
}

struct sum32 {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = w.b.x * w.nt.x + w.t.x;
		to[at(w, x, w.nb.x * w.nt.x)] += x + 1;
	}
};

struct sum64 {
	BOTH void run(const where &w, unsigned *to)
	{
		size_t x = w.t.x + (size_t)w.b.x * w.nt.x;
		to[at(w, (unsigned)x, w.nb.x * w.nt.x)] += (unsigned)x * 3 + 1;
	}
};

struct signed_sum {
	BOTH void run(const where &w, unsigned *to)
	{
		int x = (int)w.t.x - 7 + (int)w.nt.x * (int)w.b.x;
		if (x < 20)
			return;
		to[at(w, (unsigned)x + 7, w.nb.x * w.nt.x)] += (unsigned)x;
	}
};

/* Right with blocks of 256 only; with others there are gaps. */
struct constant_size {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = w.b.x * 256 + w.t.x;
		if (x < MOST)
			to[x] = x * 11 + 1;
	}
};

/* The sum with two different sizes. */
struct two_sizes {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = w.b.x * w.nt.x + w.t.x, odd = w.b.x * 32 + w.t.x;
		to[at(w, x, w.nb.x * w.nt.x)] += odd ^ 0x55;
	}
};

struct block_only {
	BOTH void run(const where &w, unsigned *to)
	{
		to[at(w, w.b.x, w.nb.x)] = w.b.x * 5 + 1;
	}
};

struct thread_only {
	BOTH void run(const where &w, unsigned *to)
	{
		to[w.t.x] = w.t.x + w.nb.x;
	}
};

/* What the loop's own counter comes to next. */
struct next_thread {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = w.b.x * w.nt.x + w.t.x;
		to[at(w, x, w.nb.x * w.nt.x)] += (w.t.x + 1) * 3;
	}
};

struct next_block {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = w.b.x * w.nt.x + w.t.x;
		to[at(w, x, w.nb.x * w.nt.x)] += (w.b.x + 1) * 3;
	}
};

struct only_next_block {
	BOTH void run(const where &w, unsigned *to)
	{
		to[at(w, w.b.x, w.nb.x)] = w.b.x + 1;
	}
};

/* From one time round to the next. */
struct carried {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = w.b.x * w.nt.x + w.t.x, sum = 0, last = 0, before = 0;
		for (unsigned i = 0; i < w.nb.x % 5 + 2; i++) {
			sum = sum * 3 + last + before * 5;
			last = w.t.x + i;
			before = w.b.x - i;
		}
		to[at(w, x, w.nb.x * w.nt.x)] += sum;
	}
};

struct crossed {
	BOTH void run(const where &w, unsigned *to)
	{
		to[at(w, w.t.x * w.nb.x + w.b.x, w.nb.x * w.nt.x)] += w.b.x;
	}
};

/* Two elements a thread, blockDim.x apart. */
struct pairs {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = 2 * w.b.x * w.nt.x + w.t.x;
		for (int k = 0; k < 2; k++, x += w.nt.x)
			if (x / 2 < w.nb.x * w.nt.x && x < MOST)
				to[x] = x * 7 + 1;
	}
};

/* The sum, and the lane. */
struct lanes {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = w.b.x * w.nt.x + w.t.x;
		to[at(w, x, w.nb.x * w.nt.x)] += (w.t.x & 31) * 7 + x;
	}
};

/* The sum wraps around in the middle of the row. */
struct wraps {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = 0u - w.nt.x * (w.nb.x / 2) - 1 + w.b.x * w.nt.x + w.t.x;
		unsigned long long far = x;
		if (far < MOST)
			to[far] = x + 1;
	}
};

/* A product in 32 bits that is added in 64. */
struct two_widths {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned start = w.b.x * w.nt.x;
		unsigned long long x = (unsigned long long)start + w.t.x;
		to[at(w, (unsigned)x, w.nb.x * w.nt.x)] += (unsigned)(x >> 3) + 2;
	}
};

/* Loops of different lengths, so that lanes of several blocks leave one by one. */
struct ragged {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = w.b.x * w.nt.x + w.t.x, sum = 0;
		for (unsigned i = 0; i < x % 13; i++)
			sum += i * x;
		to[at(w, x, w.nb.x * w.nt.x)] += sum;
	}
};

/* All elements, by strides of the grid. */
struct strides {
	BOTH void run(const where &w, unsigned *to)
	{
		if (w.b.y + w.b.z + w.t.y + w.t.z)
			return;
		for (unsigned x = w.b.x * w.nt.x + w.t.x; x < MOST; x += w.nb.x * w.nt.x)
			to[x] = x * 9;
	}
};

/* A variable on the stack with a computed index. */
struct own_array {
	BOTH void run(const where &w, unsigned *to)
	{
		unsigned x = w.b.x * w.nt.x + w.t.x, own[8];
		for (unsigned i = 0; i < 8; i++)
			own[i] = x * i;
		to[at(w, x, w.nb.x * w.nt.x)] += own[x % 8] + own[w.b.x % 8];
	}
};

template <typename F> __global__ void kernel(unsigned *to)
{
	F::run({threadIdx, blockIdx, blockDim, gridDim}, to);
}

/* Shared memory, each block its own, without a barrier. */
__global__ void own_shared(unsigned *to)
{
	__shared__ unsigned s[2048];
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned me = threadIdx.x + blockDim.x * threadIdx.y;
	s[(me + to[0]) % 2048] = x + blockIdx.y;
	unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
	to[1 + y * gridDim.x * blockDim.x + x] = s[(me + to[0]) % 2048];
}

/* Each thread draws a ticket; by the end all have been drawn once. */
__global__ void tickets(unsigned *count, unsigned *seen)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
	if (x % 3)
		seen[atomicAdd(count, 1u)] += 1 + x - x;
}

static const struct {
	dim3 grid, block;
} shapes[] = {
	{1, 1}, {5, 1}, {100000, 1}, {300, 256}, {64, 1024}, {3000, 3}, {dim3(3, 1000), 3},
	{dim3(37, 5, 3), dim3(32, 8)}, {dim3(7, 9), dim3(5, 3, 2)}, {dim3(100, 2), dim3(1, 16)},
	{dim3(1, 1, 50), dim3(40, 2, 3)}, {dim3(33, 2), dim3(256, 2)},
};

template <typename F> static void check(const char *name)
{
	static unsigned want[MOST];
	bool same = true;
	for (const auto &s : shapes) {
		memset(want, 0, sizeof want);
		CHECK(cudaMemset(out, 0, sizeof want));
		kernel<F><<<s.grid, s.block>>>(out);
		where w = {{}, {}, s.block, s.grid};
		for (w.b.z = 0; w.b.z < s.grid.z; w.b.z++)
		for (w.b.y = 0; w.b.y < s.grid.y; w.b.y++)
		for (w.b.x = 0; w.b.x < s.grid.x; w.b.x++)
		for (w.t.z = 0; w.t.z < s.block.z; w.t.z++)
		for (w.t.y = 0; w.t.y < s.block.y; w.t.y++)
		for (w.t.x = 0; w.t.x < s.block.x; w.t.x++)
			F::run(w, want);
		CHECK(cudaDeviceSynchronize());
		same &= !memcmp(out, want, sizeof want);
	}
	say(name, same ? "same" : "different");
}

static void check_shared()
{
	bool same = true;
	CHECK(cudaMemset(out, 0, MOST * sizeof *out));
	own_shared<<<dim3(50, 3), dim3(64, 4)>>>(out);
	CHECK(cudaDeviceSynchronize());
	for (unsigned y = 0; y < 12; y++)
		for (unsigned x = 0; x < 3200; x++)
			same &= out[1 + y * 3200 + x] == x + y / 4;
	say("shared memory of its own", same ? "same" : "different");
}

static void check_tickets()
{
	bool same = true;
	unsigned n = 0;
	CHECK(cudaMemset(out, 0, MOST * sizeof *out));
	tickets<<<200, 100>>>(out + MOST - 1, out);
	CHECK(cudaDeviceSynchronize());
	for (unsigned x = 0; x < 20000; x++)
		n += x % 3 != 0;
	for (unsigned i = 0; i < MOST - 1; i++)
		same &= out[i] == (i < n);
	say("tickets", same && out[MOST - 1] == n ? "same" : "different");
}

int main()
{
	CHECK(cudaMallocManaged(&out, MOST * sizeof *out));
	check<sum32>("sum of 32 bits");
	check<sum64>("sum of 64 bits");
	check<signed_sum>("signed sum");
	check<constant_size>("constant block size");
	check<two_sizes>("two block sizes");
	check<block_only>("blockIdx only");
	check<thread_only>("threadIdx only");
	check<next_thread>("next thread");
	check<next_block>("next block");
	check<only_next_block>("next block only");
	check<carried>("carried");
	check<crossed>("crossed");
	check<pairs>("pairs");
	check<lanes>("lanes");
	check<wraps>("wrapped sum");
	check<two_widths>("two widths");
	check<ragged>("ragged");
	check<strides>("grid-stride");
	check<own_array>("array of its own");
	check_shared();
	check_tickets();
	return 0;
}

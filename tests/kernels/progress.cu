/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait for each other in memory: locks within a warp and between
 * blocks, flags, grid barriers made of atomics, look-back from block to block.
 * All of these finish on a GPU of compute capability 7.0 or later. */
#include "case.cuh"

/* Each thread takes the lock in turn, also those of one warp. */
__global__ void lock_in_warp(int *lock, int *out)
{
	bool done = false;
	while (!done) {
		if (atomicCAS(lock, 0, 1) == 0) {
			volatile int *o = out;
			o[0] = o[0] + 1;
			o[1] = o[1] * 3 + 1; /* the same for any order */
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
	}
}

/* The form that hung on older devices: the holder leaves the loop first. */
__global__ void lock_spinning(int *lock, int *out)
{
	while (atomicCAS(lock, 0, 1) != 0)
		;
	__threadfence();
	((volatile int *)out)[0] += 1;
	__threadfence();
	atomicExch(lock, 0);
}

__global__ void lock_with_sleep(int *lock, int *out)
{
	unsigned ns = 8;
	while (atomicCAS(lock, 0, 1) == 1) {
		__nanosleep(ns);
		if (ns < 256)
			ns *= 2;
	}
	((volatile int *)out)[0] += 2;
	__threadfence();
	atomicExch(lock, 0);
}

/* A ticket lock gives turns in order. */
__global__ void ticket_lock(unsigned *out)
{
	__shared__ unsigned next, serving, order;
	if (threadIdx.x == 0)
		next = serving = order = 0;
	__syncthreads();
	unsigned mine = atomicAdd(&next, 1);
	while (atomicAdd(&serving, 0) != mine)
		;
	bool in_order = order == mine;
	order++;
	__threadfence_block();
	atomicAdd(&serving, 1);
	out[threadIdx.x] = in_order;
}

/* One lane waits for another lane of its own warp. */
__global__ void flag_in_warp(int *out)
{
	__shared__ volatile int flag, data;
	if (threadIdx.x == 0)
		flag = 0;
	__syncthreads();
	if (threadIdx.x == 3) {
		while (flag == 0)
			;
		__threadfence_block();
		out[0] = data;
	} else if (threadIdx.x == 20) {
		data = 42;
		__threadfence_block();
		flag = 1;
	}
}

/* Warps hand a token round through shared memory. */
__global__ void token(int *out)
{
	__shared__ volatile int turn;
	int warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
	if (threadIdx.x == 0)
		turn = 0;
	__syncthreads();
	for (int round = 0; round < 5; round++) {
		if (threadIdx.x % 32 == 0) {
			while (turn != round * n_warps + warp)
				;
			out[round * n_warps + warp] = turn * 10 + warp;
			__threadfence_block();
			turn = turn + 1;
		}
		__syncwarp();
	}
}

/* Block b waits for block b - 1. */
__global__ void chain(volatile int *done, volatile int *out)
{
	if (threadIdx.x == 0) {
		int b = blockIdx.x;
		if (b > 0)
			while (done[b - 1] == 0)
				;
		__threadfence();
		out[b] = (b > 0 ? out[b - 1] : 0) + b + 1;
		__threadfence();
		done[b] = 1;
	}
}

/* Block b waits for block b + 1: the first block spins until the last has run. */
__global__ void chain_backwards(volatile int *done, volatile int *out)
{
	int b = blockIdx.x, last = gridDim.x - 1;
	if (threadIdx.x == 0 && b < last)
		while (done[b + 1] == 0)
			;
	__syncthreads();
	__threadfence();
	if (threadIdx.x == 5) {
		out[b] = (b < last ? out[b + 1] : 0) + b;
		__threadfence();
		done[b] = 1;
	}
}

/* All blocks meet, again and again; each writes what the others read. */
__device__ volatile unsigned arrived;
__device__ void grid_barrier(unsigned round)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		atomicAdd((unsigned *)&arrived, 1);
		while (arrived < round * gridDim.x)
			;
		__threadfence();
	}
	__syncthreads();
}

__global__ void grid_barriers(int *out, int *other)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	out[i] = i;
	for (unsigned k = 1; k <= 6; k++) {
		grid_barrier(2 * k - 1);
		int v = ((volatile int *)out)[(i + 37) % n];
		grid_barrier(2 * k);
		out[i] = v + 1;
	}
	if (i == 0)
		other[0] = 1;
}

/* A barrier with a generation, as code that uses it more than once has it. */
struct barrier {
	unsigned count, generation;
};
__global__ void generations(barrier *b, int *out)
{
	for (int k = 0; k < 5; k++) {
		__syncthreads();
		if (threadIdx.x == 0) {
			volatile unsigned *generation = &b->generation;
			unsigned mine = *generation;
			__threadfence();
			if (atomicInc(&b->count, gridDim.x - 1) == gridDim.x - 1) {
				*generation = mine + 1;
				__threadfence();
			} else {
				while (*generation == mine)
					__nanosleep(20);
			}
		}
		__syncthreads();
		if (threadIdx.x == 1)
			atomicAdd(&out[k], 1);
	}
}

/* Decoupled look-back (D. Merrill, M. Garland 2016): a scan in one pass. A tile
 * publishes its sum, then looks back over its predecessors until it meets one
 * whose whole prefix is known. */
enum { NOTHING, SUM, PREFIX };
__device__ unsigned next_tile;

__global__ void look_back(const int *in, int *out, unsigned long long *state, int n)
{
	__shared__ int values[128];
	__shared__ unsigned tile;
	__shared__ int before;
	if (threadIdx.x == 0)
		tile = atomicAdd(&next_tile, 1);
	__syncthreads();
	int i = tile * 128 + threadIdx.x;
	values[threadIdx.x] = i < n ? in[i] : 0;
	__syncthreads();
	for (int d = 1; d < 128; d *= 2) {
		int v = threadIdx.x >= d ? values[threadIdx.x - d] : 0;
		__syncthreads();
		values[threadIdx.x] += v;
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		unsigned sum = values[127], prefix = 0;
		volatile unsigned long long *s = state;
		if (tile == 0) {
			s[0] = (unsigned long long)PREFIX << 32 | sum;
		} else {
			s[tile] = (unsigned long long)SUM << 32 | sum;
			for (int t = tile - 1; t >= 0;) {
				unsigned long long seen = s[t];
				if (seen >> 32 == NOTHING)
					continue;
				prefix += (unsigned)seen;
				if (seen >> 32 == PREFIX)
					break;
				t--;
			}
			__threadfence();
			s[tile] = (unsigned long long)PREFIX << 32 | (prefix + sum);
		}
		before = prefix;
	}
	__syncthreads();
	if (i < n)
		out[i] = before + values[threadIdx.x];
}

/* Work that makes work: a queue in global memory that threads empty together. */
__global__ void work_queue(int *queue, int *head, int *tail, int *pending, int *out)
{
	while (atomicAdd(pending, 0) > 0) {
		int h = atomicAdd(head, 0);
		if (h >= atomicAdd(tail, 0))
			continue;
		if (atomicCAS(head, h, h + 1) != h)
			continue;
		int item;
		while ((item = atomicAdd(&queue[h], 0)) == 0)
			;
		atomicAdd(&out[0], item);
		atomicAdd(&out[1], 1);
		if (item < 64) {
			atomicAdd(pending, 2);
			int t = atomicAdd(tail, 2);
			atomicExch(&queue[t], 2 * item);
			atomicExch(&queue[t + 1], 2 * item + 1);
		}
		atomicSub(pending, 1);
	}
}

/* Message passing with fences: whoever sees the flag sees the data. */
__global__ void message(volatile int *data, volatile int *flag, int *out)
{
	if (blockIdx.x == 0) {
		for (int k = 1; k <= 20; k++) {
			data[threadIdx.x] = k * 100 + threadIdx.x;
			__threadfence();
			__syncthreads();
			if (threadIdx.x == 0) {
				*flag = k;
				while (flag[1] < k)
					;
			}
			__syncthreads();
		}
	} else {
		for (int k = 1; k <= 20; k++) {
			if (threadIdx.x == 0)
				while (*flag < k)
					;
			__syncthreads();
			__threadfence();
			out[threadIdx.x] += data[threadIdx.x];
			__syncthreads();
			if (threadIdx.x == 0)
				flag[1] = k;
		}
	}
}

int main()
{
	{
		memory<int> lock(1), out(2);
		lock_in_warp<<<2, 48>>>(lock.there, out.there);
		CHECK(cudaDeviceSynchronize());
		out.show("lock in a warp");
	}
	{
		memory<int> lock(1), out(1);
		lock_spinning<<<4, 64>>>(lock.there, out.there);
		CHECK(cudaDeviceSynchronize());
		out.show("lock, spinning");
	}
	{
		memory<int> lock(1), out(1);
		lock_with_sleep<<<4, 64>>>(lock.there, out.there);
		CHECK(cudaDeviceSynchronize());
		out.show("lock with sleep");
	}
	run("ticket lock", 40, 1, 40, ticket_lock);
	run("flag in a warp", 1, 1, 32, flag_in_warp);
	run("token", 20, 1, 128, token);
	{
		memory<int> done(40), out(40);
		chain<<<40, 32>>>(done.there, out.there);
		CHECK(cudaDeviceSynchronize());
		out.show("chain");
	}
	{
		memory<int> done(40), out(40);
		chain_backwards<<<40, 64>>>(done.there, out.there);
		CHECK(cudaDeviceSynchronize());
		out.show("chain backwards");
	}
	{
		memory<int> out(16 * 64), other(1);
		grid_barriers<<<16, 64>>>(out.there, other.there);
		CHECK(cudaDeviceSynchronize());
		out.show("grid barriers");
	}
	{
		memory<barrier> b(1);
		memory<int> out(5);
		generations<<<24, 32>>>(b.there, out.there);
		CHECK(cudaDeviceSynchronize());
		out.show("barrier with generations");
	}
	{
		std::vector<int> v(5000);
		for (int i = 0; i < 5000; i++)
			v[i] = i % 23 - 5;
		memory<int> in(v), out(5000);
		memory<unsigned long long> state(40);
		look_back<<<40, 128>>>(in.there, out.there, state.there, 5000);
		CHECK(cudaDeviceSynchronize());
		std::vector<int> got = out.fetch();
		int sum = 0, wrong = 0;
		for (int i = 0; i < 5000; i++) {
			sum += v[i];
			wrong += got[i] != sum;
		}
		say("look-back", "%d wrong, last %d", wrong, got[4999]);
	}
	{
		std::vector<int> first(256, 0);
		first[0] = 1;
		memory<int> queue(first), head(1), tail(std::vector<int>{1}), pending(std::vector<int>{1}), out(2);
		work_queue<<<3, 40>>>(queue.there, head.there, tail.there, pending.there, out.there);
		CHECK(cudaDeviceSynchronize());
		out.show("work queue");
	}
	{
		memory<int> data(32), flag(2), out(32);
		message<<<2, 32>>>(data.there, flag.there, out.there);
		CHECK(cudaDeviceSynchronize());
		out.show("message");
	}
	return 0;
}

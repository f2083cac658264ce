/* SPDX-License-Identifier: Apache-2.0 */
/* Block barriers: plain and with count, and, or; in loops, in divergent code, after
 * early exits; numbered barriers through PTX. */
#include "case.cuh"

__global__ void reductions(int *out)
{
	int i = threadIdx.x;
	out[i] = __syncthreads_count(i % 3 == 0) + 1000 * (__syncthreads_and(i < 100) != 0) +
		 2000 * (__syncthreads_or(i == 50) != 0) + 4000 * (__syncthreads_and(i < 70) != 0) +
		 8000 * (__syncthreads_or(i == 99) != 0);
}

/* Values pass around the block, one place at each barrier. */
__global__ void in_a_loop(int *out, int steps)
{
	__shared__ int ring[96];
	int i = threadIdx.x;
	ring[i] = i;
	__syncthreads();
	for (int s = 0; s < steps; s++) {
		int from_left = ring[(i + blockDim.x - 1) % blockDim.x];
		__syncthreads();
		ring[i] = from_left + 1;
		__syncthreads();
	}
	out[i] = ring[i];
}

/* Threads that have left do not hold up the others. */
__global__ void early_exit(int *out)
{
	__shared__ int sum;
	int i = threadIdx.x;
	if (i == 0)
		sum = 0;
	__syncthreads();
	if (i % 4 == 3)
		return;
	atomicAdd(&sum, i);
	__syncthreads();
	if (i >= 40)
		return;
	out[i] = sum;
	__syncthreads();
	out[i] += 100000 * __syncthreads_count(1);
}

/* Whole warps leave in a loop. */
__global__ void leave_one_by_one(int *out)
{
	__shared__ int alive;
	int warp = threadIdx.x / 32;
	for (int round = 0; round < 4; round++) {
		if (threadIdx.x == 96)
			alive = 0;
		__syncthreads();
		atomicAdd(&alive, 1);
		__syncthreads();
		out[threadIdx.x] = alive;
		__syncthreads();
		if (warp == round)
			break;
	}
}

/* Half of the block stands at one barrier in the source, half at another. */
__global__ void two_places(int *out)
{
	__shared__ int values[64];
	int i = threadIdx.x;
	values[i] = i;
	if (i < 32) {
		values[i] += 100;
		__syncthreads();
		out[i] = values[i + 32];
	} else {
		values[i] += 1000;
		__syncthreads();
		out[i] = values[i - 32];
	}
}

/* In a function that is called from two places. */
__device__ __noinline__ int exchange(int *buffer, int value)
{
	buffer[threadIdx.x] = value;
	__syncthreads();
	int got = buffer[(threadIdx.x + 7) % blockDim.x];
	__syncthreads();
	return got;
}

__global__ void in_a_function(int *out)
{
	__shared__ int buffer[50];
	int a = exchange(buffer, threadIdx.x);
	int b = exchange(buffer, a * 2);
	out[threadIdx.x] = a + b;
}

__device__ __noinline__ int descend(int depth, int *buffer)
{
	buffer[threadIdx.x] += depth;
	__syncthreads();
	if (depth == 0)
		return buffer[(threadIdx.x + 1) % blockDim.x];
	int below = descend(depth - 1, buffer);
	__syncthreads();
	return below + buffer[threadIdx.x];
}

__global__ void in_recursion(int *out)
{
	__shared__ int buffer[40];
	buffer[threadIdx.x] = threadIdx.x;
	out[threadIdx.x] = descend(4, buffer);
}

__device__ void named(int id, int n)
{
	asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
}

/* The two halves of a block use barriers of their own, many times. */
__global__ void numbered(int *out)
{
	__shared__ volatile int turn[2];
	int half = threadIdx.x / 64, i = threadIdx.x % 64;
	if (i == 0)
		turn[half] = 0;
	named(1 + half, 64);
	int rounds = half ? 5 : 9;
	for (int r = 0; r < rounds; r++) {
		if (i == r)
			turn[half] = turn[half] + r + 1;
		named(1 + half, 64);
	}
	__syncthreads();
	out[threadIdx.x] = turn[0] * 1000 + turn[1];
}

/* Producer warps arrive and go on, consumer warps wait. */
__global__ void producer_consumer(int *out)
{
	__shared__ int buffer[32];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
	for (int k = 0; k < 6; k++) {
		if (warp == 0) {
			asm volatile("bar.sync 2, 64;" ::: "memory"); /* empty */
			buffer[lane] = lane * 10 + k;
			__threadfence_block();
			asm volatile("bar.arrive 1, 64;" ::: "memory"); /* full */
		} else {
			asm volatile("bar.arrive 2, 64;" ::: "memory");
			asm volatile("bar.sync 1, 64;" ::: "memory");
			sum += buffer[31 - lane];
		}
	}
	out[threadIdx.x] = sum;
}

__global__ void reduced_by_ptx(int *out)
{
	int i = threadIdx.x, count, all;
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; barrier.sync.aligned 0; barrier.red.popc.aligned.u32 %0, 3, p; }"
		     : "=r"(count)
		     : "r"(i & 1)
		     : "memory");
	asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 64; bar.red.and.pred q, 0, p; selp.u32 %0, 1, 0, q; }"
		     : "=r"(all)
		     : "r"(i)
		     : "memory");
	out[i] = count * 10 + all;
}

/* Block sizes that do not fill their last warp. */
__global__ void ragged(int *out)
{
	extern __shared__ int s[];
	s[threadIdx.x] = 1;
	__syncthreads();
	if (threadIdx.x == 0) {
		int sum = 0;
		for (int i = 0; i < blockDim.x; i++)
			sum += s[i];
		out[blockIdx.x] = sum + 10000 * (int)blockDim.x;
	}
	int n = __syncthreads_count(threadIdx.x & 1);
	if (threadIdx.x == blockDim.x - 1)
		out[blockIdx.x] += 100000000 * (n == blockDim.x / 2);
}

/* Much state lives across a barrier. */
__global__ void much_state(float *out)
{
	__shared__ float s[64];
	float keep[24];
	int i = threadIdx.x;
	for (int k = 0; k < 24; k++)
		keep[k] = i + 0.5f * k;
	s[i] = keep[3];
	__syncthreads();
	for (int k = 0; k < 24; k++)
		keep[k] += s[(i + k) % 64];
	__syncthreads();
	s[i] = keep[i % 24];
	__syncthreads();
	float sum = s[63 - i];
	for (int k = 0; k < 24; k++)
		sum += keep[k] * k;
	out[i] = sum;
}

__global__ void scan(int *out, const int *in, int n)
{
	extern __shared__ int temp[];
	int i = threadIdx.x, front = 0;
	temp[i] = i > 0 ? in[i - 1] : 0;
	__syncthreads();
	for (int offset = 1; offset < n; offset *= 2) {
		front = 1 - front;
		int back = 1 - front;
		temp[front * n + i] = temp[back * n + i] + (i >= offset ? temp[back * n + i - offset] : 0);
		__syncthreads();
	}
	out[i] = temp[front * n + i];
}

int main()
{
	run("count, and, or", 100, 1, 100, reductions);
	run("in a loop", 72, 1, 72, in_a_loop, 50);
	run("early exit", 64, 1, 64, early_exit);
	run("warps leave one by one", 128, 1, 128, leave_one_by_one);
	run("two places", 64, 1, 64, two_places);
	run("in a function", 50, 1, 50, in_a_function);
	run("in recursion", 40, 1, 40, in_recursion);
	run("numbered", 128, 1, 128, numbered);
	run("producer and consumer", 64, 1, 64, producer_consumer);
	run("reductions by PTX", 64, 1, 64, reduced_by_ptx);
	for (int n : {1, 31, 32, 33, 63, 100, 257, 1000, 1024}) {
		char name[32];
		memory<int> out(3);
		ragged<<<3, n, n * sizeof(int)>>>(out.there);
		snprintf(name, sizeof name, "%d threads", n);
		out.show(name);
	}
	run("much state", 64, 1, 64, much_state);
	std::vector<int> v(512);
	for (int i = 0; i < 512; i++)
		v[i] = i % 17;
	memory<int> in(v), out(512);
	scan<<<1, 512, 2 * 512 * sizeof(int)>>>(out.there, in.there, 512);
	out.show("scan");
	return 0;
}

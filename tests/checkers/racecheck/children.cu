/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that kernels launch: with their parents, and with each other. */
// flags: -rdc=true
#include "../cases.h"

__global__ void add(int *p, int v)
{
	p[threadIdx.x] += v; /* FINDS(streams_guilty): race FINDS(forgotten_guilty): race */
}

__global__ void read(const int *p, int *q)
{
	q[threadIdx.x] = p[threadIdx.x]; /* FINDS(written_later_guilty): race FINDS(not_waited_guilty): race */
}

/* Streams of a thread's own, with and without an event between them. */
template <bool EVENT> __global__ void streams(int *p)
{
	cudaStream_t a, b;
	cudaEvent_t done;
	cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
	cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
	add<<<1, 32, 0, a>>>(p, 1);
	cudaEventRecord(done, a);
	if (EVENT)
		cudaStreamWaitEvent(b, done, 0);
	add<<<1, 32, 0, b>>>(p, 2);
}
CASE(streams_guilty)
{
	device_array<int> p(32);
	streams<false><<<1, 1>>>(p);
	cudaDeviceSynchronize();
}
CASE(streams_innocent)
{
	device_array<int> p(32);
	streams<true><<<1, 1>>>(p);
	cudaDeviceSynchronize();
}

__global__ void forgotten(int *p)
{
	add<<<1, 32, 0, cudaStreamFireAndForget>>>(p, 1);
	add<<<1, 32, 0, cudaStreamFireAndForget>>>(p, 2);
}
CASE(forgotten_guilty)
{
	device_array<int> p(32);
	forgotten<<<1, 1>>>(p);
	cudaDeviceSynchronize();
}

/* A block's launches, then what waits for the whole grid; a child's children end before it
 * does. */
__global__ void again(int *p) { add<<<1, 32>>>(p, 1); }
__global__ void in_turn(int *p)
{
	again<<<1, 1>>>(p);
	again<<<1, 1>>>(p);
	add<<<1, 32, 0, cudaStreamTailLaunch>>>(p, 2);
	add<<<1, 32, 0, cudaStreamTailLaunch>>>(p, 3);
}
CASE(in_turn_innocent)
{
	device_array<int> p(32);
	in_turn<<<1, 1>>>(p);
	add<<<1, 32>>>(p, 4);
	cudaDeviceSynchronize();
}

/* What the launching thread knows of is before the child; what it does later is not. */
template <bool LATER> __global__ void write(int *p, int *q)
{
	p[threadIdx.x] = 1;
	__syncthreads();
	if (threadIdx.x == 0)
		read<<<1, 64>>>(p, q);
	__syncthreads();
	if (LATER)
		p[threadIdx.x] = 2;
}
CASE(written_later_guilty)
{
	device_array<int> p(64), q(64);
	write<true><<<1, 64>>>(p, q);
	cudaDeviceSynchronize();
}
CASE(written_before_innocent)
{
	device_array<int> p(64), q(64);
	write<false><<<1, 64>>>(p, q);
	cudaDeviceSynchronize();
}

/* Without a barrier the first thread knows nothing of the others'. */
__global__ void launch_at_once(int *p, int *q)
{
	p[threadIdx.x] = 1;
	if (threadIdx.x == 0)
		read<<<1, 64>>>(p, q);
}
CASE(not_waited_guilty)
{
	device_array<int> p(64), q(64);
	launch_at_once<<<1, 64>>>(p, q);
	cudaDeviceSynchronize();
}

/* What other blocks write no thread of this one knows of, whoever comes first. */
template <bool TAIL> __global__ void of_all(int *p, int *q)
{
	p[blockIdx.x * 32 + threadIdx.x] = blockIdx.x; /* FINDS(of_all_guilty): race */
	__syncthreads();
	if (blockIdx.x == 1 && threadIdx.x == 0)
		read<<<1, 64, 0, TAIL ? cudaStreamTailLaunch : 0>>>(p, q);
}
CASE(of_all_guilty)
{
	device_array<int> p(64), q(64);
	of_all<false><<<2, 32>>>(p, q);
	cudaDeviceSynchronize();
}
CASE(of_all_innocent)
{
	device_array<int> p(64), q(64);
	of_all<true><<<2, 32>>>(p, q);
	cudaDeviceSynchronize();
}

/* ---- copies and sets ------------------------------------------------------ */

__global__ void add_one(int *p) { p[threadIdx.x] += 1; }  /* FINDS(copied_guilty): race */
__global__ void add_some(int *p) { p[threadIdx.x] += 2; } /* FINDS(copied_after_guilty): race */

/* A copy reads what a child in another stream writes; in one stream they follow each other. */
template <bool SAME> __global__ void copied(int *p, int *q)
{
	cudaStream_t a, b;
	cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
	add_one<<<1, 32, 0, a>>>(p);
	cudaMemcpyAsync(q, p, 32 * sizeof *p, cudaMemcpyDeviceToDevice, SAME ? a : b);
}
CASE(copied_guilty)
{
	device_array<int> p(32), q(32);
	copied<false><<<1, 1>>>(p, q);
	cudaDeviceSynchronize();
}
CASE(copied_innocent)
{
	device_array<int> p(32), q(32);
	copied<true><<<1, 1>>>(p, q);
	add_one<<<1, 32>>>(q);
	cudaDeviceSynchronize();
}

/* What a thread writes behind its call, a set may write at the same time. Before it, and
 * where a barrier says so also the other threads' writes, is in order. */
template <bool LATER> __global__ void set(int *p)
{
	if (!LATER)
		p[threadIdx.x] = 1;
	__syncthreads();
	if (threadIdx.x == 0)
		cudaMemsetAsync(p, 0, 64 * sizeof *p, 0);
	__syncthreads();
	if (LATER)
		p[threadIdx.x] = 2; /* FINDS(set_guilty): race */
}
CASE(set_guilty)
{
	device_array<int> p(64);
	set<true><<<1, 64>>>(p);
	cudaDeviceSynchronize();
}
CASE(set_innocent)
{
	device_array<int> p(64);
	set<false><<<1, 64>>>(p);
	cudaDeviceSynchronize();
}

/* The thread that asks for the copy has met its block; other blocks it knows nothing of. The
 * tail stream comes when all have ended. */
template <bool TAIL> __global__ void gathered(int *p, int *q)
{
	p[blockIdx.x * 32 + threadIdx.x] = blockIdx.x; /* FINDS(gathered_guilty): race */
	__syncthreads();
	if (blockIdx.x == 1 && threadIdx.x == 0)
		cudaMemcpyAsync(q, p, 64 * sizeof *p, cudaMemcpyDeviceToDevice,
				TAIL ? cudaStreamTailLaunch : cudaStreamFireAndForget);
}
CASE(gathered_guilty)
{
	device_array<int> p(64), q(64);
	gathered<false><<<2, 32>>>(p, q);
	cudaDeviceSynchronize();
}
CASE(gathered_innocent)
{
	device_array<int> p(64), q(64);
	gathered<true><<<2, 32>>>(p, q);
	cudaDeviceSynchronize();
}

/* An event between two streams. */
template <bool EVENT> __global__ void copied_after(int *p, int *q)
{
	cudaStream_t a, b;
	cudaEvent_t done;
	cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
	cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
	cudaMemcpyAsync(q, p, 32 * sizeof *p, cudaMemcpyDeviceToDevice, a);
	cudaEventRecord(done, a);
	if (EVENT)
		cudaStreamWaitEvent(b, done, 0);
	add_some<<<1, 32, 0, b>>>(q);
}
CASE(copied_after_guilty)
{
	device_array<int> p(32), q(32);
	copied_after<false><<<1, 1>>>(p, q);
	cudaDeviceSynchronize();
}
CASE(copied_after_innocent)
{
	device_array<int> p(32), q(32);
	copied_after<true><<<1, 1>>>(p, q);
	cudaDeviceSynchronize();
}

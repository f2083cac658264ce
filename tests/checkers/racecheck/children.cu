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

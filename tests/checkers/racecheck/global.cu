/* SPDX-License-Identifier: Apache-2.0 */
/* Races on global memory: between blocks, through flags, locks, counters, scopes. */
#include <cooperative_groups.h>
#include <cuda/atomic>

#include "../cases.h"

namespace cg = cooperative_groups;

/* ---- plain accesses of two blocks ----------------------------------------- */

__global__ void halo(float *data, const float *from, int shift)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	float v = from[(i + shift) % n];                         /* FINDS(halo_guilty): race */
	data[i] = v;                                             /* FINDS(halo_guilty): race */
}
/* SAYS(halo_guilty): Blocks run in any order */
CASE(halo_guilty) { device_array<float> a(256); halo<<<2, 128>>>(a, a, 1); }
CASE(halo_innocent) { device_array<float> a(256), b(256); halo<<<2, 128>>>(a, b, 1); halo<<<2, 128>>>(b, a, 1); }

/* __syncthreads() does not order blocks. */
__global__ void two_steps(int *data, int *out)
{
	data[blockIdx.x * blockDim.x + threadIdx.x] = 1;         /* FINDS(two_steps_guilty): race */
	__syncthreads();
	out[blockIdx.x * blockDim.x + threadIdx.x] =
		data[(blockIdx.x + 1) % gridDim.x * blockDim.x + threadIdx.x];
}
CASE(two_steps_guilty) { device_array<int> a(128), b(128); two_steps<<<4, 32>>>(a, b); }
CASE(two_steps_innocent) { device_array<int> a(32), b(32); two_steps<<<1, 32>>>(a, b); }

__global__ void count(int *n, bool atomic)
{
	if (atomic)
		atomicAdd(n, 1);
	else
		*n = *n + 1;                                     /* FINDS(count_guilty): race */
}
/* SAYS(count_guilty): Several threads write there */
/* SAYS(count_guilty): Threads of several blocks do this there */
CASE(count_guilty) { device_array<int> a(1); count<<<8, 1>>>(a, false); }
CASE(count_innocent) { device_array<int> a(1); count<<<8, 1>>>(a, true); }

/* Read plainly while others add. */
template <bool ATOMIC> __global__ void progress(int *n, int *seen)
{
	atomicAdd(n, 1);                                         /* FINDS(progress_guilty): race */
	seen[blockIdx.x] = ATOMIC ? atomicAdd(n, 0) : *n;
}
CASE(progress_guilty) { device_array<int> a(1), b(8); progress<false><<<8, 1>>>(a, b); }
CASE(progress_innocent) { device_array<int> a(1), b(8); progress<true><<<8, 1>>>(a, b); }

/* A counter that one block sets while the others count. */
template <bool BEFORE> __global__ void reset(int *n)
{
	if (!BEFORE && blockIdx.x == 0)
		*n = 0;                                          /* FINDS(reset_guilty): race */
	atomicAdd(n, 1);
}
CASE(reset_guilty) { device_array<int> a(1); reset<false><<<4, 1>>>(a); }
CASE(reset_innocent) { device_array<int> a(1); reset<true><<<4, 1>>>(a); }

/* ---- scopes --------------------------------------------------------------- */

__global__ void scoped(int *n, bool block)
{
	if (block)
		atomicAdd_block(n, 1);                           /* FINDS(scoped_guilty): race */
	else
		atomicAdd(n, 1);
}
CASE(scoped_guilty) { device_array<int> a(1); scoped<<<4, 32>>>(a, true); }
CASE(scoped_innocent) { device_array<int> a(1); scoped<<<4, 32>>>(a, false); scoped<<<1, 64>>>(a, true); }

template <bool DEVICE> __global__ void ref(int *n)
{
	if (DEVICE)
		cuda::atomic_ref<int, cuda::thread_scope_device>(*n).fetch_add(1, cuda::memory_order_relaxed);
	else
		cuda::atomic_ref<int, cuda::thread_scope_block>(*n).fetch_add(1, cuda::memory_order_relaxed); /* FINDS(ref_guilty): race */
}
CASE(ref_guilty) { device_array<int> a(1); ref<false><<<4, 32>>>(a); }
CASE(ref_innocent) { device_array<int> a(1); ref<true><<<4, 32>>>(a); }

/* ---- flags ---------------------------------------------------------------- */

template <int FENCE> __global__ void flag(int *data, volatile int *ready, int *out)
{
	if (blockIdx.x == 0) {
		*data = 42;                                      /* FINDS(flag_guilty): race */
		if (FENCE == 2)
			__threadfence();
		if (FENCE == 1)
			__threadfence_block();
		*ready = 1;
	} else {
		while (!*ready)
			;
		__threadfence();
		*out = *data;
	}
}
CASE(flag_guilty) { device_array<int> a(3); flag<0><<<2, 1>>>(a, a + 1, a + 2); }
CASE(flag_innocent) { device_array<int> a(3); flag<2><<<2, 1>>>(a, a + 1, a + 2); }
/* The fence is for the block only. FINDS(narrow_flag_guilty): race anywhere */
CASE(narrow_flag_guilty) { device_array<int> a(3); flag<1><<<2, 1>>>(a, a + 1, a + 2); }
CASE(narrow_flag_innocent) { device_array<int> a(3); flag<2><<<2, 1>>>(a, a + 1, a + 2); }

template <bool RIGHT> __global__ void message(int *data, int *ready, int *out)
{
	cuda::atomic_ref<int, cuda::thread_scope_device> r(*ready);
	if (blockIdx.x == 0) {
		*data = 42;                                      /* FINDS(message_guilty): race */
		r.store(1, RIGHT ? cuda::memory_order_release : cuda::memory_order_relaxed);
	} else {
		while (!r.load(RIGHT ? cuda::memory_order_acquire : cuda::memory_order_relaxed))
			;
		*out = *data;
	}
}
CASE(message_guilty) { device_array<int> a(3); message<false><<<2, 1>>>(a, a + 1, a + 2); }
CASE(message_innocent) { device_array<int> a(3); message<true><<<2, 1>>>(a, a + 1, a + 2); }

/* A chain: what one block hands on, the next hands on. */
template <bool FENCE> __global__ void chain(int *data, int *turn)
{
	while (atomicAdd(turn, 0) != (int)blockIdx.x)
		;
	__threadfence();
	*data += 1;                                              /* FINDS(chain_guilty): race */
	if (FENCE)
		__threadfence();
	atomicAdd(turn, 1);
}
CASE(chain_guilty) { device_array<int> a(2); chain<false><<<5, 1>>>(a, a + 1); }
CASE(chain_innocent) { device_array<int> a(2); chain<true><<<5, 1>>>(a, a + 1); }

/* The last block to finish adds up (threadFenceReduction's way). */
template <bool FENCE> __global__ void last_block(float *partial, unsigned *done, float *out)
{
	__shared__ bool last;
	if (threadIdx.x == 0) {
		partial[blockIdx.x] = blockIdx.x;                /* FINDS(last_block_guilty): race */
		if (FENCE)
			__threadfence();
		last = atomicInc(done, gridDim.x) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		float sum = 0;
		for (unsigned i = 0; i < gridDim.x; i++)
			sum += partial[i];
		*out = sum;
	}
}
CASE(last_block_guilty) { device_array<float> a(17); device_array<unsigned> n(1); last_block<false><<<16, 64>>>(a, n, a + 16); }
CASE(last_block_innocent) { device_array<float> a(17); device_array<unsigned> n(1); last_block<true><<<16, 64>>>(a, n, a + 16); }

/* All threads of the blocks write; all fence, or the one that signals after the barrier. */
template <int HOW> __global__ void gather(int *data, unsigned *done, int *out)
{
	data[blockIdx.x * blockDim.x + threadIdx.x] = 1;         /* FINDS(gather_guilty): race */
	if (HOW == 1)
		__threadfence();
	if (HOW == 0 && threadIdx.x == 0)
		__threadfence();
	__syncthreads();
	__shared__ bool last;
	if (threadIdx.x == 0) {
		if (HOW == 2)
			__threadfence();
		last = atomicAdd(done, 1) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	if (last) {
		int sum = 0;
		for (unsigned i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x)
			sum += data[(i + 1) % (gridDim.x * blockDim.x)];
		atomicAdd(out, sum);
	}
}
CASE(gather_guilty) { device_array<int> a(257); device_array<unsigned> n(1); gather<0><<<4, 64>>>(a, n, a + 256); }
CASE(gather_innocent)
{
	device_array<int> a(257);
	device_array<unsigned> n(2);
	gather<1><<<4, 64>>>(a, n, a + 256);
	gather<2><<<4, 64>>>(a, n + 1, a + 256);
}

/* ---- locks ---------------------------------------------------------------- */

__device__ void take(int *lock) { while (atomicCAS(lock, 0, 1)) ; }
template <bool BEFORE, bool AFTER> __global__ void locked(int *lock, int *data)
{
	take(lock);
	if (BEFORE)
		__threadfence();
	*data += blockIdx.x;                                     /* FINDS(locked_guilty): race */
	if (AFTER)
		__threadfence();
	atomicExch(lock, 0);
}
CASE(locked_guilty) { device_array<int> a(2); locked<true, false><<<4, 1>>>(a, a + 1); }
CASE(locked_innocent) { device_array<int> a(2); locked<true, true><<<4, 1>>>(a, a + 1); }
/* Without a fence behind the taking, accesses may move up before it.
 * FINDS(taken_guilty): race anywhere */
CASE(taken_guilty) { device_array<int> a(2); locked<false, true><<<4, 1>>>(a, a + 1); }
CASE(taken_innocent) { device_array<int> a(2); locked<true, true><<<4, 1>>>(a, a + 1); }

/* Two locks guard one thing. */
__global__ void two_locks(int *locks, int *data, int mask)
{
	int *lock = &locks[blockIdx.x & mask];
	take(lock);
	__threadfence();
	*data += 1;                                              /* FINDS(two_locks_guilty): race */
	__threadfence();
	atomicExch(lock, 0);
}
CASE(two_locks_guilty) { device_array<int> a(3); two_locks<<<4, 1>>>(a, a + 2, 1); }
CASE(two_locks_innocent) { device_array<int> a(3); two_locks<<<4, 1>>>(a, a + 2, 0); }

/* Initialised once by whoever comes first; the others wait for its word. */
template <bool FENCE> __global__ void once(int *state, int *table, int *out)
{
	if (threadIdx.x == 0) {
		if (atomicCAS(state, 0, 1) == 0) {
			*table = 7;                              /* FINDS(once_guilty): race */
			if (FENCE)
				__threadfence();
			atomicExch(state, 2);
		} else {
			while (atomicAdd(state, 0) != 2)
				;
			__threadfence();
		}
		out[blockIdx.x] = *table;
	}
}
CASE(once_guilty) { device_array<int> a(10); once<false><<<8, 32>>>(a, a + 1, a + 2); }
CASE(once_innocent) { device_array<int> a(10); once<true><<<8, 32>>>(a, a + 1, a + 2); }

/* ---- grids, streams, copies ----------------------------------------------- */

template <bool SYNC> __global__ void grid(int *data, int *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	data[i] = i;                                             /* FINDS(grid_guilty): race */
	if (SYNC)
		cg::this_grid().sync();
	out[i] = data[n - 1 - i];
}
static void cooperative(void (*kernel)(int *, int *))
{
	device_array<int> a(256), b(256);
	int *p = a, *q = b;
	void *args[] = {&p, &q};
	cudaLaunchCooperativeKernel((void *)kernel, dim3(4), dim3(64), args, 0, 0);
	cudaDeviceSynchronize();
}
CASE(grid_guilty) { cooperative(grid<false>); }
CASE(grid_innocent) { cooperative(grid<true>); }

__global__ void fill(int *data, int value)
{
	data[blockIdx.x * blockDim.x + threadIdx.x] = value;     /* FINDS(streams_guilty): race */
}
template <bool WAIT> static void streams()
{
	device_array<int> a(64);
	cudaStream_t s[2];
	cudaEvent_t e;
	for (auto &x : s)
		cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking);
	cudaEventCreate(&e);
	cudaDeviceSynchronize();
	fill<<<2, 32, 0, s[0]>>>(a, 1);
	cudaEventRecord(e, s[0]);
	if (WAIT)
		cudaStreamWaitEvent(s[1], e, 0);
	fill<<<2, 32, 0, s[1]>>>(a, 2);
	cudaDeviceSynchronize();
	cudaEventDestroy(e);
	for (auto &x : s)
		cudaStreamDestroy(x);
}
CASE(streams_guilty) { streams<false>(); }
CASE(streams_innocent) { streams<true>(); }

/* A copy in one stream, the kernel that uses it in another. FINDS(copied_guilty): race anywhere */
template <bool WAIT> static void copied()
{
	device_array<int> a(64);
	int *host;
	cudaStream_t s[2];
	cudaMallocHost(&host, 64 * sizeof(int));
	memset(host, 0, 64 * sizeof(int));
	for (auto &x : s)
		cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking);
	cudaDeviceSynchronize();
	cudaMemcpyAsync(a, host, 64 * sizeof(int), cudaMemcpyHostToDevice, s[0]);
	if (WAIT)
		cudaStreamSynchronize(s[0]);
	fill<<<2, 32, 0, s[1]>>>(a, 2);
	cudaDeviceSynchronize();
	for (auto &x : s)
		cudaStreamDestroy(x);
	cudaFreeHost(host);
}
CASE(copied_guilty) { copied<false>(); }
CASE(copied_innocent) { copied<true>(); }

/* A free in one stream, and the kernel that uses the memory in another. What is allocated there
 * later is not what was freed. */
__global__ void last_use(int *data)
{
	data[blockIdx.x * blockDim.x + threadIdx.x] = 1;         /* FINDS(freed_guilty): race-free */
}
template <bool WAIT> static void freed()
{
	cudaStream_t s[2];
	cudaEvent_t used;
	int *data, *next;
	cudaStreamCreateWithFlags(&s[0], cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&s[1], cudaStreamNonBlocking);
	cudaEventCreate(&used);
	cudaMallocAsync(&data, 1024 * sizeof *data, s[0]);
	cudaStreamSynchronize(s[0]);
	last_use<<<8, 128, 0, s[1]>>>(data);
	cudaEventRecord(used, s[1]);
	if (WAIT)
		cudaStreamWaitEvent(s[0], used, 0);
	cudaFreeAsync(data, s[0]);
	cudaMalloc(&next, 1024 * sizeof *next);
	last_use<<<8, 128, 0, s[1]>>>(next);
	cudaDeviceSynchronize();
	cudaFree(next);
	for (cudaStream_t stream : s)
		cudaStreamDestroy(stream);
	cudaEventDestroy(used);
}
CASE(freed_guilty) { freed<false>(); }
CASE(freed_innocent) { freed<true>(); }

/* A graph that was captured from two streams and is launched in a third one: its copies and
 * kernels are ordered by the graph and by that stream, not by where they were captured. */
__global__ void times_two(int *data)
{
	data[blockIdx.x * blockDim.x + threadIdx.x] *= 2;        /* FINDS(graph_guilty): race */
}
template <bool WAIT> static void captured_graph()
{
	device_array<int> a(64), b(64);
	static int host[64];
	cudaStream_t s[3];
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	for (auto &x : s)
		cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking);
	cudaEventCreate(&fork);
	cudaEventCreate(&join);
	cudaDeviceSynchronize();
	cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal);
	cudaEventRecord(fork, s[0]);
	cudaStreamWaitEvent(s[1], fork, 0);
	cudaMemcpyAsync(a, host, sizeof host, cudaMemcpyDefault, s[0]);
	cudaMemsetAsync(b, 0, sizeof host, s[1]);
	times_two<<<2, 32, 0, s[1]>>>(b);
	cudaEventRecord(join, s[1]);
	cudaStreamWaitEvent(s[0], join, 0);
	times_two<<<2, 32, 0, s[0]>>>(a);
	cudaMemcpyAsync(b, a, sizeof host, cudaMemcpyDefault, s[0]);
	cudaStreamEndCapture(s[0], &graph);
	cudaGraphInstantiate(&exec, graph, NULL, NULL, 0);
	for (int i = 0; i < 3; i++)
		cudaGraphLaunch(exec, s[2]);
	if (WAIT)
		cudaStreamSynchronize(s[2]);
	times_two<<<2, 32, 0, s[1]>>>(b);
	cudaDeviceSynchronize();
	cudaGraphExecDestroy(exec);
	cudaGraphDestroy(graph);
	cudaEventDestroy(fork);
	cudaEventDestroy(join);
	for (auto &x : s)
		cudaStreamDestroy(x);
}
CASE(graph_guilty) { captured_graph<false>(); }
CASE(graph_innocent) { captured_graph<true>(); }

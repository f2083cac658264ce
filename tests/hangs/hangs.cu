/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that hang, and their twins that do not: the argument names one. Each prints the
 * cudaError_t of its end. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

#include <cuda/barrier>

__device__ int lock_word, arrived, locks[2], data;
__device__ volatile int never;

/* The lane that has the lock waits for its warp, which waits for the lock. */
__global__ void lock_in_warp()
{
	while (atomicCAS(&lock_word, 0, 1) != 0)
		;
	data++;
	__syncwarp();
	__threadfence();
	atomicExch(&lock_word, 0);
}

/* The same where all that it does lies in the loop. */
__global__ void lock_in_loop(bool waits)
{
	bool done = false;
	while (!done) {
		if (atomicCAS(&lock_word, 0, 1) == 0) {
			data++;
			if (waits)
				__syncwarp();
			__threadfence();
			atomicExch(&lock_word, 0);
			done = true;
		}
	}
}

/* 64 threads arrive. */
__global__ void arrivals(int expected, int *out)
{
	#pragma nv_diag_suppress static_var_with_dynamic_init
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	if (threadIdx.x == 0)
		init(&bar, expected);
	__syncthreads();
	if (threadIdx.x < 64)
		bar.arrive_and_wait();
	out[threadIdx.x] = 1;
}

/* An mbarrier that expects so many bytes, which nobody copies. */
__global__ void transaction(int bytes)
{
	__shared__ alignas(8) unsigned long long bar;
	unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
		asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(bytes)
			     : "memory");
	}
	__syncthreads();
	asm volatile("{\n.reg .pred p;\n"
		     "again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n"
		     "@!p bra again;\n}" ::"r"(at)
		     : "memory");
}

#define LATER 3000000000ull

__device__ unsigned long long globaltimer()
{
	unsigned long long ret;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ret));
	return ret;
}

__global__ void wait_flag(volatile int *flag)
{
	while (*flag == 0)
		;
}

/* The same, with a meeting in each round. */
__global__ void wait_voting(volatile int *flag)
{
	while (!__any_sync(~0u, *flag))
		;
}

__global__ void wait_at_barriers(volatile int *flag)
{
	while (!__syncthreads_or(*flag))
		;
}

__global__ void wait_sleeping(volatile int *flag)
{
	unsigned ns = 8;
	while (*flag == 0) {
		__nanosleep(ns);
		if (ns < 256)
			ns *= 2;
	}
}

__global__ void wait_counting(volatile int *flag, int *turns)
{
	int n = 0;
	while (*flag == 0)
		n++;
	*turns = n;
}

__global__ void wait_looking_at_clock(volatile int *flag, long long most)
{
	long long start = clock64();
	while (*flag == 0 && clock64() - start < most)
		;
}

/* These end by themselves, after some seconds in which memory stands still. */
__global__ void wait_so_often(volatile int *flag, int most)
{
	int n = 0;
	while (*flag == 0 && n < most) {
		n++;
		__nanosleep(100);
	}
}

__global__ void wait_then_look(volatile int *flag, volatile int *zero)
{
	unsigned long long start = globaltimer();
	while (*flag == 0) {
		__nanosleep(100);
		if (globaltimer() - start > LATER)
			if (*zero == 0)
				break;
	}
}

__global__ void walk(volatile int *from, int most)
{
	int i = 0;
	while (from[i] == 0 && from[most] == 0) {
		i = i < most ? i + 1 : -1;
		if (i < 0)
			break;
		__nanosleep(100);
	}
}

__global__ void wait_in_rounds(volatile int *flag, int most)
{
	while (*flag == 0) {
		int n = 0;
		for (;;) {
			__nanosleep(100);
			n++;
			if (n == most)
				return;
		}
	}
}

__global__ void wait_by_pointer(volatile int *flag, int most)
{
	int own = 0;
	int *counter = &own;
	while (*flag == 0 && *counter < most) {
		++*counter;
		__nanosleep(100);
	}
}

__global__ void arrivals_for_a_time()
{
	#pragma nv_diag_suppress static_var_with_dynamic_init
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	if (threadIdx.x == 0)
		init(&bar, 128);
	__syncthreads();
	auto token = bar.arrive();
	(void)bar.try_wait_for(std::move(token), cuda::std::chrono::nanoseconds(LATER));
}

__global__ void set_flag(int *flag)
{
	*flag = 1;
}

/* Each block takes its own lock, then the other's. */
__global__ void two_locks(bool gives_back)
{
	int own = blockIdx.x;
	if (threadIdx.x == 0) {
		while (atomicCAS(&locks[own], 0, 1) != 0)
			;
		atomicAdd(&arrived, 1);
		while (*(volatile int *)&arrived < (int)gridDim.x)
			;
		if (gives_back)
			atomicExch(&locks[own], 0);
		while (atomicCAS(&locks[1 - own], 0, 1) != 0)
			;
		atomicExch(&locks[1 - own], 0);
		if (!gives_back)
			atomicExch(&locks[own], 0);
	}
	__syncthreads();
}

/* Thread 0 of block 1 takes the lock by compare-and-swap, block 2 fails to, thread 5 of block 3 stores
 * beside it, and copies; all of block 0 waits for it to be given back. */
__device__ int lock_of_four[4];
__global__ void four(int *out)
{
	int *lock = &lock_of_four[1];
	if (blockIdx.x == 1 && threadIdx.x == 0) {
		atomicCAS(lock, 0, 9);
		atomicAdd(&arrived, 1);
	}
	while (*(volatile int *)&arrived < 1)
		;
	if (blockIdx.x == 2)
		out[threadIdx.x] = atomicCAS(lock, 0, 1) + atomicMax(lock, 3);
	if (blockIdx.x == 3 && threadIdx.x == 5) {
		lock_of_four[0] = lock_of_four[2] = 1;
		lock_of_four[3] = *lock;
	}
	if (blockIdx.x == 0)
		while (atomicAdd(lock, 0) != 0)
			;
}

/* Comes round with the same registers, for long. */
__device__ unsigned next;
__global__ void queue(volatile unsigned *most, int *out)
{
	unsigned i;
	while ((i = atomicAdd(&next, 1)) < *most)
		out[i % 64] = 1;
}

/* Computes in registers for long, and looks at a flag that nobody sets. */
__global__ void compute(long long turns, unsigned *out)
{
	unsigned x = threadIdx.x;
	for (long long i = 0; i < turns; i++) {
		x = x * 1664525 + 1013904223;
		if (never)
			break;
	}
	out[threadIdx.x] = x;
}

enum { SECONDS = 1000000, BYTES = 1 << 20 };

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int *buffer, *pinned, *flag;
	unsigned *most;
	cudaStream_t a, b;
	cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
	cudaMalloc(&buffer, BYTES);
	cudaMemset(buffer, 0, BYTES);
	cudaMallocHost(&pinned, 8);
	pinned[0] = 0;
	cudaGetSymbolAddress((void **)&flag, never);
	std::thread other;
	auto is = [&](const char *name) { return !strcmp(what, name); };
	if (is("lock_in_warp"))
		lock_in_warp<<<1, 32>>>();
	else if (is("lock_in_warp_alone"))
		lock_in_warp<<<32, 1>>>();
	else if (is("lock_in_loop"))
		lock_in_loop<<<1, 32>>>(true);
	else if (is("lock_in_loop_given_back"))
		lock_in_loop<<<1, 32>>>(false);
	else if (is("arrivals"))
		arrivals<<<1, 128>>>(128, buffer);
	else if (is("arrivals_of_all"))
		arrivals<<<1, 128>>>(64, buffer);
	else if (is("transaction"))
		transaction<<<1, 64>>>(16);
	else if (is("transaction_of_nothing"))
		transaction<<<1, 64>>>(0);
	else if (is("flag"))
		wait_flag<<<4, 64>>>(flag);
	else if (is("voting"))
		wait_voting<<<1, 64>>>(flag);
	else if (is("at_barriers"))
		wait_at_barriers<<<2, 64>>>(flag);
	else if (is("sleeping"))
		wait_sleeping<<<1, 64>>>(flag);
	else if (is("counting"))
		wait_counting<<<1, 64>>>(flag, buffer);
	else if (is("clock"))
		wait_looking_at_clock<<<1, 64>>>(flag, 1ll << 60);
	else if (is("so_often"))
		wait_so_often<<<1, 32>>>(flag, atoi(argv[2]));
	else if (is("then_look"))
		wait_then_look<<<1, 32>>>(flag, buffer);
	else if (is("walk"))
		walk<<<1, 32>>>(buffer, atoi(argv[2]));
	else if (is("in_rounds"))
		wait_in_rounds<<<1, 32>>>(flag, atoi(argv[2]));
	else if (is("by_pointer"))
		wait_by_pointer<<<1, 32>>>(flag, atoi(argv[2]));
	else if (is("for_a_time"))
		arrivals_for_a_time<<<1, 64>>>();
	else if (is("two_locks"))
		two_locks<<<2, 32>>>(false);
	else if (is("four"))
		four<<<4, 32>>>(buffer);
	else if (is("two_locks_given_back"))
		two_locks<<<2, 32>>>(true);
	else if (is("pinned")) {
		wait_flag<<<1, 32>>>(pinned);
		other = std::thread([=] { usleep(3 * SECONDS); *(volatile int *)pinned = 1; });
	} else if (is("pinned_by_main")) {
		wait_flag<<<1, 32>>>(pinned);
		usleep(3 * SECONDS);
		*(volatile int *)pinned = 1;
	} else if (is("streams")) {
		wait_flag<<<1, 32, 0, a>>>(flag);
		usleep(3 * SECONDS);
		set_flag<<<1, 1, 0, b>>>(flag);
	} else if (is("copied")) {
		pinned[1] = 1;
		wait_flag<<<1, 32, 0, a>>>(flag);
		usleep(3 * SECONDS);
		cudaMemcpyAsync(flag, pinned + 1, 4, cudaMemcpyHostToDevice, b);
	} else if (is("callback")) {
		wait_flag<<<1, 32, 0, a>>>(pinned);
		cudaLaunchHostFunc(b, [](void *to) { usleep(3 * SECONDS); *(volatile int *)to = 1; }, pinned);
	} else if (is("queue")) {
		cudaHostGetDevicePointer(&most, pinned, 0);
		*(volatile unsigned *)most = ~0u >> 1;
		queue<<<2, 32>>>(most, buffer);
		other = std::thread([=] { usleep(3 * SECONDS); *(volatile unsigned *)most = 0; });
	} else if (is("compute")) {
		compute<<<2, 64>>>(atoll(argv[2]), (unsigned *)buffer);
	} else {
		return 1;
	}
	printf("%d\n", (int)cudaDeviceSynchronize());
	if (other.joinable())
		other.join();
	return 0;
}

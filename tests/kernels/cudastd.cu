/* SPDX-License-Identifier: Apache-2.0 */
/* libcu++: atomics with scopes and orders, barriers, semaphores, tuples, chrono. */
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/utility>

#include "case.cuh"

__global__ void references(int *out)
{
	cuda::atomic_ref<int, cuda::thread_scope_device> a(out[0]);
	a.fetch_add(2, cuda::memory_order_relaxed);
	cuda::atomic_ref<int, cuda::thread_scope_block>(out[1 + blockIdx.x]).fetch_max((int)threadIdx.x);
	cuda::atomic_ref<int, cuda::thread_scope_system>(out[4]).fetch_or(1 << (threadIdx.x % 16));
	cuda::atomic_ref<int> any(out[5]);
	int seen = any.load(cuda::memory_order_acquire);
	while (!any.compare_exchange_weak(seen, seen + 3, cuda::memory_order_acq_rel))
		;
	cuda::atomic_ref<int, cuda::thread_scope_device>(out[6]).store(9, cuda::memory_order_release);
}

__device__ cuda::atomic<unsigned long long, cuda::thread_scope_device> total{5};
__device__ cuda::atomic<float, cuda::thread_scope_device> real{0.5f};
__device__ cuda::std::atomic<int> standard{1};

__global__ void objects()
{
	total += threadIdx.x;
	real.fetch_add(0.25f);
	standard++;
}
__global__ void read_objects(uint64_t *out)
{
	out[0] = total.load();
	out[1] = __float_as_uint(real.load());
	out[2] = standard.load();
	out[3] = total.is_lock_free();
	out[4] = total.exchange(11);
	out[5] = total.fetch_sub(1);
	unsigned long long expected = 3;
	out[6] = total.compare_exchange_strong(expected, 4);
	out[7] = expected;
}

/* A spin lock and a message, with acquire and release. */
__device__ cuda::std::atomic_flag lock;
__global__ void spin_lock(int *out)
{
	while (lock.test_and_set(cuda::std::memory_order_acquire))
		;
	((volatile int *)out)[0]++;
	lock.clear(cuda::std::memory_order_release);
}
__global__ void message(int *out, int *data, cuda::atomic<int, cuda::thread_scope_device> *flag)
{
	if (blockIdx.x == 0) {
		*data = 77;
		flag->store(1, cuda::memory_order_release);
		flag->notify_all();
	} else {
		flag->wait(0, cuda::memory_order_acquire);
		*out = *data;
	}
}

__global__ void barrier(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	__shared__ int s[64];
	if (threadIdx.x == 0)
		init(&b, blockDim.x);
	__syncthreads();
	for (int k = 0; k < 3; k++) {
		s[threadIdx.x] = threadIdx.x * (k + 1);
		b.arrive_and_wait();
		out[threadIdx.x] += s[63 - threadIdx.x];
		auto token = b.arrive();
		b.wait(std::move(token));
	}
}

__global__ void fences(int *out)
{
	out[0] = 1;
	cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
	cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block);
	cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_system);
	out[1] = 2;
}

__global__ void containers(uint64_t *out)
{
	cuda::std::array<int, 4> a = {1, 2, 3, (int)threadIdx.x};
	int sum = 0;
	for (int v : a)
		sum += v;
	auto t = cuda::std::make_tuple(sum, 2.5, 'c');
	auto [i, d, c] = t;
	out[0] = i + (int)d + c;
	cuda::std::complex<double> z(1, 2), w = z * z + cuda::std::conj(z);
	out[1] = __double_as_longlong(w.real());
	out[2] = __double_as_longlong(cuda::std::abs(z));
	out[3] = cuda::std::popcount(0xf0f0u) + cuda::std::countl_zero(1u) * 100 + cuda::std::bit_ceil(33u) * 10000;
	out[4] = cuda::std::numeric_limits<int>::max();
	out[5] = __double_as_longlong(cuda::std::numeric_limits<double>::epsilon());
	auto before = cuda::std::chrono::system_clock::now();
	out[6] = cuda::std::chrono::system_clock::now() >= before;
	out[7] = cuda::std::bit_cast<unsigned>(1.5f);
}

int main()
{
	run("atomic references", 7, 3, 40, references);
	objects<<<2, 50>>>();
	run("atomic objects", 8, 1, 1, read_objects);
	run("spin lock", 1, 4, 40, spin_lock);
	{
		memory<int> data(1);
		memory<cuda::atomic<int, cuda::thread_scope_device>> flag(1);
		run("message", 1, 2, 1, message, data.there, flag.there);
	}
	run("barrier", 64, 1, 64, barrier);
	run("fences", 2, 1, 1, fences);
	run("containers", 8, 1, 1, containers);
	return 0;
}

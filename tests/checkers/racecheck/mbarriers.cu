/* SPDX-License-Identifier: Apache-2.0 */
/* Warps that hand over by an mbarrier: the wait orders what they do, and its lack is a race. */
#include <cuda/barrier>
#include "../cases.h"

static __device__ unsigned at(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

template <bool FIXED> __global__ void by_parity(int *out)
{
	__shared__ unsigned long long bar;
	__shared__ int s[32];
	int t = threadIdx.x;
	unsigned over = 0;
	if (t == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at(&bar)) : "memory");
	__syncthreads();
	if (t < 32) {
		s[t] = t; /* FINDS(by_parity_guilty): race */
		asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at(&bar)) : "memory");
	} else {
		while (FIXED && !over)
			asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
				     : "=r"(over)
				     : "r"(at(&bar))
				     : "memory");
		out[t - 32] = s[t - 32];
	}
}
CASE(by_parity_guilty) { device_array<int> out(32); by_parity<false><<<1, 64>>>(out); }
CASE(by_parity_innocent) { device_array<int> out(32); by_parity<true><<<1, 64>>>(out); }

__global__ void by_token(int *out)
{
	using barrier = cuda::barrier<cuda::thread_scope_block>;
	__shared__ __align__(8) unsigned char space[sizeof(barrier)];
	__shared__ int s[64];
	barrier &bar = *reinterpret_cast<barrier *>(space);
	int t = threadIdx.x;
	if (t == 0)
		init(&bar, 64);
	__syncthreads();
	for (int i = 0; i < 3; i++) {
		s[t] = t + i;
		bar.arrive_and_wait();
		out[t] += s[63 - t];
		bar.arrive_and_wait();
	}
}
CASE(by_token_innocent) { device_array<int> out(64); by_token<<<1, 64>>>(out); }

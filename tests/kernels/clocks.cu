/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks go forward, sleeping takes time, and the rates agree with each other. */
#include "case.cuh"

__global__ void forward(int *out)
{
	long long before = clock64();
	clock_t short_before = clock();
	unsigned long long ns_before, ns_after;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns_before));
	int backwards = 0;
	long long inner = clock64(), last = inner;
	for (int i = 0; i < 1000; i++) {
		long long t = clock64();
		backwards += t < last;
		last = t;
	}
	__nanosleep(1000);
	for (int i = 0; i < 3000; i++)
		__nanosleep(1000);
	inner = clock64() - inner;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns_after));
	long long after = clock64();
	out[0] = backwards;
	out[1] = after > before;
	out[2] = (int)clock() != (int)short_before;
	out[3] = ns_after > ns_before;
	/* Between 0.1 and 10 cycles a nanosecond, however long a busy machine keeps the
	 * thread from running between two readings. */
	double ns = (double)(ns_after - ns_before);
	out[4] = (double)(after - before) / ns > 0.1 && (double)inner / ns < 10;
}

/* A thread that waits for the clock ends. */
__global__ void wait_for_clock(int *out, long long cycles)
{
	long long start = clock64();
	while (clock64() - start < cycles)
		;
	out[threadIdx.x] = 1;
}

__global__ void wait_for_short_clock(int *out)
{
	clock_t start = clock();
	while ((unsigned)(clock() - start) < 10000u)
		;
	out[threadIdx.x] = 1;
}

__global__ void by_ptx(int *out)
{
	unsigned low, high, later;
	unsigned long long all, hi;
	asm volatile("mov.u32 %0, %%clock;" : "=r"(low));
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(all));
	asm volatile("mov.u32 %0, %%clock;" : "=r"(later));
	asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(high));
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(hi));
	out[0] = (unsigned)all - low <= later - low; /* modulo 2^32 */
	out[1] = high - (unsigned)(all >> 32) <= 1;
	out[2] = hi > 1000000000ull;
}

int main()
{
	run("forward", 5, 1, 1, forward);
	run("wait for clock64", 64, 1, 64, wait_for_clock, 20000ll);
	run("wait for clock", 32, 2, 32, wait_for_short_clock);
	run("by PTX", 3, 1, 1, by_ptx);
	int khz;
	CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
	say("clock rate, kHz", "%d", khz);
	return 0;
}

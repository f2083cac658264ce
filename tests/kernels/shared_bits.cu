/* SPDX-License-Identifier: Apache-2.0 */
/* shared_bits.cu - a generic address of shared memory ends in the same bits as the address within
 * shared memory, so that code may compute a swizzle from either. Windows of several sizes. */
#include "case.cuh"

/* The place of 16 bytes in rows of 128 that are swizzled: their number is combined with the row's. */
__device__ static uint64_t swizzled(uint64_t address)
{
	return address ^ (address % 1024 >> 7) << 4;
}

/* Writes by the generic address, reads by the shared one. */
__global__ void both(int *wrong)
{
	__shared__ int odd[33];
	extern __shared__ int4 tile[];
	int lane = threadIdx.x;
	odd[lane] = lane;
	int4 *to = (int4 *)swizzled((uint64_t)&tile[lane]);
	*to = int4{odd[lane], 1, 2, 3};
	__syncwarp();
	uint32_t from = (uint32_t)swizzled(__cvta_generic_to_shared(&tile[lane ^ 1]));
	int value;
	asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"(from) : "memory");
	if (value != (lane ^ 1))
		atomicAdd(wrong, 1);
	if (((uint64_t)odd ^ __cvta_generic_to_shared(odd)) % 1024)
		atomicAdd(wrong, 100);
}

int main()
{
	int *wrong;
	CHECK(cudaMallocManaged(&wrong, sizeof *wrong));
	for (int more = 0; more < 1024; more += 112) {
		char name[32];
		*wrong = 0;
		both<<<1, 32, 1024 + more>>>(wrong);
		CHECK(cudaDeviceSynchronize());
		snprintf(name, sizeof name, "%d bytes", 1024 + more);
		say(name, "%d wrong", *wrong);
	}
	return 0;
}

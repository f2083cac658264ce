/* SPDX-License-Identifier: Apache-2.0 */
/* The DPX functions and the SIMD-in-a-word functions (__vadd2, __vabsdiff4, ...),
 * each over 2048 operands: edges of words, halves and bytes, and random bits. */
#include "case.cuh"

#define N 2048

__device__ static uint32_t operand(int i, int slot)
{
	const uint32_t edges[] = {0, 1, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000u, 0xffffffffu,
				  0x80008000u, 0x7fff7fff, 0x7f80ff01, 0x80807f7f, 0xff00ff00u, 0x00010000, 0xfffe0001u};
	uint64_t z = (uint64_t)(i * 4 + slot + 1) * 0x9e3779b97f4a7c15ull;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	z ^= z >> 31;
	return z & 3 ? (uint32_t)(z >> 8) : edges[z >> 8 & 15];
}

#define FLAG1(name) \
	__device__ static uint32_t which_##name(uint32_t a, uint32_t b) \
	{ \
		bool p; \
		uint32_t r = __##name(a, b, &p); \
		return r * 2 + p; \
	}
#define FLAG2(name) \
	__device__ static uint32_t which_##name(uint32_t a, uint32_t b) \
	{ \
		bool p, q; \
		uint32_t r = __##name(a, b, &p, &q); \
		return r * 4 + p * 2 + q; \
	}
FLAG1(vibmax_s32) FLAG1(vibmax_u32) FLAG1(vibmin_s32) FLAG1(vibmin_u32)
FLAG2(vibmax_s16x2) FLAG2(vibmax_u16x2) FLAG2(vibmin_s16x2) FLAG2(vibmin_u16x2)

#define A operand(i, 0)
#define B operand(i, 1)
#define C operand(i, 2)
#define THREE(F) F(viaddmax) F(viaddmin) F(vimax3) F(vimin3)
#define DPX3(name) \
	ONE(name##_s32, __##name##_s32(A, B, C)) ONE(name##_u32, __##name##_u32(A, B, C)) \
	ONE(name##_s16x2, __##name##_s16x2(A, B, C)) ONE(name##_u16x2, __##name##_u16x2(A, B, C)) \
	ONE(name##_s32_relu, __##name##_s32_relu(A, B, C)) ONE(name##_s16x2_relu, __##name##_s16x2_relu(A, B, C))
#define DPX2 \
	ONE(vimax_s32_relu, __vimax_s32_relu(A, B)) ONE(vimax_s16x2_relu, __vimax_s16x2_relu(A, B)) \
	ONE(vimin_s32_relu, __vimin_s32_relu(A, B)) ONE(vimin_s16x2_relu, __vimin_s16x2_relu(A, B))
/* The larger (smaller) one, and which it was. */
#define WHICH(name) \
	ONE(name##_s32, which_##name##_s32(A, B)) ONE(name##_u32, which_##name##_u32(A, B)) \
	ONE(name##_s16x2, which_##name##_s16x2(A, B)) ONE(name##_u16x2, which_##name##_u16x2(A, B))
#define BOTH1(name) ONE(name##2, __##name##2(A)) ONE(name##4, __##name##4(A))
#define BOTH2(name) ONE(name##2, __##name##2(A, B)) ONE(name##4, __##name##4(A, B))
#define SIMD1 BOTH1(vabs) BOTH1(vabsss) BOTH1(vneg) BOTH1(vnegss)
#define SIMD2 \
	BOTH2(vadd) BOTH2(vaddss) BOTH2(vaddus) BOTH2(vsub) BOTH2(vsubss) BOTH2(vsubus) BOTH2(vabsdiffs) \
	BOTH2(vabsdiffu) BOTH2(vavgs) BOTH2(vavgu) BOTH2(vhaddu) BOTH2(vcmpeq) BOTH2(vcmpges) BOTH2(vcmpgeu) \
	BOTH2(vcmpgts) BOTH2(vcmpgtu) BOTH2(vcmples) BOTH2(vcmpleu) BOTH2(vcmplts) BOTH2(vcmpltu) BOTH2(vcmpne) \
	BOTH2(vmaxs) BOTH2(vmaxu) BOTH2(vmins) BOTH2(vminu) BOTH2(vsads) BOTH2(vsadu) BOTH2(vseteq) BOTH2(vsetges) \
	BOTH2(vsetgeu) BOTH2(vsetgts) BOTH2(vsetgtu) BOTH2(vsetles) BOTH2(vsetleu) BOTH2(vsetlts) BOTH2(vsetltu) \
	BOTH2(vsetne)
#define ALL THREE(DPX3) DPX2 WHICH(vibmax) WHICH(vibmin) SIMD1 SIMD2

#define ONE(name, value) \
	__global__ void k_##name(uint32_t *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = value; }
ALL
#undef ONE

int main()
{
	uint32_t *device;
	std::vector<uint32_t> host(N);
	CHECK(cudaMalloc(&device, N * sizeof(uint32_t)));
#define ONE(name, value)                                                                      \
	k_##name<<<N / 128, 128>>>(device);                                                   \
	CHECK(cudaMemcpy(host.data(), device, N * sizeof(uint32_t), cudaMemcpyDeviceToHost)); \
	show(#name, host.data(), N);
	ALL
	CHECK(cudaFree(device));
	return 0;
}

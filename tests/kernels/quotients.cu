/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients of -use_fast_math beside 1, of reciprocals and near the smallest normal number. 5,120 operands
 * each: pairs of edge values, random bits, and ordinary numbers.
 *
 * Flags: -use_fast_math */
#include "case.cuh"

static const unsigned edges[] = {0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x807fffff, 0x800000, 0x80800000, 0x3f800000, 0xbf800000,
	0x40490fdb, 0xc0490fdb, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fffffff, 0x7fc12345,
	0xffc12345, 0x7f812345, 0xff812345, 0x7e800000, 0x7f000000, 0x00ffffff, 0x01000000, 0x3f7fffff, 0x42c80000, 0x7e967699,
	0x00400000, 0x3eaaaaab};
enum { N_EDGES = sizeof edges / sizeof *edges, N = N_EDGES * N_EDGES + 4096 };

#define QUOTIENT(n, expression)                                                                  \
	__global__ void k##n(float *out, const float *x, const float *y, const float *z)         \
	{                                                                                        \
		int i = (int)(threadIdx.x + blockIdx.x * blockDim.x);                            \
		float a = x[i], b = y[i], c = z[i];                                              \
		out[i] = expression;                                                             \
	}                                                                                        \
	static const char *const name##n = #expression;
QUOTIENT(0, a / 1.0f)
QUOTIENT(1, a / -1.0f)
QUOTIENT(2, 1.0f / (1.0f / a))
QUOTIENT(3, a / (1.0f / b))
QUOTIENT(4, a / (2.0f / b))
QUOTIENT(5, a / (-1.0f / b))
QUOTIENT(6, a / (b / c))
QUOTIENT(7, 1.0f / (a / b))
QUOTIENT(8, (1.0f / a) / b)
QUOTIENT(9, (a / b) / c)
QUOTIENT(10, a * (1.0f / b))
QUOTIENT(11, a / (1.0f / b) + c)
QUOTIENT(12, c / (a / (1.0f / b)))
QUOTIENT(13, a / (1.0f / (1.0f / b)))
QUOTIENT(14, 2.0f / (1.0f / b))
QUOTIENT(15, (a + b) / (1.0f / c))
QUOTIENT(16, a / __frcp_rn(b))
QUOTIENT(17, a / 2.0f)
QUOTIENT(18, a / 3.0f)

int main()
{
	std::vector<float> h[3];
	uint64_t s = 12345;
	for (auto &v : h)
		v.resize(N);
	for (int i = 0; i < N; i++) {
		unsigned bits[3] = {edges[i / N_EDGES % N_EDGES], edges[i % N_EDGES], edges[(i * 7 + i / N_EDGES) % N_EDGES]};
		for (int k = 0; k < 3; k++) {
			if (i >= N_EDGES * N_EDGES) {
				s = s * 6364136223846793005ull + 1442695040888963407ull;
				bits[k] = (unsigned)(s >> 32);
			}
			memcpy(&h[k][i], &bits[k], 4);
			if (i > N_EDGES * N_EDGES + 2048)
				h[k][i] = (float)((int)(s >> 40) % 100000) / 1000.f + 0.001f;
		}
	}
	memory<float> x(h[0]), y(h[1]), z(h[2]);
	void (*const kernels[])(float *, const float *, const float *, const float *) = {
		k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15, k16, k17, k18};
	const char *const names[] = {name0, name1, name2, name3, name4, name5, name6, name7, name8, name9, name10, name11,
		name12, name13, name14, name15, name16, name17, name18};
	for (int n = 0; n < 19; n++) {
		memory<float> out(N);
		kernels[n]<<<N / 256, 256>>>(out, x, y, z);
		out.show(names[n]);
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Inline PTX in the forms that programs in the wild use. */
#include "case.cuh"

__global__ void bits(uint32_t *out, const uint32_t *in)
{
	uint32_t a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
	uint32_t *o = out + 16 * threadIdx.x;
	asm("bfe.u32 %0, %1, %2, %3;" : "=r"(o[0]) : "r"(a), "r"(b & 31), "r"(9));
	asm("bfe.s32 %0, %1, %2, %3;" : "=r"(o[1]) : "r"(a), "r"(b & 31), "r"(9));
	asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(o[2]) : "r"(a), "r"(b), "r"(5), "r"(11));
	asm("bfind.u32 %0, %1;" : "=r"(o[3]) : "r"(a));
	asm("bfind.shiftamt.s32 %0, %1;" : "=r"(o[4]) : "r"(a));
	asm("brev.b32 %0, %1;" : "=r"(o[5]) : "r"(a));
	asm("popc.b32 %0, %1;" : "=r"(o[6]) : "r"(a));
	asm("clz.b32 %0, %1;" : "=r"(o[7]) : "r"(a));
	asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(o[8]) : "r"(a), "r"(b), "r"(0x0ff0ff00));
	asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(o[9]) : "r"(a), "r"(b));
	asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(o[10]) : "r"(a), "r"(b), "r"(7));
	asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(o[11]) : "r"(a), "r"(b), "r"(40));
	asm("shl.b32 %0, %1, %2;" : "=r"(o[12]) : "r"(a), "r"(b));
	asm("shr.s32 %0, %1, %2;" : "=r"(o[13]) : "r"(a), "r"(b));
	asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(o[14]) : "r"(b & 31), "r"(6));
	asm("not.b32 %0, %1;" : "=r"(o[15]) : "r"(a));
}

__global__ void carry(uint64_t *out, const uint64_t *in)
{
	uint64_t a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
	uint32_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32, l, h, c;
	uint64_t *o = out + 7 * threadIdx.x;
	asm("add.cc.u32 %0, %3, %5;\n\taddc.cc.u32 %1, %4, %6;\n\taddc.u32 %2, 0, 0;"
	    : "=r"(l), "=r"(h), "=r"(c)
	    : "r"(al), "r"(ah), "r"(bl), "r"(bh));
	o[0] = l | (uint64_t)h << 32;
	o[1] = c;
	asm("{\n\t"
	    "sub.cc.u32 %0, %3, %5;\n\t"
	    "subc.cc.u32 %1, %4, %6;\n\t"
	    "subc.u32 %2, 0, 0;\n\t"
	    "}"
	    : "=r"(l), "=r"(h), "=r"(c)
	    : "r"(al), "r"(ah), "r"(bl), "r"(bh));
	o[2] = l | (uint64_t)h << 32;
	o[3] = c;
	uint32_t r0, r1, r2, r3;
	asm("mul.lo.u32 %0, %4, %6;\n\t"
	    "mul.hi.u32 %1, %4, %6;\n\t"
	    "mad.lo.cc.u32 %1, %4, %7, %1;\n\t"
	    "madc.hi.u32 %2, %4, %7, 0;\n\t"
	    "mad.lo.cc.u32 %1, %5, %6, %1;\n\t"
	    "madc.hi.cc.u32 %2, %5, %6, %2;\n\t"
	    "madc.hi.u32 %3, %5, %7, 0;\n\t"
	    "mad.lo.cc.u32 %2, %5, %7, %2;\n\t"
	    "addc.u32 %3, %3, 0;"
	    : "=r"(r0), "=&r"(r1), "=&r"(r2), "=r"(r3)
	    : "r"(al), "r"(ah), "r"(bl), "r"(bh));
	o[4] = r0 | (uint64_t)r1 << 32;
	o[5] = r2 | (uint64_t)r3 << 32;
	asm("mul.wide.u32 %0, %1, %2;" : "=l"(o[6]) : "r"(al), "r"(bl));
}

__global__ void memory_operators(uint32_t *out, const uint32_t *in)
{
	uint32_t v, w, x, y;
	uint64_t d;
	asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(in));
	out[0] = v;
	asm volatile("ld.global.nc.u32 %0, [%1+4];" : "=r"(v) : "l"(in));
	out[1] = v;
	asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "l"(in + 2));
	out[2] = v + w;
	asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
		     : "=r"(v), "=r"(w), "=r"(x), "=r"(y)
		     : "l"(in + 4));
	out[3] = v + 2 * w + 3 * x + 4 * y;
	asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(in + 1));
	out[4] = v;
	asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(out + 5), "r"(55) : "memory");
	asm volatile("st.global.wt.v2.u32 [%0], {%1, %2};" ::"l"(out + 6), "r"(66), "r"(77) : "memory");
	asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(in) : "memory");
	out[8] = v;
	asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(out + 9), "r"(99) : "memory");
	asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(d) : "l"(in) : "memory");
	out[10] = d >> 32;
	__shared__ uint32_t s[4];
	uint32_t at = (uint32_t)__cvta_generic_to_shared(s);
	asm volatile("st.shared.u32 [%0+4], %1;" ::"r"(at), "r"(123) : "memory");
	asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at + 4) : "memory");
	out[11] = v + s[1];
	asm volatile("prefetch.global.L2 [%0];" ::"l"(in));
	asm volatile("atom.add.global.u32 %0, [%1], %2;" : "=r"(v) : "l"(out + 12), "r"(5) : "memory");
	asm volatile("red.global.add.u32 [%0], %1;" ::"l"(out + 12), "r"(7) : "memory");
	asm volatile("atom.acq_rel.gpu.global.cas.b32 %0, [%1], %2, %3;" : "=r"(w) : "l"(out + 13), "r"(0), "r"(31) : "memory");
	asm volatile("atom.global.max.s32 %0, [%1], %2;" : "=r"(x) : "l"(out + 14), "r"(-3) : "memory");
	asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(y) : "r"(at + 4), "r"(9) : "memory");
	out[15] = v + w + x + y;
	asm volatile("membar.gl;" ::: "memory");
	asm volatile("fence.acq_rel.gpu;" ::: "memory");
	asm volatile("" ::: "memory");
}

__global__ void reals(uint32_t *out, const float *in)
{
	float a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1], r;
	uint32_t *o = out + 20 * threadIdx.x;
#define ONE(n, text, ...)                                                        \
	asm(text : "=f"(r) : __VA_ARGS__);                                       \
	o[n] = __float_as_uint(r);
	ONE(0, "rcp.approx.ftz.f32 %0, %1;", "f"(a))
	ONE(1, "rsqrt.approx.f32 %0, %1;", "f"(a))
	ONE(2, "sqrt.approx.f32 %0, %1;", "f"(a))
	ONE(3, "ex2.approx.ftz.f32 %0, %1;", "f"(a))
	ONE(4, "lg2.approx.f32 %0, %1;", "f"(a))
	ONE(5, "sin.approx.f32 %0, %1;", "f"(a))
	ONE(6, "cos.approx.f32 %0, %1;", "f"(a))
	ONE(7, "tanh.approx.f32 %0, %1;", "f"(a))
	ONE(8, "div.approx.f32 %0, %1, %2;", "f"(a), "f"(b))
	ONE(9, "div.full.f32 %0, %1, %2;", "f"(a), "f"(b))
	ONE(10, "fma.rz.f32 %0, %1, %2, %1;", "f"(a), "f"(b))
	ONE(11, "add.rn.ftz.f32 %0, %1, %2;", "f"(a), "f"(b))
	ONE(12, "min.NaN.f32 %0, %1, %2;", "f"(a), "f"(b))
	ONE(13, "cvt.rmi.f32.f32 %0, %1;", "f"(a))
	ONE(14, "mul.rm.f32 %0, %1, 0f3FC00000;", "f"(a))
	ONE(15, "max.f32 %0, %1, 0f00000000;", "f"(a))
	ONE(16, "cvt.sat.f32.f32 %0, %1;", "f"(a))
	ONE(17, "copysign.f32 %0, %1, %2;", "f"(a), "f"(b))
	asm("cvt.rni.s32.f32 %0, %1;" : "=r"(o[18]) : "f"(a));
	asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(o[19]) : "f"(a), "f"(b));
}

__global__ void halves(uint32_t *out, const float *in)
{
	float a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1], back;
	unsigned short h, k;
	uint32_t p, q, r;
	uint32_t *o = out + 8 * threadIdx.x;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(a));
	asm("{cvt.rn.f16.f32 %0, %1;}\n" : "=h"(k) : "f"(b));
	o[0] = h | (uint32_t)k << 16;
	asm("mov.b32 %0, {%1, %2};" : "=r"(p) : "h"(h), "h"(k));
	asm("add.f16x2 %0, %1, %1;" : "=r"(q) : "r"(p));
	o[1] = q;
	asm("{fma.rn.f16x2 %0,%1,%2,%3;\n}" : "=r"(r) : "r"(p), "r"(q), "r"(p));
	o[2] = r;
	asm("mul.f16 %0, %1, %2;" : "=h"(h) : "h"(h), "h"(k));
	o[3] = h;
	asm("{ .reg .f16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, high; }" : "=f"(back) : "r"(p));
	o[4] = __float_as_uint(back);
	asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(o[5]) : "f"(a), "f"(b));
	asm("max.f16x2 %0, %1, %2;" : "=r"(o[6]) : "r"(p), "r"(q));
	asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(h) : "f"(a));
	o[7] = h;
}

__global__ void predicates(int *out, int n)
{
	int i = threadIdx.x, a, b, c = -1, d;
	asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.b32 %0, 10, 20, p; }" : "=r"(a) : "r"(i), "r"(n));
	asm("{\n\t.reg .pred p, q, r;\n\tsetp.ne.s32 r, %1, 6;\n\tsetp.ge.and.s32 p|q, %1, 3, r;\n\t"
	    "selp.s32 %0, 1, 2, q;\n\t@p add.s32 %0, %0, 4;\n\t}"
	    : "=r"(b)
	    : "r"(i));
	asm("{ .reg .pred p; setp.eq.s32 p, %1, 5; @p mov.s32 %0, 55; @!p add.s32 %0, %1, 1; }" : "+r"(c) : "r"(i));
	asm("set.gt.u32.s32 %0, %1, %2;" : "=r"(d) : "r"(i), "r"(2));
	out[i] = a + 100 * c + d + 100000 * b;
}

__global__ void exits(int *out)
{
	out[threadIdx.x] = 1;
	if (threadIdx.x % 2)
		asm volatile("exit;");
	out[threadIdx.x] = 2;
}

__global__ void branches(int *out)
{
	int i = threadIdx.x, n = 0;
	asm volatile("{\n\t"
		     ".reg .pred p;\n\t"
		     ".reg .u32 k;\n\t"
		     "mov.u32 k, 0;\n"
		     "LOOP_%=:\n\t"
		     "add.u32 k, k, 3;\n\t"
		     "add.s32 %0, %0, 1;\n\t"
		     "setp.lt.u32 p, k, %1;\n\t"
		     "@p bra LOOP_%=;\n\t"
		     "}"
		     : "+r"(n)
		     : "r"(i));
	out[i] = n;
}

__global__ void integers(uint64_t *out, int a, int b)
{
	uint32_t r;
	int64_t w;
	asm("mad.lo.s32 %0, %1, %2, %1;" : "=r"(r) : "r"(a), "r"(b));
	out[0] = r;
	asm("mad24.lo.s32 %0, %1, %2, %1;" : "=r"(r) : "r"(a), "r"(b));
	out[1] = r;
	asm("mul.hi.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
	out[2] = r;
	asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(w) : "r"(a), "r"(b), "l"(5ll));
	out[3] = w;
	asm("sad.s32 %0, %1, %2, %1;" : "=r"(r) : "r"(a), "r"(b));
	out[4] = r;
	asm("abs.s32 %0, %1;" : "=r"(r) : "r"(a));
	out[5] = r;
	asm("dp4a.s32.s32 %0, %1, %2, %1;" : "=r"(r) : "r"(a), "r"(b));
	out[6] = r;
	asm("add.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(0x7ffffff0), "r"(b < 0 ? -b : b));
	out[7] = r;
	asm("cvt.u8.u32 %0, %1;" : "=r"(r) : "r"(a));
	out[8] = r;
	asm("cvt.s64.s32 %0, %1;" : "=l"(w) : "r"(a));
	out[9] = w;
	asm("cvt.sat.u8.s32 %0, %1;" : "=r"(r) : "r"(a));
	out[10] = r;
	asm("mov.b64 {%0, _}, %1;" : "=r"(r) : "l"(0x1122334455667788ll));
	out[11] = r;
	asm("vadd.s32.s32.s32.sat %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
	out[12] = r;
	asm("rem.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
	out[13] = r;
	asm("div.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
	out[14] = r;
	asm("slct.s32.s32 %0, %1, %2, %1;" : "=r"(r) : "r"(a), "r"(b));
	out[15] = r;
}

/* Asynchronous copies to shared memory. */
__global__ void async_copy(int *out, const int *in)
{
	__shared__ __align__(16) int s[128];
	uint32_t at = (uint32_t)__cvta_generic_to_shared(&s[4 * threadIdx.x]);
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + 4 * threadIdx.x) : "memory");
	asm volatile("cp.async.commit_group;" ::: "memory");
	asm volatile("cp.async.wait_group 0;" ::: "memory");
	__syncthreads();
	out[threadIdx.x] = s[127 - threadIdx.x] + s[threadIdx.x];
}

/* Strings as operands become part of the text: nvcc's constraint "C". */
template <typename T> struct multiply { static constexpr const char part[] = "mul.lo.u32"; };
template <> struct multiply<uint64_t> { static constexpr const char part[] = "mul.hi.u32"; };
__device__ constexpr char add_op[] = "add.u32";

template <typename T> __global__ void strings(uint32_t *out, uint32_t a)
{
	uint32_t r;
	asm volatile("%3 %0, %1, %2;" : "=r"(r) : "r"(a), "n"(3), "C"(multiply<T>::part));
	out[0] = r;
	asm("%1 %0, %0, 5;" : "+r"(r) : "C"(add_op));
	out[1] = r;
}

int main()
{
	memory<uint32_t> words(std::vector<uint32_t>{0x12345678, 40, 0xdeadbeef, 5, 0, 31, 0xffffffff, 0xfffffff0});
	{
		memory<uint32_t> out(64);
		bits<<<1, 4>>>(out.there, words.there);
		out.show("bits");
	}
	memory<uint64_t> longs(std::vector<uint64_t>{~0ull, 1, 0x123456789abcdef0, 0xfedcba9876543210, 0, ~0ull, 5, 7});
	run("carry", 28, 1, 4, carry, (const uint64_t *)longs.there);
	{
		memory<uint32_t> in(std::vector<uint32_t>{1, 2, 3, 4, 5, 6, 7, 8});
		run("memory operators", 16, 1, 1, memory_operators, (const uint32_t *)in.there);
	}
	const float pairs[6][2] = {{0.7f, 3.0f}, {1.5f, -0.2f}, {-2.5f, 7.0f}, {1e-39f, 2.0f}, {100.0f, __builtin_nanf("")}, {0.0f, 1.0f}};
	for (int k = 0; k < 6; k++) {
		memory<float> in(std::vector<float>{pairs[k][0], pairs[k][1]});
		char name[32];
		snprintf(name, sizeof name, "reals %d", k);
		run(name, 20, 1, 1, reals, (const float *)in.there);
		snprintf(name, sizeof name, "halves %d", k);
		run(name, 8, 1, 1, halves, (const float *)in.there);
	}
	run("predicates", 10, 1, 10, predicates, 4);
	run("exit", 8, 1, 8, exits);
	run("branches", 12, 1, 12, branches);
	run("integers", 16, 1, 1, integers, -1234567, 1003);
	run("integers, others", 16, 1, 1, integers, 300, -7);
	std::vector<int> v(128);
	for (int i = 0; i < 128; i++)
		v[i] = i * i;
	memory<int> in(v);
	run("strings, low", 2, 1, 1, strings<uint32_t>, 7u);
	run("strings, high", 2, 1, 1, strings<uint64_t>, 0xf0000000u);
	run("asynchronous copy", 32, 1, 32, async_copy, (const int *)in.there);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* misaligned.cu - misaligned accesses end the launch, in each form of an access.
 * Each line: the case, the offset in bytes of the address from one that is aligned
 * for everything, and what cudaDeviceSynchronize() answers. As an H200 answers code
 * of nvcc -O3. Each case is a process of its own, since 716 stays.
 * Nothing here depends on what the optimiser takes together or leaves out. */
#include <cuda_fp16.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.cuh"

struct alignas(16) S4 {
	int a, b, c, d;
};
struct alignas(8) S2 {
	int a, b;
};
struct alignas(16) L {
	long long a;
	int b, c;
};
struct T {
	int a, b;
};
struct D {
	int a;
	double b;
};
#pragma pack(push, 1)
struct P {
	char c;
	int i;
	double d;
};
#pragma pack(pop)
struct Bytes {
	char b[128];
};

__constant__ __align__(16) char constant_bytes[256];

/* g: aligned memory; o: other memory, of zeros. */
#define K(name, ...) \
	__global__ void k_##name(char *g, int off, int *o) { __VA_ARGS__ }
K(ld2, *o = *(short *)(g + off);)
K(ld4, *o = *(int *)(g + off);)
K(ldf, *(float *)o = *(float *)(g + off) + 1;)
K(ldd, *o = (int)*(double *)(g + off);)
K(st2, *(short *)(g + off) = *o;)
K(st4, *(int *)(g + off) = *o;)
K(st8, *(long long *)(g + off) = *o;)
K(sth, *(__half *)(g + off) = __float2half(*o);)
K(ldv4, float4 v = *(float4 *)(g + off); *o = v.x + v.y * v.z - v.w;)
K(stv4, *(float4 *)(g + off) = make_float4(*o, 1, 2, 3);)
K(ldv2, float2 v = *(float2 *)(g + off); *o = v.x + v.y;)
K(stv2, *(int2 *)(g + off) = make_int2(*o, 1);)
K(ldd2, double2 v = *(double2 *)(g + off); *o = v.x + v.y;)
K(std2, *(double2 *)(g + off) = make_double2(*o, 1);)
K(ldv3, float3 v = *(float3 *)(g + off); *o = v.x + v.y * v.z;)
K(ldc4, char4 v = *(char4 *)(g + off); *o = v.x + v.y * v.z - v.w;)
K(ldc2, uchar2 v = *(uchar2 *)(g + off); *o = v.x + v.y;)
K(stc4, *(char4 *)(g + off) = make_char4(*o, 1, 2, 3);)
K(lds2, short2 v = *(short2 *)(g + off); *o = v.x + v.y;)
K(ldh2, __half2 v = *(__half2 *)(g + off); *o = __low2float(v) + __high2float(v);)
K(copys4, *(S4 *)(o + 4) = *(S4 *)(g + off);)
K(copyto4, *(S4 *)(g + off) = *(S4 *)(o + 4);)
K(copys2, *(S2 *)(o + 4) = *(S2 *)(g + off);)
K(copyl, *(L *)(o + 4) = *(L *)(g + off);)
K(copyt, *(T *)(o + 4) = *(T *)(g + off);)
K(copyd, *(D *)(o + 4) = *(D *)(g + off);)
K(packed, P *p = (P *)(g + off); *o = p->i + (int)p->d;)
K(packedst, P *p = (P *)(g + off); p->i = *o; p->d = 3;)
K(memcpy4, int v; memcpy(&v, g + off, 4); *o = v;)
K(memcpyi, memcpy(o, (int *)(g + off), 4);)
K(memcpy16, memcpy((int4 *)(o + 4), (int4 *)(g + off), 16);)
K(memcpyn, memcpy((int *)(o + 4), (int *)(g + off), *o + 8);)
K(memsetn, memset((int *)(g + off), 1, *o + 8);)
K(i128, __int128 v = *(__int128 *)(g + off); *o = (int)v + (int)(v >> 77);)
K(add, atomicAdd((int *)(g + off), 1);)
K(addret, *o = atomicAdd((int *)(g + off), 1);)
K(addf, atomicAdd((float *)(g + off), 1.f);)
K(addd, atomicAdd((double *)(g + off), 1.);)
K(add8, atomicAdd((unsigned long long *)(g + off), 1ull);)
K(addh2, atomicAdd((__half2 *)(g + off), __float2half2_rn(1));)
K(cas4, *o = atomicCAS((int *)(g + off), 0, 1);)
K(cas8, *o = (int)atomicCAS((unsigned long long *)(g + off), 0ull, 1ull);)
K(cas2, *o = atomicCAS((unsigned short *)(g + off), (unsigned short)0, (unsigned short)1);)
K(exch8, *o = (int)atomicExch((unsigned long long *)(g + off), 1ull);)
K(ldg4, *o = __ldg((int *)(g + off));)
K(ldg16, float4 v = __ldg((float4 *)(g + off)); *o = v.x + v.y * v.z - v.w;)
K(ldg8, float2 v = __ldg((float2 *)(g + off)); *o = v.x + v.y;)
K(ldcs, *o = __ldcs((int *)(g + off));)
K(stcg, __stcg((int *)(g + off), 4);)
K(vol4, *o = *(volatile int *)(g + off);)
K(notrun, if (*o == 12345) *o = *(int *)(g + off);)
K(ptxv4, int a, b, c, d; asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];": "=r" (a),
	"=r" (b), "=r" (c), "=r" (d) : "l" (g + off)); *o = a + b + c + d;)
K(ptxv4nc, int a, b, c, d; asm volatile("ld.global.nc.v4.u32 {%0,%1,%2,%3}, [%4];": "=r"
	(a), "=r" (b), "=r" (c), "=r" (d) : "l" (g + off)); *o = a + b + c + d;)
K(ptxv2, int a, b; asm volatile("ld.global.v2.u32 {%0,%1}, [%2];": "=r" (a), "=r" (b) : "l"
	(g + off)); *o = a + b;)
K(ptxv2b, short a, b;
	asm volatile("{.reg .b16 x,y; ld.global.v2.u8 {x,y}, [%2]; mov.b16 %0, x; mov.b16 %1, y;}":
	"=h" (a), "=h" (b) : "l" (g + off)); *o = a + b;)
K(ptxst4, asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};":: "l" (g + off), "r" (*o) :
	"memory" );)
K(ptxld, int a; asm volatile("ld.u32 %0, [%1];" : "=r"(a) : "l"(g + off)); *o = a;)
K(ptxacq, int a; asm volatile("ld.acquire.gpu.global.u32 %0, [%1];": "=r" (a) : "l"
	(g + off)); *o = a;)
K(ptxrel, asm volatile("st.release.gpu.global.u32 [%0], %1;":: "l" (g + off), "r" (*o) :
	"memory" );)
K(ptxatom, int a; asm volatile("atom.global.add.u32 %0, [%1], 1;": "=r" (a) : "l"
	(g + off) : "memory" ); *o = a;)
K(ptxred, asm volatile("red.global.add.u32 [%0], 1;" :: "l"(g + off) : "memory");)
K(ptxredv2, asm volatile("red.global.add.v2.f32 [%0], {%1,%1};":: "l" (g + off), "f" (1.f) :
	"memory" );)
K(prefetch, asm volatile("prefetch.global.L2 [%0];" :: "l"(g + off));)

/* The same bytes in shared memory, and on the thread's stack. */
#define SHARED                                                \
	__shared__ __align__(16) char s[512];                 \
	for (int i = 0; i < 512; i++)                         \
		s[i] = g[i];                                  \
	__syncthreads();                                      \
	unsigned sa = (unsigned)__cvta_generic_to_shared(s + off), \
		 s0 = (unsigned)__cvta_generic_to_shared(s);  \
	(void)sa, (void)s0;
#define LOCAL                         \
	char l[256];                  \
	for (int i = 0; i < 256; i++) \
		l[i] = g[i] + i;
K(sld2, SHARED *o = *(short *)(s + off);)
K(sld4, SHARED *o = *(int *)(s + off);)
K(sst4, SHARED *(int *)(s + off) = 3; *o = s[5];)
K(sldv4, SHARED float4 v = *(float4 *)(s + off); *o = v.x + v.y * v.z - v.w;)
K(sstv4, SHARED *(float4 *)(s + off) = make_float4(*o, 1, 2, 3); *o = s[9];)
K(sldv2, SHARED float2 v = *(float2 *)(s + off); *o = v.x + v.y;)
K(sadd, SHARED atomicAdd((int *)(s + off), 1); *o = s[3];)
K(scas8, SHARED *o = (int)atomicCAS((unsigned long long *)(s + off), 0ull, 1ull);)
K(sgen, SHARED char *p = *o ? s : g; *o = *(int *)(p + off);)
K(ldm1, SHARED unsigned r;
	asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];": "=r" (r) : "r"
	(sa + 16 * (threadIdx.x & 7))); *o = r;)
K(ldm4, SHARED unsigned r, r1, r2, r3;
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];": "=r" (r),
	"=r" (r1), "=r" (r2), "=r" (r3) : "r" (sa)); *o = r + r1 + r2 + r3;)
K(ldm1unused, SHARED unsigned r;
	asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];": "=r" (r) : "r"
	(threadIdx.x < 8 ? s0 : sa)); *o = r;)
K(cpa4src, SHARED asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;"::
	"r" (s0), "l" (g + off) : "memory" ); *o = s[0];)
K(cpa4dst, SHARED asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;"::
	"r" (sa), "l" (g) : "memory" ); *o = s[0];)
K(cpa8src, SHARED asm volatile("cp.async.ca.shared.global [%0], [%1], 8; cp.async.wait_all;"::
	"r" (s0), "l" (g + off) : "memory" ); *o = s[0];)
K(cpa16src,
	SHARED asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.wait_all;":: "r"
	(s0), "l" (g + off) : "memory" ); *o = s[0];)
K(cpa16dst,
	SHARED asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.wait_all;":: "r"
	(sa), "l" (g) : "memory" ); *o = s[0];)
K(cpa16zero,
	SHARED asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2; cp.async.wait_all;"::
	"r" (s0), "l" (g + off), "r" (*o) : "memory" ); *o = s[0];)
K(cpa16part,
	SHARED asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2; cp.async.wait_all;"::
	"r" (s0), "l" (g + off), "r" (*o + 4) : "memory" ); *o = s[0];)
K(bulk, SHARED __shared__ __align__(8) long long bar;
	unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
	if (!threadIdx.x) {
		asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" :: "r"(b) : "memory");
		asm volatile("{.reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], 16;}" :: "r"(b) : "memory");
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
			     "[%0], [%1], 16, [%2];" :: "r"(s0), "l"(g + off), "r"(b) : "memory");
		int ok = 0;
		for (int i = 0; !ok && i < 100000; i++)
			asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p;}"
				     : "=r"(ok) : "r"(b) : "memory");
		*o = ok;
	})
K(mbar, SHARED asm volatile("mbarrier.init.shared.b64 [%0], 1;":: "r" (sa) : "memory" );
	*o = s[0];)
K(lld4, LOCAL *o = *(int *)(l + off) + l[*o & 255];)
K(lst4, LOCAL *(int *)(l + off) = 3; *o = l[*o & 255];)
K(lldv4, LOCAL float4 v = *(float4 *)(l + off); *o = v.x + v.y * v.z - v.w + l[*o & 255];)
K(cld4, *o = *(int *)(constant_bytes + off);)
K(cptx, int a; asm volatile("{.reg .u64 x; cvta.to.const.u64 x, %1; ld.const.u32 %0, [x];}":
	"=r" (a) : "l" (constant_bytes + off)); *o = a;)

__global__ void param4(Bytes p, int off, int *o) { *o = *(int *)(p.b + off); }
__global__ void restrict4(const char *__restrict__ g, int off, int *__restrict__ o)
{
	*o = *(const int *)(g + off);
}
__global__ void restrictv4(const float4 *__restrict__ g, int off, int *__restrict__ o)
{
	float4 v = *(const float4 *)((const char *)g + off);
	*o = v.x + v.y * v.z - v.w;
}

static const struct {
	const char *name;
	void (*f)(char *, int, int *);
	int off;
} rows[] = {
#define R(name, off) {#name, k_##name, off},
	R(ld2, 1) R(ld2, 2) R(ld4, 1) R(ld4, 2) R(ldf, 2) R(ldd, 4) R(st2, 1) R(st4, 2) R(st8, 4)
	R(sth, 1) R(ldv4, 8) R(ldv4, 4) R(stv4, 8) R(stv4, 4) R(ldv2, 4) R(ldv2, 2) R(stv2, 4)
	R(ldd2, 8) R(std2, 8) R(ldv3, 4) R(ldv3, 2) R(ldc4, 1) R(ldc4, 2) R(ldc2, 1) R(stc4, 2)
	R(lds2, 2) R(ldh2, 2) R(copys4, 4) R(copys4, 8) R(copyto4, 8) R(copys2, 4) R(copyl, 8)
	R(copyt, 4) R(copyt, 2) R(copyd, 4) R(packed, 1) R(packed, 0) R(packedst, 2) R(memcpy4, 1)
	R(memcpyi, 1) R(memcpyi, 2) R(memcpy16, 4) R(memcpy16, 8) R(memcpyn, 1) R(memcpyn, 2)
	R(memsetn, 1) R(memsetn, 2) R(i128, 8) R(add, 2) R(addret, 2) R(addf, 2) R(addd, 4)
	R(add8, 4) R(addh2, 2) R(cas4, 2) R(cas8, 4) R(cas2, 1) R(exch8, 4) R(ldg4, 2) R(ldg16, 8)
	R(ldg8, 4) R(ldcs, 2) R(stcg, 2) R(vol4, 1) R(notrun, 1) R(ptxv4, 8) R(ptxv4, 4)
	R(ptxv4nc, 8) R(ptxv2, 4) R(ptxv2b, 1) R(ptxst4, 8) R(ptxld, 2) R(ptxacq, 2) R(ptxrel, 2)
	R(ptxatom, 2) R(ptxred, 2) R(ptxredv2, 4) R(prefetch, 1) R(sld2, 1) R(sld4, 2) R(sst4, 2)
	R(sldv4, 8) R(sldv4, 4) R(sstv4, 8) R(sldv2, 4) R(sadd, 2) R(scas8, 4) R(sgen, 2)
	R(ldm1, 8) R(ldm1, 2) R(ldm1, 0) R(ldm4, 8) R(ldm1unused, 8) R(cpa4src, 2) R(cpa4dst, 2)
	R(cpa8src, 4) R(cpa16src, 8) R(cpa16src, 4) R(cpa16dst, 8) R(cpa16zero, 8) R(cpa16part, 8)
	R(bulk, 8) R(bulk, 0) R(mbar, 4) R(lld4, 1) R(lld4, 2) R(lst4, 2) R(lldv4, 8) R(lldv4, 4)
	R(cld4, 2) R(cld4, 1) R(cptx, 2)
#undef R
};

enum { N = sizeof rows / sizeof *rows };

static void run(char *g, int *o, int k)
{
	const char *name = k < N ? rows[k].name : k == N ? "param4" : k == N + 1 ? "restrict4" : "restrictv4";
	int off = k < N ? rows[k].off : k <= N + 1 ? 2 : k == N + 2 ? 8 : 4;
	if (k < N)
		rows[k].f<<<1, 32>>>(g, off, o);
	else if (k == N)
		param4<<<1, 32>>>(Bytes(), off, o);
	else if (k == N + 1)
		restrict4<<<1, 32>>>(g, off, o);
	else
		restrictv4<<<1, 32>>>((float4 *)g, off, o);
	CHECK(cudaGetLastError());
	printf("%s %d: %d\n", name, off, (int)cudaDeviceSynchronize());
}

int main()
{
	for (int k = 0; k < N + 4; k++) {
		fflush(stdout);
		if (pid_t child = fork()) {
			int status;
			waitpid(child, &status, 0);
			if (!WIFEXITED(status) || WEXITSTATUS(status))
				printf("case %d ended by itself\n", k);
			continue;
		}
		char *g;
		int *o;
		CHECK(cudaMalloc(&g, 4096));
		CHECK(cudaMalloc(&o, 4096));
		CHECK(cudaMemset(g, 0, 4096));
		CHECK(cudaMemset(o, 0, 4096));
		CHECK(cudaDeviceSynchronize());
		run(g, o, k);
		fflush(stdout);
		_exit(0);
	}
	return 0;
}

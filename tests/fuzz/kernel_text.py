# SPDX-License-Identifier: Apache-2.0
"""The texts around the kernels of kernel_fuzz.py: helpers of both sides, the reference's, the program's main part."""

COMMON = r'''
#include <cstdint>
#include <cstring>
#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif
BOTH inline int to_int(double x) { return x > -1e9 && x < 1e9 ? (int)x : 7; }
BOTH inline int to_intf(float x) { return x > -1e9f && x < 1e9f ? (int)x : 7; }
BOTH inline long long to_long(double x) { return x > -1e18 && x < 1e18 ? (long long)x : 9; }
BOTH inline unsigned bits(float x)
{
	unsigned u;
	memcpy(&u, &x, 4);
	return x != x ? 0x7fffffffu : u;
}
BOTH inline unsigned long long bits(double x)
{
	unsigned long long u;
	memcpy(&u, &x, 8);
	return x != x ? 0x7fffffffffffffffull : u;
}
BOTH inline void sort8(unsigned *a)
{
	for (int i = 1; i < 8; i++)
		for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
			unsigned other = a[j];
			a[j] = a[j - 1];
			a[j - 1] = other;
		}
}
BOTH inline unsigned fold8(const unsigned *a, unsigned n)
{
	unsigned sum = n;
	for (unsigned i = 0; i < (n & 7); i++)
		sum = sum * 3 + a[i];
	return sum;
}
BOTH inline unsigned again(unsigned n, unsigned x) { return n ? again(n - 1, x * 5 + n) + (x >> 3) : x; }
struct pair { unsigned first; float second; };
BOTH inline struct pair swapped(struct pair p)
{
	struct pair q = {(unsigned)to_intf(p.second), (float)(p.first & 0xffff)};
	return q;
}
BOTH inline float least(float a, float b) { return a < b ? a : b; }
BOTH inline double least(double a, double b) { return a < b ? a : b; }
BOTH inline float most(float a, float b) { return a > b ? a : b; }
BOTH inline double most(double a, double b) { return a > b ? a : b; }
'''

# What the reference has in the place of CUDA's functions of integers.
REFERENCE = r'''
#include <cmath>
#include <vector>
static int __popc(unsigned x) { int n = 0; for (; x; x &= x - 1) n++; return n; }
static int __popcll(unsigned long long x) { int n = 0; for (; x; x &= x - 1) n++; return n; }
static int __clz(int x) { unsigned u = (unsigned)x; int n = 0; while (n < 32 && !(u >> (31 - n) & 1)) n++; return n; }
static int __ffs(int x) { for (int i = 0; i < 32; i++) if ((unsigned)x >> i & 1) return i + 1; return 0; }
static unsigned __brev(unsigned x) { unsigned r = 0; for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i); return r; }
static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { n &= 31; return n ? hi << n | lo >> (32 - n) : hi; }
static unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
	unsigned long long both = (unsigned long long)b << 32 | a;
	unsigned r = 0;
	for (int i = 0; i < 4; i++)
		r |= (unsigned)(both >> 8 * (s >> 4 * i & 7) & 0xff) << 8 * i;
	return r;
}
static unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
static unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
'''

ATOMICS = ''.join(f'static void atomic_{op}(unsigned *a, unsigned b) {{ *a = {how}; }}\n' for op, how in [
    ('Add', '*a + b'), ('Max', 'umax(*a, b)'), ('Min', 'umin(*a, b)'), ('Xor', '*a ^ b'),
    ('Or', '*a | b'), ('And', '*a & b')])

QUADS = r'''
__device__ inline void put4(unsigned *to, unsigned a, unsigned b, unsigned c, unsigned d)
{
	*(uint4 *)to = make_uint4(a, b, c, d);
}
__device__ inline unsigned sum4(const unsigned *from)
{
	uint4 v = *(const uint4 *)from;
	return v.x + 3 * v.y + 5 * v.z + 7 * v.w;
}
'''
REFERENCE_QUADS = r'''
static void put4(unsigned *to, unsigned a, unsigned b, unsigned c, unsigned d) { to[0] = a, to[1] = b, to[2] = c, to[3] = d; }
static unsigned sum4(const unsigned *from) { return from[0] + 3 * from[1] + 5 * from[2] + 7 * from[3]; }
'''
TABLE = ' unsigned table[64] = {' + ', '.join(str(i * i * 2654435 % 4294967291) + 'u' for i in range(64)) + '};\n'

MAIN = r'''
static int differ(const char *kernel, const char *what, const unsigned long long *got,
		  const unsigned long long *wanted, size_t n, size_t row)
{
	for (size_t i = 0; i < n; i++)
		if (got[i] != wanted[i]) {
			printf("%s: %s of thread %zu, place %zu: %llx is not %llx\n", kernel, what,
			       i / row, i % row, got[i], wanted[i]);
			return 1;
		}
	return 0;
}

typedef void function(const unsigned *, const float *, unsigned *, unsigned *, unsigned long long *,
		      unsigned, unsigned);

static int compare(const char *name, function *kernel, function *reference, dim3 grid, dim3 block,
		   unsigned p0, unsigned p1)
{
	const size_t n = (size_t)grid.x * grid.y * block.x * block.y * block.z, row = ROW;
	std::vector<unsigned> in(N_IN), own(4 * n), counts(64);
	std::vector<float> fin(N_IN);
	for (unsigned i = 0; i < N_IN; i++) {
		in[i] = (i * 2654435761u) ^ (i << 7);
		fin[i] = (float)(int)(in[i] % 2001 - 1000) / 8;
	}
	std::vector<unsigned long long> out(row * n), wanted(row * n), wide(4 * n + 64), expected(4 * n + 64);
	unsigned *d_in, *d_own, *d_counts;
	float *d_fin;
	unsigned long long *d_out;
	cudaMalloc(&d_in, N_IN * 4), cudaMalloc(&d_fin, N_IN * 4), cudaMalloc(&d_own, 16 * n);
	cudaMalloc(&d_counts, 64 * 4), cudaMalloc(&d_out, row * n * 8);
	cudaMemcpy(d_in, in.data(), N_IN * 4, cudaMemcpyHostToDevice);
	cudaMemcpy(d_fin, fin.data(), N_IN * 4, cudaMemcpyHostToDevice);
	cudaMemset(d_own, 0, 16 * n), cudaMemset(d_counts, 0, 64 * 4), cudaMemset(d_out, 0, row * n * 8);
	kernel<<<grid, block, 4 * block.x * block.y * block.z>>>(d_in, d_fin, d_own, d_counts, d_out, p0, p1);
	cudaError_t error = cudaDeviceSynchronize();
	if (error != cudaSuccess) {
		printf("%s: %s\n", name, cudaGetErrorName(error));
		return 1;
	}
	reference(in.data(), fin.data(), own.data(), counts.data(), wanted.data(), p0, p1);
	cudaMemcpy(out.data(), d_out, row * n * 8, cudaMemcpyDeviceToHost);
	int bad = differ(name, "a variable", out.data(), wanted.data(), row * n, row);
	for (size_t i = 0; i < 4 * n; i++)
		expected[i] = own[i];
	for (size_t i = 0; i < 64; i++)
		expected[4 * n + i] = counts[i];
	cudaMemcpy(own.data(), d_own, 16 * n, cudaMemcpyDeviceToHost);
	cudaMemcpy(counts.data(), d_counts, 64 * 4, cudaMemcpyDeviceToHost);
	for (size_t i = 0; i < 4 * n; i++)
		wide[i] = own[i];
	for (size_t i = 0; i < 64; i++)
		wide[4 * n + i] = counts[i];
	bad |= differ(name, "memory", wide.data(), expected.data(), 4 * n + 64, 4);
	cudaFree(d_in), cudaFree(d_fin), cudaFree(d_own), cudaFree(d_counts), cudaFree(d_out);
	return bad;
}
'''

# mbarriers of the kernels.
WAITS = r"""
static __device__ unsigned shared_at(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}
static __device__ void set(unsigned long long *bar, unsigned n)
{
	asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_at(bar)), "r"(n) : "memory");
}
static __device__ void drop(unsigned long long *bar)
{
	asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_at(bar)) : "memory");
}
static __device__ void arrive(unsigned long long *bar)
{
	asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(shared_at(bar)) : "memory");
}
static __device__ void await(unsigned long long *bar, unsigned parity)
{
	unsigned over;
	do
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
			     : "=r"(over)
			     : "r"(shared_at(bar)), "r"(parity)
			     : "memory");
	while (!over);
}
"""

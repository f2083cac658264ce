/* SPDX-License-Identifier: Apache-2.0 */
/* What nvcc takes and clang does not: attributes behind CUDA's, declarations in
 * macros, launches with braces, unrolls of no loop, special registers in asm,
 * host functions in __host__ __device__ ones, copies of threadIdx, an own
 * warpSize.
 *
 * Flags: -Wno-deprecated-gpu-targets -diag-suppress 20011,20014 */
#include <cinttypes>
#include <string>
#include <vector>

#include "case.cuh"

#ifndef __NVCC_DIAG_PRAGMA_SUPPORT__
#error nvcc says that it knows nv_diag_suppress
#endif

constexpr int warpSize = 32;

struct range {
	int n;
	__host__ __device__ [[nodiscard]] int size() const
	{
		return n;
	}
	__device__ [[nodiscard]] static int two()
	{
		return 2;
	}
};

struct constructed {
	int x;
	__device__ constructed() : x(99) {}
};

#define BOTH __host__ __device__
#define ALIGNED_SHARED __shared__ alignas(64)
#define ALIGN(n) alignas(n)
#define SHARED_ARRAY(T, name, n) __shared__ T name##_array[n]

struct span {
	int n;
	BOTH [[nodiscard]] constexpr int size() const
	{
		return n;
	}
};

__global__ void attributes(int *out)
{
	ALIGNED_SHARED int a[3];
	__shared__ ALIGN(32) char b[3];
	__shared__ alignas(128) span d[1]; /* the name of a type behind it */
	SHARED_ARRAY(constructed, c, 4);
	extern __shared__ int sized[16];
	c_array[threadIdx.x].x = threadIdx.x;
	a[threadIdx.x % 3] = 1;
	b[threadIdx.x % 3] = 2;
	sized[threadIdx.x] = 3 * threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = c_array[3 - threadIdx.x].x + 10 * a[0] + 100 * b[1] + 1000 * sized[3 - threadIdx.x] +
			   100000 * ((uintptr_t)a % 64 == 0 && (uintptr_t)b % 32 == 0 && (uintptr_t)d % 128 == 0);
	out[4 + threadIdx.x] = range{7}.size() + range::two() + span{20}.size();
}

template <int N> __global__ void unrolls(int *out)
{
	int n = 0;
#pragma unroll
	n += 1;
#pragma unroll N
	{
		n += 2;
	}
#pragma unroll -1
	for (int i = 0; i < N; i++)
		n += 10;
#pragma unroll
	if (n)
		for (int i = 0; i < N; i++)
			n += 100;
	out[0] = n;
}

__global__ void registers(int *out)
{
	int lane, x = threadIdx.x, block;
	asm("mov.u32 %0, %laneid;" : "=r"(lane));
	asm volatile("{\n\t"
		     ".reg .u32 t;\n\t"
		     "mov.u32 t, %ctaid.x;\n\t"
		     "add.u32 %0, t, %1;\n\t"
		     "}"
		     : "=r"(block)
		     : "r"(5));
	out[threadIdx.x] = lane + 100 * block + 1000 * x;
}

__global__ void commas(int *out)
{
	/* clang-format off */
	asm("sub.s32 %0, %1, %2;" : "=r"(out[threadIdx.x]) : "r"((int)threadIdx.x * 7) "r"(3));
	/* clang-format on */
}

__global__ void __maxnreg__(64) copies(int *out)
{
	auto t = threadIdx;
	auto size = blockDim;
	uint3 b = blockIdx;
	const auto &g = gridDim;
	auto of = [](auto index, auto extent) { return index.y * extent.x + index.x; };
	out[b.x * 12 + of(t, size)] = t.x + 10 * t.y + 100 * b.x + 1000 * size.x + 10000 * g.x + 100000 * warpSize;
}

/* Host functions in functions of both sides: not reached by device code, and
 * reached, but not run. */
static int n_logged;
static int host_only(int x)
{
	return x + 1;
}
static void log(const char *)
{
	n_logged++;
}
#define REPORT(text) log(text)

__host__ __device__ int never_on_the_device(const std::string &s)
{
	std::vector<int> v(3, 1);
	return host_only((int)s.size()) + v[0];
}
template <typename T> __host__ __device__ T half_of(T x)
{
	if (x < 0) {
		REPORT("negative");
		return host_only(x);
	}
	return x / 2;
}
struct counted {
	int n;
	__host__ __device__ counted(int x) : n(x < 0 ? host_only(x) : x) {}
};

__global__ void sides(int *out)
{
	out[threadIdx.x] = half_of((int)threadIdx.x) + 100 * counted(threadIdx.x).n;
}

__global__ void add_one(int *out)
{
	atomicAdd(out, 1);
}
#define ADD_ONE(out, ...) add_one<<<__VA_ARGS__>>>(out)

template <typename T, int N = 3> __global__ void with_defaults(T *out, T more)
{
	atomicAdd(out, N + more);
}
template <int N> struct launcher {
	template <typename T> void go(T *out, unsigned n) const
	{
		with_defaults<T, N><<<{1, n, 1}, {2, 2}, {}>>>(out, 1);
		with_defaults<<<{2}, 1>>>(out, 1);
	}
};

/* A member template of what depends on a parameter, without the word `template`. */
template <class T> struct summer {
	T start;
	template <int n> static __device__ T sum(const T *p)
	{
		T ret = 0;
		for (int i = 0; i < n; i++)
			ret += p[i];
		return ret;
	}
};

template <class T, int n> __device__ T members(const summer<T> &s, const T *p)
{
	return summer<T>::sum<n>(p) * 100 + s.start;
}

__global__ void member_templates(int *out)
{
	int values[4] = {1, 2, 3, 4};
	out[threadIdx.x] = members<int, 3>(summer<int>{(int)threadIdx.x}, values);
}

/* Words that nvcc does not need: `typename` before a type that depends on a parameter, `template`
 * before a member whose arguments are a call, `this->` before a base class's; and a static member of `this` as a constant. */
template <typename T>
struct shelf {
	typedef long wide_type;
	static constexpr bool wide = sizeof(T) > 4;
	T first;
	__device__ int bytes() const
	{
		if constexpr (this->wide)
			return sizeof(first.parts);
		else
			return first;
	}
	__device__ T kept(T n) { return n; }
	template <bool twice>
	__device__ int size(int n)
	{
		return twice ? 2 * n : n;
	}
};

struct two_parts {
	int parts[2];
};

template <typename T>
struct shelf_user : shelf<T> {
	shelf<T> inner;
	__host__ __device__ static constexpr bool doubled() { return true; }
	__device__ int ask(int n) { return inner.size<doubled()>(n); }
	static constexpr __host__ __device__ unsigned long least(unsigned long n) { return n < 16 ? n : 16; }
	__device__ T aligned(const T *p)
	{
		return *reinterpret_cast<const T *>(__builtin_assume_aligned(p, least(sizeof(T))));
	}
	__device__ int same(T n) { return kept(n) + 1; }
	__device__ int narrow() { return sizeof(shelf<T>::wide_type(3)); }
};

template <typename T>
__host__ constexpr int sum_of(int n)
{
	std::vector<int> twos(n, 2);
	int sum = 0;
	for (int x : twos)
		sum += x;
	return sum;
}

__global__ void constants(int *out)
{
	out[0] = shelf<two_parts>{}.bytes();
	out[1] = shelf<int>{7}.bytes();
	out[2] = shelf_user<int>{}.ask(5);
	out[3] = shelf_user<int>{}.narrow();
	out[4] = shelf_user<int>{}.same(4);
	out[5] = shelf_user<int>{}.aligned(&out[1]) + 2;
}

/* The same names for both sides: the pass of one does not know what the other's functions call. */
#ifdef __CUDA_ARCH__
template <typename T>
static inline __device__ T count_up(T &sum, T n)
{
	return atomicAdd(&sum, n);
}
static __device__ int of_the_side(int x) { return x + 1; }
struct one_sided {
	int value;
	__device__ one_sided(int x) : value(x) {}
};
#else
template <typename T>
static inline T count_up(T &sum, T n)
{
	sum += n;
	return sum - n;
}
static int of_the_side(int x) { return x + 2; }
struct one_sided {
	int value;
	one_sided(int x) : value(10 * x) {}
};
#endif

__host__ __device__ static int count_one(int *sum) { return count_up(*sum, 1); }

__global__ void one_side(int *out)
{
	count_up(out[0], of_the_side(3));
	count_one(&out[1]);
	one_sided s(5);
	out[2] = s.value;
}

static int other_side(void)
{
	int sum = 1;
	count_up(sum, of_the_side(3));
	count_one(&sum);
	one_sided s(5);
	return sum + s.value;
}

/* Old C++ that nvcc warns about: `register`, narrowing in braces, a literal right before a
 * macro; and launches as some editors write them. */
__global__ void old(float *out, int n)
{
	register int twice = 2 * n;
	float values[2] = {n, twice};
	uint3 index = {n, n, n};
	out[0] = values[0] + values[1] + index.z;
}

/* What nvcc takes in device code only. */
__global__ void lax(int *out, bool flag)
{
	switch (threadIdx.x) {
	case 0:
		int first = 3;
		out[0] = first;
		break;
	case 1:
		flag++;
		out[1] = flag;
		break;
	default:
		out[2] = (unsigned)(out + 1) - (unsigned)out;
	}
}

static void launch_old(float *out)
{
	int wide = 1, one = 1;
	dim3 grid{wide, one};
	old << <grid, 1 >> > (out, 7);
	register uint64_t printed = 3;
	say("old C++", "%"PRIu64, printed);
}

/* gcc initializes arrays whose length it does not know: the rest is zero, and what is too
 * much is left out. */
static void variable_lengths(int n)
{
	struct pair {
		int a;
		float b;
	};
	int row[n] = {1, 2}, more[n]{5};
	pair pairs[n] = {{1, 2}, {3, 4}};
	int grid[n][2] = {{1}, {2, 3}}, flat[2][n] = {1, 2, 3, 4};
	double cube[2][n][1] = {{{1.5}, {2}}, {{3}}}, none[n][n] = {};
	const char *names[n] = {"a,", "b;", "c"};
	int small[n - 2] = {1, 2, 3};
	say("arrays of variable length", "%d%d%d %d%d%d %d %g %g", row[0], row[1], row[2], more[0],
	    more[1], more[2], pairs[1].a, pairs[0].b, pairs[2].b);
	say("of more dimensions", "%d%d %d%d %d%d %d%d %g%g%g%g %g", grid[0][0], grid[0][1],
	    grid[1][0], grid[1][1], flat[0][2], flat[1][0], flat[1][1], flat[1][2], cube[0][0][0],
	    cube[0][1][0], cube[0][2][0], cube[1][0][0], none[n - 1][n - 1]);
	say("their texts", "%s%s%s %d %d", names[0], names[1], names[2], small[0], (int)sizeof small);
}

/* alignas() below the natural alignment: classes and members ignore it. What nvcc's PTX stores. */
struct alignas(4) low_class {
	double d;
	char c;
};
struct low_members {
	char a;
	alignas(2) int i;
	char b;
	alignas(1) double d;
};
template <class T> struct alignas(4) low_template {
	T x;
};
template <class T> struct low_member {
	char c;
	alignas(4) T x;
};
alignas(2) int low_global = 5;
__device__ alignas(2) const float low_table[3] = {1, 2, 3};
#define LOW alignas(1)
__device__ LOW int low_macro = 4;

__global__ void low_alignments(int *to)
{
	__shared__ char before;
	__shared__ alignas(4) double s[4];
	alignas(2) int local = 3;
	before = 1;
	s[threadIdx.x & 3] = local + before;
	to[0] = sizeof(low_class) + 100 * alignof(low_class);
	to[1] = sizeof(low_members) + 100 * alignof(low_members);
	to[2] = sizeof(low_template<char>) + 100 * sizeof(low_template<double>);
	to[3] = sizeof(low_member<char>) + 100 * sizeof(low_member<double>);
	to[4] = (int)((size_t)s % 8);
	to[5] = (int)s[0] + (int)low_table[1] + low_macro;
}

int main()
{
	variable_lengths(3);
	{
		memory<float> out(1);
		launch_old(out);
		CHECK(cudaDeviceSynchronize());
		out.show("old C++ in a kernel");
	}
	run("lax device code", 3, 1, 3, lax, false);
	{
		memory<int> out(8);
		attributes<<<1, 4, 64>>>(out);
		CHECK(cudaDeviceSynchronize());
		out.show("attributes");
	}
	run("unrolls", 1, 1, 1, unrolls<4>);
	run("operands without commas", 4, 1, 4, commas);
	run("registers", 64, 1, 64, registers);
	run("copies of built-in variables", 24, 2, dim3(4, 3), copies);
	run("host functions", 16, 1, 16, sides);
	int never = never_on_the_device("four"), below = half_of(-9);
	say("host functions, on the host", "%d %d %d %d", never, half_of(9), below, n_logged);
	{
		memory<int> out(1);
		int n = 3;
		dim3 grid(2);
		add_one<<<grid, {16, 2, 1}>>>(out);
		add_one<<<{
			1,
			2}, {4}, 0>>>(out);
		ADD_ONE(out, dim3(n, 5), 7);
		launcher<5>().go(out.there, 10);
		CHECK(cudaDeviceSynchronize());
		out.show("launches");
	}
	run("member templates", 2, 1, 2, member_templates);
	run("constants", 6, 1, 1, constants);
	run("low alignments", 6, 1, 1, low_alignments);
	say("low alignments, on the host", "%zu %zu %zu %zu %d", sizeof(low_class), sizeof(low_members),
	    sizeof(low_member<char>), sizeof(low_member<double>), low_global);
	run("one side", 3, 1, 32, one_side);
	say("one side, on the host", "%d", other_side());
	say("no constant, on the host", "%d", sum_of<int>(5));
	return 0;
}

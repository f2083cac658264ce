/* SPDX-License-Identifier: Apache-2.0 */
/* C++ in kernels: recursion, function pointers, virtual calls, templates, lambdas,
 * static and unnamed-namespace kernels, structs by value, new and delete, malloc,
 * alloca, local arrays, odd parameter lists.
 *
 * Flags: --extended-lambda */
#include <new>
#include <utility>

#include "case.cuh"

__device__ int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ int is_odd(int n);
__device__ int is_even(int n)
{
	return n == 0 ? 1 : is_odd(n - 1);
}
__device__ int is_odd(int n)
{
	return n == 0 ? 0 : is_even(n - 1);
}

__global__ void recursion(int *out)
{
	out[threadIdx.x] = fibonacci(threadIdx.x % 12) * 10 + is_even(threadIdx.x);
}

__device__ int hanoi(int n, int from, int to)
{
	if (n == 0)
		return 0;
	int over = 3 - from - to;
	return hanoi(n - 1, from, over) + 1 + hanoi(n - 1, over, to);
}

__global__ void deep(int *out)
{
	out[threadIdx.x] = hanoi(8, 0, 2);
}

/* Function pointers: in a constant table, in device memory, passed on. */
__device__ int twice(int x)
{
	return 2 * x;
}
__device__ int square(int x)
{
	return x * x;
}
__device__ int negate(int x)
{
	return -x;
}
typedef int (*operation)(int);
__device__ operation table[3] = {twice, square, negate};
__constant__ operation fixed_table[2] = {negate, twice};
__device__ operation chosen;

__global__ void choose(int which)
{
	chosen = table[which];
}

__device__ int apply(operation f, int x)
{
	return f(x) + 1;
}

__global__ void pointers(int *out)
{
	int i = threadIdx.x;
	operation local[2] = {square, twice};
	out[i] = table[i % 3](i) + 1000 * apply(fixed_table[i % 2], i) + 100000 * (local[i & 1](3)) +
		 10000000 * (chosen(2) == 4);
}

/* A pointer that the host fetches and hands to a kernel. */
__global__ void called(int *out, operation f)
{
	out[threadIdx.x] = f(threadIdx.x + 1);
}

/* Virtual calls; the objects live in device memory. */
struct shape {
	__device__ virtual ~shape() {}
	__device__ virtual float area() const = 0;
	__device__ virtual int corners() const
	{
		return 0;
	}
};
struct rectangle : shape {
	float w, h;
	__device__ rectangle(float w, float h) : w(w), h(h) {}
	__device__ float area() const override
	{
		return w * h;
	}
	__device__ int corners() const override
	{
		return 4;
	}
};
struct circle : shape {
	float r;
	__device__ explicit circle(float r) : r(r) {}
	__device__ float area() const override
	{
		return 3.0f * r * r;
	}
};

__global__ void make_shapes(shape **shapes)
{
	int i = threadIdx.x;
	if (i % 2)
		shapes[i] = new rectangle(i, 2);
	else
		shapes[i] = new circle(i);
}
__global__ void measure(float *out, shape **shapes)
{
	int i = threadIdx.x;
	out[i] = shapes[i]->area() * 10 + shapes[i]->corners();
	delete shapes[i];
}

/* Two bases: the second one's pointer is adjusted. */
struct first_base {
	int a;
	__device__ virtual int f() const
	{
		return a;
	}
};
struct second_base {
	int b;
	__device__ virtual int g() const
	{
		return b;
	}
};
struct both : first_base, second_base {
	__device__ int f() const override
	{
		return a + 100;
	}
	__device__ int g() const override
	{
		return a + b + 1000;
	}
};
__global__ void two_bases(int *out)
{
	both x;
	x.a = threadIdx.x;
	x.b = 7;
	first_base *p = &x;
	second_base *q = &x;
	out[threadIdx.x] = p->f() * 10000 + q->g();
}

/* Member function pointers. */
struct counter {
	int n;
	__device__ int up(int k)
	{
		return n += k;
	}
	__device__ int down(int k)
	{
		return n -= k;
	}
};
__global__ void member_pointers(int *out)
{
	int (counter::*step)(int) = threadIdx.x & 1 ? &counter::up : &counter::down;
	counter c = {50};
	(c.*step)(threadIdx.x);
	out[threadIdx.x] = (c.*step)(1);
}

template <int N> struct power {
	static __device__ int of(int x)
	{
		return x * power<N - 1>::of(x);
	}
};
template <> struct power<0> {
	static __device__ int of(int)
	{
		return 1;
	}
};
template <typename T, int N> __global__ void templates(T *out)
{
	out[threadIdx.x] = (T)power<N>::of(threadIdx.x) + (T)sizeof(T);
}
template <typename... T> __device__ int sum_all(T... v)
{
	return (0 + ... + (int)v);
}
__global__ void folded(int *out)
{
	out[threadIdx.x] = sum_all(1, 2.5f, 'c', (short)threadIdx.x);
	if constexpr (sizeof(void *) == 8)
		out[threadIdx.x] += 1000;
}

template <typename F> __global__ void for_each(int *out, F f)
{
	out[threadIdx.x] = f(threadIdx.x);
}
__global__ void device_lambda(int *out)
{
	int base = threadIdx.x * 10;
	auto add = [base](int k) { return base + k; };
	auto make = [&](auto k) { return add((int)k) * 2; };
	out[threadIdx.x] = make(3) + make(1.5);
}

static __global__ void internal(int *out)
{
	out[threadIdx.x] = 1;
}
namespace {
__global__ void unnamed(int *out)
{
	out[threadIdx.x] = 2;
}
} // namespace
namespace outer {
namespace inner {
__global__ void nested(int *out)
{
	out[threadIdx.x] = 3;
}
} // namespace inner
} // namespace outer
struct holder {
	template <typename T> static __host__ __device__ T triple(T x)
	{
		return 3 * x;
	}
};
__global__ void through_holder(int *out)
{
	out[threadIdx.x] = holder::triple((int)threadIdx.x);
}

/* Parameters: order and padding. */
struct small {
	char c;
	short s;
};
struct big {
	double d[6];
	char tag;
	small inner[3];
};
struct __align__(32) wide {
	int v[8];
};
struct empty {
};
__global__ void parameters(double *out, char a, double b, small c, float d, big e, bool f, wide g, short h, empty,
			   long long i, float3 j, const int *__restrict__ k, unsigned char l)
{
	out[0] = a;
	out[1] = b;
	out[2] = c.c * 1000 + c.s;
	out[3] = d;
	out[4] = e.d[5] + e.tag + e.inner[2].s;
	out[5] = f;
	for (int n = 0; n < 8; n++)
		out[6] += g.v[n] * n;
	out[7] = h;
	out[8] = (double)i;
	out[9] = j.x + 10 * j.y + 100 * j.z;
	out[10] = k[2];
	out[11] = l;
	e.d[0] += 5; /* the parameter is the thread's own copy */
	out[12] = e.d[0];
	out[13] = (double)((uintptr_t)&g % 32);
}
__global__ void no_parameters()
{
}
__device__ int by_address(const big *b)
{
	return (int)b->d[1] + b->tag;
}
__global__ void parameter_address(int *out, const __grid_constant__ big b, int index)
{
	out[threadIdx.x] = by_address(&b) + (int)b.d[(index + threadIdx.x) % 6];
}
struct four_k {
	int v[1000];
};
__global__ void large_parameter(int *out, four_k p)
{
	out[threadIdx.x] = p.v[threadIdx.x * 15] + p.v[999];
}

/* The device heap. */
__global__ void heap(int *out)
{
	int n = threadIdx.x + 1;
	int *a = (int *)malloc(n * sizeof(int));
	double *b = new double[n];
	for (int i = 0; i < n; i++) {
		a[i] = i;
		b[i] = 0.5 * i;
	}
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += a[i] + b[i];
	out[threadIdx.x] = (int)(2 * sum) + 100000 * ((uintptr_t)a % 16 == 0) + 200000 * ((uintptr_t)b % 16 == 0);
	free(a);
	delete[] b;
	free(nullptr);
}
__device__ int *handed_over;
__global__ void allocate_for_next()
{
	handed_over = (int *)malloc(64 * sizeof(int));
	for (int i = 0; i < 64; i++)
		handed_over[i] = i * i;
}
__global__ void use_from_before(int *out)
{
	out[threadIdx.x] = handed_over[threadIdx.x];
	__syncthreads();
	if (threadIdx.x == 0)
		free(handed_over);
}
__global__ void heap_full(int *out)
{
	out[0] = malloc((size_t)1 << 40) == nullptr;
	void *p = malloc(0);
	out[1] = p == nullptr;
	free(p);
}
struct traced {
	int *log, id;
	__device__ traced(int *log, int id) : log(log), id(id)
	{
		log[0] = log[0] * 10 + id;
	}
	__device__ ~traced()
	{
		log[0] = log[0] * 10 + id + 5;
	}
};
__global__ void lifetimes(int *out)
{
	traced a(out, 1);
	{
		traced b(out, 2);
	}
	alignas(traced) char space[sizeof(traced)];
	traced *c = new (space) traced(out, 3);
	c->~traced();
}

__global__ void stack_arrays(int *out, int n)
{
	int *a = (int *)alloca(n * sizeof(int));
	int fixed[100];
	for (int i = 0; i < n; i++)
		a[i] = i * threadIdx.x;
	for (int i = 0; i < 100; i++)
		fixed[i] = i ^ threadIdx.x;
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += a[n - 1 - i] * fixed[i * 7 % 100];
	out[threadIdx.x] = sum;
}
__global__ void large_local(int *out)
{
	int local[4096]; /* 16 KiB a thread */
	for (int i = 0; i < 4096; i++)
		local[(i * 1031) % 4096] = i + threadIdx.x;
	__syncthreads();
	int sum = 0;
	for (int i = 0; i < 4096; i += 64)
		sum += local[i];
	out[threadIdx.x] = sum;
}

__global__ void control_flow(int *out)
{
	int i = threadIdx.x, v = 0;
	switch (i) {
	case 0: v = 5; break;
	case 1: v = 7; /* falls through */
	case 2: v += 2; break;
	case 100: v = 1; break;
	default: v = i > 20 ? -i : i;
	}
	for (int k = 0; k < 10; k++) {
		if (k == i % 4)
			continue;
		if (k > i)
			break;
		v += k;
	}
	int n = i;
again:
	if (n > 0) {
		n -= 3;
		v++;
		goto again;
	}
	do
		v = v * 3 % 101;
	while (v % 5 != 1 && ++n < 20);
	out[i] = v;
}

enum class color : unsigned char { red = 3, green = 200 };
union bits {
	float f;
	unsigned u;
	unsigned char c[4];
};
struct fields {
	unsigned a : 3, b : 7;
	int c : 5;
};
__global__ void types(uint32_t *out)
{
	bits b;
	b.f = 1.5f + threadIdx.x;
	fields s = {5, 100, -3};
	s.b += threadIdx.x * 20;
	s.c -= threadIdx.x;
	out[4 * threadIdx.x] = b.u;
	out[4 * threadIdx.x + 1] = b.c[3] | b.c[2] << 8;
	out[4 * threadIdx.x + 2] = s.a + s.b * 10 + s.c * 10000;
	out[4 * threadIdx.x + 3] = (unsigned)(threadIdx.x & 1 ? color::red : color::green);
}

__global__ void static_local(int *out)
{
	static __device__ int calls;
	atomicAdd(&calls, 1);
	__syncthreads();
	out[threadIdx.x] = calls;
}

int main()
{
	run("recursion", 24, 1, 24, recursion);
	run("deep recursion", 16, 2, 8, deep);
	choose<<<1, 1>>>(1);
	run("function pointers", 24, 1, 24, pointers);
	operation fetched[3];
	CHECK(cudaMemcpyFromSymbol(fetched, table, sizeof fetched));
	for (int k = 0; k < 3; k++) {
		char name[32];
		snprintf(name, sizeof name, "pointer from the host %d", k);
		run(name, 8, 1, 8, called, fetched[k]);
	}
	memory<shape *> shapes(16);
	make_shapes<<<1, 16>>>(shapes.there);
	run("virtual calls", 16, 1, 16, measure, shapes.there);
	run("two bases", 8, 1, 8, two_bases);
	run("member pointers", 8, 1, 8, member_pointers);
	run("template int", 8, 1, 8, templates<int, 3>);
	run("template double", 8, 1, 8, templates<double, 5>);
	run("fold", 8, 1, 8, folded);
	int factor = 7;
	auto lambda = [=] __device__(int i) { return i * factor; };
	run("extended lambda", 8, 1, 8, for_each<decltype(lambda)>, lambda);
	run("device lambda", 8, 1, 8, device_lambda);
	run("static kernel", 4, 1, 4, internal);
	run("kernel in an unnamed namespace", 4, 1, 4, unnamed);
	run("kernel in a namespace", 4, 1, 4, outer::inner::nested);
	run("host and device", 4, 1, 4, through_holder);
	big b = {{1, 2, 3, 4, 5, 6.5}, 9, {{1, 2}, {3, 4}, {5, 60}}};
	wide w = {{1, 2, 3, 4, 5, 6, 7, 8}};
	memory<int> ints(std::vector<int>{10, 20, 30});
	{
		memory<double> out(14);
		parameters<<<1, 1>>>(out.there, 'A', 2.5, small{1, 234}, 0.5f, b, true, w, -9, empty(), 1ll << 45,
				     make_float3(1, 2, 3), ints.there, 250);
		CHECK(cudaDeviceSynchronize());
		out.show("parameters");
	}
	no_parameters<<<1, 1>>>();
	say("no parameters", "%s", cudaGetErrorName(cudaDeviceSynchronize()));
	run("address of a parameter", 6, 1, 6, parameter_address, b, 1);
	four_k large;
	for (int i = 0; i < 1000; i++)
		large.v[i] = i * 3;
	run("4000 bytes of parameters", 64, 1, 64, large_parameter, large);
	run("heap", 64, 1, 64, heap);
	allocate_for_next<<<1, 1>>>();
	run("heap, across launches", 64, 1, 64, use_from_before);
	run("heap, full", 2, 1, 1, heap_full);
	run("lifetimes", 1, 1, 1, lifetimes);
	run("alloca and local arrays", 40, 1, 40, stack_arrays, 33);
	run("16 KiB of local memory", 64, 1, 64, large_local);
	run("control flow", 40, 1, 40, control_flow);
	run("types", 32, 1, 8, types);
	run("static local", 16, 1, 16, static_local);
	return 0;
}

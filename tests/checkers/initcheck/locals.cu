/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of local variables that the thread has not written. */
#include <cstdint>
#include "../cases.h"

static int *memory()
{
	static int *p;
	if (!p) {
		cudaMalloc(&p, 4096);
		cudaMemset(p, 0, 4096);
	}
	return p;
}
#define TWINS(NAME)                                                        \
	CASE(NAME##_guilty) { NAME<false><<<2, 33>>>(memory(), 3); }       \
	CASE(NAME##_innocent) { NAME<true><<<2, 33>>>(memory(), 3); }

/* ---- scalars -------------------------------------------------------------- */

/* No branch gives it a value. */
template <bool FIXED> __global__ void branch(int *o, int n)
{
	int x;
	if (n > 5 || FIXED)
		x = n;
	o[threadIdx.x] = x; /* FINDS(branch_guilty): uninitialized-local */
}
/* SAYS(branch_guilty): Nothing was written to the 4 bytes of x that are read */
TWINS(branch)

/* Only some threads read it without a value. */
template <bool FIXED> __global__ void lanes(int *o, int n)
{
	float best;
	if ((int)threadIdx.x < 32 || FIXED)
		best = n;
	o[threadIdx.x] = (int)(best * 2.0f); /* FINDS(lanes_guilty): uninitialized-local */
}
TWINS(lanes)

/* Each turn of a loop makes it anew. */
template <bool FIXED> __global__ void turns(int *o, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		int kept;
		if (i == 0 || FIXED)
			kept = i;
		sum += kept; /* FINDS(turns_guilty): uninitialized-local */
	}
	o[threadIdx.x] = sum;
}
TWINS(turns)

/* The accumulator that nobody sets to zero. */
template <bool FIXED> __global__ void accumulator(int *o, int n)
{
	int sum;
	if (FIXED)
		sum = 0;
	for (int i = 0; i < n; i++)
		sum += i; /* FINDS(accumulator_guilty): uninitialized-local */
	o[threadIdx.x] = sum;
}
TWINS(accumulator)

/* In a function of its own; a switch without a default. */
template <bool FIXED> __device__ __noinline__ double choose(int n)
{
	double chosen;
	switch (n) {
	case 0: chosen = 1; break;
	case 1: chosen = 2; break;
	case 3:
		if (FIXED)
			chosen = 3;
		break;
	}
	return chosen; /* FINDS(function_guilty): uninitialized-local */
}
template <bool FIXED> __global__ void function(int *o, int n) { o[threadIdx.x] = (int)choose<FIXED>(n); }
TWINS(function)

/* A pointer. */
template <bool FIXED> __global__ void pointer(int *o, int n)
{
	int *to;
	if (n < 0 || FIXED)
		to = o;
	if (to == o) /* FINDS(pointer_guilty): uninitialized-local */
		o[threadIdx.x] = 1;
}
TWINS(pointer)

/* Handed on by value. */
__device__ __noinline__ int twice(int x) { return 2 * x; }
template <bool FIXED> __global__ void argument(int *o, int n)
{
	int x;
	if (FIXED)
		x = n;
	o[threadIdx.x] = twice(x); /* FINDS(argument_guilty): uninitialized-local */
}
TWINS(argument)

/* Captured by value, and by reference. */
template <bool FIXED> __global__ void captured(int *o, int n)
{
	int x, y;
	if (FIXED)
		x = n;
	auto set = [&] { y = 4; };
	set();
	auto get = [=] { return x + y; }; /* FINDS(captured_guilty): uninitialized-local */
	o[threadIdx.x] = get();
}
TWINS(captured)

/* Added to by an instruction, written by another. */
template <bool FIXED> __global__ void assembly(int *o, int n)
{
	int x, y;
	asm("mov.u32 %0, %1;" : "=r"(y) : "r"(n));
	if (FIXED)
		x = 0;
	asm("add.s32 %0, %0, %1;" : "+r"(x) : "r"(y)); /* FINDS(assembly_guilty): uninitialized-local */
	o[threadIdx.x] = x;
}
TWINS(assembly)

/* ---- parts ---------------------------------------------------------------- */

template <bool FIXED> __global__ void elements(int *o, int n)
{
	float a[8];
	for (int i = 0; i < (FIXED ? 8 : 7); i++)
		a[i] = i;
	float sum = 0;
	for (int i = 0; i < 8; i++)
		sum += a[(i + n) % 8]; /* FINDS(elements_guilty): uninitialized-local */
	o[threadIdx.x] = (int)sum;
}
TWINS(elements)

template <bool FIXED> __global__ void square(int *o, int n)
{
	short m[3][5];
	for (int y = 0; y < 3; y++)
		for (int x = 0; x < 5; x++)
			if (FIXED || x != 4 || y != 1)
				m[y][x] = (short)(x * y);
	o[threadIdx.x] = m[n - 2][n + 1]; /* FINDS(square_guilty): uninitialized-local */
}
TWINS(square)

struct particle {
	float4 place;
	char kind;
	double mass;
	int tags[3];
};
template <bool FIXED> __global__ void members(int *o, int n)
{
	particle p;
	p.place = make_float4(n, 0, 0, 0);
	p.tags[0] = 1;
	if (FIXED)
		p.mass = 2;
	o[threadIdx.x] = (int)(p.place.x + p.mass) + p.tags[0]; /* FINDS(members_guilty): uninitialized-local */
}
TWINS(members)

template <bool FIXED> __global__ void vectors(int *o, int n)
{
	float4 v;
	v.x = n;
	v.z = n;
	if (FIXED)
		v.y = v.w = 0;
	o[threadIdx.x] = (int)(v.x + v.z + v.y); /* FINDS(vectors_guilty): uninitialized-local */
}
TWINS(vectors)

/* A structure of which nothing was written is handed on; one that was written in part may be. */
template <bool FIXED> __global__ void copied(int *o, int n)
{
	particle p, q;
	if (FIXED)
		p.kind = 'a';
	q = p; /* FINDS(copied_guilty): uninitialized-local */
	o[threadIdx.x] = q.kind + n;
}
TWINS(copied)

struct fields {
	unsigned a : 3, b : 7, c : 22;
	unsigned d : 4;
};
template <bool FIXED> __global__ void bit_fields(int *o, int n)
{
	fields f;
	f.a = 1;
	f.b = n;
	if (FIXED)
		f.d = 2;
	o[threadIdx.x] = f.a + f.b + f.d; /* FINDS(bit_fields_guilty): uninitialized-local */
}
TWINS(bit_fields)

/* ---- what is right -------------------------------------------------------- */

struct padded {
	char c;
	double d;
	short s;
};
__device__ __noinline__ padded make(int n)
{
	padded p;
	p.c = 1;
	p.d = n;
	p.s = 2;
	return p;
}
__device__ __noinline__ int total(padded p) { return p.c + (int)p.d + p.s; }
__global__ void padding(int *o, int n)
{
	padded p = make(n), q = p, r;
	r = q;
	o[threadIdx.x] = total(r);
}
CASE(padding_innocent) { padding<<<2, 33>>>(memory(), 3); }

union word {
	float f;
	unsigned u;
	unsigned char bytes[4];
	struct {
		short low, high;
	} halves;
};
__global__ void unions(int *o, int n)
{
	word w, v, x;
	w.f = n;
	v.bytes[1] = 1;
	x.halves.high = 2;
	o[threadIdx.x] = (int)(w.u + v.u + (x.u >> 16) + w.bytes[3]);
}
CASE(unions_innocent) { unions<<<2, 33>>>(memory(), 3); }

/* Those who are given the address write. */
__device__ __noinline__ void through_pointer(int *x, int n) { *x = n; }
__device__ __noinline__ void through_reference(particle &p, int n) { p.mass = n; }
__device__ __noinline__ void through_array(float (&a)[4])
{
	for (float &x : a)
		x = 1;
}
template <typename F> __device__ __noinline__ void call(F f) { f(); }
__global__ void given_away(int *o, int n)
{
	int x, y, z;
	particle p;
	float a[4], s, c;
	through_pointer(&x, n);
	through_reference(p, n);
	through_array(a);
	int *to = n > 1 ? &y : &z;
	*to = 4;
	call([&] { z = 5; });
	sincosf(1.0f * n, &s, &c);
	int e;
	float m = frexpf(8.0f * n, &e);
	o[threadIdx.x] = x + y + z + (int)p.mass + (int)(a[1] + s + c + m) + e;
}
CASE(given_away_innocent) { given_away<<<2, 33>>>(memory(), 3); }

/* A pointer walks through an array; others set all of it. */
__global__ void walked(int *o, int n)
{
	int a[16], b[16], c[16] = {1}, d[4];
	for (int *p = a; p < a + 16; p++)
		*p = n;
	memset(b, 0, sizeof b);
	*(int4 *)d = make_int4(1, 2, 3, n);
	int sum = 0;
	for (int i = 0; i < 16; i++)
		sum += a[i] + b[i] + c[i] + d[i % 4];
	o[threadIdx.x] = sum;
}
CASE(walked_innocent) { walked<<<2, 33>>>(memory(), 3); }

/* Declared in one turn's scope, or jumped over. */
__global__ void jumps(int *o, int n)
{
	int i = 0, sum = 0;
	goto in;
	while (i < n) {
		int x;
	in:
		x = i++;
		sum += x;
		switch (i) {
			int y;
		case 1:
			y = 3;
			sum += y;
			break;
		default:
			y = 4;
			sum += y;
		}
	}
	o[threadIdx.x] = sum;
}
CASE(jumps_innocent) { jumps<<<2, 33>>>(memory(), 3); }

/* Objects that set themselves up, and such that hold nothing. */
struct counter {
	int n, unused;
	__device__ counter() : n(0) {}
	__device__ counter &operator+=(int k)
	{
		n += k;
		return *this;
	}
};
struct add {
	__device__ int operator()(int a, int b) const { return a + b; }
};
template <typename F> __device__ __noinline__ int fold(F f, int n)
{
	F own = f, other;
	other = own;
	return other(n, 1);
}
struct derived : counter {
	double extra;
};
__global__ void objects(int *o, int n)
{
	counter c;
	c += n;
	add f;
	derived d;
	d += 2;
	derived e = d;
	counter many[3];
	o[threadIdx.x] = c.n + fold(f, n) + e.n + many[2].n;
}
CASE(objects_innocent) { objects<<<2, 33>>>(memory(), 3); }

/* Written late, in both arms, in a loop that always runs, by recursion. */
__device__ __noinline__ int deep(int n)
{
	int below;
	if (n > 0)
		below = deep(n - 1);
	else
		below = 0;
	return below + 1;
}
__global__ void late(int *o, int n)
{
	int x;
	bool done;
	do {
		x = n--;
		done = n <= 0;
	} while (!done);
	volatile int v;
	v = x;
	o[threadIdx.x] = deep(v) + x;
}
CASE(late_innocent) { late<<<2, 33>>>(memory(), 3); }

/* Read only where it was written, which the code does not say. */
__global__ void both_ways(int *o, int n)
{
	int x;
	if (threadIdx.x & 1)
		x = n;
	__syncwarp();
	if (threadIdx.x & 1)
		o[threadIdx.x] = x;
}
CASE(both_ways_innocent) { both_ways<<<2, 33>>>(memory(), 3); }

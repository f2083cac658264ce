/* SPDX-License-Identifier: Apache-2.0 */
/* Classes and objects.
 *
 * Flags: -std=c++20 -expt-relaxed-constexpr */
#include <cuda/std/utility>
#include <new>

#include "snippet.cuh"

struct shape { __device__ virtual int area() const = 0; __device__ virtual ~shape() {} };
struct square : shape { int s; __device__ square(int s) : s(s) {} __device__ int area() const override { return s * s; } };
struct oblong final : square { int h; __device__ oblong(int s, int h) : square(s), h(h) {} __device__ int area() const final { return s * h; } };
SNIPPET(virtual_call, 2) { square a(3); oblong b(3, 5); const shape *p[] = {&a, &b}; o[threadIdx.x] = p[threadIdx.x]->area(); }
SNIPPET(virtual_delete, 1) { shape *p = new oblong(2, 8); o[0] = p->area(); delete p; }

struct left { int l = 1; __device__ virtual int who() { return 1; } };
struct right { int r = 2; __device__ virtual int who() { return 2; } };
struct both : left, right { __device__ int who() override { return 3 + l + r; } };
SNIPPET(multiple_inheritance, 1) { both b; right *r = &b; left *l = &b; o[0] = r->who(); o[1] = l->who(); o[2] = static_cast<both *>(r) == &b; }

struct base { int v = 5; };
struct diamond_l : virtual base {};
struct diamond_r : virtual base {};
struct diamond : diamond_l, diamond_r {};
SNIPPET(virtual_base, 1) { diamond d; d.diamond_l::v = 9; o[0] = d.diamond_r::v; }

struct traced { int *o; int id; __device__ traced(int *o, int id) : o(o), id(id) { *o = *o * 10 + id; } __device__ ~traced() { *o = *o * 10 + id + 5; } };
SNIPPET(order_of_destruction, 1) { { traced a(o, 1), b(o, 2); } }

struct tracked { int copies = 0, moves = 0; tracked() = default; __device__ tracked(const tracked &t) : copies(t.copies + 1), moves(t.moves) {} __device__ tracked(tracked &&t) : copies(t.copies), moves(t.moves + 1) {} };
SNIPPET(copy_and_move, 1) { tracked a, b = a, c = cuda::std::move(b); o[0] = c.copies; o[1] = c.moves; }

struct money { int c; __device__ money operator+(money m) const { return {c + m.c}; } __device__ money &operator+=(money m) { c += m.c; return *this; } __device__ money operator-() const { return {-c}; } __device__ explicit operator bool() const { return c; } __device__ int operator()(int x) const { return c * x; } __device__ int operator[](int i) const { return c + i; } friend __device__ money operator*(int n, money m) { return {n * m.c}; } };
SNIPPET(operators, 1) { money m{5}; m += 2 * money{3}; o[0] = m.c; o[1] = (-m + money{1}).c; o[2] = m ? 1 : 0; o[3] = m(3); o[4] = m[4]; }

struct version { int a, b; auto operator<=>(const version &) const = default; };
SNIPPET(spaceship, 1) { o[0] = version{1, 2} < version{1, 3}; o[1] = version{2, 0} > version{1, 9}; o[2] = version{1, 1} == version{1, 1}; o[3] = version{1, 1} != version{1, 1}; }
struct own_order { int v; __device__ bool operator==(const own_order &x) const { return v == x.v; } __device__ int operator<=>(const own_order &x) const { return x.v - v; } };
SNIPPET(own_spaceship, 1) { o[0] = own_order{1} < own_order{2}; o[1] = own_order{1} > own_order{2}; o[2] = own_order{3} != own_order{4}; }

union word { float f; unsigned u; struct { unsigned char b[4]; }; };
SNIPPET(anonymous_union, 1) { word w; w.u = 0x01020304; o[0] = w.b[0]; union { int i; short s[2]; }; i = 0x00050006; o[1] = s[0] * 10 + s[1]; }
struct flags { unsigned a : 3, b : 5; int c : 4; unsigned : 0; unsigned d : 9 = 300; };
SNIPPET(bit_fields, 1) { flags f{}; f.a = 9; f.b = 17; f.c = 9; o[0] = f.a; o[1] = f.b; o[2] = f.c; o[3] = f.d; o[4] = sizeof f; }
struct wide_fields { unsigned long long a : 40, b : 24; };
SNIPPET(wide_bit_fields, 1) { wide_fields w{}; w.a = 0x123456789aull; w.b = 0xabcdef; w.a += 1; o[0] = (int)(w.a >> 8); o[1] = (int)w.b; }

struct members { int x = 1, y = 2; __device__ int sum(int k) const { return k * (x + y); } };
SNIPPET(pointer_to_member, 1) { int members::*p = threadIdx.x ? &members::x : &members::y; int (members::*f)(int) const = &members::sum; members m, *q = &m; o[0] = m.*p; o[1] = (m.*f)(4); o[2] = (q->*f)(5); }
__device__ int add_one(int x) { return x + 1; }
__device__ int times_two(int x) { return x * 2; }
__device__ int (*const operations[])(int) = {add_one, times_two};
SNIPPET(function_pointers, 2) { o[threadIdx.x] = operations[threadIdx.x](10); int (&r)(int) = add_one; o[2] = r(5); }

struct qualified { __device__ int f() & { return 1; } __device__ int f() const & { return 2; } __device__ int f() && { return 3; } };
SNIPPET(reference_qualifiers, 1) { qualified q; const qualified c{}; o[0] = q.f(); o[1] = c.f(); o[2] = qualified{}.f(); }
template <bool E> struct maybe_explicit { int v; __device__ explicit(E) maybe_explicit(int v) : v(v) {} };
SNIPPET(conditional_explicit, 1) { maybe_explicit<false> a = 4; maybe_explicit<true> b(5); o[0] = a.v + b.v; }
struct delegating { int a, b; __device__ delegating(int a, int b) : a(a), b(b) {} __device__ delegating(int a) : delegating(a, a + 1) {} };
struct inheriting : delegating { using delegating::delegating; };
SNIPPET(constructors, 1) { delegating d(4); inheriting i(6); o[0] = d.b; o[1] = i.a * 10 + i.b; }
struct with_static { static constexpr int N = 6; static inline constexpr float scale = 2.5f; __device__ static int twice(int x) { return 2 * x; } struct nested { int v = N; }; };
SNIPPET(static_members, 1) { o[0] = with_static::N; o[1] = (int)(with_static::scale * 2); o[2] = with_static::twice(4); o[3] = with_static::nested{}.v; }
class friendly { int hidden = 8; friend __device__ int reveal(const friendly &f) { return f.hidden; } };
SNIPPET(hidden_friend, 1) { o[0] = reveal(friendly{}); }
struct from_to { int v; __device__ operator int() const { return v; } __device__ operator float() const { return v + 0.5f; } };
SNIPPET(conversions, 1) { from_to f{3}; int i = f; float x = f; o[0] = i; o[1] = (int)(x * 2); }

SNIPPET(placement_new, 1) { alignas(square) unsigned char room[sizeof(square)]; auto *s = new (room) square(6); o[0] = s->area(); s->~square(); }
SNIPPET(array_new, 1) { int *p = new int[5]{1, 2, 3}; o[0] = p[2] + p[4]; delete[] p; auto *q = new members[3]; o[1] = q[2].y; delete[] q; }
SNIPPET(device_malloc, 4) { __shared__ int *p; if (!threadIdx.x) p = (int *)malloc(4 * sizeof(int)); __syncthreads(); p[threadIdx.x] = threadIdx.x * 3; __syncthreads(); o[threadIdx.x] = p[3 - threadIdx.x]; __syncthreads(); if (!threadIdx.x) free(p); }
struct counted_new { int v; __device__ static void *operator new(size_t n) { return malloc(n + 16); } __device__ static void operator delete(void *p) { free(p); } };
SNIPPET(class_new, 1) { auto *p = new counted_new{11}; o[0] = p->v; delete p; }
struct empty {};
struct with_empty { [[no_unique_address]] empty e; int v; };
SNIPPET(empty_member, 1) { o[0] = sizeof(with_empty); o[1] = sizeof(empty); }

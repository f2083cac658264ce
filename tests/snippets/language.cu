/* SPDX-License-Identifier: Apache-2.0 */
/* Constants, initialisation, statements.
 *
 * Flags: -std=c++20 -expt-relaxed-constexpr */
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <initializer_list>

#include "snippet.cuh"

constexpr int power(int b, int e) { int r = 1; while (e--) r *= b; return r; }
SNIPPET(constexpr_function, 1) { constexpr int p = power(3, 4); o[0] = p; o[1] = power(2, threadIdx.x + 5); }

consteval int squared(int n) { return n * n; }
SNIPPET(consteval_function, 1) { o[0] = squared(12); int a[squared(3)]; o[1] = sizeof a; }

struct table { int at[8] = {}; constexpr table() { for (int i = 0; i < 8; i++) at[i] = i * i; } };
SNIPPET(constexpr_table, 4) { constexpr table t; o[threadIdx.x] = t.at[threadIdx.x + 4]; }

__device__ constexpr int primes[] = {2, 3, 5, 7, 11};
SNIPPET(constexpr_array, 5) { o[threadIdx.x] = primes[threadIdx.x]; }

template <typename T> __device__ int branch(T x) { if constexpr (cuda::std::is_pointer_v<T>) return *x; else if constexpr (sizeof(T) == 8) return -8; else return (int)x; }
SNIPPET(if_constexpr, 1) { int v = 6; o[0] = branch(&v); o[1] = branch(1.0); o[2] = branch(3.7f); }

constexpr int how() { return cuda::std::is_constant_evaluated() ? 1 : 2; }
SNIPPET(constant_evaluated, 1) { constexpr int a = how(); o[0] = a; }

struct opt { int a = 1, b = 2; struct { int c; } in; };
SNIPPET(designated, 1) { opt x{.b = 5, .in = {.c = 7}}; o[0] = x.a; o[1] = x.b; o[2] = x.in.c; int v[4] = {1, 2}; o[3] = v[1] + v[3]; }

struct based { int x; };
struct derived_aggregate : based { int y; };
SNIPPET(aggregate_with_base, 1) { derived_aggregate d{{3}, 4}; o[0] = d.x; o[1] = d.y; derived_aggregate e(based(5), 6); o[2] = e.x * e.y; }

SNIPPET(bindings_of_array, 1) { int v[] = {4, 5, 6}; auto &[a, b, c] = v; b = 50; o[0] = a + c; o[1] = v[1]; }
SNIPPET(bindings_of_struct, 1) { struct { char c; float f; } s = {'x', 2.5f}; const auto [c, f] = s; o[0] = c; o[1] = (int)(f * 2); }
SNIPPET(bindings_of_tuple, 1) { auto [a, b] = cuda::std::make_tuple(8, 1.5f); o[0] = a; o[1] = (int)(b * 2); }
SNIPPET(bindings_in_loop, 1) { struct { int k, v; } m[] = {{1, 10}, {2, 20}}; int s = 0; for (auto [k, v] : m) s += k * v; o[0] = s; }

SNIPPET(range_for, 1) { cuda::std::array<int, 4> a{1, 2, 3, 4}; int s = 0; for (int x : a) s = s * 10 + x; o[0] = s; for (auto &x : a) x *= 2; o[1] = a[3]; }
struct counter { int n; struct it { int i; __device__ int operator*() const { return i; } __device__ it &operator++() { ++i; return *this; } __device__ bool operator!=(it e) const { return i != e.i; } };
	__device__ it begin() const { return {0}; } __device__ it end() const { return {n}; } };
SNIPPET(own_range, 1) { int s = 0; for (int i : counter{6}) s += i; o[0] = s; for (int base = 100; int i : counter{3}) o[1] += base + i; }

SNIPPET(init_statements, 1) { if (int x = threadIdx.x + 3; x > 2) o[0] = x; switch (int y = 2; y) { case 2: o[1] = y; [[fallthrough]]; case 3: o[2] = 9; break; default: o[3] = 1; } }
SNIPPET(gotos, 1) { int i = 0; again: i++; if (i < 5) goto again; o[0] = i; }
SNIPPET(switch_dense, 8) { int r; switch (threadIdx.x) { case 0: r = 5; break; case 1: case 2: r = 6; break; case 5: r = 7; break; default: r = -1; } o[threadIdx.x] = r; }
SNIPPET(attributes, 1) { [[maybe_unused]] int unused = 1; if (threadIdx.x == 0) [[likely]] o[0] = 1; else [[unlikely]] o[0] = 2; }
SNIPPET(literals, 1) { o[0] = 0b1010'1010; o[1] = 1'000'000; o[2] = (int)0x1.8p3; o[3] = u8'c'; o[4] = sizeof(u"ab"); o[5] = R"(a\n)"[1]; }
__device__ constexpr long operator""_km(unsigned long long n) { return (long)n * 1000; }
SNIPPET(own_literal, 1) { o[0] = 3_km; }
SNIPPET(alternative_tokens, 1) { o[0] = not 0 and 1; o[1] = 6 bitand 3; o[2] = compl 0; }

enum class colour : unsigned char { red = 1, green = 2, blue = 4 };
__device__ constexpr colour operator|(colour a, colour b) { return colour(int(a) | int(b)); }
SNIPPET(enum_class, 1) { using enum colour; o[0] = int(red | blue); o[1] = sizeof(colour); colour c{2}; o[2] = c == green; }

SNIPPET(list_argument, 1) { auto sum = [](std::initializer_list<int> l) { int s = 0; for (int x : l) s += x; return s; }; o[0] = sum({1, 2, 3, 4}); }
SNIPPET(decltype_auto, 1) { int v = 3; auto f = [&]() -> decltype(auto) { return (v); }; f() = 9; o[0] = v; decltype((v)) r = v; r++; o[1] = v; }
SNIPPET(comma_and_ternary, 1) { int a = 1, b; b = (a += 2, a * 10); o[0] = b; o[1] = a > 5 ? 1 : a > 2 ? 2 : 3; (a > 2 ? a : b) = 77; o[2] = a; }
SNIPPET(static_local, 4) { static __device__ int hits; atomicAdd(&hits, 1); __syncthreads(); if (!threadIdx.x) o[0] = hits; }
SNIPPET(shadowed_scopes, 1) { int x = 1; { int x = 2; o[0] = x; } for (int x = 5; x < 6; x++) o[1] = x; o[2] = x; }
SNIPPET(array_bounds, 1) { int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; int (*p)[3] = a; int (&r)[3] = a[1]; o[0] = p[1][2]; o[1] = r[0]; o[2] = sizeof r; }
SNIPPET(sizeof_alignof, 1) { struct alignas(32) s { char c; }; o[0] = alignof(s); o[1] = sizeof(s); o[2] = alignof(double); o[3] = sizeof(long double *); }
namespace a::inline v2::b { __device__ int here() { return 21; } }
SNIPPET(namespaces, 1) { namespace short_name = a::b; o[0] = short_name::here(); o[1] = a::v2::b::here(); }

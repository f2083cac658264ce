/* SPDX-License-Identifier: Apache-2.0 */
/* Lambdas.
 *
 * Flags: -std=c++20 -extended-lambda -expt-relaxed-constexpr */
#include <cuda/std/tuple>

#include "snippet.cuh"

template <typename F> __global__ void apply(F f, int *o) { o[threadIdx.x] = f(threadIdx.x); }
template <typename F> __device__ int twice(F f, int x) { return f(f(x)); }

SNIPPET(plain_lambda, 1) { auto f = [](int x) { return x * x; }; o[0] = f(7); o[1] = twice(f, 3); }
SNIPPET(generic_lambda, 1) { auto f = [](auto a, auto b) { return a + b; }; o[0] = f(1, 2); o[1] = (int)(f(1.5, 2) * 2); }
SNIPPET(init_capture, 1) { int n = 4; auto f = [m = n * 10, &n] { n++; return m; }; o[0] = f(); o[1] = n; }
SNIPPET(mutable_lambda, 1) { auto next = [i = 0]() mutable { return ++i; }; next(); next(); o[0] = next(); }
SNIPPET(template_lambda, 1) { auto f = []<typename T, int N>(T (&)[N]) { return N * (int)sizeof(T); }; short s[5]; o[0] = f(s); }
SNIPPET(recursive_lambda, 1) { auto fib = [](auto self, int n) -> int { return n < 2 ? n : self(self, n - 1) + self(self, n - 2); }; o[0] = fib(fib, 12); }
SNIPPET(captures_all, 1) { int a = 1, b = 2; auto by_value = [=] { return a + b; }; auto by_reference = [&] { a = 10; b = 20; }; by_reference(); o[0] = by_value(); o[1] = a + b; }
SNIPPET(called_at_once, 1) { const int v = [&] { int s = 0; for (int i = 0; i < 5; i++) s += i; return s; }(); o[0] = v; }
SNIPPET(stateless_lambda, 1) { auto f = [](int x) { return x + 1; }; decltype(f) g; o[0] = g(4); o[1] = sizeof f; }
SNIPPET(lambda_to_pointer, 1) { int (*f)(int) = [](int x) { return x * 3; }; o[0] = f(5); }

template <auto F> __device__ int with() { return F(8); }
SNIPPET(lambda_parameter, 1) { o[0] = with<[](int x) { return x / 2; }>(); }

template <typename... T> __device__ int pack_capture(T... x) { return [...y = x + 1] { return (y * ...); }(); }
SNIPPET(capture_of_pack, 1) { o[0] = pack_capture(1, 2, 3); }

struct with_this { int n = 5; __device__ int run() { auto f = [*this]() mutable { return n++; }; auto g = [this] { return ++n; }; return f() * 100 + g() * 10 + n; } };
SNIPPET(capture_of_this, 1) { with_this w; o[0] = w.run(); }

SNIPPET(capture_of_binding, 1) { cuda::std::tuple<int, int> t{3, 4}; auto [a, b] = t; auto f = [a, b] { return a * 10 + b; }; o[0] = f(); }
SNIPPET(constexpr_lambda, 1) { constexpr auto f = [](int n) { return n * n; }; static_assert(f(4) == 16); int a[f(3)]; o[0] = sizeof a / sizeof *a; }
SNIPPET(lambda_returns_lambda, 1) { auto add = [](int a) { return [a](int b) { return a + b; }; }; o[0] = add(2)(5); }
SNIPPET(trailing_return, 1) { auto f = [](int x) -> long long { return (long long)x << 33; }; o[0] = (int)(f(3) >> 32); }
SNIPPET(conditional_noexcept, 1) { auto f = [](int x) noexcept(sizeof(int) == 4) { return x; }; o[0] = noexcept(f(1)); }

HOST_SNIPPET(device_lambda) { int n = 10; apply<<<1, 4>>>([=] __device__(int i) { return i * n; }, o); }
HOST_SNIPPET(host_device_lambda) { int n = 3; auto f = [=] __host__ __device__(int i) { return i + n; }; apply<<<1, 4>>>(f, o); o[4] = f(100); }
HOST_SNIPPET(lambda_of_lambda) { auto g = [] __host__ __device__(int x) { return x * x; }; apply<<<1, 4>>>([=] __device__(int i) { return g(i) + 1; }, o); }
struct three { int a[3]; };
HOST_SNIPPET(lambda_with_struct) { three s = {{4, 5, 6}}; apply<<<1, 3>>>([=] __device__(int i) { return s.a[i]; }, o); }

template <typename T> static void generic_launch(T scale, int *o) { apply<<<1, 3>>>([=] __device__(int i) { return (int)(i * scale); }, o); }
HOST_SNIPPET(lambda_in_template) { generic_launch(2.5f, o); }

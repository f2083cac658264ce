/* SPDX-License-Identifier: Apache-2.0 */
/* Templates and concepts.
 *
 * Flags: -std=c++20 */
#include <cuda/std/concepts>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

#include "snippet.cuh"

template <typename... T> __device__ auto fold_plus(T... x) { return (x + ... + 0); }
template <typename... T> __device__ bool fold_and(T... x) { return (... && (x > 0)); }
SNIPPET(fold_expressions, 1) { o[0] = fold_plus(1, 2, 3, 4L); o[1] = fold_and(1, 2, 3); o[2] = fold_and(1, -2); o[3] = fold_plus(); }

template <typename T> struct holder { T value; };
template <template <typename> class W, typename T> __device__ T open(W<T> w) { return w.value; }
SNIPPET(template_template, 1) { o[0] = open(holder<int>{7}); o[1] = (int)open(holder<double>{2.5} ); }

template <auto V> struct constant { static constexpr auto value = V; };
SNIPPET(auto_parameter, 1) { o[0] = constant<5>::value; o[1] = constant<'c'>::value; o[2] = constant<true>::value; }

struct extent { int x, y; constexpr bool operator==(const extent &) const = default; };
template <extent E> __device__ int area() { return E.x * E.y; }
SNIPPET(class_parameter, 1) { o[0] = area<extent{3, 4}>(); }

template <typename T> struct rank_of { static constexpr int value = 0; };
template <typename T> struct rank_of<T *> { static constexpr int value = 1 + rank_of<T>::value; };
template <typename T, int N> struct rank_of<T[N]> { static constexpr int value = 10 + rank_of<T>::value; };
template <> struct rank_of<void> { static constexpr int value = -1; };
SNIPPET(partial_specialisation, 1) { o[0] = rank_of<int>::value; o[1] = rank_of<int **>::value; o[2] = rank_of<int *[3]>::value; o[3] = rank_of<void *>::value; }

template <typename T> constexpr T third = T(1) / T(3);
template <> constexpr int third<int> = 42;
SNIPPET(variable_template, 1) { o[0] = third<int>; o[1] = __float_as_int(third<float>); o[2] = (int)(third<double> * 3000); }

template <typename T> using pair_of = T[2];
SNIPPET(alias_template, 1) { pair_of<short> p = {3, 4}; o[0] = p[0] + p[1]; o[1] = sizeof p; }

template <typename D> struct counted { __device__ int twice() const { return 2 * static_cast<const D *>(this)->count(); } };
struct seven : counted<seven> { __device__ int count() const { return 7; } };
SNIPPET(curiously_recurring, 1) { o[0] = seven{}.twice(); }

template <typename T> __device__ auto has_size(T t, int) -> decltype(t.size(), 0) { return t.size(); }
template <typename T> __device__ int has_size(T, long) { return -1; }
struct sized { __device__ int size() const { return 12; } };
SNIPPET(expression_sfinae, 1) { o[0] = has_size(sized{}, 0); o[1] = has_size(3, 0); }

template <int N> __device__ int factorial() { if constexpr (N < 2) return 1; else return N * factorial<N - 1>(); }
SNIPPET(recursive_instance, 1) { o[0] = factorial<6>(); o[1] = factorial<0>(); }

template <cuda::std::size_t... I> __device__ int weighted(const int *v, cuda::std::index_sequence<I...>) { return ((v[I] * (int)(I + 1)) + ...); }
SNIPPET(index_pack, 1) { int v[] = {5, 6, 7}; o[0] = weighted(v, cuda::std::make_index_sequence<3>{}); }

template <typename T = int, int N = 3> struct block { T at[N]; };
SNIPPET(default_arguments, 1) { o[0] = sizeof(block<>) ; o[1] = sizeof(block<char>); o[2] = sizeof(block<double, 2>); }

template <typename T> struct outer { template <typename U> __device__ int both() const { return sizeof(T) * 10 + sizeof(U); } };
template <typename T> __device__ int dependent(T t) { return t.template both<short>(); }
SNIPPET(member_template, 1) { o[0] = dependent(outer<int>{}); o[1] = outer<char>{}.both<double>(); }

template <typename T> concept number = cuda::std::integral<T> || cuda::std::floating_point<T>;
template <number T> __device__ int kind(T) { return 1; }
template <number T> requires cuda::std::signed_integral<T> __device__ int kind(T) { return 2; }
__device__ int kind(...) { return 3; }
SNIPPET(concept_overloads, 1) { o[0] = kind(1.f); o[1] = kind(1); o[2] = kind(1u); o[3] = kind("x"); }

template <typename T> concept pointish = requires(T t) { *t; { t == t } -> cuda::std::convertible_to<bool>; };
SNIPPET(requires_expression, 1) { o[0] = pointish<int *>; o[1] = pointish<int>; }

__device__ auto constrained(cuda::std::integral auto x) { return x + 1; }
SNIPPET(constrained_auto, 1) { o[0] = constrained(4); cuda::std::integral auto y = constrained((short)2); o[1] = y; }

template <typename T> struct only { __device__ int get() const requires(sizeof(T) > 2) { return 1; } __device__ int get() const { return 0; } };
SNIPPET(constrained_member, 1) { o[0] = only<int>{}.get(); o[1] = only<char>{}.get(); }

template <typename T> concept narrow = requires { typename T::type; requires sizeof(typename T::type) <= 2; };
struct has_short { using type = short; };
struct has_long { using type = long; };
SNIPPET(nested_requirement, 1) { o[0] = narrow<has_short>; o[1] = narrow<has_long>; o[2] = narrow<int>; }

template <typename T> struct wrap { int which = 0; };
template <cuda::std::floating_point T> struct wrap<T> { int which = 1; };
SNIPPET(constrained_specialisation, 1) { o[0] = wrap<int>{}.which; o[1] = wrap<double>{}.which; }

template <typename T> struct box { T v; __device__ box(T x) : v(x) {} };
box(char) -> box<long long>;
template <typename... F> struct overloaded : F... { using F::operator()...; };
template <typename... F> overloaded(F...) -> overloaded<F...>;
SNIPPET(deduction_guides, 1)
{
	box a(3);
	box b('c');
	overloaded f{[](int x) { return x + 1; }, [](float x) { return (int)(x * 10); }};
	o[0] = sizeof a.v; o[1] = sizeof b.v; o[2] = f(2); o[3] = f(2.5f);
}

template <typename A, typename B> struct duo { A a; B b; };
SNIPPET(aggregate_deduction, 1) { duo d{1, 2.5}; o[0] = d.a; o[1] = (int)(d.b * 2); o[2] = sizeof d; }

template <typename T> __device__ int never(T t) { int r; asm("mov.u32 %0, %7;" : "=r"(r) : "r"(t)); return r; }
template <typename T> __device__ float never_pairs(T) { return __fmul2_rn(make_float2(1, 2), make_float2(3, 4)).x; }
SNIPPET(unused_templates, 1) { o[0] = 1; }

/* An index behind a pack's end is no error where another overload is there. */
template <int I, typename... T> struct indexed {};
#ifdef __cpp_pack_indexing
template <int I, typename... T> using nth = T...[I];
#else
template <typename T, typename... R> struct indexed<0, T, R...> { using type = T; };
template <int I, typename T, typename... R> struct indexed<I, T, R...> : indexed<I - 1, R...> {};
template <int I, typename... T> using nth = typename indexed<I, T...>::type;
#endif
template <typename... T> struct pack {
	template <int I> __device__ static auto size(int) -> decltype((int)sizeof(nth<I, T...>)) { return sizeof(nth<I, T...>); }
	template <int I> __device__ static int size(...) { return -1; }
};
SNIPPET(index_behind_pack, 1) { o[0] = pack<char, double>::size<1>(0); o[1] = pack<char, double>::size<2>(0); }

/* What instances of device code call, the host need not have. */
#ifdef __CUDA_ARCH__
__device__ long long atomicMul(long long *at, long long by) { long long old = *at; *at *= by; return old; }
__device__ int atomicAdd(short *at, short by) { *at += by; return *at; }
#endif
template <typename T> struct accumulator { T *at; __device__ int take(T v) { int sum = atomicAdd(at, v); return sum; } };
template <typename T> __device__ void multiply(T *at) { atomicMul(at, T(7)); }
SNIPPET(functions_of_the_device_pass, 1) { short s = 3; long long l = 6; o[0] = accumulator<short>{&s}.take(4); multiply(&l); o[1] = (int)l; }

/* A comma behind the last argument, as generated code has it where a pack is empty. */
template <class T, int... N> struct extents { static constexpr int n = sizeof...(N); };
#define EXTENTS(T, ...) extents<T, __VA_ARGS__>
SNIPPET(trailing_comma, 1) { extents<int, > none; o[0] = none.n + 5; o[1] = extents<int, 4, 2,>::n; o[2] = EXTENTS(char)::n + 6; }

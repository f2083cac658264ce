/* SPDX-License-Identifier: Apache-2.0 */
/* libcu++: containers, values, numbers.
 *
 * Flags: -std=c++20 -expt-relaxed-constexpr */
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/bitset>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/expected>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/ratio>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>
#include <cuda/std/inplace_vector>
#include <cuda/std/iterator>
#include <cuda/cmath>

#include "snippet.cuh"

namespace cs = cuda::std;

SNIPPET(array, 1) { cs::array a{3, 1, 2}; o[0] = a.front() * 100 + a.at(1) * 10 + a.back(); o[1] = a.size(); a.fill(4); o[2] = a[1]; cs::array<int, 3> b{4, 4, 4}; o[3] = a == b; }
SNIPPET(span, 1) { int v[] = {1, 2, 3, 4, 5}; cs::span<int> s(v); auto t = s.subspan(1, 3); o[0] = t.size(); o[1] = t[2]; o[2] = s.first<2>()[1]; o[3] = s.last(1)[0]; o[4] = s.size_bytes(); }
SNIPPET(tuple, 1) { auto t = cs::make_tuple(1, 2.5f, 'c'); cs::get<0>(t) = 7; o[0] = cs::get<0>(t); o[1] = cs::get<char>(t); o[2] = cs::tuple_size_v<decltype(t)>; int a; char c; cs::tie(a, cs::ignore, c) = t; o[3] = a + c; o[4] = cs::apply([](auto... x) { return (int)(... + x); }, t); }
SNIPPET(tuple_cat, 1) { auto t = cs::tuple_cat(cs::make_tuple(1, 2), cs::make_tuple(3)); o[0] = cs::get<2>(t); o[1] = cs::make_tuple(1, 2) < cs::make_tuple(1, 3); }
SNIPPET(pair, 1) { cs::pair p{4, 'x'}; auto q = cs::make_pair(4, 'y'); o[0] = p.first; o[1] = p < q; cs::swap(p.first, q.first); o[2] = p.second; }
SNIPPET(variant, 1) { cs::variant<int, float> v = 2.5f; o[0] = v.index(); o[1] = (int)(cs::get<float>(v) * 2); v = 7; o[2] = cs::holds_alternative<int>(v); o[3] = *cs::get_if<int>(&v); o[4] = cs::visit([](auto x) { return (int)sizeof(x); }, v); }
template <typename... F> struct overloaded : F... { using F::operator()...; };
template <typename... F> overloaded(F...) -> overloaded<F...>;
SNIPPET(visit_overloaded, 2) { cs::variant<int, float, char> v; if (threadIdx.x) v = 'a'; else v = 1.5f; o[threadIdx.x] = cs::visit(overloaded{[](int i) { return i; }, [](float f) { return (int)(f * 2); }, [](char c) { return c + 1; }}, v); }
SNIPPET(optional, 1) { cs::optional<int> a, b = 4; o[0] = a.has_value(); o[1] = a.value_or(9); o[2] = *b; b.reset(); o[3] = !b; a.emplace(6); o[4] = a == 6; o[5] = a.transform([](int x) { return x * 2; }).value(); }
SNIPPET(expected, 1) { auto half = [](int x) -> cs::expected<int, char> { if (x & 1) return cs::unexpected('o'); return x / 2; }; o[0] = half(8).value(); o[1] = half(7).error(); o[2] = half(3).value_or(-1); o[3] = half(8).and_then(half).and_then(half).value(); }
SNIPPET(complex, 1) { cs::complex<float> a(3, 4), b(0, 1); auto c = a * b; o[0] = (int)c.real(); o[1] = (int)c.imag(); o[2] = (int)cs::abs(a); o[3] = (int)cs::norm(a); o[4] = cs::conj(a) == cs::complex<float>(3, -4); }
SNIPPET(chrono, 1) { using namespace cs::chrono_literals; auto d = 1min + 30s; o[0] = d.count(); o[1] = cs::chrono::duration_cast<cs::chrono::milliseconds>(d).count(); o[2] = d > 1min; o[3] = cs::chrono::floor<cs::chrono::minutes>(d).count(); }
SNIPPET(ratio, 1) { using r = cs::ratio_add<cs::ratio<1, 3>, cs::ratio<1, 6>>; o[0] = r::num; o[1] = r::den; o[2] = cs::ratio_less_v<cs::milli, cs::micro>; o[3] = cs::kilo::num; }
SNIPPET(mdspan, 1) { int v[12]; for (int i = 0; i < 12; i++) v[i] = i; cs::mdspan m(v, cs::extents<int, 3, 4>{}); o[0] = m(2, 1); o[1] = m.extent(0) * 10 + m.extent(1); cs::mdspan<int, cs::dextents<int, 2>, cs::layout_left> l(v, 3, 4); o[2] = l(2, 1); o[3] = l.stride(1); }
SNIPPET(mdspan_strided, 1) { int v[12]; for (int i = 0; i < 12; i++) v[i] = i; cs::array<int, 2> s{1, 5}; cs::layout_stride::mapping m(cs::extents<int, 2, 2>{}, s); cs::mdspan<int, cs::extents<int, 2, 2>, cs::layout_stride> x(v, m); o[0] = x(1, 1); o[1] = m.required_span_size(); }
SNIPPET(bits, 1) { o[0] = cs::popcount(0xf0f0u); o[1] = cs::countl_zero(1u); o[2] = cs::countr_zero(8u); o[3] = cs::bit_ceil(17u); o[4] = cs::rotl(0x80000001u, 1); o[5] = cs::has_single_bit(64u); o[6] = cs::bit_cast<int>(1.f); o[7] = cs::bit_width(255u); }
SNIPPET(bitset, 1) { cs::bitset<70> b; b.set(3).set(69); o[0] = b.count(); o[1] = b[69]; b.flip(); o[2] = b.count(); o[3] = cs::bitset<8>(0b1011).to_ulong(); }
SNIPPET(numeric_limits, 1) { o[0] = cs::numeric_limits<int>::max(); o[1] = cs::numeric_limits<short>::min(); o[2] = cs::numeric_limits<float>::digits; o[3] = __float_as_int(cs::numeric_limits<float>::epsilon()); o[4] = cs::numeric_limits<double>::has_infinity; o[5] = cs::numeric_limits<unsigned char>::digits; }
SNIPPET(functional, 1) { o[0] = cs::plus<>{}(3, 4); o[1] = cs::greater<int>{}(3, 4); int x = 5; auto r = cs::ref(x); r.get()++; o[2] = x; o[3] = cs::invoke([](int a, int b) { return a - b; }, 9, 4); o[4] = cs::not_fn([](int a) { return a > 3; })(2); }
SNIPPET(invoke_member, 1) { struct s { int v = 3; __device__ int f(int k) { return v * k; } } x; o[0] = cs::invoke(&s::f, x, 5); o[1] = cs::invoke(&s::v, x); o[2] = cs::is_invocable_v<decltype(&s::f), s, int>; }
SNIPPET(numeric, 1) { int v[] = {1, 2, 3, 4}; o[0] = cs::accumulate(v, v + 4, 10); o[1] = cs::gcd(12, 18); o[2] = cs::lcm(4, 6); o[3] = cs::midpoint(3, 8); cs::iota(v, v + 4, 5); o[4] = v[3]; o[5] = cs::inner_product(v, v + 4, v, 0); o[6] = cs::reduce(v, v + 4); }
SNIPPET(inplace_vector, 1) { cs::inplace_vector<int, 6> v; v.push_back(3); v.push_back(4); v.insert(v.begin(), 2); o[0] = v.size(); o[1] = v[0] * 100 + v[1] * 10 + v[2]; v.pop_back(); o[2] = v.back(); o[3] = v.capacity(); }
SNIPPET(exchange, 1) { int a = 3; o[0] = cs::exchange(a, 8); o[1] = a; o[2] = cs::cmp_less(-1, 1u); o[3] = cs::in_range<signed char>(200); }
SNIPPET(type_traits, 1) { o[0] = cs::is_same_v<cs::remove_cvref_t<const int &>, int>; o[1] = cs::is_base_of_v<int, float>; o[2] = cs::is_trivially_copyable_v<int[3]>; o[3] = sizeof(cs::conditional_t<true, char, int>); o[4] = cs::extent_v<int[3][4], 1>; o[5] = cs::is_same_v<cs::common_type_t<int, float>, float>; }
SNIPPET(reverse_iterator, 1) { int v[] = {1, 2, 3}; int s = 0; for (auto i = cs::make_reverse_iterator(v + 3); i != cs::make_reverse_iterator(v); ++i) s = s * 10 + *i; o[0] = s; o[1] = cs::distance(v, v + 3); o[2] = *cs::prev(v + 3); }
SNIPPET(integer_division, 1) { o[0] = cuda::ceil_div(10, 3); o[1] = cuda::round_up(10, 4); o[2] = cuda::round_down(10, 4); }

/* SPDX-License-Identifier: Apache-2.0 */
/* compare.h - assertions about what device code has given.
 *
 *	cudasim_assert_equal(actual, expected)          scalars, vectors of them
 *	cudasim_assert_equal(actual, expected, n)       arrays; also _ulp and _near
 *	cudasim_assert_ulp(actual, expected[, n], ulps)
 *	cudasim_assert_near(actual, expected[, n], absolute, relative)
 *	cudasim_assert_memory_equal(actual, expected, bytes)
 *	cudasim_assert_launch_fails(cudaErrorX, f<<<...>>>(...))
 *	cudasim_assert_same_writes(pointer, n, f<<<...>>>(...), g<<<...>>>(...))
 *
 * Pointers may be of the device or of the host. A failing array shows its first
 * mismatch, where it is, and how many there are. */
#ifndef CUDASIM_TEST_COMPARE_H
#define CUDASIM_TEST_COMPARE_H

namespace cudasim
{
namespace test
{

/* How two elements are compared, and how that is said. */
struct rule {
	enum { EQUAL, ULP, NEAR } kind;
	unsigned long long ulps;
	double absolute, relative;
};

template <typename T> std::string show(const T &value)
{
	if constexpr (std::is_floating_point<T>::value) {
		char text[64];
		std::snprintf(text, sizeof text, sizeof(T) == 4 ? "%.9g" : "%.17g", (double)value);
		return text;
	} else if constexpr (std::is_same<T, bool>::value) {
		return value ? "true" : "false";
	} else if constexpr (std::is_enum<T>::value) {
		return std::to_string((long long)value);
	} else if constexpr (std::is_integral<T>::value) {
		return std::to_string(value);
	} else {
		std::string ret = "bytes";
		char hex[4];
		const unsigned char *byte = reinterpret_cast<const unsigned char *>(&value);
		for (size_t i = 0; i < sizeof value && i < 16; i++) {
			std::snprintf(hex, sizeof hex, " %02x", byte[i]);
			ret += hex;
		}
		return ret + (sizeof value > 16 ? " ..." : "");
	}
}

template <typename T, typename = void> struct has_equal : std::false_type {
};
template <typename T>
struct has_equal<T, decltype(void(std::declval<const T &>() == std::declval<const T &>()))>
    : std::true_type {
};

template <typename T> bool agree(const T &a, const T &b, const rule &r)
{
	if constexpr (std::is_floating_point<T>::value) {
		if (r.kind == rule::ULP)
			return ulps_between(a, b) <= r.ulps;
		if (r.kind == rule::NEAR)
			return is_near(a, b, r.absolute, r.relative);
		return a == b || (a != a && b != b);
	} else if constexpr (has_equal<T>::value) {
		if (r.kind == rule::NEAR)
			if constexpr (std::is_integral<T>::value)
				return is_near(a, b, r.absolute, r.relative);
		return a == b;
	} else {
		return std::memcmp(&a, &b, sizeof a) == 0;
	}
}

inline std::string show(const rule &r)
{
	std::ostringstream text;
	if (r.kind == rule::ULP)
		text << " (" << r.ulps << " ULP allowed)";
	if (r.kind == rule::NEAR)
		text << " (allowed: " << r.absolute << " + " << r.relative << " of it)";
	return text.str();
}

template <typename T> std::string distance(const T &a, const T &b)
{
	if constexpr (std::is_floating_point<T>::value) {
		unsigned long long ulps = ulps_between(a, b);
		return ulps == ~0ull ? "" : ", " + std::to_string(ulps) + " ULP apart";
	} else {
		(void)a;
		(void)b;
		return "";
	}
}

template <typename T>
void compare(place at, const char *texts, const rule &r, const T &actual, const T &expected)
{
	if (!agree(actual, expected, r))
		fail_at(at, std::string(texts) + ": " + show(actual) + " is not " + show(expected) +
				    distance(actual, expected) + show(r));
}

template <typename T>
void compare(place at, const char *texts, const rule &r, const T *actual, const T *expected,
	     size_t n)
{
	std::vector<T> a = host_copy(actual, n, at), b = host_copy(expected, n, at);
	size_t first = n, worst = 0, differing = 0;
	for (size_t i = 0; i < n; i++) {
		if (agree(a[i], b[i], r))
			continue;
		first = first < i ? first : i;
		differing++;
		if constexpr (std::is_floating_point<T>::value)
			if (ulps_between(a[i], b[i]) > ulps_between(a[worst], b[worst]))
				worst = i;
	}
	if (first == n)
		return;
	std::ostringstream text;
	text << texts << ": element " << first << " is " << show(a[first]) << ", not "
	     << show(b[first]) << distance(a[first], b[first]) << show(r) << "; " << differing
	     << " of " << n << " differ";
	if (std::is_floating_point<T>::value && differing > 1)
		text << ", worst is element " << worst << ": " << show(a[worst]) << " for "
		     << show(b[worst]) << distance(a[worst], b[worst]);
	fail_at(at, text.str());
}

/* Vectors on either side, and pointers to const on one. */
template <typename T> const T *data(const std::vector<T> &v)
{
	return v.data();
}
template <typename T> const T *data(const T *p)
{
	return p;
}
template <typename T> void sized(place, const T *, size_t)
{
}
template <typename T> void sized(place at, const std::vector<T> &v, size_t n)
{
	if (v.size() < n)
		fail_at(at, "the vector has " + std::to_string(v.size()) + " elements, not " +
				    std::to_string(n));
}

template <typename A, typename B> constexpr bool both_scalars()
{
	return !std::is_pointer<A>::value && !std::is_pointer<B>::value;
}

template <typename T>
void compare_vectors(place at, const char *texts, const rule &r, const std::vector<T> &a,
		     const std::vector<T> &b)
{
	if (a.size() != b.size())
		fail_at(at, std::string(texts) + ": " + std::to_string(a.size()) +
				    " elements, not " + std::to_string(b.size()));
	compare(at, texts, r, a.data(), b.data(), a.size());
}

struct assert_equal {
	place at;
	const char *texts;
	rule r{rule::EQUAL, 0, 0, 0};
	template <typename T>
	void operator()(const std::vector<T> &a, const std::vector<T> &b) const
	{
		compare_vectors(at, texts, r, a, b);
	}
	template <typename A, typename B> void operator()(const A &a, const B &b) const
	{
		static_assert(both_scalars<A, B>(),
			      "arrays need a count: cudasim_assert_equal(a, b, n)");
		using T = std::common_type_t<A, B>;
		compare<T>(at, texts, r, (T)a, (T)b);
	}
	template <typename A, typename B> void operator()(const A &a, const B &b, size_t n) const
	{
		sized(at, a, n);
		sized(at, b, n);
		compare(at, texts, r, data(a), data(b), n);
	}
};

struct assert_ulp {
	place at;
	const char *texts;
	template <typename T>
	void operator()(const std::vector<T> &a, const std::vector<T> &b,
			unsigned long long ulps) const
	{
		compare_vectors(at, texts, {rule::ULP, ulps, 0, 0}, a, b);
	}
	template <typename A, typename B>
	void operator()(const A &a, const B &b, unsigned long long ulps) const
	{
		static_assert(both_scalars<A, B>(),
			      "arrays need a count: cudasim_assert_ulp(a, b, n, ulps)");
		using T = std::common_type_t<A, B>;
		static_assert(std::is_floating_point<T>::value,
			      "ULP are of floating point numbers");
		compare<T>(at, texts, {rule::ULP, ulps, 0, 0}, (T)a, (T)b);
	}
	template <typename A, typename B>
	void operator()(const A &a, const B &b, size_t n, unsigned long long ulps) const
	{
		sized(at, a, n);
		sized(at, b, n);
		compare(at, texts, {rule::ULP, ulps, 0, 0}, data(a), data(b), n);
	}
};

struct assert_near {
	place at;
	const char *texts;
	template <typename T>
	void operator()(const std::vector<T> &a, const std::vector<T> &b, double absolute,
			double relative) const
	{
		compare_vectors(at, texts, {rule::NEAR, 0, absolute, relative}, a, b);
	}
	template <typename A, typename B>
	void operator()(const A &a, const B &b, double absolute, double relative) const
	{
		static_assert(
			both_scalars<A, B>(),
			"arrays need a count: cudasim_assert_near(a, b, n, absolute, relative)");
		using T = std::common_type_t<A, B>;
		compare<T>(at, texts, {rule::NEAR, 0, absolute, relative}, (T)a, (T)b);
	}
	template <typename A, typename B>
	void operator()(const A &a, const B &b, size_t n, double absolute, double relative) const
	{
		sized(at, a, n);
		sized(at, b, n);
		compare(at, texts, {rule::NEAR, 0, absolute, relative}, data(a), data(b), n);
	}
};

inline void memory_equal(place at, const char *texts, const void *actual, const void *expected,
			 size_t n)
{
	compare(at, texts, {rule::EQUAL, 0, 0, 0}, static_cast<const unsigned char *>(actual),
		static_cast<const unsigned char *>(expected), n);
}

/* What a launch has answered: at once, or when it had run. */
inline cudaError_t outcome()
{
	cudaError_t error = cudaGetLastError();
	cudaError_t later = cudaDeviceSynchronize();
	return error != cudaSuccess ? error : later;
}

void device_revive(); /* run.h */

inline void launch_failed(place at, cudaError_t expected, const char *text)
{
	cudaError_t error = outcome();
	/* The context may be dead now, and is needed no more. */
	device_revive();
	if (error != expected)
		fail_at(at, std::string(text) + ": " + cudaGetErrorName(error) + ", not " +
				    cudaGetErrorName(expected));
}

template <typename T, typename F, typename G>
void same_writes(place at, const char *texts, T *memory, size_t n, F first, G second)
{
	std::vector<T> before = host_copy(memory, n, at);
	first();
	need(outcome(), "the first launch", at);
	std::vector<T> one = host_copy(memory, n, at);
	need(cudaMemcpy(memory, before.data(), n * sizeof(T), cudaMemcpyDefault), "cudaMemcpy", at);
	second();
	need(outcome(), "the second launch", at);
	std::vector<T> other = host_copy(memory, n, at);
	compare_vectors(at, texts, {rule::EQUAL, 0, 0, 0}, one, other);
}

} // namespace test
} // namespace cudasim

#define cudasim_assert_equal(...)                                                                  \
	(::cudasim::test::assert_equal{CUDASIM_TEST_HERE, #__VA_ARGS__}(__VA_ARGS__))
#define cudasim_assert_ulp(...)                                                                    \
	(::cudasim::test::assert_ulp{CUDASIM_TEST_HERE, #__VA_ARGS__}(__VA_ARGS__))
#define cudasim_assert_near(...)                                                                   \
	(::cudasim::test::assert_near{CUDASIM_TEST_HERE, #__VA_ARGS__}(__VA_ARGS__))
#define cudasim_assert_memory_equal(actual, expected, bytes)                                       \
	(::cudasim::test::memory_equal(CUDASIM_TEST_HERE, #actual ", " #expected, (actual),        \
				       (expected), (bytes)))
/* ... is the launch: it may hold commas. */
#define cudasim_assert_launch_fails(error, ...)                                                    \
	do {                                                                                       \
		__VA_ARGS__;                                                                       \
		::cudasim::test::launch_failed(CUDASIM_TEST_HERE, (error), #__VA_ARGS__);          \
	} while (0)
/* first and second are callables that launch: [&] { f<<<...>>>(...); } */
#define cudasim_assert_same_writes(pointer, n, first, second)                                      \
	(::cudasim::test::same_writes(CUDASIM_TEST_HERE, #first " and " #second, (pointer), (n),   \
				      (first), (second)))

#endif

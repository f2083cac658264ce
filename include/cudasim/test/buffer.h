/* SPDX-License-Identifier: Apache-2.0 */
/* buffer.h - device arrays that a test need not free, and random inputs.
 *
 * An array has GUARD bytes of a pattern on either side; what a kernel writes there
 * fails the test when it ends, with the array and the element named. Contents are
 * FRESH bytes until written, so that an element nobody wrote shows. Arrays live
 * until their test ends. */
#ifndef CUDASIM_TEST_BUFFER_H
#define CUDASIM_TEST_BUFFER_H

namespace cudasim
{
namespace test
{

enum { GUARD = 512, FRESH = 0xcb, GUARD_BYTE = 0x5e };

struct array {
	unsigned char *start; /* with the guards */
	size_t bytes, element;
	place made;
};

/* The running test, and what belongs to it. */
struct running {
	const char *name = nullptr;
	std::vector<array> arrays;
	uint64_t seed = 0;
	bool seed_used = false;
	unsigned n_skipped = 0; /* assertions that only the simulator can check */
};
inline running current;
/* Memory of this header's own, which is kept for the next test. */
inline std::vector<void *> kept;

inline void *array_new(size_t n, size_t element, place at)
{
	unsigned char *start = nullptr;
	size_t bytes = n * element;
	if (element && n > (SIZE_MAX >> 2) / element)
		fail_at(at, "a device array of " + std::to_string(n) + " elements is too large");
	need(cudaMalloc((void **)&start, bytes + 2 * GUARD), "cudaMalloc of a device array", at);
	current.arrays.push_back({start, bytes, element, at});
	need(cudaMemset(start, GUARD_BYTE, GUARD), "cudaMemset", at);
	need(cudaMemset(start + GUARD, FRESH, bytes), "cudaMemset", at);
	need(cudaMemset(start + GUARD + bytes, GUARD_BYTE, GUARD), "cudaMemset", at);
	return start + GUARD;
}

template <typename T> T *device_array(size_t n, place at)
{
	return static_cast<T *>(array_new(n, sizeof(T), at));
}

template <typename T> T *device_copy(const T *values, size_t n, place at)
{
	T *ret = device_array<T>(n, at);
	need(cudaMemcpy(ret, values, n * sizeof(T), cudaMemcpyDefault), "cudaMemcpy to the device",
	     at);
	return ret;
}

template <typename T> T *device_copy(const std::vector<T> &values, place at)
{
	return device_copy(values.data(), values.size(), at);
}

template <typename T> std::vector<T> host_copy(const T *values, size_t n, place at)
{
	std::vector<T> ret(n);
	need(cudaMemcpy(ret.data(), values, n * sizeof(T), cudaMemcpyDefault),
	     "cudaMemcpy to the host", at);
	return ret;
}

/* What has been written outside of an array: "" where nothing was. */
inline std::string array_damage(const array &a)
{
	std::vector<unsigned char> guard(GUARD);
	for (int after = 0; after < 2; after++) {
		const unsigned char *from = a.start + (after ? GUARD + a.bytes : 0);
		if (cudaMemcpy(guard.data(), from, GUARD, cudaMemcpyDefault) != cudaSuccess)
			return "";
		size_t first = GUARD, last = 0;
		for (size_t i = 0; i < GUARD; i++)
			if (guard[i] != GUARD_BYTE) {
				first = first < i ? first : i;
				last = i;
			}
		if (first == GUARD)
			continue;
		std::ostringstream text;
		size_t near = after ? first : GUARD - 1 - last;
		long long element = after ? (long long)((a.bytes + near) / a.element)
					  : -(long long)(near / a.element) - 1;
		text << "out of bounds: device code wrote "
		     << (after ? "behind the end" : "before the start") << " of the array of "
		     << a.bytes / a.element << " elements of " << a.element << " bytes made at "
		     << a.made.file << ":" << a.made.line << ": element " << element;
		return text.str();
	}
	return "";
}

/* Free all arrays of the test; the first damage found. */
inline std::string arrays_end()
{
	std::string ret;
	for (const array &a : current.arrays) {
		if (ret.empty())
			ret = array_damage(a);
		cudaFree(a.start);
	}
	current.arrays.clear();
	return ret;
}

/* The generator of this test: seeded by CUDASIM_TEST_SEED and the test's name, so
 * that each test's inputs do not depend on which others run. */
inline std::mt19937_64 &generator()
{
	static std::mt19937_64 ret;
	if (!current.seed_used) {
		uint64_t hash = 14695981039346656037ull;
		for (const char *c = current.name ? current.name : ""; *c; c++)
			hash = (hash ^ (unsigned char)*c) * 1099511628211ull;
		ret.seed(current.seed ^ hash);
		current.seed_used = true;
	}
	return ret;
}

/* n values between low and high, both included for integers. */
template <typename T> std::vector<T> random_values(size_t n, T low, T high)
{
	std::vector<T> ret(n);
	for (T &value : ret) {
		/* Not the library's distributions: those differ between libraries. */
		uint64_t bits = generator()();
		if constexpr (std::is_floating_point<T>::value)
			value = low + (high - low) * (T)((double)(bits >> 11) * 0x1p-53);
		else
			value = (T)(low + (T)(bits % ((uint64_t)high - (uint64_t)low + 1)));
	}
	return ret;
}

} // namespace test
} // namespace cudasim

/* A device array of n elements of type T: T *p = cudasim_device_array(T, n); */
#define cudasim_device_array(T, n) (::cudasim::test::device_array<T>((n), CUDASIM_TEST_HERE))
/* ... with the contents of a std::vector, or of n elements at a pointer. */
#define cudasim_device_copy(...) (::cudasim::test::device_copy(__VA_ARGS__, CUDASIM_TEST_HERE))
/* n elements of device (or any) memory as a std::vector. */
#define cudasim_host_copy(pointer, n)                                                              \
	(::cudasim::test::host_copy((pointer), (n), CUDASIM_TEST_HERE))
/* A std::vector<T> of n random values from low to high; a failing test prints the seed. */
#define cudasim_random(T, n, low, high) (::cudasim::test::random_values<T>((n), (low), (high)))

#endif

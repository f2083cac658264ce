/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - calling __device__ functions from a test.
 *
 * cudasim_call(f, x, y) runs f(x, y) in one thread and returns what it returns;
 * cudasim_call_grid(grid, block, f, x, y) runs it in every thread of a launch and
 * returns all results. f is whatever can be called with those arguments in device
 * code: a function, an overload, a template, a lambda (under nvcc a lambda needs a
 * written return type: `-> float`). Arguments are copied to the device; one that the
 * function changes is given as cudasim_inout(x). */
#ifndef CUDASIM_TEST_CALL_H
#define CUDASIM_TEST_CALL_H

#ifdef __CUDASIM__
#include "../call.h"
#endif

namespace cudasim
{
namespace test
{

/* An argument that is copied there and back. */
template <typename T> struct inout {
	T *host;
	T *device;
	__host__ __device__ operator T &() const
	{
		return *device;
	}
};

template <typename T> struct passed {
	using type = std::decay_t<T>;
	static_assert(std::is_trivially_copyable<type>::value,
		      "arguments of a device call are copied byte by byte");
};

template <typename T> __host__ __device__ inline T &unwrap(const inout<T> &a)
{
	return *a.device;
}
template <typename T> __host__ __device__ inline const T &unwrap(const T &a)
{
	return a;
}

template <typename R, typename F, typename... A>
__global__ void call_kernel(F f, R *results, A... a)
{
	if constexpr (std::is_void<R>::value) {
		f(unwrap(a)...);
	} else {
		size_t block = blockIdx.x +
			       (size_t)gridDim.x * (blockIdx.y + (size_t)gridDim.y * blockIdx.z);
		size_t thread = threadIdx.x +
				(size_t)blockDim.x *
					(threadIdx.y + (size_t)blockDim.y * threadIdx.z);
		results[block * ((size_t)blockDim.x * blockDim.y * blockDim.z) + thread] =
			f(unwrap(a)...);
	}
}

/* Memory that host and device share, kept for the next call; grows. */
struct exchanged {
	void *memory = nullptr;
	size_t size = 0;
};
inline exchanged shared;

inline void exchange_end()
{
	for (size_t i = 0; i < kept.size(); i++)
		if (kept[i] == shared.memory)
			kept.erase(kept.begin() + (ptrdiff_t)i);
	if (shared.memory)
		cudaFreeHost(shared.memory);
	shared = exchanged{};
}

inline void *exchange(size_t bytes, place at)
{
	if (bytes > shared.size) {
		size_t wanted = bytes < 4096 ? 4096 : bytes * 2;
		exchange_end();
		need(cudaHostAlloc(&shared.memory, wanted, cudaHostAllocMapped), "cudaHostAlloc",
		     at);
		shared.size = wanted;
		kept.push_back(shared.memory);
	}
	return shared.memory;
}

inline size_t align16(size_t n)
{
	return (n + 15) & ~(size_t)15;
}
template <typename T> size_t inout_bytes(const T &)
{
	return 0;
}
template <typename T> size_t inout_bytes(const inout<T> &)
{
	return align16(sizeof(T));
}
template <typename T> void inout_there(T &, unsigned char *&)
{
}
template <typename T> void inout_there(inout<T> &a, unsigned char *&memory)
{
	a.device = reinterpret_cast<T *>(memory);
	memory += align16(sizeof(T));
	std::memcpy((void *)a.device, a.host, sizeof(T));
}
template <typename T> void inout_back(const T &)
{
}
template <typename T> void inout_back(const inout<T> &a)
{
	std::memcpy((void *)a.host, a.device, sizeof(T));
}

inline void finish_call(place at)
{
	cudaError_t error = cudaGetLastError();
	if (error == cudaSuccess)
		error = cudaDeviceSynchronize();
	need(error, "a device call", at);
}

template <typename R, typename F, typename... A>
void launch_call(place at, dim3 grid, dim3 block, F f, R *results, unsigned char *memory, A... a)
{
	(inout_there(a, memory), ...);
#ifdef __CUDASIM__
	if (grid.x * grid.y * grid.z == 1 && block.x * block.y * block.z == 1 && simulated()) {
		static const void *kernel = (const void *)call_kernel<R, F, A...>;
		void *arguments[] = {&f, &results, &a...};
		need((cudaError_t)cudasim_call_kernel(kernel, arguments), "a device call", at);
		(inout_back(a), ...);
		return;
	}
#endif
	call_kernel<R, F, A...><<<grid, block>>>(f, results, a...);
	finish_call(at);
	(inout_back(a), ...);
}

struct deduced;
template <typename R, typename F, typename... A> struct result_of {
	using type = R;
};
template <typename F, typename... A> struct result_of<deduced, F, A...> {
	using type = std::decay_t<decltype(std::declval<F>()(unwrap(std::declval<A &>())...))>;
};

template <typename Known, typename F, typename... A>
typename result_of<Known, F, A...>::type call(place at, F f, A... a)
{
	using R = typename result_of<Known, F, A...>::type;
	static_assert(std::is_void<R>::value || std::is_trivially_copyable<R>::value,
		      "the result of a device call is copied byte by byte");
	size_t more = (inout_bytes(a) + ... + 0);
	if constexpr (std::is_void<R>::value) {
		unsigned char *memory = (unsigned char *)exchange(more ? more : 1, at);
		launch_call<R>(at, dim3(1), dim3(1), f, (R *)nullptr, memory, a...);
	} else {
		unsigned char *memory = (unsigned char *)exchange(align16(sizeof(R)) + more, at);
		launch_call<R>(at, dim3(1), dim3(1), f, (R *)memory, memory + align16(sizeof(R)),
			       a...);
		R ret;
		std::memcpy((void *)&ret, memory, sizeof ret);
		return ret;
	}
}

/* Results of all threads: by block and thread as CUDA counts them (x fastest). */
template <typename R> struct results {
	dim3 grid, block;
	std::vector<R> values;
	size_t size() const
	{
		return values.size();
	}
	const R &operator[](size_t i) const
	{
		return values[i];
	}
	/* at({3, 0, 0}, {7, 0, 0}) */
	const R &at(uint3 b, uint3 t) const
	{
		size_t ib = b.x + (size_t)grid.x * (b.y + (size_t)grid.y * b.z);
		size_t it = t.x + (size_t)block.x * (t.y + (size_t)block.y * t.z);
		return values[ib * ((size_t)block.x * block.y * block.z) + it];
	}
};

template <typename Known, typename F, typename... A>
results<typename result_of<Known, F, A...>::type> call_grid(place at, dim3 grid, dim3 block, F f,
							    A... a)
{
	using R = typename result_of<Known, F, A...>::type;
	size_t n = (size_t)grid.x * grid.y * grid.z * block.x * block.y * block.z;
	size_t more = (inout_bytes(a) + ... + 0);
	unsigned char *memory = (unsigned char *)exchange(align16(n * sizeof(R)) + more, at);
	launch_call<R>(at, grid, block, f, (R *)memory, memory + align16(n * sizeof(R)), a...);
	results<R> ret{grid, block, std::vector<R>(n)};
	std::memcpy((void *)ret.values.data(), memory, n * sizeof(R));
	return ret;
}

template <typename T> inout<T> make_inout(T &value)
{
	return {&value, nullptr};
}

} // namespace test
} // namespace cudasim

/* What the call returns. nvcc finds it on the host; clang does not look for device
 * functions there, but looks into a lambda that could be called on either side (and is
 * not compiled for the host, where nobody calls it). */
#ifdef __clang__
#define CUDASIM_TEST_RESULT(f, ...) ::cudasim::test::deduced
#define CUDASIM_TEST_CALLABLE(f) [=] __host__ __device__(auto &&...a_) { return f(a_...); }
#else
#define CUDASIM_TEST_RESULT(f, ...) std::decay_t<decltype(f(__VA_ARGS__))>
#define CUDASIM_TEST_CALLABLE(f) [=] __device__(auto &&...a_) { return f(a_...); }
#endif
#define cudasim_call(f, ...)                                                                       \
	(::cudasim::test::call<CUDASIM_TEST_RESULT(f, ##__VA_ARGS__)>(                             \
		CUDASIM_TEST_HERE, CUDASIM_TEST_CALLABLE(f), ##__VA_ARGS__))
#define cudasim_call_grid(grid, block, f, ...)                                                     \
	(::cudasim::test::call_grid<CUDASIM_TEST_RESULT(f, ##__VA_ARGS__)>(                        \
		CUDASIM_TEST_HERE, dim3(grid), dim3(block), CUDASIM_TEST_CALLABLE(f),              \
		##__VA_ARGS__))
#define cudasim_inout(x) (::cudasim::test::make_inout(x))

#endif

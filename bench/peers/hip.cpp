/* SPDX-License-Identifier: Apache-2.0 */
/* hip.cpp - the machine of HIP-CPU: the CUDA kernels as C++ functions, a fiber a thread
 * where they have barriers, loops that the compiler may vectorise where they have none. */
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

/* A function that HIP-CPU lacks. */
static inline float rsqrtf(float x)
{
	return 1.f / sqrtf(x);
}

/* HIP-CPU's warps have 64 lanes; sums of the first lanes of each 32 come out all the same. */
#define SHUFFLE_DOWN(value, delta) __shfl_down(value, delta)
#include "kernels.cuh"

static void must(hipError_t error, const char *what)
{
	if (error == hipSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, hipGetErrorString(error));
	exit(1);
}

static void *memory_new(size_t bytes)
{
	void *memory;
	must(hipMalloc(&memory, bytes), "hipMalloc");
	return memory;
}

static void memory_free(void *memory)
{
	must(hipFree(memory), "hipFree");
}

static void write(void *memory, const void *from, size_t bytes)
{
	must(hipMemcpy(memory, from, bytes, hipMemcpyHostToDevice), "hipMemcpy");
}

static void read(const void *memory, void *to, size_t bytes)
{
	must(hipMemcpy(to, memory, bytes, hipMemcpyDeviceToHost), "hipMemcpy");
}

template <typename T> static T value(const struct argument &a)
{
	if constexpr (std::is_pointer_v<T>)
		return static_cast<T>(a.memory);
	else if constexpr (std::is_same_v<T, float>)
		return a.f;
	else
		return a.i;
}

/* HIP-CPU launches by type, so the arguments are taken apart by the kernel's own. */
template <typename... P, size_t... I>
static void call(void (*kernel)(P...), dim3 grid, dim3 block, const struct argument *a,
		 std::index_sequence<I...>)
{
	(void)a;
	hipLaunchKernelGGL(kernel, grid, block, 0, nullptr, value<P>(a[I])...);
}

template <typename... P>
static void start(void (*kernel)(P...), dim3 grid, dim3 block, const struct argument *a)
{
	call(kernel, grid, block, a, std::index_sequence_for<P...>());
}

static void launch(enum kernel kernel, const unsigned grid[3], const unsigned block[3],
		   const struct argument *a, int)
{
	dim3 g(grid[0], grid[1], grid[2]), b(block[0], block[1], block[2]);
	switch (kernel) {
#define KERNEL(name)                                                                               \
	case KERNEL_##name:                                                                        \
		start(name, g, b, a);                                                              \
		break;
#include "kernels.def"
#undef KERNEL
	default:
		abort();
	}
}

static void wait()
{
	must(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

extern "C" const struct machine *machine_open(void)
{
	static const struct machine hip = {"HIP-CPU", 0,    memory_new, memory_free,
					   write,     read, launch,     wait};
	return &hip;
}

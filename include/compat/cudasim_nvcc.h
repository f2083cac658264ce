/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_nvcc.h - what nvcc brings by itself and clang lacks. The driver
 * includes it before every .cu file, after clang's own CUDA headers. */
#ifndef CUDASIM_COMPAT_NVCC_H
#define CUDASIM_COMPAT_NVCC_H

/* The headers of the host that come with nvcc's cuda_runtime.h. */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <new>
#undef __builtin_logl /* __clang_cuda_math_forward_declares.h */

/* nvcc and gcc 12 have none, clang 19's is faulty: an index out of range is an error where SFINAE
 * should see it. */
#undef __cpp_pack_indexing

/* CCCL is to know the compiler as what it is. What it decides here stays, so
 * that programs can be told that this is nvcc, which many ask. Not for NVRTC, which CCCL knows
 * by itself and which may be given another CCCL (cudasim_rtc.h). */
#ifndef __CUDASIM_PRELUDE__
#if __has_include(<cuda/std/__cccl/compiler.h>)
#include <cuda/std/__cccl/compiler.h>
#else /* CUDA 12.4 and 12.5 */
#include <cuda/__cccl_config>
#endif
#define __NVCC__ 1
#endif
#undef __CUDACC__
#define __CUDACC__ 1
#define __NVCC_DIAG_PRAGMA_SUPPORT__ 1

#if __cplusplus >= 201103L
#include "cudasim_array.h"
#include "cudasim_lambda.h"
#include "cudasim_launch.h"
#endif
#include "cudasim_host_math.h"
#include "cudasim_atomics.h"
#include "cudasim_cache.h"
#include "cudasim_device_math.h"
#include "cudasim_warp.h"

/* clang takes the attribute of the same name for HIP only. The device compiler
 * gives such a variable's place to the host's variable. */
#undef __managed__
#define __managed__ __attribute__((device)) __attribute__((annotate("cudasim_managed")))

/* Storage for a __shared__ variable whose constructor is not run (the driver's
 * dialect.h). */
template <typename __T>
union __cudasim_raw {
	__T value;
	__host__ __device__ __cudasim_raw() {}
	__host__ __device__ ~__cudasim_raw() {}
};

/* A kernel's parameter that stays constant and may have its address taken: any
 * parameter here. clang 19 does not know the attribute. */
#undef __grid_constant__
#define __grid_constant__

/* Registers and inlining are not simulated. */
#undef __maxnreg__
#define __maxnreg__(...)
#undef __inline_hint__
#define __inline_hint__

/* It changes what a launch's first argument means, so it may not go unnoticed. */
#undef __block_size__
#define __block_size__(...) \
	__attribute__((unavailable("cudasim does not support __block_size__; use __cluster_dims__")))

/* What the driver writes where functions of one side are called in those of the other, or
 * of both (its dialect_host.c). nvcc's code behind such a call is undefined;
 * here it is a trap. */
#ifdef __CUDA_ARCH__
#define __cudasim_device_inline inline
template <typename __T>
__host__ __device__ inline __T __cudasim_no_host_function()
{
	__builtin_trap();
}
#define __cudasim_host_too __attribute__((host))
#define __cudasim_device_too
#define __cudasim_host_call(...) (__cudasim_no_host_function<decltype(__VA_ARGS__)>())
#else
#define __cudasim_device_inline
#define __cudasim_host_too
#define __cudasim_device_too __attribute__((host)) __attribute__((device))
#define __cudasim_host_call(...) __VA_ARGS__
#endif

/* Called in the host pass by instances of device code, where it has no function (the driver's
 * dialect_host.c). Nobody makes code of that. */
#if !defined(__CUDA_ARCH__) && __cplusplus >= 201103L
struct __cudasim_device_value {
	template <typename __T> __device__ operator __T() const;
};
template <typename... __A> __device__ __cudasim_device_value __cudasim_device_call(__A &&...);
#endif

/* clang 19 does not know the attribute; the device compiler reads this one. */
#undef __cluster_dims__
#define __cluster_dims__(...) __attribute__((annotate("cudasim_cluster_dims", __VA_ARGS__)))

/* clang 19 crashes where a template's alignment is a call. What is assumed helps a GPU to
 * wide loads; here it is worth nothing. */
#define __builtin_assume_aligned(__pointer, ...) ((void *)(__pointer))

#endif

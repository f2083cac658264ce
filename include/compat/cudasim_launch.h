/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_launch.h - what the driver writes for launches from device code, and for kernels
 * as values there (its dialect_launch.c). The device compiler knows these names
 * (pass_launches.c). */
#ifndef CUDASIM_COMPAT_LAUNCH_H
#define CUDASIM_COMPAT_LAUNCH_H

/* What stands between <<< and >>>. */
struct __cudasim_config {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
	__host__ __device__ __cudasim_config(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0)
		: grid(grid), block(block), shared(shared), stream(stream) {}
};

/* A launch; go() does it. */
struct __cudasim_launch {
	__cudasim_config __cudasim_c;
	__host__ __device__ __cudasim_launch(const __cudasim_config &config) : __cudasim_c(config) {}
	__host__ __device__ virtual void go() const = 0;
};

#ifdef __CUDA_ARCH__
extern "C" __host__ __device__ void __cudasim_launch_go(const __cudasim_launch &launch);
#else
extern "C" __host__ __device__ inline void __cudasim_launch_go(const __cudasim_launch &launch)
{
	launch.go();
}
#endif

template <typename __T, __T __K>
struct __cudasim_kernel {
	static constexpr __T value = __K;
};

/* Declared for device code by cuda_device_runtime_api.h, and known to nvcc. */
#ifdef __CUDA_ARCH__
template <typename __T>
static __inline__ __device__ cudaError_t cudaMalloc(__T **__address, size_t __size)
{
	return cudaMalloc((void **)__address, __size);
}

template <typename __T>
static __inline__ __device__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *__attributes, __T *__kernel)
{
	return cudaFuncGetAttributes(__attributes, (const void *)__kernel);
}

template <typename __T>
static __inline__ __device__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *__n, __T __kernel,
										       int __threads, size_t __shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(__n, (const void *)__kernel, __threads, __shared);
}

template <typename __T>
static __inline__ __device__ cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__n, __T __kernel, int __threads, size_t __shared,
						       unsigned int __flags)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(__n, (const void *)__kernel, __threads,
								      __shared, __flags);
}
#endif

#endif

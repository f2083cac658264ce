/* SPDX-License-Identifier: Apache-2.0 */
/* cuda.cu - the machine of whatever CUDA compiled it: cudasim's here. */
#include <cstdio>
#include <cstdlib>

#define SHUFFLE_DOWN(value, delta) __shfl_down_sync(~0u, value, delta)
#include "kernels.cuh"

static void must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

static void *memory_new(size_t bytes)
{
	void *memory;
	must(cudaMalloc(&memory, bytes), "cudaMalloc");
	return memory;
}

static void memory_free(void *memory)
{
	must(cudaFree(memory), "cudaFree");
}

static void write(void *memory, const void *from, size_t bytes)
{
	must(cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

static void read(const void *memory, void *to, size_t bytes)
{
	must(cudaMemcpy(to, memory, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

static const void *const functions[] = {
#define KERNEL(name) (const void *)name,
#include "kernels.def"
#undef KERNEL
};

static const char *const names[] = {
#define KERNEL(name) #name,
#include "kernels.def"
#undef KERNEL
};

static void launch(enum kernel kernel, const unsigned grid[3], const unsigned block[3],
		   const struct argument *arguments, int n_arguments)
{
	struct argument copies[MOST_ARGUMENTS];
	void *pointers[MOST_ARGUMENTS];
	for (int i = 0; i < n_arguments; i++) {
		copies[i] = arguments[i];
		pointers[i] = arguments[i].kind == argument::MEMORY ? (void *)&copies[i].memory
			      : arguments[i].kind == argument::INT ? (void *)&copies[i].i
								   : (void *)&copies[i].f;
	}
	must(cudaLaunchKernel(functions[kernel], dim3(grid[0], grid[1], grid[2]),
			      dim3(block[0], block[1], block[2]), pointers, 0, 0), names[kernel]);
}

static void wait()
{
	must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

extern "C" const struct machine *machine_open(void)
{
	static const struct machine cuda = {"CUDA", 0, memory_new, memory_free, write, read, launch, wait};
	must(cudaFree(nullptr), "CUDA");
	return &cuda;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How large may a launch be? Asks the device, then tries both sides of each limit. */
#include "../check.h"

__global__ void nothing()
{
}

__global__ void use_shared(int *out)
{
	extern __shared__ int tile[];
	tile[threadIdx.x] = threadIdx.x;
	if (threadIdx.x == 0)
		*out = tile[0];
}

static void ask(const char *what, cudaDeviceAttr attribute)
{
	int value;
	CHECK(cudaDeviceGetAttribute(&value, attribute, 0));
	printf("%-34s %d\n", what, value);
}

static void launch(const char *what, dim3 grid, dim3 block)
{
	nothing<<<grid, block>>>();
	cudaError_t error = cudaGetLastError();
	CHECK(cudaDeviceSynchronize());
	printf("%-34s %s\n", what, cudaGetErrorName(error));
}

static void shared(const char *what, int bytes, int *out)
{
	use_shared<<<1, 32, bytes>>>(out);
	cudaError_t error = cudaGetLastError();
	CHECK(cudaDeviceSynchronize());
	printf("%-34s %s\n", what, cudaGetErrorName(error));
}

int main()
{
	ask("threads in a block", cudaDevAttrMaxThreadsPerBlock);
	ask("block size in x", cudaDevAttrMaxBlockDimX);
	ask("block size in y", cudaDevAttrMaxBlockDimY);
	ask("block size in z", cudaDevAttrMaxBlockDimZ);
	ask("grid size in x", cudaDevAttrMaxGridDimX);
	ask("grid size in y", cudaDevAttrMaxGridDimY);
	ask("grid size in z", cudaDevAttrMaxGridDimZ);
	ask("shared bytes in a block", cudaDevAttrMaxSharedMemoryPerBlock);
	ask("shared bytes when asked for", cudaDevAttrMaxSharedMemoryPerBlockOptin);
	ask("registers in a block", cudaDevAttrMaxRegistersPerBlock);
	ask("constant bytes", cudaDevAttrTotalConstantMemory);
	ask("warp size", cudaDevAttrWarpSize);
	ask("multiprocessors", cudaDevAttrMultiProcessorCount);
	ask("threads on a multiprocessor", cudaDevAttrMaxThreadsPerMultiProcessor);
	ask("blocks on a multiprocessor", cudaDevAttrMaxBlocksPerMultiprocessor);
	ask("compute capability, major", cudaDevAttrComputeCapabilityMajor);
	ask("compute capability, minor", cudaDevAttrComputeCapabilityMinor);
	puts("");

	launch("1 thread", 1, 1);
	launch("0 threads", 1, 0);
	launch("0 blocks", 0, 1);
	launch("1024 threads in x", 1, 1024);
	launch("1025 threads in x", 1, 1025);
	launch("32 x 32 threads", 1, dim3(32, 32));
	launch("32 x 33 threads", 1, dim3(32, 33));
	launch("64 threads in z", 1, dim3(1, 1, 64));
	launch("65 threads in z", 1, dim3(1, 1, 65));
	launch("100000 blocks in x", 100000, 1);
	launch("2^31 blocks in x", 1u << 31, 1);
	launch("65535 blocks in y", dim3(1, 65535), 1);
	launch("65536 blocks in y", dim3(1, 65536), 1);
	launch("65535 blocks in z", dim3(1, 1, 65535), 1);
	launch("65536 blocks in z", dim3(1, 1, 65536), 1);
	puts("");

	int *out;
	CHECK(cudaMalloc(&out, sizeof *out));
	shared("49152 shared bytes", 49152, out);
	shared("49153 shared bytes", 49153, out);
	CHECK(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
				   232448));
	shared("232448, after asking for them", 232448, out);
	shared("232449", 232449, out);
	cudaError_t error = cudaFuncSetAttribute(
		use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449);
	printf("%-34s %s\n", "asking for 232449", cudaGetErrorName(error));
	cudaGetLastError();
	CHECK(cudaFree(out));
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Launch limits, launch calls, attributes, occupancy, error state. */
#include "case.cuh"

__global__ void nothing()
{
}
__global__ void count(int *out)
{
	atomicAdd(out, 1);
}
__global__ __launch_bounds__(64, 2) void bounded(int *out)
{
	atomicAdd(out, 1);
}
__global__ void with_shared(int *out)
{
	__shared__ int s[1000];
	extern __shared__ int d[];
	s[threadIdx.x] = 1;
	d[threadIdx.x] = 2;
	out[0] = s[0] + d[0];
}
__global__ void too_much_static(int *out)
{
	__shared__ int s[12288]; /* 48 KiB, the limit */
	s[threadIdx.x] = 3;
	__syncthreads();
	out[0] = s[0];
}
__global__ void arguments(double *out, int a, double b, char c, const int *p)
{
	out[0] = a;
	out[1] = b;
	out[2] = c;
	out[3] = p[1];
}
struct config {
	int v[5];
};
__global__ void by_value(int *out, config c)
{
	out[threadIdx.x] = c.v[threadIdx.x];
}
__global__ __cluster_dims__(2) void clustered(int *out)
{
	atomicAdd(out, 1);
}

static void attempt(const char *what, dim3 grid, dim3 block, size_t shared = 0)
{
	nothing<<<grid, block, shared>>>();
	cudaError_t peek = cudaPeekAtLastError();
	cudaError_t last = cudaGetLastError();
	cudaError_t then = cudaGetLastError();
	say(what, "%d %d %d, sync %d", peek, last, then, cudaDeviceSynchronize());
}

int main()
{
	attempt("1 x 1", 1, 1);
	attempt("no threads", 1, 0);
	attempt("no threads in y", 1, dim3(4, 0, 1));
	attempt("no blocks", 0, 32);
	attempt("no blocks in z", dim3(1, 1, 0), 32);
	attempt("1024 threads", 1, 1024);
	attempt("1025 threads", 1, 1025);
	attempt("1024 in y", 1, dim3(1, 1024));
	attempt("1025 in y", 1, dim3(1, 1025));
	attempt("64 in z", 1, dim3(1, 1, 64));
	attempt("65 in z", 1, dim3(1, 1, 65));
	attempt("2^31 blocks in x", 1u << 31, 1);
	attempt("2^32-1 blocks in x", 0xffffffffu, 1);
	attempt("65535 blocks in y", dim3(1, 65535), 1);
	attempt("65536 blocks in y", dim3(1, 65536), 1);
	attempt("65536 blocks in z", dim3(1, 1, 65536), 1);
	attempt("48 KiB", 1, 1, 49152);
	attempt("48 KiB and a byte", 1, 1, 49153);
	attempt("228 KiB", 1, 1, 233472);
	attempt("negative", 1, (unsigned)-1);

	memory<int> out(8);
	int *p = out.there;
	bounded<<<1, 64>>>(p);
	say("within launch bounds", "%s", cudaGetErrorName(cudaGetLastError()));
	bounded<<<1, 65>>>(p);
	say("beyond launch bounds", "%s", cudaGetErrorName(cudaGetLastError()));
	with_shared<<<1, 32, 45152>>>(p);
	say("static and dynamic, 48 KiB", "%s", cudaGetErrorName(cudaGetLastError()));
	with_shared<<<1, 32, 45153>>>(p);
	say("static and dynamic, a byte more", "%s", cudaGetErrorName(cudaGetLastError()));
	say("opt in", "%s", cudaGetErrorName(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 228448)));
	with_shared<<<1, 32, 228448>>>(p);
	say("after opting in", "%s", cudaGetErrorName(cudaGetLastError()));
	say("opt in beyond", "%s", cudaGetErrorName(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 228449)));
	cudaGetLastError();
	too_much_static<<<1, 32>>>(p);
	say("48 KiB static", "%s", cudaGetErrorName(cudaDeviceSynchronize()));
	clustered<<<3, 32>>>(p);
	say("grid is no multiple of the cluster", "%s", cudaGetErrorName(cudaGetLastError()));
	CHECK(cudaDeviceSynchronize());

	CHECK(cudaMemset(p, 0, 32));
	count<<<dim3(3, 2, 2), dim3(5, 3, 2)>>>(p);
	CHECK(cudaDeviceSynchronize());
	say("threads counted", "%d", out.fetch()[0]);

	memory<double> results(4);
	memory<int> ints(std::vector<int>{5, 6});
	double *r = results.there;
	int a = -3;
	double b = 2.25;
	char c = 'q';
	const int *ip = ints.there;
	void *pointers[] = {&r, &a, &b, &c, &ip};
	CHECK(cudaLaunchKernel((void *)arguments, 1, 1, pointers, 0, 0));
	CHECK(cudaDeviceSynchronize());
	results.show("cudaLaunchKernel");
	config values = {{9, 8, 7, 6, 5}};
	cudaLaunchConfig_t launch = {};
	launch.gridDim = 1;
	launch.blockDim = 5;
	CHECK(cudaLaunchKernelEx(&launch, by_value, p, values));
	CHECK(cudaDeviceSynchronize());
	out.show("cudaLaunchKernelEx");
	static int here;
	say("not a kernel", "%s", cudaGetErrorName(cudaLaunchKernel((void *)&here, 1, 1, pointers, 0, 0)));
	say("and then", "%s", cudaGetErrorName(cudaGetLastError()));

	cudaFuncAttributes f;
	CHECK(cudaFuncGetAttributes(&f, with_shared));
	say("attributes", "shared %zu, const %zu, local %zu, threads %d, dynamic %d", f.sharedSizeBytes, f.constSizeBytes,
	    f.localSizeBytes, f.maxThreadsPerBlock, f.maxDynamicSharedSizeBytes);
	CHECK(cudaFuncGetAttributes(&f, bounded));
	say("attributes, bounded", "shared %zu, threads %d", f.sharedSizeBytes, f.maxThreadsPerBlock);

	int blocks, grid, block;
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 1024, 0));
	say("blocks of 1024", "%d", blocks);
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 32, 0));
	say("blocks of 32", "%d", blocks);
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, too_much_static, 32, 0));
	say("blocks with 48 KiB", "%d", blocks);
	CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing, 0, 0));
	say("potential block size", "%d of %d", grid, block);

	/* The last error stays until it is asked for, whatever succeeds between. */
	nothing<<<1, 2000>>>();
	int device;
	CHECK(cudaGetDevice(&device));
	say("still there", "%s", cudaGetErrorName(cudaPeekAtLastError()));
	say("taken", "%s", cudaGetErrorName(cudaGetLastError()));
	say("gone", "%s", cudaGetErrorName(cudaGetLastError()));
	say("no such device", "%s", cudaGetErrorName(cudaSetDevice(99)));
	say("last", "%s", cudaGetErrorName(cudaGetLastError()));
	for (int e : {0, 1, 2, 9, 35, 98, 100, 101, 209, 400, 600, 700, 701, 702, 710, 716, 717, 718, 719, 801, 999, 12345}) {
		char text[32];
		snprintf(text, sizeof text, "error %d", e);
		say(text, "%s: %s", cudaGetErrorName((cudaError_t)e), cudaGetErrorString((cudaError_t)e));
	}
	return 0;
}

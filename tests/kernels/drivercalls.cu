/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's calls that programs of the runtime make beside it: streams, events, sets by
 * element, launches of the runtime's kernels, words that streams wait for, what an address is.
 * What is expected follows from the calls alone.
 *
 * Flags: -std=c++17 -lcuda */
#include <cuda.h>
#include <cuda_runtime.h>

#include "driver.cuh"

__global__ void scale(unsigned *p, unsigned by, int n)
{
	extern __shared__ unsigned s[];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	s[threadIdx.x] = i < n ? p[i] : 0;
	__syncthreads();
	if (i < n)
		p[i] = s[threadIdx.x] * by;
}

int main()
{
	CUdevice device;
	CUcontext context, now;
	CUstream a, b;
	CUevent event, later;
	CUdeviceptr p, q;
	unsigned got[8] = {}, flags = 9;
	DO(cuInit(0));
	DO(cuDeviceGet(&device, 0));
	DO(cuDevicePrimaryCtxRetain(&context, device));
	DO(cuCtxSetCurrent(context));
	DO(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
	DO(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
	DO(cuStreamGetFlags(a, &flags));
	DO(cuStreamGetCtx(a, &now));
	say("stream", "%u %d", flags, now == context);
	DO(cuEventCreate(&event, CU_EVENT_DEFAULT));
	DO(cuEventCreate(&later, CU_EVENT_DEFAULT));
	DO(cuMemAlloc(&p, 64));
	DO(cuMemAllocAsync(&q, 64, a));

	DO(cuMemsetD32Async(p, 0x01020304, 8, a));
	DO(cuMemsetD16Async(p + 4, 0xabcd, 3, a));
	DO(cuMemsetD8Async(p + 16, 0x7f, 5, a));
	DO(cuMemsetD2D32Async(p + 24, 4, 5, 1, 2, a));
	DO(cuEventRecord(event, a));
	DO(cuStreamWaitEvent(b, event, 0));
	DO(cuMemcpyDtoHAsync(got, p, 32, b));
	DO(cuStreamSynchronize(b));
	show("sets", got, 8);

	CUfunction f;
	if (cudaGetFuncBySymbol(&f, (const void *)scale) != cudaSuccess)
		return 1;
	unsigned by = 3;
	int n = 8, threads = 0, offset = 0, attribute = 0;
	void *args[] = {&p, &by, &n};
	DO(cuMemsetD32Async(p, 5, 8, a));
	DO(cuLaunchKernel(f, 2, 1, 1, 4, 1, 1, 16, a, args, NULL));
	DO(cuMemcpyDtoDAsync(q, p, 32, a));
	DO(cuMemcpyDtoHAsync(got, q, 32, a));
	DO(cuEventRecord(later, a));
	DO(cuEventSynchronize(later));
	show("launched", got, 8);
	float ms = -1;
	DO(cuEventElapsedTime(&ms, event, later));
	say("time", "%d %d", ms >= 0, cuEventQuery(later));
	const char *name;
	size_t at = 9, size = 9;
	DO(cuFuncGetName(&name, f));
	DO(cuFuncGetParamInfo(f, 1, &at, &size));
	DO(cuFuncGetAttribute(&attribute, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
	say("function", "%s %zu %zu %d", name, at, size, attribute);
	(void)threads, (void)offset;

	/* b waits for what a writes. */
	DO(cuMemsetD32Async(p, 0, 8, a));
	DO(cuStreamSynchronize(a));
	DO(cuStreamWaitValue32(b, p, 5, CU_STREAM_WAIT_VALUE_GEQ));
	DO(cuMemsetD32Async(p + 4, 77, 1, b));
	say("waits", "%d", cuStreamQuery(b));
	DO(cuStreamWriteValue32(a, p, 4, CU_STREAM_WRITE_VALUE_DEFAULT));
	DO(cuStreamSynchronize(a));
	say("still waits", "%d", cuStreamQuery(b));
	DO(cuStreamWriteValue32(a, p, 6, CU_STREAM_WRITE_VALUE_DEFAULT));
	DO(cuStreamSynchronize(b));
	DO(cuMemcpyDtoH(got, p, 8));
	show("waited", got, 2);
	DO(cuStreamWaitValue32(b, p, 4, CU_STREAM_WAIT_VALUE_AND));
	DO(cuStreamWaitValue64(b, p + 8, 0, CU_STREAM_WAIT_VALUE_EQ));
	DO(cuStreamWriteValue64(b, p + 8, 0x1122334455667788ull, CU_STREAM_WRITE_VALUE_DEFAULT));
	DO(cuStreamSynchronize(b));
	DO(cuMemcpyDtoH(got, p + 8, 8));
	show("word", got, 2);

	unsigned type = 0, managed = 9;
	CUdeviceptr base = 0, m;
	int ordinal = 9;
	DO(cuMemAllocManaged(&m, 128, CU_MEM_ATTACH_GLOBAL));
	DO(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 8));
	DO(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, m));
	DO(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
	DO(cuMemGetAddressRange(&base, &size, p + 8));
	say("pointer", "%u %u %d %d %zu", type, managed, ordinal, base == p, size);
	int here = 0;
	say("host pointer", "%d", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&here));

	unsigned *host = NULL;
	DO(cuMemHostAlloc((void **)&host, 64, CU_MEMHOSTALLOC_DEVICEMAP));
	CUdeviceptr seen;
	DO(cuMemHostGetDevicePointer(&seen, host, 0));
	host[0] = 6;
	n = 1;
	void *more[] = {&seen, &by, &n};
	DO(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 128, b, more, NULL));
	DO(cuStreamSynchronize(b));
	say("mapped", "%u", host[0]);
	DO(cuMemFreeHost(host));
	DO(cuMemFree(m));
	DO(cuMemFreeAsync(q, a));
	DO(cuStreamSynchronize(a));
	DO(cuMemFree(p));
	DO(cuEventDestroy(event));
	DO(cuEventDestroy(later));
	DO(cuStreamDestroy(a));
	DO(cuStreamDestroy(b));
	CUmemoryPool pool, same, mine;
	CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
	CUmemPoolProps properties = {};
	properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	properties.location = location;
	DO(cuMemGetDefaultMemPool(&pool, &location, CU_MEM_ALLOCATION_TYPE_PINNED));
	DO(cuDeviceGetDefaultMemPool(&same, 0));
	DO(cuMemPoolCreate(&mine, &properties));
	DO(cuMemSetMemPool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, mine));
	say("pools", "%d %d", pool == same,
	    cuMemGetDefaultMemPool(&pool, NULL, CU_MEM_ALLOCATION_TYPE_PINNED));
	DO(cuMemGetMemPool(&same, &location, CU_MEM_ALLOCATION_TYPE_PINNED));
	say("current pool", "%d %d", same == mine,
	    cuMemSetMemPool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, NULL));
	DO(cuMemSetMemPool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
	DO(cuMemPoolDestroy(mine));
	CUmodule module;
	say("no file", "%d", cuModuleLoad(&module, "/no/such/file.ptx") != CUDA_SUCCESS);
	DO(cuDevicePrimaryCtxRelease(device));
	return 0;
}

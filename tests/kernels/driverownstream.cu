/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's calls as programs make them that are built for a default stream of each thread:
 * stream 0 is that one, so none of them waits for the legacy stream's work.
 *
 * Flags: -std=c++17 -lcuda -DCUDA_API_PER_THREAD_DEFAULT_STREAM */
#include <cuda.h>
#include <cuda_runtime.h>

#include "driver.cuh"

__global__ void advance(unsigned *p, unsigned by)
{
	p[threadIdx.x] += by;
}

static unsigned called;
static void CUDA_CB call(void *)
{
	called++;
}

static void CUDA_CB call_back(CUstream, CUresult, void *)
{
	called++;
}

int main()
{
	CUdevice device;
	CUcontext context, seen;
	CUdeviceptr p, q, a;
	unsigned got[64];
	DO(cuInit(0));
	DO(cuDeviceGet(&device, 0));
	DO(cuDevicePrimaryCtxRetain(&context, device));
	DO(cuCtxSetCurrent(context));
	DO(cuMemAlloc(&p, 256));
	DO(cuMemAlloc(&q, 256));
	for (int i = 0; i < 64; i++)
		got[i] = i * 3;
	DO(cuMemcpyHtoD(p, got, 256));
	DO(cuMemcpyDtoD(q, p, 128));
	DO(cuMemcpy(q + 128, p, 32));
	DO(cuMemcpyPeer(q + 160, context, p + 32, context, 32));
	DO(cuMemsetD8(q, 0x11, 4));
	DO(cuMemsetD16(q + 4, 0x2222, 2));
	DO(cuMemsetD32(q + 8, 0x33333333, 1));
	DO(cuMemsetD2D8(q + 12, 8, 0x44, 2, 2));
	DO(cuMemsetD2D16(q + 32, 8, 0x55, 1, 2));
	DO(cuMemsetD2D32(q + 48, 8, 0x66, 1, 2));
	DO(cuMemcpyDtoH(got, q, 192));
	show("copies and sets", got, 48);

	DO(cuMemcpyHtoDAsync(p, got, 128, 0));
	DO(cuMemcpyDtoDAsync(p + 128, p, 64, 0));
	DO(cuMemcpyAsync(p + 192, p, 32, 0));
	DO(cuMemcpyPeerAsync(p + 224, context, p, context, 32, 0));
	DO(cuMemsetD8Async(p, 1, 4, 0));
	DO(cuMemsetD16Async(p + 4, 2, 2, 0));
	DO(cuMemsetD32Async(p + 8, 3, 1, 0));
	DO(cuMemsetD2D8Async(p + 12, 8, 4, 2, 2, 0));
	DO(cuMemsetD2D16Async(p + 32, 8, 5, 1, 2, 0));
	DO(cuMemsetD2D32Async(p + 48, 8, 6, 1, 2, 0));
	DO(cuMemcpyDtoHAsync(got, p, 256, 0));
	DO(cuStreamSynchronize(0));
	show("asynchronous", got, 64);

	CUDA_ARRAY_DESCRIPTOR d = {16, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1};
	CUarray array, other;
	DO(cuArrayCreate(&array, &d));
	DO(cuArrayCreate(&other, &d));
	CUDA_MEMCPY2D c = {};
	c.srcMemoryType = CU_MEMORYTYPE_HOST;
	c.srcHost = got;
	c.srcPitch = 64;
	c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	c.dstArray = array;
	c.WidthInBytes = 64;
	c.Height = 4;
	DO(cuMemcpy2D(&c));
	DO(cuMemcpy2DUnaligned(&c));
	c.dstArray = other;
	DO(cuMemcpy2DAsync(&c, 0));
	DO(cuMemcpyAtoA(other, 0, array, 16, 16));
	DO(cuMemcpyAtoD(p, array, 4, 16));
	DO(cuMemcpyDtoA(array, 8, p, 8));
	DO(cuMemcpyHtoA(array, 0, got + 8, 8));
	DO(cuMemcpyHtoAAsync(array, 32, got + 16, 8, 0));
	DO(cuMemcpyAtoHAsync(got + 32, other, 0, 32, 0));
	DO(cuStreamSynchronize(0));
	DO(cuMemcpyAtoH(got, array, 0, 64));
	show("arrays", got, 40);
	CUDA_MEMCPY3D c3 = {};
	c3.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	c3.srcDevice = p;
	c3.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	c3.dstDevice = q;
	c3.WidthInBytes = 8;
	c3.Height = 2;
	c3.Depth = 2;
	c3.srcPitch = 16;
	c3.srcHeight = 2;
	c3.dstPitch = 8;
	c3.dstHeight = 2;
	DO(cuMemsetD32(q, 0, 64));
	DO(cuMemcpy3D(&c3));
	c3.dstDevice = q + 64;
	DO(cuMemcpy3DAsync(&c3, 0));
	CUDA_MEMCPY3D_PEER c3p = {};
	c3p.srcMemoryType = c3p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	c3p.srcDevice = p;
	c3p.dstDevice = q + 128;
	c3p.srcContext = c3p.dstContext = context;
	c3p.WidthInBytes = 12;
	c3p.Height = c3p.Depth = 1;
	DO(cuMemcpy3DPeer(&c3p));
	c3p.dstDevice = q + 144;
	DO(cuMemcpy3DPeerAsync(&c3p, 0));
	DO(cuMemcpyDtoH(got, q, 160));
	show("three dimensions", got, 40);

	CUfunction f;
	unsigned by = 7;
	void *args[] = {&p, &by};
	cudaGetFuncBySymbol(&f, (const void *)advance);
	DO(cuMemsetD32(p, 1, 64));
	DO(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, 0, args, NULL));
	DO(cuLaunchCooperativeKernel(f, 1, 1, 1, 3, 1, 1, 0, 0, args));
	CUlaunchConfig config = {};
	config.gridDimX = config.gridDimY = config.gridDimZ = 1;
	config.blockDimX = 2;
	config.blockDimY = config.blockDimZ = 1;
	DO(cuLaunchKernelEx(&config, f, args, NULL));
	DO(cuLaunchHostFunc(0, call, NULL));
	DO(cuStreamAddCallback(0, call_back, NULL, 0));
	CUevent e, e2;
	DO(cuEventCreate(&e, 0));
	DO(cuEventCreate(&e2, 0));
	DO(cuEventRecord(e, 0));
	DO(cuEventRecordWithFlags(e2, 0, 0));
	DO(cuStreamWaitEvent(0, e, 0));
	DO(cuStreamSynchronize(0));
	DO(cuMemcpyDtoH(got, p, 16));
	show("launched", got, 4);
	say("called", "%u, %d %d", called, cuStreamQuery(0), cuEventQuery(e2));

	int priority = 9;
	unsigned flags = 9;
	unsigned long long id = 0, legacy = 0;
	CUdevice of = 9;
	DO(cuStreamGetPriority(0, &priority));
	DO(cuStreamGetFlags(0, &flags));
	DO(cuStreamGetId(0, &id));
	DO(cuStreamGetId(CU_STREAM_LEGACY, &legacy));
	DO(cuStreamGetDevice(0, &of));
	DO(cuStreamGetCtx(0, &seen));
	say("stream", "%d %u %d %d %d", priority, flags, id != legacy, of, seen == context);

	DO(cuMemAllocAsync(&a, 64, 0));
	say("words of a pool", "%d", cuStreamWriteValue32(0, a, 5, 0));
	DO(cuMemFreeAsync(a, 0));
	DO(cuMemAlloc(&a, 64));
	DO(cuMemsetD32(a, 0, 4));
	DO(cuStreamWriteValue32(0, a, 5, 0));
	DO(cuStreamWaitValue32(0, a, 5, CU_STREAM_WAIT_VALUE_EQ));
	DO(cuStreamWriteValue64(0, a + 8, 6, 0));
	DO(cuStreamWaitValue64(0, a + 8, 6, CU_STREAM_WAIT_VALUE_GEQ));
	CUstreamBatchMemOpParams w = {};
	w.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	w.writeValue.address = a + 4;
	w.writeValue.value = 8;
	DO(cuStreamBatchMemOp(0, 1, &w, 0));
	DO(cuMemcpyDtoHAsync(got, a, 16, 0));
	DO(cuStreamSynchronize(0));
	DO(cuMemFree(a));
	show("words", got, 4);

	CUgraph graph;
	CUgraphExec exec;
	CUstreamCaptureStatus status, now;
	DO(cuStreamBeginCapture(0, CU_STREAM_CAPTURE_MODE_RELAXED));
	DO(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, 0, args, NULL));
	DO(cuStreamIsCapturing(0, &status));
	DO(cuStreamGetCaptureInfo(0, &now, NULL, NULL, NULL, NULL, NULL));
	DO(cuStreamEndCapture(0, &graph));
	CUDA_GRAPH_INSTANTIATE_PARAMS params = {};
	DO(cuGraphInstantiateWithParams(&exec, graph, &params));
	DO(cuGraphUpload(exec, 0));
	DO(cuGraphLaunch(exec, 0));
	DO(cuStreamSynchronize(0));
	DO(cuMemcpyDtoH(got, p, 16));
	say("capturing", "%d %d", status, now);
	show("captured", got, 4);
	DO(cuGraphExecDestroy(exec));
	DO(cuGraphDestroy(graph));
	DO(cuEventDestroy(e));
	DO(cuEventDestroy(e2));
	DO(cuArrayDestroy(array));
	DO(cuArrayDestroy(other));
	DO(cuMemFree(p));
	DO(cuMemFree(q));
	DO(cuDevicePrimaryCtxRelease(device));
	return 0;
}

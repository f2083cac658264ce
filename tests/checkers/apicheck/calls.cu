/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the CUDA API that fail, or that count on what is not so. */
#include "../case.cuh"

__global__ void nothing() {}

CASE(too_many_threads)
{
	nothing<<<1, 2048>>>(); // EXPECT too_many_threads: api-error EXPECT too_many_threads: unchecked-error
}
// SAYS(too_many_threads): A block of (2048,1,1) threads: the device takes (1024,1024,64) at most, and 1024 in all
CASE(too_many_threads_fixed) { nothing<<<1, 1024>>>(); }

CASE(copy_too_long)
{
	char *a, host[200] = {0};
	cudaMalloc(&a, 100);
	cudaMemcpy(a, host, 101, cudaMemcpyHostToDevice); // EXPECT copy_too_long: api-error
	cudaFree(a);
}
// SAYS(copy_too_long): leave the allocation of 100 bytes at
CASE(copy_too_long_fixed)
{
	char *a, host[200] = {0};
	cudaMalloc(&a, 100);
	cudaMemcpy(a, host, 100, cudaMemcpyHostToDevice);
	cudaFree(a);
}

CASE(wrong_way)
{
	char *a, host[100] = {0};
	cudaMalloc(&a, 100);
	cudaMemcpy(a, host, 100, cudaMemcpyDeviceToHost); // EXPECT wrong_way: api-error
	// SAYS(wrong_way): is to be device memory by the call, and is host memory
	cudaFree(a);
}
CASE(wrong_way_fixed)
{
	char *a, host[100] = {0};
	cudaMalloc(&a, 100);
	cudaMemcpy(a, host, 100, cudaMemcpyHostToDevice);
	cudaFree(a);
}

CASE(narrow_pitch)
{
	char *a, host[2][100] = {};
	size_t pitch;
	cudaMallocPitch((void **)&a, &pitch, 100, 2);
	cudaMemcpy2D(a, pitch, host, 50, 100, 2, cudaMemcpyHostToDevice); // EXPECT narrow_pitch: api-error
	// SAYS(narrow_pitch): Rows of 100 bytes do not fit the source's pitch of 50 bytes
	cudaFree(a);
}
CASE(narrow_pitch_fixed)
{
	char *a, host[2][100] = {};
	size_t pitch;
	cudaMallocPitch((void **)&a, &pitch, 100, 2);
	cudaMemcpy2D(a, pitch, host, 100, 100, 2, cudaMemcpyHostToDevice);
	cudaFree(a);
}

CASE(set_too_long)
{
	char *a;
	cudaMalloc(&a, 100);
	cudaMemset(a, 0, 101); // EXPECT set_too_long: api-error
	cudaFree(a);
}
CASE(set_too_long_fixed)
{
	char *a;
	cudaMalloc(&a, 100);
	cudaMemset(a, 0, 100);
	cudaFree(a);
}

CASE(no_such_device)
{
	cudaSetDevice(99); // EXPECT no_such_device: api-error
}
CASE(no_such_device_fixed) { cudaSetDevice(0); }

CASE(not_a_symbol)
{
	static int host;
	int v = 0;
	cudaMemcpyToSymbol(host, &v, sizeof v); // EXPECT not_a_symbol: api-error
}
__device__ int symbol;
CASE(not_a_symbol_fixed)
{
	int v = 0;
	cudaMemcpyToSymbol(symbol, &v, sizeof v);
}

CASE(too_much_shared)
{
	nothing<<<1, 1, 1 << 20>>>(); // EXPECT too_much_shared: api-error EXPECT too_much_shared: unchecked-error
}
// SAYS(too_much_shared): 1048576 bytes of dynamic and 0 of static shared memory: a block may have 232448 in all
CASE(too_much_shared_fixed) { nothing<<<1, 1, 1 << 10>>>(); }

/* "Not yet" is an answer, and asking for an earlier error is no error. */
CASE(query_fixed)
{
	cudaStream_t s;
	cudaStreamCreate(&s);
	nothing<<<1, 1, 0, s>>>();
	cudaStreamQuery(s);
	cudaStreamSynchronize(s);
	cudaStreamDestroy(s);
	cudaGetLastError();
}

/* ---- errors that nobody looked at ------------------------------------------- */

/* The first kernel never ran; the second one's result is asked for by somebody else. */
CASE(nobody_asked)
{
	nothing<<<1, 4096>>>(); // EXPECT nobody_asked: api-error EXPECT nobody_asked: unchecked-error
	nothing<<<1, 1>>>();
	cudaDeviceSynchronize();
}
CASE(nobody_asked_fixed)
{
	nothing<<<1, 1024>>>();
	if (cudaPeekAtLastError() != cudaSuccess)
		puts("failed");
	cudaDeviceSynchronize();
}

/* Asked too early: before the launch that fails. */
CASE(asked_early)
{
	cudaGetLastError();
	nothing<<<1, 4096>>>(); // EXPECT asked_early: api-error EXPECT asked_early: unchecked-error
}

/* The program has looked, and goes on: the failed call is still told, and nothing else. */
CASE(asked)
{
	nothing<<<1, 4096>>>(); // EXPECT asked: api-error
	if (cudaGetLastError() != cudaSuccess)
		puts("as expected");
}

/* cudaLaunchKernel() returns its result to the program. */
CASE(returned)
{
	if (cudaLaunchKernel((const void *)nothing, dim3(1), dim3(4096), nullptr, 0, nullptr)) // EXPECT returned: api-error
		puts("as expected");
}

/* ---- destroyed handles ------------------------------------------------------ */

CASE(destroyed_stream)
{
	cudaStream_t s;
	cudaStreamCreate(&s);
	cudaStreamDestroy(s);
	cudaStreamSynchronize(s); // EXPECT destroyed_stream: api-error EXPECT destroyed_stream: destroyed-handle
}
CASE(destroyed_stream_fixed)
{
	cudaStream_t s;
	cudaStreamCreate(&s);
	cudaStreamSynchronize(s);
	cudaStreamDestroy(s);
}

CASE(destroyed_event)
{
	cudaEvent_t e;
	cudaEventCreate(&e);
	cudaEventDestroy(e);
	cudaEventRecord(e); // EXPECT destroyed_event: api-error EXPECT destroyed_event: destroyed-handle
}
CASE(destroyed_event_fixed)
{
	cudaEvent_t e;
	cudaEventCreate(&e);
	cudaEventRecord(e);
	cudaEventDestroy(e); /* what was recorded may still be on its way */
	cudaDeviceSynchronize();
}

CASE(destroyed_graph)
{
	cudaGraph_t g;
	cudaGraphExec_t x;
	cudaGraphCreate(&g, 0);
	cudaGraphDestroy(g);
	cudaGraphInstantiate(&x, g, 0); // EXPECT destroyed_graph: api-error EXPECT destroyed_graph: destroyed-handle
}
CASE(destroyed_graph_fixed)
{
	cudaGraph_t g;
	cudaGraphExec_t x;
	cudaGraphCreate(&g, 0);
	cudaGraphInstantiate(&x, g, 0);
	cudaGraphDestroy(g); /* the executable graph is a copy */
	cudaGraphLaunch(x, 0);
	cudaDeviceSynchronize();
	cudaGraphExecDestroy(x);
}

CASE(destroyed_exec)
{
	cudaGraph_t g;
	cudaGraphExec_t x;
	cudaGraphCreate(&g, 0);
	cudaGraphInstantiate(&x, g, 0);
	cudaGraphExecDestroy(x);
	cudaGraphLaunch(x, 0); // EXPECT destroyed_exec: api-error EXPECT destroyed_exec: destroyed-handle
	cudaGraphDestroy(g);
}
CASE(destroyed_exec_fixed)
{
	cudaGraph_t g;
	cudaGraphExec_t x;
	cudaGraphCreate(&g, 0);
	cudaGraphInstantiate(&x, g, 0);
	cudaGraphLaunch(x, 0);
	cudaDeviceSynchronize();
	cudaGraphExecDestroy(x);
	cudaGraphDestroy(g);
}

CASE(destroyed_array)
{
	cudaArray_t a;
	float data[4] = {0};
	cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
	cudaMallocArray(&a, &d, 4);
	cudaFreeArray(a);
	cudaMemcpy2DToArray(a, 0, 0, data, 16, 16, 1, cudaMemcpyHostToDevice); // EXPECT destroyed_array: api-error EXPECT destroyed_array: destroyed-handle
}
CASE(destroyed_array_fixed)
{
	cudaArray_t a;
	float data[4] = {0};
	cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
	cudaMallocArray(&a, &d, 4);
	cudaMemcpy2DToArray(a, 0, 0, data, 16, 16, 1, cudaMemcpyHostToDevice);
	cudaFreeArray(a);
}

static cudaTextureObject_t texture_of(cudaArray_t a)
{
	cudaResourceDesc r = {};
	cudaTextureDesc t = {};
	cudaTextureObject_t ret;
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	cudaCreateTextureObject(&ret, &r, &t, nullptr);
	return ret;
}
/* A GPU lets the second destruction pass. */
CASE(destroyed_texture)
{
	cudaArray_t a;
	cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
	cudaMallocArray(&a, &d, 4);
	cudaTextureObject_t t = texture_of(a);
	cudaDestroyTextureObject(t);
	cudaDestroyTextureObject(t); // EXPECT destroyed_texture: destroyed-handle
	cudaFreeArray(a);
}
CASE(destroyed_texture_fixed)
{
	cudaArray_t a;
	cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
	cudaMallocArray(&a, &d, 4);
	cudaTextureObject_t t = texture_of(a);
	cudaDestroyTextureObject(t);
	t = texture_of(a);
	cudaDestroyTextureObject(t);
	cudaFreeArray(a);
}

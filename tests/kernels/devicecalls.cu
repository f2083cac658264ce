/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's calls in device code: what launches, streams, events, copies answer; the order
 * of what a grid has launched; how many launches may wait.
 *
 * Flags: -rdc=true -lcudadevrt */
#include <cuda_runtime.h>

#include "case.cuh"

__device__ int log_at[64], log_n;
__device__ unsigned n_ran, n_failed, first_failed;

__global__ void nothing() {}
__global__ void __launch_bounds__(64) bounded() {}

__global__ void count()
{
	atomicAdd(&n_ran, 1u);
}

__global__ void mark(int value)
{
	int i = atomicAdd(&log_n, 1);
	if (i < 64)
		log_at[i] = value;
}

static __device__ void tell(const char *name)
{
	cudaError_t error = cudaGetLastError();
	printf("%s: %d %s\n", name, error, cudaGetErrorName(error));
}

__global__ void launches()
{
	nothing<<<1, 2048>>>();
	printf("peeking: %d %d\n", cudaPeekAtLastError(), cudaPeekAtLastError());
	tell("2048 threads");
	tell("the error is gone");
	nothing<<<0, 1>>>();
	tell("no blocks");
	nothing<<<1, 0>>>();
	tell("no threads");
	nothing<<<dim3(1, 70000), 1>>>();
	tell("70000 blocks in y");
	nothing<<<1, dim3(1, 1, 65)>>>();
	tell("65 threads in z");
	nothing<<<1, 1, 49152>>>();
	tell("48 KiB of shared memory");
	nothing<<<1, 1, 49153>>>();
	tell("one byte more");
	bounded<<<1, 65>>>();
	tell("beyond the launch bounds");
	nothing<<<1, 1, 0, (cudaStream_t)0x1234>>>();
	tell("no stream");
	nothing<<<1, 1, 0, cudaStreamPerThread>>>();
	tell("the stream per thread");
	nothing<<<1, 1, 0, cudaStreamLegacy>>>();
	tell("the legacy stream");
}

__global__ void handles()
{
	cudaStream_t stream;
	cudaEvent_t event;
	printf("stream with default flags: %d\n", cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
	printf("stream: %d\n", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	nothing<<<1, 1, 0, stream>>>();
	tell("launch in it");
	printf("event with timing: %d\n", cudaEventCreateWithFlags(&event, cudaEventDefault));
	tell("which is an error");
	printf("event: %d\n", cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	printf("record: %d\n", cudaEventRecord(event, stream));
	printf("wait: %d\n", cudaStreamWaitEvent(0, event, 0));
	printf("event destroyed: %d\n", cudaEventDestroy(event));
	printf("stream destroyed: %d\n", cudaStreamDestroy(stream));
	printf("stream with wrong flags: %d\n", cudaStreamCreateWithFlags(&stream, 8));
	printf("null stream destroyed: %d\n", cudaStreamDestroy(0));
	printf("null event recorded: %d\n", cudaEventRecord(0, 0));
	tell("the last error");
}

__global__ void errors_of_threads()
{
	if (threadIdx.x == 0)
		nothing<<<1, 2048>>>();
	__syncthreads();
	if (threadIdx.x == 1)
		tell("another thread's error");
	__syncthreads();
	if (threadIdx.x == 0)
		tell("its own");
}

__global__ void questions()
{
	int value = 0;
	size_t limit;
	cudaFuncAttributes a;
	cudaError_t error = cudaGetDevice(&value);
	printf("device: %d %d\n", error, value);
	error = cudaRuntimeGetVersion(&value);
	printf("version: %d %d\n", error, value);
	for (int i = 0; i < 9; i++) {
		error = cudaDeviceGetLimit(&limit, (cudaLimit)i);
		if (i != cudaLimitDevRuntimePendingLaunchCount)
			printf("limit %d: %d %lld\n", i, error, (long long)limit);
	}
	tell("limits are no errors");
	error = cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0);
	printf("attribute: %d %d\n", error, value);
	printf("no attribute: %d\n", cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
	printf("no device: %d\n", cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 5));
	memset(&a, 0xee, sizeof a);
	error = cudaFuncGetAttributes(&a, bounded);
	printf("attributes: %d %d %d %d %d %d\n", error, (int)a.sharedSizeBytes, a.maxThreadsPerBlock,
	       a.ptxVersion, a.binaryVersion, a.cacheModeCA);
	error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, nothing, 256, 0);
	printf("occupancy: %d %d\n", error, value);
	printf("error's text: %s\n", cudaGetErrorString(cudaErrorInvalidConfiguration));
	printf("no error's name: %s\n", cudaGetErrorName((cudaError_t)12345));
}

__global__ void allocations()
{
	void *p = nullptr;
	cudaError_t error = cudaMalloc(&p, 100);
	printf("malloc: %d %d\n", error, p != nullptr);
	printf("free: %d %d\n", cudaFree(p), cudaFree(nullptr));
	printf("malloc of too much: %d\n", cudaMalloc(&p, 1ull << 34));
}

__global__ void copies(int *device, int *host)
{
	int own = 1;
	printf("set: %d\n", cudaMemsetAsync(device, 1, 16, 0));
	printf("copy: %d\n", cudaMemcpyAsync(device + 8, device, 16, cudaMemcpyDeviceToDevice, 0));
	printf("copy to the host: %d\n", cudaMemcpyAsync(host, device, 16, cudaMemcpyDeviceToHost, 0));
	printf("copy of a local variable: %d\n",
	       cudaMemcpyAsync(device, &own, 4, cudaMemcpyDeviceToDevice, 0));
	printf("copy of nothing: %d\n", cudaMemcpyAsync(device, device + 8, 0, cudaMemcpyDeviceToDevice, 0));
	printf("copy of no kind: %d\n", cudaMemcpyAsync(device, device + 8, 16, (cudaMemcpyKind)77, 0));
}

struct large {
	int v[300];
};

__global__ void take(const char *name, large l, char c, double d)
{
	printf("%s: %d %d %c %g\n", name, l.v[0], l.v[299], c, d);
}

__global__ void parameters()
{
	large l;
	for (int i = 0; i < 300; i++)
		l.v[i] = i;
	take<<<1, 1>>>("parameters", l, 'x', 2.5);
	char *buffer = (char *)cudaGetParameterBuffer(8, 1224);
	*(const char **)buffer = "a buffer of parameters";
	l.v[0] = 77;
	*(large *)(buffer + 8) = l;
	buffer[1208] = 'y';
	*(double *)(buffer + 1216) = 3.5;
	cudaLaunchDevice((void *)take, buffer, 1, 1, 0, 0);
}

__device__ void (*table[2])(int) = {mark, mark};

__global__ void pointers()
{
	void (*kernel)(int) = mark;
	kernel<<<1, 1>>>(5);
	table[1]<<<1, 1>>>(6);
}

__global__ void by_warps()
{
	for (int i = 0; i < 4; i++) {
		if (threadIdx.x == 32 * i)
			mark<<<1, 1>>>(i);
		__syncthreads();
	}
}

__global__ void with_tail(int value)
{
	mark<<<1, 1, 0, cudaStreamTailLaunch>>>(value + 1);
	mark<<<1, 1>>>(value);
}

__global__ void tails()
{
	with_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(10);
	with_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(20);
	with_tail<<<1, 1>>>(1);
}

__global__ void deep(int depth);

__global__ void without_parameters()
{
	cudaLaunchDevice((void *)deep, nullptr, 1, 1, 0, 0);
}

__global__ void deep(int depth)
{
	mark<<<1, 1>>>(depth);
	if (depth < 40)
		deep<<<1, 1>>>(depth + 1);
}

__global__ void many(int n, cudaStream_t stream)
{
	for (int i = 0; i < n; i++) {
		count<<<1, 1, 0, stream>>>();
		cudaError_t error = cudaGetLastError();
		if (error && !atomicAdd(&n_failed, 1u))
			first_failed = error * 100000 + i;
	}
}

__global__ void at_once()
{
	count<<<1, 1>>>();
	cudaError_t error = cudaGetLastError();
	if (error && !atomicAdd(&n_failed, 1u))
		first_failed = error;
}

static void say_counts(const char *name)
{
	unsigned ran, failed, first, none = 0;
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpyFromSymbol(&ran, n_ran, sizeof ran));
	CHECK(cudaMemcpyFromSymbol(&failed, n_failed, sizeof failed));
	CHECK(cudaMemcpyFromSymbol(&first, first_failed, sizeof first));
	say(name, "%u %u %u", ran, failed, first);
	CHECK(cudaMemcpyToSymbol(n_ran, &none, sizeof none));
	CHECK(cudaMemcpyToSymbol(n_failed, &none, sizeof none));
	CHECK(cudaMemcpyToSymbol(first_failed, &none, sizeof none));
}

/* A GPU may begin one or two while the others are made. */
static void say_crowd(const char *name)
{
	unsigned ran, failed, first, none = 0;
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpyFromSymbol(&ran, n_ran, sizeof ran));
	CHECK(cudaMemcpyFromSymbol(&failed, n_failed, sizeof failed));
	CHECK(cudaMemcpyFromSymbol(&first, first_failed, sizeof first));
	say(name, "%d %u %u", ran >= 2048 && ran < 2100, ran + failed, first);
	CHECK(cudaMemcpyToSymbol(n_ran, &none, sizeof none));
	CHECK(cudaMemcpyToSymbol(n_failed, &none, sizeof none));
	CHECK(cudaMemcpyToSymbol(first_failed, &none, sizeof none));
}

static void say_log(const char *name)
{
	int n = 0, list[64];
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpyFromSymbol(&n, log_n, sizeof n));
	CHECK(cudaMemcpyFromSymbol(list, log_at, sizeof list));
	show(name, list, n < 64 ? n : 64);
	n = 0;
	CHECK(cudaMemcpyToSymbol(log_n, &n, sizeof n));
}

int main()
{
	int *device, *host;
	CHECK(cudaMalloc(&device, 256));
	CHECK(cudaHostAlloc(&host, 256, 0));
	launches<<<1, 1>>>();
	handles<<<1, 1>>>();
	errors_of_threads<<<1, 64>>>();
	questions<<<1, 1>>>();
	allocations<<<1, 1>>>();
	copies<<<1, 1>>>(device, host);
	parameters<<<1, 1>>>();
	CHECK(cudaDeviceSynchronize());
	pointers<<<1, 1>>>();
	say_log("kernels by pointers");
	by_warps<<<1, 128>>>();
	say_log("a block's launches are in order");
	tails<<<1, 1>>>();
	say_log("tail launches");
	many<<<1, 1>>>(6000, 0);
	say_counts("6000 by a thread");
	many<<<1, 1>>>(6000, cudaStreamFireAndForget);
	say_counts("6000 to fire and forget");
	many<<<1, 1>>>(3000, cudaStreamTailLaunch);
	say_counts("3000 in the tail");
	at_once<<<64, 128>>>();
	say_crowd("8192 at once");
	CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 100));
	many<<<1, 1>>>(1000, 0);
	say_counts("1000 by a thread, 100 may wait");
	many<<<1, 1>>>(300, cudaStreamTailLaunch);
	say_counts("300 in the tail, 100 may wait");
	CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 16384));
	at_once<<<64, 128>>>();
	say_counts("8192 at once, 16384 may wait");
	deep<<<1, 1>>>(0);
	CHECK(cudaDeviceSynchronize());
	int n;
	CHECK(cudaMemcpyFromSymbol(&n, log_n, sizeof n));
	say("41 deep", "%d", n);
	/* Last: the context is of no use after it. */
	without_parameters<<<1, 1>>>();
	say("a launch without its parameters", "%s", cudaGetErrorName(cudaDeviceSynchronize()));
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Absurd arguments: sums that wrap, handles that are none. Each has to be refused,
 * and the device has to work afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cuda_runtime_api.h>

#define REFUSED(call) assert_int_not_equal((call), cudaSuccess)
#define OK(call) assert_int_equal((call), cudaSuccess)

static char *device_memory;
static char host_memory[4096];

static int set_up(void **state)
{
	(void)state;
	return cudaMalloc((void **)&device_memory, 4096) != cudaSuccess;
}

/* After each test a copy there and back still works. */
static int still_works(void **state)
{
	(void)state;
	int in = rand(), out = 0;
	cudaGetLastError();
	return cudaMemcpy(device_memory, &in, sizeof in, cudaMemcpyHostToDevice) ||
	       cudaMemcpy(&out, device_memory, sizeof out, cudaMemcpyDeviceToHost) ||
	       in != out;
}

static void sums_that_wrap(void **state)
{
	(void)state;
	const size_t half = SIZE_MAX / 2;
	void *p;
	size_t pitch;
	REFUSED(cudaMemset(device_memory, 0, SIZE_MAX));
	REFUSED(cudaMemset(device_memory + 1, 0, SIZE_MAX));
	REFUSED(cudaMemset2D(device_memory, half, 0, 1, 4));
	REFUSED(cudaMemset2D(device_memory, 64, 0, 64, SIZE_MAX / 64 + 2));
	REFUSED(cudaMemcpy2D(device_memory, half, host_memory, 64, 1, 4, cudaMemcpyHostToDevice));
	REFUSED(cudaMallocPitch(&p, &pitch, SIZE_MAX, 1));
	REFUSED(cudaMallocPitch(&p, &pitch, SIZE_MAX - 600, 1));
	REFUSED(cudaMallocPitch(&p, &pitch, 512, SIZE_MAX / 256));
	REFUSED(cudaMalloc(&p, SIZE_MAX - 100));
	REFUSED(cudaMallocManaged(&p, SIZE_MAX - 100, cudaMemAttachGlobal));
	REFUSED(cudaHostAlloc(&p, SIZE_MAX - 100, 0));
	REFUSED(cudaMallocAsync(&p, SIZE_MAX - 100, 0));
	REFUSED(cudaHostRegister(host_memory, SIZE_MAX - 100, 0));
	struct cudaPitchedPtr area = {device_memory, half, 1, 4};
	REFUSED(cudaMemset3D(area, 0, (struct cudaExtent){1, 4, 4}));
	struct cudaPitchedPtr cube;
	REFUSED(cudaMalloc3D(&cube, (struct cudaExtent){1, half, 4}));
}

static void handles_that_are_none(void **state)
{
	(void)state;
	cudaStream_t stream = (cudaStream_t)(uintptr_t)0x1234567;
	cudaEvent_t event = (cudaEvent_t)(uintptr_t)0x1234567;
	cudaGraph_t graph = (cudaGraph_t)(uintptr_t)0x1234567;
	cudaGraphExec_t exec = (cudaGraphExec_t)(uintptr_t)0x1234567;
	cudaMemPool_t pool = (cudaMemPool_t)(uintptr_t)0x1234567;
	size_t n;
	void *p;
	REFUSED(cudaStreamSynchronize(stream));
	REFUSED(cudaStreamDestroy(stream));
	REFUSED(cudaMemcpyAsync(device_memory, host_memory, 4, cudaMemcpyHostToDevice, stream));
	REFUSED(cudaEventRecord(event, 0));
	REFUSED(cudaEventDestroy(event));
	REFUSED(cudaEventSynchronize(event));
	REFUSED(cudaStreamWaitEvent(0, event, 0));
	REFUSED(cudaGraphDestroy(graph));
	REFUSED(cudaGraphGetNodes(graph, NULL, &n));
	REFUSED(cudaGraphLaunch(exec, 0));
	REFUSED(cudaGraphExecDestroy(exec));
	REFUSED(cudaMallocFromPoolAsync(&p, 16, pool, 0));
	REFUSED(cudaMemPoolDestroy(pool));
	REFUSED(cudaFree((void *)(uintptr_t)0x1234567));
	REFUSED(cudaLaunchKernel(host_memory, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0));
}

/* A handle is worth nothing once its thing is gone. */
static void handles_of_what_is_gone(void **state)
{
	(void)state;
	cudaStream_t stream;
	cudaEvent_t event;
	void *p;
	OK(cudaStreamCreate(&stream));
	OK(cudaStreamDestroy(stream));
	REFUSED(cudaStreamSynchronize(stream));
	REFUSED(cudaStreamDestroy(stream));
	OK(cudaEventCreate(&event));
	OK(cudaEventDestroy(event));
	REFUSED(cudaEventRecord(event, 0));
	REFUSED(cudaEventDestroy(event));
	OK(cudaMalloc(&p, 1 << 21));
	OK(cudaFree(p));
	REFUSED(cudaFree(p));
	REFUSED(cudaMemset(p, 0, 16));
	OK(cudaMallocAsync(&p, 64, 0));
	OK(cudaFreeAsync(p, 0));
	OK(cudaDeviceSynchronize());
	REFUSED(cudaFree(p));
}

/* Many small ones, freed in another order, leave nothing behind. */
static void memory_comes_back(void **state)
{
	(void)state;
	enum { N = 3000 };
	static void *p[N];
	size_t before, after, total;
	OK(cudaMemGetInfo(&before, &total));
	for (int i = 0; i < N; i++)
		OK(cudaMalloc(&p[i], 1 + (size_t)i * 997 % 70000));
	for (int i = 0; i < N; i++)
		OK(cudaFree(p[i * 7 % N]));
	OK(cudaMemGetInfo(&after, &total));
	assert_int_equal(before, after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(sums_that_wrap, still_works),
		cmocka_unit_test_teardown(handles_that_are_none, still_works),
		cmocka_unit_test_teardown(handles_of_what_is_gone, still_works),
		cmocka_unit_test_teardown(memory_comes_back, still_works),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}

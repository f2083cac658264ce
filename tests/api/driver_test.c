/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the driver API that is done, beside the runtime API, through the
 * toolkit's own cuda.h. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <cuda.h>
#include <cuda_runtime_api.h>

static const char *const names[] = {
#define X(name) #name,
#include "driver_names.def"
#undef X
};

static void every_function_exists(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!dlsym(RTLD_DEFAULT, names[i]))
			fail_msg("%s is missing", names[i]);
}

static void devices(void **state)
{
	(void)state;
	CUdevice device = -1;
	int n = -1, value = 0, version = 0;
	char name[64] = "";
	size_t total = 0;
	assert_int_equal(cuInit(0), CUDA_SUCCESS);
	assert_int_equal(cuInit(1), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuDriverGetVersion(&version), CUDA_SUCCESS);
	assert_int_equal(version, CUDA_VERSION);
	assert_int_equal(cuDeviceGetCount(&n), CUDA_SUCCESS);
	assert_int_equal(n, 1);
	assert_int_equal(cuDeviceGet(&device, 0), CUDA_SUCCESS);
	assert_int_equal(device, 0);
	assert_int_equal(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
	assert_int_equal(cuDeviceGetName(name, sizeof name, 0), CUDA_SUCCESS);
	assert_string_equal(name, "NVIDIA H200");
	assert_int_equal(cuDeviceGetName(name, 7, 0), CUDA_SUCCESS);
	assert_string_equal(name, "NVIDIA");
	assert_int_equal(cuDeviceTotalMem(&total, 0), CUDA_SUCCESS);
	assert_int_equal(total, 150109880320);
	assert_int_equal(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0),
			 CUDA_SUCCESS);
	assert_int_equal(value, 132);
}

static void memory_is_the_runtimes(void **state)
{
	(void)state;
	CUcontext context = NULL, current = NULL;
	CUdeviceptr p = 0;
	int in = 1234, out = 0;
	assert_int_equal(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
	assert_int_equal(cuCtxSetCurrent(context), CUDA_SUCCESS);
	assert_int_equal(cuCtxGetCurrent(&current), CUDA_SUCCESS);
	assert_ptr_equal(current, context);
	assert_int_equal(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemAlloc(&p, (size_t)1 << 45), CUDA_ERROR_OUT_OF_MEMORY);
	assert_int_equal(cuMemAlloc(&p, sizeof in), CUDA_SUCCESS);
	assert_int_equal(cuMemcpyHtoD(p, &in, sizeof in), CUDA_SUCCESS);
	assert_int_equal(cudaMemcpy(&out, (void *)p, sizeof out, cudaMemcpyDeviceToHost),
			 cudaSuccess);
	assert_int_equal(out, 1234);
	assert_int_equal(cuMemFree(p), CUDA_SUCCESS);
	assert_int_equal(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuCtxSynchronize(), CUDA_SUCCESS);
}

/* Programs older than CUDA 13 call the second versions without a context. A driver's answer to an
 * address of none is a crash, or 201. */
static void no_context_is_the_current_one(void **state)
{
	(void)state;
	CUcontext context = NULL;
	CUdevice device = -1;
	int none;
	assert_int_equal(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
	assert_int_equal(cuCtxSetCurrent(context), CUDA_SUCCESS);
	assert_int_equal(cuCtxGetDevice_v2(&device, (CUcontext)&none), CUDA_SUCCESS);
	assert_int_equal(device, 0);
	assert_int_equal(cuCtxSynchronize_v2((CUcontext)&none), CUDA_SUCCESS);
	assert_int_equal(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
}

static void errors_have_names_and_texts(void **state)
{
	(void)state;
	const char *text = NULL;
	assert_int_equal(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
	assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
	assert_int_equal(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
	assert_string_equal(text, "out of memory");
	assert_int_equal(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
	assert_null(text);
}

static void what_is_no_module(void **state)
{
	(void)state;
	CUmodule module;
	assert_int_equal(cuModuleLoad(&module, "no/kernel.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
	assert_int_equal(cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuModuleLoadData(&module, "no code at all"), CUDA_ERROR_INVALID_IMAGE);
	assert_int_equal(cuModuleUnload((CUmodule)&module), CUDA_ERROR_INVALID_HANDLE);
}

/* Last, as the device fails. */
static void words_in_memory_that_has_gone(void **state)
{
	(void)state;
	CUdeviceptr p = 0;
	CUgraph graph;
	CUgraphNode node;
	CUgraphExec exec;
	CUDA_BATCH_MEM_OP_NODE_PARAMS params = {.count = 1};
	CUstreamBatchMemOpParams word = {0};
	assert_int_equal(cuCtxGetCurrent(&params.ctx), CUDA_SUCCESS);
	assert_int_equal(cuMemAlloc(&p, 64), CUDA_SUCCESS);
	word.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	word.writeValue.address = p;
	params.paramArray = &word;
	assert_int_equal(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
	assert_int_equal(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params), CUDA_SUCCESS);
	assert_int_equal(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
	assert_int_equal(cuGraphLaunch(exec, 0), CUDA_SUCCESS);
	assert_int_equal(cuCtxSynchronize(), CUDA_SUCCESS);
	assert_int_equal(cuMemFree(p), CUDA_SUCCESS);
	assert_int_equal(cuGraphLaunch(exec, 0), CUDA_SUCCESS);
	assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_function_exists),
		cmocka_unit_test(devices),
		cmocka_unit_test(memory_is_the_runtimes),
		cmocka_unit_test(no_context_is_the_current_one),
		cmocka_unit_test(errors_have_names_and_texts),
		cmocka_unit_test(what_is_no_module),
		cmocka_unit_test(words_in_memory_that_has_gone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

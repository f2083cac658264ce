/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - cudasim_call_kernel(). */
#include "cudasim/call.h"

#include "api.h"
#include "direct.h"
#include "fault_signals.h"
#include "choice.h"
#include "library.h"
#include "launch.h"

static cudaError_t launch_and_wait(const void *kernel, void **arguments)
{
	cudaError_t error = cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0,
					     0);
	return error ? error : cudaDeviceSynchronize();
}

/* As launch_and_wait(), with the real library. */
static cudaError_t launch_on_gpu(const void *kernel, void **arguments)
{
	cudaError_t (*launch)(const void *, dim3, dim3, void **, size_t, cudaStream_t);
	cudaError_t (*wait)(void);
	*(void **)&launch = library_function("cudaLaunchKernel");
	*(void **)&wait = library_function("cudaDeviceSynchronize");
	if (!launch || !wait)
		return cudaErrorNotSupported;
	cudaError_t error = launch(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, 0);
	return error ? error : wait();
}

int cudasim_call_kernel(const void *kernel, void **arguments)
{
	if (gpu_in_use())
		return launch_on_gpu(kernel, arguments);
	cudaError_t error = api_context();
	const struct function *function = direct_last(kernel);
	if (!error && !function) {
		struct function *found;
		work_start_scheduler();
		error = registry_function(kernel, &found);
		function = found;
	}
	if (error)
		return error;
	struct device *device = device_current();
	if (!direct_possible(device, function))
		return launch_and_wait(kernel, arguments);
	int ret = direct_run(device, function, arguments);
	if (ret == DIRECT_WATCHED)
		return launch_and_wait(kernel, arguments);
	if (printf_waits(device))
		printf_flush(device);
	return ret;
}

int cudasim_on_gpu(void)
{
	return gpu_in_use();
}

void cudasim_claim_signals(void)
{
	if (!gpu_in_use())
		fault_install();
}

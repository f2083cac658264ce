/* SPDX-License-Identifier: Apache-2.0 */
/* api.h - what every function of the CUDA runtime API begins and ends with.
 *
 *	cudaError_t cudaThing(int x)
 *	{
 *		API_BEGIN_CONTEXT;
 *		return API_END(do_thing(x));
 *	}
 *
 * API_BEGIN announces the call; API_BEGIN_CONTEXT also makes the current device
 * ready and answers the sticky error of a context that has died. API_END
 * announces the result and keeps it for cudaGetLastError(). Nested calls are
 * announced once, by the outermost. Errors of the driver API (cuThing) are not for
 * cudaGetLastError(). */
#ifndef CUDASIM_SIM_API_API_H
#define CUDASIM_SIM_API_API_H

/* The functions are our exports. */
#pragma GCC diagnostic ignored                                                                     \
	"-Wdeprecated-declarations" /* some are on their way out, and done all the same */
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop
#include <stdbool.h>
#include <stdint.h>

#include "device.h"
#include "graph.h"
#include "stream.h"

/* For exports that the header does not declare. */
#define API_EXPORT __attribute__((visibility("default")))

struct api_call {
	const char *name; /* NULL for a nested call */
	uint64_t pc;
	uint64_t start_ns;
};

void api_begin(struct api_call *call, const char *name, void *pc);
cudaError_t api_end(struct api_call *call, cudaError_t result);
/* The current device is ready for use, or why not. */
cudaError_t api_context(void);
/* The calling thread's call is one of the driver API. */
bool api_of_driver(void);
/* A kernel has ended the current device's context. */
bool api_is_dead(void);

#define API_BEGIN                                                                                  \
	struct api_call api_call_;                                                                 \
	api_begin(&api_call_, __func__, __builtin_return_address(0))
#define API_BEGIN_CONTEXT                                                                          \
	API_BEGIN;                                                                                 \
	do {                                                                                       \
		cudaError_t error_ = api_context();                                                \
		if (error_)                                                                        \
			return API_END(error_);                                                    \
	} while (0)
/* For calls that may wait or allocate, which captures forbid. */
#define API_BEGIN_UNSAFE                                                                           \
	API_BEGIN_CONTEXT;                                                                         \
	do {                                                                                       \
		cudaError_t error_ = capture_check_unsafe();                                       \
		if (error_)                                                                        \
			return API_END(error_);                                                    \
	} while (0)
/* For calls that look at their handle first: a wrong one is told even after a kernel has died. */
#define API_BEGIN_HANDLE(good)                                                                     \
	API_BEGIN;                                                                                 \
	do {                                                                                       \
		cudaError_t error_ = api_context();                                                \
		if (error_)                                                                        \
			return API_END(api_is_dead() && !(good) ? cudaErrorInvalidResourceHandle   \
								: error_);                         \
	} while (0)
#define API_END(result) api_end(&api_call_, (result))

/* The address to which the CUDA call in progress on this thread will return, 0
 * if it is unknown, and its name. */
uint64_t api_pc(void);
const char *api_name(void);

/* Why the calling thread's call is about to fail, one line, for cudasim_api_reason(): at most
 * API_REASON - 1 bytes of it. */
enum { API_REASON = 256 };
void api_reason(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The calling thread's next call is made by the compiler's code for <<<>>>, which drops its
 * result. */
void api_unseen(void);

/* For calls that do nothing but tell of errors: announced, but they leave the last error
 * and are not nested. */
void api_announce(const char *name, void *pc);

/* The calling thread's last error. */
cudaError_t api_last_error(bool clear);
/* Say once per function that it is not done; returns cudaErrorNotSupported. */
cudaError_t api_unsupported(const char *what);

/* Submit to a stream by handle. Takes the work over. With `wait` the call
 * returns when the work is done. */
cudaError_t api_submit(cudaStream_t handle, struct work *work, bool wait);

/* Is the stream of this handle being captured? */
bool api_capturing(cudaStream_t handle);

/* What a synchronising call answers: the device's printf is flushed, and the
 * error that its work may have ended with comes out. */
cudaError_t api_synchronized(struct device *device);

#endif

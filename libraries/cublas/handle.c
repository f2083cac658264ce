/* SPDX-License-Identifier: Apache-2.0 */
/* handle.c - handles and what they keep, and the copies between host and device that ask for
 * none. */
#include "handle.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) sim_cublas##name

enum { VERSION = 130100 };
static const uint64_t magic = 0x73616c6275637563u;

struct handle *handle_of(void *handle)
{
	struct handle *h = handle;
	return h && h->magic == magic ? h : NULL;
}

int EXPORT(Create_v2)(struct handle **ret)
{
	int device;
	if (!ret)
		return INVALID_VALUE;
	if (cudaGetDevice(&device))
		return NOT_INITIALIZED;
	struct handle *h = calloc(1, sizeof *h);
	if (!h)
		return ALLOC_FAILED;
	h->magic = magic;
	*ret = h;
	return SUCCESS;
}

int EXPORT(Destroy_v2)(void *handle)
{
	struct handle *h = handle_of(handle);
	if (!h)
		return NOT_INITIALIZED;
	cudaStreamSynchronize(h->stream);
	h->magic = 0;
	free(h);
	return SUCCESS;
}

int EXPORT(GetVersion_v2)(void *handle, int *ret)
{
	if (!handle_of(handle))
		return NOT_INITIALIZED;
	if (!ret)
		return INVALID_VALUE;
	*ret = VERSION;
	return SUCCESS;
}

/* Major, minor, patch. */
int EXPORT(GetProperty)(int which, int *ret)
{
	if (!ret || which < 0 || which > 2)
		return INVALID_VALUE;
	*ret = which == 0 ? VERSION / 10000 : which == 1 ? VERSION / 100 % 100 : VERSION % 100;
	return SUCCESS;
}

size_t EXPORT(GetCudartVersion)(void)
{
	return CUDART_VERSION;
}

int EXPORT(SetStream_v2)(void *handle, cudaStream_t stream)
{
	struct handle *h = handle_of(handle);
	if (!h)
		return NOT_INITIALIZED;
	h->stream = stream;
	return SUCCESS;
}

int EXPORT(GetStream_v2)(void *handle, cudaStream_t *ret)
{
	struct handle *h = handle_of(handle);
	if (!h)
		return NOT_INITIALIZED;
	if (!ret)
		return INVALID_VALUE;
	*ret = h->stream;
	return SUCCESS;
}

/* Set and get a member; values from 0 to most. */
#define MEMBER(set, get, member, most)                                                             \
	int EXPORT(set)(void *handle, int value)                                                   \
	{                                                                                          \
		struct handle *h = handle_of(handle);                                              \
		if (!h)                                                                            \
			return NOT_INITIALIZED;                                                    \
		if (value < 0 || value > (most))                                                   \
			return INVALID_VALUE;                                                      \
		h->member = value;                                                                 \
		return SUCCESS;                                                                    \
	}                                                                                          \
	int EXPORT(get)(void *handle, int *ret)                                                    \
	{                                                                                          \
		struct handle *h = handle_of(handle);                                              \
		if (!h)                                                                            \
			return NOT_INITIALIZED;                                                    \
		if (!ret)                                                                          \
			return INVALID_VALUE;                                                      \
		*ret = h->member;                                                                  \
		return SUCCESS;                                                                    \
	}

MEMBER(SetPointerMode_v2, GetPointerMode_v2, pointer_mode, 1)
MEMBER(SetAtomicsMode, GetAtomicsMode, atomics_mode, 1)
MEMBER(SetMathMode, GetMathMode, math_mode, 0xffff)
MEMBER(SetSmCountTarget, GetSmCountTarget, sm_target, 0xffff)

/* Work space: nothing here needs any. */
int EXPORT(SetWorkspace_v2)(void *handle, void *space, size_t bytes)
{
	if (!handle_of(handle))
		return NOT_INITIALIZED;
	return (uintptr_t)space % 256 || (!space && bytes) ? INVALID_VALUE : SUCCESS;
}

/* ---- copies ------------------------------------------------------------------ */

/* n elements, those of `from` at increment from_step. */
static int copy_vector(int n, int bytes, const void *from, int from_step, void *to, int to_step,
		       enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
	size_t e = (size_t)bytes;
	if (n < 0 || bytes <= 0 || from_step <= 0 || to_step <= 0)
		return INVALID_VALUE;
	if (!n)
		return SUCCESS;
	cudaError_t error = cudaMemcpy2DAsync(to, (size_t)to_step * e, from, (size_t)from_step * e,
					      e, (size_t)n, kind, stream);
	if (!error && waits)
		error = cudaStreamSynchronize(stream);
	return error ? (cudaGetLastError(), MAPPING_ERROR) : SUCCESS;
}

static int copy_matrix(int rows, int columns, int bytes, const void *from, int from_ld, void *to,
		       int to_ld, enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
	size_t e = (size_t)bytes;
	if (rows < 0 || columns < 0 || bytes <= 0 || from_ld <= 0 || to_ld <= 0)
		return INVALID_VALUE; /* rows shorter than that are the copy's error, as on a GPU */
	if (!rows || !columns)
		return SUCCESS;
	cudaError_t error = cudaMemcpy2DAsync(to, (size_t)to_ld * e, from, (size_t)from_ld * e,
					      (size_t)rows * e, (size_t)columns, kind, stream);
	if (!error && waits)
		error = cudaStreamSynchronize(stream);
	return error ? (cudaGetLastError(), MAPPING_ERROR) : SUCCESS;
}

int EXPORT(SetVector)(int n, int bytes, const void *from, int from_step, void *to, int to_step)
{
	return copy_vector(n, bytes, from, from_step, to, to_step, cudaMemcpyHostToDevice, NULL,
			   true);
}

int EXPORT(GetVector)(int n, int bytes, const void *from, int from_step, void *to, int to_step)
{
	return copy_vector(n, bytes, from, from_step, to, to_step, cudaMemcpyDeviceToHost, NULL,
			   true);
}

int EXPORT(SetVectorAsync)(int n, int bytes, const void *from, int from_step, void *to, int to_step,
			   cudaStream_t stream)
{
	return copy_vector(n, bytes, from, from_step, to, to_step, cudaMemcpyHostToDevice, stream,
			   false);
}

int EXPORT(GetVectorAsync)(int n, int bytes, const void *from, int from_step, void *to, int to_step,
			   cudaStream_t stream)
{
	return copy_vector(n, bytes, from, from_step, to, to_step, cudaMemcpyDeviceToHost, stream,
			   false);
}

int EXPORT(SetMatrix)(int rows, int columns, int bytes, const void *from, int from_ld, void *to,
		      int to_ld)
{
	return copy_matrix(rows, columns, bytes, from, from_ld, to, to_ld, cudaMemcpyHostToDevice,
			   NULL, true);
}

int EXPORT(GetMatrix)(int rows, int columns, int bytes, const void *from, int from_ld, void *to,
		      int to_ld)
{
	return copy_matrix(rows, columns, bytes, from, from_ld, to, to_ld, cudaMemcpyDeviceToHost,
			   NULL, true);
}

int EXPORT(SetMatrixAsync)(int rows, int columns, int bytes, const void *from, int from_ld,
			   void *to, int to_ld, cudaStream_t stream)
{
	return copy_matrix(rows, columns, bytes, from, from_ld, to, to_ld, cudaMemcpyHostToDevice,
			   stream, false);
}

int EXPORT(GetMatrixAsync)(int rows, int columns, int bytes, const void *from, int from_ld,
			   void *to, int to_ld, cudaStream_t stream)
{
	return copy_matrix(rows, columns, bytes, from, from_ld, to, to_ld, cudaMemcpyDeviceToHost,
			   stream, false);
}

/* ---- words ------------------------------------------------------------------- */

/* Names as cublas_api.h has them. */
static const struct {
	int status;
	const char *name, *text;
} statuses[] = {
	{0, "CUBLAS_STATUS_SUCCESS", "success"},
	{1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
	{3, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
	{7, "CUBLAS_STATUS_INVALID_VALUE",
	 "an unsupported value or parameter was passed to the function"},
	{8, "CUBLAS_STATUS_ARCH_MISMATCH", "the device lacks a feature that the function needs"},
	{11, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
	{13, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
	{14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
	{15, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality is not supported"},
	{16, "CUBLAS_STATUS_LICENSE_ERROR", "the functionality requires a license"},
};

static const char *word(int status, bool name)
{
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
		if (statuses[i].status == status)
			return name ? statuses[i].name : statuses[i].text;
	return name ? "CUBLAS_STATUS_UNKNOWN" : "unknown status";
}

const char *EXPORT(GetStatusName)(int status)
{
	return word(status, true);
}

const char *EXPORT(GetStatusString)(int status)
{
	return word(status, false);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "call.h"

#include <assert.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

bool call_ok(const struct call *call)
{
	return call->status == SUCCESS;
}

bool call_fail(struct call *call, enum status status)
{
	if (call_ok(call))
		call->status = status;
	return false;
}

bool call_want(struct call *call, bool condition)
{
	return condition ? call_ok(call) : call_fail(call, INVALID_VALUE);
}

bool call_begin(struct call *call, void *handle, const char *name)
{
	enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
	*call = (struct call){.handle = handle_of(handle), .name = name};
	if (!call->handle)
		return call_fail(call, NOT_INITIALIZED);
	cudaStreamIsCapturing(call->handle->stream, &capture);
	if (capture != cudaStreamCaptureStatusNone) {
		fprintf(stderr, "cudasim: %s in a stream that is being captured is not simulated\n",
			name);
		return call_fail(call, NOT_SUPPORTED);
	}
	if (cudaStreamSynchronize(call->handle->stream))
		return call_fail(call, EXECUTION_FAILED);
	return true;
}

/* ---- copies ------------------------------------------------------------------ */

static bool copied(struct call *call, const void *device, cudaError_t error)
{
	if (!error)
		return true;
	if (call_ok(call))
		fprintf(stderr, "cudasim: %s: what it was given at %p: %s\n", call->name, device,
			cudaGetErrorString(error));
	cudaGetLastError(); /* it is this call's, and told by its status */
	return call_fail(call, EXECUTION_FAILED);
}

/* width bytes of each of height rows. */
static bool copy(struct call *call, char *device, size_t pitch, char *host, size_t width,
		 size_t height, bool in)
{
	cudaStream_t stream = call->handle->stream;
	cudaError_t error;
	if (!width || !height)
		return true;
	if (height == 1 || pitch == width)
		error = in ? cudaMemcpyAsync(host, device, width * height, cudaMemcpyDeviceToHost,
					     stream)
			   : cudaMemcpyAsync(device, host, width * height, cudaMemcpyHostToDevice,
					     stream);
	else
		error = in ? cudaMemcpy2DAsync(host, width, device, pitch, width, height,
					       cudaMemcpyDeviceToHost, stream)
			   : cudaMemcpy2DAsync(device, pitch, host, width, width, height,
					       cudaMemcpyHostToDevice, stream);
	return copied(call, device, error);
}

bool call_read(struct call *call, const void *device, void *to, size_t bytes)
{
	return call_ok(call) && copy(call, (char *)device, bytes, to, bytes, 1, true) &&
	       copied(call, device, cudaStreamSynchronize(call->handle->stream));
}

bool call_write(struct call *call, void *device, const void *from, size_t bytes)
{
	return call_ok(call) && copy(call, device, bytes, (char *)from, bytes, 1, false) &&
	       copied(call, device, cudaStreamSynchronize(call->handle->stream));
}

bool call_scalar(struct call *call, const void *from, void *to, size_t bytes)
{
	if (!call_want(call, from != NULL))
		return false;
	if (call->handle->pointer_mode == POINTERS_DEVICE)
		return call_read(call, from, to, bytes);
	memcpy(to, from, bytes);
	return true;
}

bool call_result(struct call *call, void *to, const void *from, size_t bytes)
{
	if (!call_want(call, to != NULL))
		return false;
	if (call->handle->pointer_mode == POINTERS_DEVICE)
		return call_write(call, to, from, bytes);
	memcpy(to, from, bytes);
	return true;
}

/* ---- operands ---------------------------------------------------------------- */

/* One element that stands for all: what is written last stays. */
static bool move_one(struct call *call, const struct operand *o, bool in)
{
	size_t e = o->element, last = (size_t)o->columns - 1;
	bool ok = copy(call, o->device, e, o->host + last * e, e, 1, in) &&
		  copied(call, o->device, cudaStreamSynchronize(call->handle->stream));
	for (size_t i = 0; in && i < last; i++)
		memcpy(o->host + i * e, o->host + last * e, e);
	return ok;
}

static bool move(struct call *call, const struct operand *o, bool in)
{
	size_t e = o->element;
	if (!o->ld)
		return move_one(call, o, in);
	if (o->fill == FILL_FULL)
		return copy(call, o->device, (size_t)o->ld * e, o->host, (size_t)o->rows * e,
			    (size_t)o->columns, in);
	bool ok = true;
	for (int j = 0; j < o->columns && ok; j++) {
		int first = o->fill == FILL_LOWER ? j : 0;
		int n = o->fill == FILL_LOWER ? o->rows - j : j + 1;
		ok = copy(call, o->device + ((size_t)o->ld * (size_t)j + (size_t)first) * e, 0,
			  o->host + ((size_t)o->rows * (size_t)j + (size_t)first) * e,
			  (size_t)n * e, 1, in);
	}
	return ok;
}

static void reverse(const struct operand *o)
{
	char swap[16];
	size_t e = o->element;
	for (size_t i = 0, j = (size_t)o->columns; j-- > i; i++) {
		memcpy(swap, o->host + i * e, e);
		memcpy(o->host + i * e, o->host + j * e, e);
		memcpy(o->host + j * e, swap, e);
	}
}

static void *operand(struct call *call, struct operand what)
{
	if (!call_ok(call))
		return NULL;
	assert(call->n < MOST_OPERANDS);
	struct operand *o = &call->operands[call->n++];
	*o = what;
	size_t bytes = (size_t)o->rows * (size_t)o->columns * o->element;
	o->host = calloc(bytes ? bytes : 1, 1);
	if (!o->host) {
		call_fail(call, ALLOC_FAILED);
		return NULL;
	}
	if (!bytes)
		return o->host;
	if (!call_want(call, o->device != NULL))
		return NULL;
	if (o->use & IN && (!move(call, o, true) ||
			    !copied(call, o->device, cudaStreamSynchronize(call->handle->stream))))
		return NULL;
	if (o->use & IN && o->reversed)
		reverse(o);
	return o->host;
}

void *call_matrix(struct call *call, const void *device, size_t element, int rows, int columns,
		  int64_t ld, enum use use)
{
	if (!call_want(call, rows >= 0 && columns >= 0 && ld >= at_least_1(rows)))
		return NULL;
	return operand(call, (struct operand){.device = (char *)device,
					      .element = element,
					      .rows = rows,
					      .columns = columns,
					      .ld = ld,
					      .fill = FILL_FULL,
					      .use = use});
}

void *call_triangle(struct call *call, const void *device, size_t element, int n, int64_t ld,
		    enum fill fill, enum use use)
{
	if (!call_want(call,
		       n >= 0 && ld >= at_least_1(n) && (fill == FILL_LOWER || fill == FILL_UPPER)))
		return NULL;
	return operand(call, (struct operand){.device = (char *)device,
					      .element = element,
					      .rows = n,
					      .columns = n,
					      .ld = ld,
					      .fill = fill,
					      .use = use});
}

/* Rows of one element, as far apart as the increment says; at increment 0 one for all. */
void *call_vector(struct call *call, const void *device, size_t element, int n, int increment,
		  enum use use)
{
	if (!call_want(call, n >= 0))
		return NULL;
	return operand(call, (struct operand){.device = (char *)device,
					      .element = element,
					      .rows = 1,
					      .columns = n,
					      .ld = increment < 0 ? -(int64_t)increment : increment,
					      .fill = FILL_FULL,
					      .reversed = increment < 0,
					      .use = use});
}

static void finish(struct call *call, struct operand *o)
{
	bool writes = o->use & OUT && o->host && o->rows && o->columns;
	if (call_ok(call) && writes) {
		if (o->reversed)
			reverse(o);
		if (move(call, o, false))
			copied(call, o->device, cudaStreamSynchronize(call->handle->stream));
	}
	free(o->host);
}

bool call_flush(struct call *call)
{
	for (int i = 0; i < call->n; i++)
		finish(call, &call->operands[i]);
	call->n = 0;
	return call_ok(call);
}

void *call_pointers(struct call *call, const void *device, int n)
{
	assert(call->n_lists < MOST_LISTS);
	void **list = malloc((size_t)at_least_1(n) * sizeof *list);
	if (!list)
		call_fail(call, ALLOC_FAILED);
	call->lists[call->n_lists++] = list;
	if (n > 0 && !(call_want(call, device != NULL) &&
		       call_read(call, device, list, (size_t)n * sizeof *list)))
		return NULL;
	return list;
}

int call_end(struct call *call)
{
	call_flush(call);
	for (int i = 0; i < call->n_lists; i++)
		free(call->lists[i]);
	call->n_lists = 0;
	return call->status;
}

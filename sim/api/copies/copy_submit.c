/* SPDX-License-Identifier: Apache-2.0 */
#include "copy_submit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "cudasim/inspect.h"
#include "graph.h"
#include "memory.h"
#include "pool.h"

/* Pageable sources up to this size are read at once and copied later, as a
 * driver's staging buffer allows; larger ones are waited for. Bytes. */
enum { STAGING_BYTES = 64 << 10 };

/* Where one side of a copy lies. */
struct side {
	bool device;   /* device or managed memory */
	bool pageable; /* host memory that CUDA does not know, or of one of the host's pools */
	bool pool;     /* the latter, and devices have access */
};

/* First and last byte of an area of rows lie in the same allocation. */
static bool fits(const struct allocation *a, const void *base, const struct cudasim_copy *what,
		 uint64_t pitch, uint64_t slice)
{
	uint64_t room = a->range.end - (uint64_t)(uintptr_t)base, slices, rows, length = UINT64_MAX;
	struct allocation next = *a;
	if (__builtin_mul_overflow(what->depth - 1, slice, &slices) ||
	    __builtin_mul_overflow(what->height - 1, pitch, &rows) ||
	    __builtin_add_overflow(slices, rows, &length) ||
	    __builtin_add_overflow(length, what->width, &length)) {
		api_reason("The copy is longer than all memory");
		return false;
	}
	/* What cuMemMap() shows side by side is one to a copy. */
	while (length > room && next.imported &&
	       memory_lookup((const void *)(uintptr_t)next.range.end, &next) && next.imported)
		room += next.range.end - next.range.start;
	if (length > room)
		api_reason("%" PRIu64 " bytes from %p on leave the allocation of %" PRIu64
			   " bytes at "
			   "%p: there are %" PRIu64,
			   length, base, a->range.end - a->range.start,
			   (void *)(uintptr_t)a->range.start, room);
	return length <= room;
}

static cudaError_t look(const void *base, const struct cudasim_copy *what, uint64_t pitch,
			uint64_t slice, struct side *ret)
{
	struct allocation a;
	*ret = (struct side){.pageable = true};
	if (!memory_lookup(base, &a))
		return cudaSuccess;
	ret->device = a.kind == CUDASIM_MEMORY_DEVICE || a.kind == CUDASIM_MEMORY_VARIABLE ||
		      a.kind == CUDASIM_MEMORY_MANAGED;
	ret->pageable = false;
	/* The device heap is not CUDA's to copy from. */
	if (a.kind == CUDASIM_MEMORY_HEAP)
		return cudaErrorInvalidValue;
	/* Memory of the host's pools is pageable to copies, but its size is known. */
	if (a.kind == CUDASIM_MEMORY_HOST && a.pool) {
		ret->pageable = true;
		ret->pool = !pool_forbids_memory(&a);
		return fits(&a, base, what, pitch, slice) ? cudaSuccess : cudaErrorInvalidValue;
	}
	/* Registered memory may be copied beyond what was registered. */
	if (ret->device && !fits(&a, base, what, pitch, slice))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

static bool empty(const struct cudasim_copy *what)
{
	return !what->width || !what->height || !what->depth;
}

static void not_device(const char *side, const void *address)
{
	struct cudasim_memory memory;
	bool inside, freed;
	api_reason("The %s, %p, is to be device memory by the call, and is %s", side, address,
		   cudasim_memory_find(address, &memory, &inside, &freed) && inside && freed
			   ? "memory that has been freed"
			   : "host memory that is not registered with CUDA");
}

cudaError_t copy_check(struct cudasim_copy *what, enum cudaMemcpyKind kind)
{
	struct side to, from;
	if (empty(what))
		return cudaSuccess;
	if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (!what->to || !what->from) {
		api_reason("The %s is a null pointer", what->to ? "source" : "destination");
		return cudaErrorInvalidValue;
	}
	/* The pitch of a single row may be 0. */
	bool rows = what->height > 1 || what->depth > 1;
	bool to_narrow = what->to_pitch < what->width && (rows || what->to_pitch);
	bool from_narrow = what->from_pitch < what->width && (rows || what->from_pitch);
	if (to_narrow || from_narrow) {
		api_reason("Rows of %" PRIu64 " bytes do not fit the %s's pitch of %" PRIu64
			   " bytes",
			   what->width, to_narrow ? "destination" : "source",
			   to_narrow ? what->to_pitch : what->from_pitch);
		return rows ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue;
	}
	cudaError_t error = look(what->to, what, what->to_pitch, what->to_slice, &to);
	if (!error)
		error = look(what->from, what, what->from_pitch, what->from_slice, &from);
	if (error)
		return error;

	/* The driver goes by the pointers; the kind may only not say "device" of
	 * pageable memory. So does an H200. */
	if (to.pageable && (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice)) {
		not_device("destination", what->to);
		return cudaErrorInvalidValue;
	}
	if (from.pageable && (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice)) {
		not_device("source", what->from);
		return cudaErrorInvalidValue;
	}
	what->direction = to.device ? (from.device ? cudaMemcpyDeviceToDevice
						   : cudaMemcpyHostToDevice)
				    : (from.device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
	return cudaSuccess;
}

cudaError_t set_check(const struct cudasim_copy *what)
{
	struct side to;
	if (empty(what))
		return cudaSuccess;
	if (!what->to)
		return cudaErrorInvalidValue;
	if ((what->height > 1 || what->depth > 1) && what->to_pitch < what->width)
		return cudaErrorInvalidValue;
	cudaError_t error = look(what->to, what, what->to_pitch, what->to_slice, &to);
	if (!error && to.pageable && !to.pool) {
		not_device("destination", what->to);
		error = cudaErrorInvalidValue;
	}
	return error;
}

/* What an Async copy may leave for later. */
enum lateness { AT_ONCE, STAGED, LATER };

static enum lateness lateness(const struct cudasim_copy *what, bool async)
{
	if (!async)
		return AT_ONCE;
	if (what->kind == CUDASIM_SET)
		return LATER;
	if (copy_waits(what))
		return AT_ONCE;
	if (!copy_pageable(what->from))
		return LATER;
	return what->width * what->height * what->depth <= STAGING_BYTES ? STAGED : AT_ONCE;
}

/* Read the source now. Without memory for that the copy is made at once. */
static bool stage(struct work *work)
{
	struct cudasim_copy *what = &work->copy.what;
	unsigned char *to = malloc(what->width * what->height * what->depth);
	work->copy.staging = to;
	if (!to)
		return false;
	for (uint64_t z = 0; z < what->depth; z++)
		for (uint64_t y = 0; y < what->height; y++, to += what->width)
			memcpy(to,
			       (const char *)what->from + z * what->from_slice +
				       y * what->from_pitch,
			       what->width);
	what->from = work->copy.staging;
	what->from_pitch = what->width;
	what->from_slice = what->width * what->height;
	return true;
}

/* The calling thread makes the copy itself when its turn comes: no switch to an
 * engine and back. */
static cudaError_t copy_now(struct stream *stream, const struct cudasim_copy *what)
{
	struct work work = {.kind = WORK_CALLER, .device = stream->device};
	struct operation *operation;
	cudaError_t error = stream_submit(stream, &work, NULL, &operation);
	if (error)
		return error;
	operation_wait_turn(operation);
	error = api_synchronized(stream->device);
	struct cudasim_copy seen = *what;
	seen.id = operation->id;
	if (!error)
		copy_run(&seen);
	operation_done(operation);
	operation_unref(operation);
	return error;
}

cudaError_t copy_submit(cudaStream_t handle, struct cudasim_copy *what, bool async)
{
	struct stream *stream;
	if (empty(what))
		return cudaSuccess;
	cudaError_t error = stream_resolve(handle, &stream);
	if (error)
		return error;
	struct work work = {.kind = WORK_COPY, .device = stream->device};
	what->stream = stream->legacy ? 0 : stream->id;
	what->async = async;
	what->function = api_name();
	work.copy.what = *what;
	enum lateness when = lateness(what, async);
	error = capture_check_legacy(stream);
	if (error)
		work_fini(&work);
	else if (stream_capturing(stream))
		error = async ? capture_add(stream, &work) : capture_break(stream, &work);
	else if (when == AT_ONCE || (when == STAGED && !stage(&work)))
		error = copy_now(stream, what);
	else
		error = stream_submit(stream, &work, NULL, NULL);
	stream_unref(stream);
	return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* copy.h - copies and sets as operations: checked, given a direction, and carried
 * out in stream order with CUDA's rules for what the call waits for. */
#ifndef CUDASIM_SIM_COPY_H
#define CUDASIM_SIM_COPY_H

#include <driver_types.h>
#include <stdbool.h>

#include "cudasim/observer.h"

/* Find out the direction (what->direction, from kind and the pointers) and check
 * both sides: on a device every row has to lie within one allocation.
 * cudaErrorInvalidMemcpyDirection, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidValue. */
cudaError_t copy_check(struct cudasim_copy *what, enum cudaMemcpyKind kind);
cudaError_t set_check(const struct cudasim_copy *what);

/* A copy or set of width bytes. */
struct cudasim_copy copy_1d(void *to, const void *from, size_t width);
struct cudasim_copy copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			    size_t width, size_t height);

/* api/memcpy.c: as cudaMemcpy3D would do it. */
cudaError_t copy_of_3d(const struct cudaMemcpy3DParms *p, struct cudasim_copy *ret);
/* api/memcpy_array.c: the same, of a copy with an array on one side or on both. */
cudaError_t copy_of_arrays(const struct cudaMemcpy3DParms *p, struct cudasim_copy *ret);

/* Queue it on the stream. async is whether the program called an Async function:
 * otherwise the call returns when it is done. Where the memory is pageable host
 * memory even an Async copy is done, or its source read, before the return (CUDA
 * Runtime API, "API synchronization behavior"). */
cudaError_t copy_submit(cudaStream_t stream, struct cudasim_copy *what, bool async);

/* Whether a call that queues the copy returns when it is done: its destination is host
 * memory that CUDA does not know. */
bool copy_waits(const struct cudasim_copy *what);

#endif

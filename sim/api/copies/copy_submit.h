/* SPDX-License-Identifier: Apache-2.0 */
/* copy_submit.h - copies and sets as operations: checked, given a direction, and carried
 * out in stream order with CUDA's rules for what the call waits for. */
#ifndef CUDASIM_SIM_API_COPY_SUBMIT_H
#define CUDASIM_SIM_API_COPY_SUBMIT_H

#include <driver_types.h>
#include <stdbool.h>

#include "copy.h"

/* Find out the direction (what->direction, from kind and the pointers) and check
 * both sides: on a device every row has to lie within one allocation.
 * cudaErrorInvalidMemcpyDirection, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidValue. */
cudaError_t copy_check(struct cudasim_copy *what, enum cudaMemcpyKind kind);
cudaError_t set_check(const struct cudasim_copy *what);

/* memcpy.c: as cudaMemcpy3D would do it. */
cudaError_t copy_of_3d(const struct cudaMemcpy3DParms *p, struct cudasim_copy *ret);
/* memcpy_array.c: the same, of a copy with an array on one side or on both. */
cudaError_t copy_of_arrays(const struct cudaMemcpy3DParms *p, struct cudasim_copy *ret);

/* Queue it on the stream. async is whether the program called an Async function:
 * otherwise the call returns when it is done. Where the memory is pageable host
 * memory even an Async copy is done, or its source read, before the return (CUDA
 * Runtime API, "API synchronization behavior"). */
cudaError_t copy_submit(cudaStream_t stream, struct cudasim_copy *what, bool async);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* children.h - what a grid has asked its device for: launches, copies, sets, events.
 *
 * A grid is over when its blocks have ended, then its children, then, one after the other,
 * what it left in the tail stream. (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism".)
 * Children are operations as the host's are, and start as soon as nothing holds them back;
 * as the scheduler takes the blocks of older launches first, that is mostly when the parent
 * has begun its last block. */
#ifndef CUDASIM_SIM_CHILDREN_H
#define CUDASIM_SIM_CHILDREN_H

#include <driver_types.h>
#include <stdbool.h>
#include <stdint.h>

struct children;
struct launch;
struct operation;
struct thread;
struct thread_runtime;
struct work;

/* Those of a launch, made at the first need. The launch's operation is not done
 * before they are. NULL without memory, and for a launch that is no operation. */
struct children *children_of(struct launch *launch);

/* The launch's own blocks have ended; its operation is done when the children are. */
void children_parent_ended(struct children *children);
/* operation.c: an operation that belongs to them is done. */
void children_one_done(struct children *children);

/* Queue work of a thread of the block of that index on one of its streams; takes it over in any case.
 * cudaErrorInvalidValue where the handle is no stream that the grid may use,
 * cudaErrorLaunchPendingCountExceeded, cudaErrorMemoryAllocation. */
cudaError_t children_submit(struct children *children, struct thread *by,
			    struct thread_runtime *mine, cudaStream_t stream, struct work *work);

cudaError_t children_stream_new(struct children *children, unsigned flags, cudaStream_t *ret);
cudaError_t children_stream_destroy(struct children *children, cudaStream_t stream);
cudaError_t children_event_new(struct children *children, unsigned flags, cudaEvent_t *ret);
cudaError_t children_event_destroy(struct children *children, cudaEvent_t event);
cudaError_t children_event_record(struct children *children, uint64_t block, cudaEvent_t event,
				  cudaStream_t stream);
cudaError_t children_stream_wait(struct children *children, uint64_t block, cudaStream_t stream,
				 cudaEvent_t event);

#endif

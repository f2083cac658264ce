/* SPDX-License-Identifier: Apache-2.0 */
/* gate.h - with CUDASIM_SCHEDULE, streams too go in a chosen order.
 *
 * Without it an operation starts as soon as nothing holds it back. With it, what
 * could start is held until a host thread waits for something (or asks whether it
 * is done); then the held operations run one after another, the next one being the
 * oldest, the youngest or a random one of those that could start. So the order is
 * a function of the program's calls and the seed, not of how fast anything is.
 *
 * Two cases need the clock. An operation that is not done after a second may wait
 * for another stream or for the host: others start beside it. A host thread that
 * has not called CUDA for a second may wait for the device by looking at memory:
 * held operations start without it. */
#ifndef CUDASIM_SIM_GATE_H
#define CUDASIM_SIM_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cudasim/error.h"
#include "operation.h"

/* Read CUDASIM_SCHEDULE, once, before the first operation. A seed that is not
 * given is chosen here and put into the environment, where the scheduler finds
 * it (and says it). */
struct cudasim_error *gate_start(void);

/* CUDASIM_SCHEDULE is set. Constant after gate_start(). */
extern bool gate_closed;

/* With operation_lock() held: the operation could start. Its own reference keeps
 * it. */
void gate_hold(struct operation *operation);

/* Without the lock, on a host thread that waits: start one held operation and
 * wait until it is done, or its second is over. False where none is held. */
bool gate_step(void);

/* No operation is held; *ret are the threads that the gate has. */
bool gate_rests(uint32_t *ret);

#endif

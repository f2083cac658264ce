/* SPDX-License-Identifier: Apache-2.0 */
/* host_call.h - what device code that runs on a worker hands on to be done on the
 * worker's own stack: a CUDA thread's is too small for much, and tools are told there. */
#ifndef CUDASIM_SIM_HOST_CALL_H
#define CUDASIM_SIM_HOST_CALL_H

#include <stdbool.h>

#include "thread.h"

/* run(work) on the worker's own stack, for the running thread between dispatch_enter() and
 * dispatch_leave(). */
void host_call_do(struct thread *t, void (*run)(void *work), void *work);

/* This pthread runs code of the host's that a kernel has called. */
extern _Thread_local bool host_call_running __attribute__((tls_model("initial-exec")));

#endif

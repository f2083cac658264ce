/* SPDX-License-Identifier: Apache-2.0 */
/* skip.h - functions and files that step does not enter. */
#ifndef CUDASIM_DEBUGGER_SKIP_H
#define CUDASIM_DEBUGGER_SKIP_H

#include <stdbool.h>

#include "cudasim/inspect.h"

/* Does step pass the function whose code holds pc? */
bool skip_at(uint64_t pc);
/* Is the thread in such a function, or in what such a one has called, by the frames that
 * are further in than the one with this frame pointer? */
bool skip_holds(struct cudasim_thread *thread, uint64_t frame);

#endif

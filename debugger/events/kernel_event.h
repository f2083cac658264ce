/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_event.h - for the observer of the run control; on any pthread of the program. */
#ifndef CUDASIM_DEBUGGER_KERNEL_EVENT_H
#define CUDASIM_DEBUGGER_KERNEL_EVENT_H

#include "cudasim/observer.h"

void kernel_event_begin(const struct cudasim_launch *launch);
void kernel_event_end(const struct cudasim_launch *launch);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* touch.h - the host's own code touches memory that it must not touch: a device's, or
 * managed and pinned memory that a kernel or an asynchronous copy uses and that it has not
 * waited for. */
#ifndef CUDASIM_CHECKERS_TOUCH_H
#define CUDASIM_CHECKERS_TOUCH_H

#include "checker.h"

void touch_start(void);
/* Observers' slots. */
void touch_enter(void *tool, const struct cudasim_api_call *call);
void touch_leave(void *tool, const struct cudasim_api_call *call);
void touch_order(void *tool, const struct cudasim_order_event *event);
void touch_copy(void *tool, const struct cudasim_copy *copy);
/* An allocation was made. */
void touch_allocated(const struct cudasim_memory *memory);
/* The process ends: nothing is closed any more. */
void touch_finish(void);
void touch_forked(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* api_failure.h - for the observer of the run control. */
#ifndef CUDASIM_DEBUGGER_API_FAILURE_H
#define CUDASIM_DEBUGGER_API_FAILURE_H

#include "cudasim/observer.h"

/* cudasim_observer.api_leave */
void api_failure_leave(void *tool, const struct cudasim_api_call *call);

#endif

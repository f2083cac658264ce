/* SPDX-License-Identifier: Apache-2.0 */
/* unchecked.h - errors that nobody looked at. */
#ifndef CUDASIM_CHECKERS_UNCHECKED_H
#define CUDASIM_CHECKERS_UNCHECKED_H

#include "checker.h"

/* A call has ended; is_failure: as apicheck has it. */
void unchecked_call(const struct cudasim_api_call *call, bool is_failure);
/* A launch has ended. */
void unchecked_launch(const struct cudasim_launch *launch);
/* The process ends: report what is left. */
void unchecked_finish(void);

#endif

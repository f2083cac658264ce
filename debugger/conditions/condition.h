/* SPDX-License-Identifier: Apache-2.0 */
/* condition.h - expressions as conditions of breakpoints: compiled where they can be. */
#ifndef CUDASIM_DEBUGGER_CONDITION_H
#define CUDASIM_DEBUGGER_CONDITION_H

#include "expression.h"

/* As a condition, fast: no allocation, no lookup; frame is that of a thread that
 * stands in the function the text was parsed for (its frame pointer is `base`). An
 * expression that cannot be evaluated is an error (the stop is then made and says so). */
struct cudasim_error *expression_test(const struct expression *expression,
				      struct cudasim_thread *thread, uint64_t base, bool *ret);

/* Has the condition a compiled form? Known after the first expression_test(). */
bool expression_is_fast(const struct expression *expression);

#endif

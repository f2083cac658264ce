/* SPDX-License-Identifier: Apache-2.0 */
/* loop_events.h - the events of watched loops: calls of __cudasim_loop_access() and its kin, which
 * pass_watch.c has put before accesses.
 *
 * They name the thread by its number. Where threads become the lanes of vectors, an access becomes
 * one call of __cudasim_on_lanes() for all of them (vector_emit.h); what is left is lowered here. */
#ifndef CUDASIM_COMPILER_LOOP_EVENTS_H
#define CUDASIM_COMPILER_LOOP_EVENTS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "device.h"

/* True for a call of one of them; of __cudasim_loop_access() in particular. */
bool loop_event_is(LLVMValueRef instruction);
bool loop_event_is_access(LLVMValueRef instruction);

/* True for an access that is told for a thread alone: a store whose value is not told. */
bool loop_event_is_alone(LLVMValueRef instruction);

/* Delete those of accesses that lie in a variable of the function's own, as inlining has shown:
 * tools that take loops do not ask for them. */
void loop_events_drop_own(LLVMValueRef function);

/* The same in a function that will be cut. NULL, or why tools cannot watch it then: a variable whose
 * address goes somewhere, since what lives across a cut lies where they would take it for the
 * program's memory. */
const char *loop_events_settle(LLVMValueRef function);

/* True where the function calls nothing else of libcudasim or of the program. */
bool loop_events_are_all_calls(LLVMValueRef function);

/* In a loop's function, whose second parameter is the block: for the thread alone. */
void loop_events_lower(struct device_module *dm, LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif

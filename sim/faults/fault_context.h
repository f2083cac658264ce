/* SPDX-License-Identifier: Apache-2.0 */
/* fault_context.h - what a signal's context says, the processor's part of
 * fault.c. */
#ifndef CUDASIM_SIM_FAULT_CONTEXT_H
#define CUDASIM_SIM_FAULT_CONTEXT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct fault_context {
	uint64_t pc, frame, sp;
	bool write;             /* a memory access was a write */
	/* A memory fault without an address: what was wrong with it. */
	bool non_canonical;     /* an address beyond the address space, in: */
	uint64_t address;
	bool misaligned;        /* that is why device code made it such; address is the
	                         * program's own then, known if non_canonical */
};

/* protection: a memory fault without an address. */
void fault_context_read(const void *ucontext, bool protection, struct fault_context *ret);

#endif

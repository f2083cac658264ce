/* SPDX-License-Identifier: Apache-2.0 */
/* fault.h - how a launch dies, and what is said about it.
 *
 * What ends a launch, and the error it leaves (sticky in the device):
 *   illegal address, also beyond shared memory  cudaErrorIllegalAddress 700
 *   stack overflow                              cudaErrorIllegalAddress 700
 *   timeout (CUDASIM_TIMEOUT), deadlock         cudaErrorLaunchTimeout 702
 *   assert()                                    cudaErrorAssert 710
 *   an address beyond the shared address range, an
 *   illegal instruction, a warp operation whose mask lacks the caller
 *                                               cudaErrorIllegalInstruction 715
 *   misaligned vector access                    cudaErrorMisalignedAddress 716
 *   __trap(), free() of a wild pointer, an observer's ABORT
 *                                               cudaErrorLaunchFailure 719
 * A deadlock hangs on a GPU; where a watchdog guards the GPU it ends with 702,
 * so that is what a deadlock answers here.
 *
 * The text on stderr, each line beginning with "cudasim: ":
 *   kernel NAME<<<(gx,gy,gz),(bx,by,bz)>>>, launch ID: WHAT (ERRORNAME)
 *     block (x,y,z), thread (x,y,z)
 *     at FUNCTION (FILE:LINE)
 *     address 0x..., N bytes past the end of allocation ID, N bytes at 0x...
 * followed by what the fault has to add (a table of who waits where). */
#ifndef CUDASIM_SIM_FAULT_H
#define CUDASIM_SIM_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "cudasim/observer.h"

enum {
	ERROR_MEMORY_ALLOCATION = 2,
	ERROR_ILLEGAL_ADDRESS = 700,
	ERROR_LAUNCH_TIMEOUT = 702,
	ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
	ERROR_ASSERT = 710,
	ERROR_ILLEGAL_INSTRUCTION = 715,
	ERROR_MISALIGNED_ADDRESS = 716,
	ERROR_LAUNCH_FAILURE = 719,
};

struct run;
struct thread;

struct fault {
	enum cudasim_fault_kind kind;
	int error;               /* ERROR_* */
	const void *address;
	bool address_known;
	bool write;              /* where address is known */
	bool quiet;              /* an observer or the host asked for it: say nothing */
	uint64_t pc;             /* 0 where the site tells the place */
	const struct cudasim_site *site;
	char what[200];          /* one line: "an illegal memory access was encountered" */
};

/* Write the report to a string (faults/fault_report.c); the caller frees it. thread may be NULL. more
 * may be NULL, or lines to add. */
char *fault_describe(const struct run *run, const struct thread *thread, const struct fault *fault,
		     const char *more);

#endif

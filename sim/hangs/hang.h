/* SPDX-License-Identifier: Apache-2.0 */
/* hang.h - launches that do not get on.
 *
 * A worker whose blocks only spin and wait digests their whole state (stacks with the saved
 * registers, shared memory) several times a second. Where no thread has come to a new state for
 * some seconds, the same holds for all workers, and memory stays as it is, all that the threads
 * do is known: they repeat it. Then one table says who waits where. The launch ends with
 * cudaErrorLaunchTimeout where nobody else can change what they look at: all host threads
 * wait for the device, no other process shares memory, and no thread reads a clock.
 *
 * Rejected: a limit of time (kernels may compute for hours), and the footprint of yielding
 * threads alone (a loop that takes work from a queue comes round with the same registers). */
#ifndef CUDASIM_SIM_HANG_H
#define CUDASIM_SIM_HANG_H

#include <stdbool.h>
#include <stdint.h>

struct worker;

/* Call see(digest, arg) for each thread of the worker's blocks in flight, which stand still, and
 * for what else the blocks are. */
void hang_digest(const struct worker *worker, bool exact, void (*see)(uint64_t digest, void *arg),
		 void *arg);
/* Mix n bytes into a digest. */
uint64_t hang_mix(uint64_t digest, const void *data, uint64_t n);

/* ---- hang_outside.c: what the runtime knows ------------------------------- */

/* A digest of all memory that kernels can reach and that is not a block's. */
uint64_t hang_memory(void);
/* Host threads that wait for the device without end, and threads of the runtime's own that have
 * nothing to do; false where something else is on its way to the device. */
bool hang_waiters(uint32_t *hosts, uint32_t *others);
/* Another process may store to memory that kernels can reach. */
bool hang_is_shared(void);

#endif

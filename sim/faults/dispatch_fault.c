/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch_fault.c - a thread ends its launch: by what it calls, or because libcudasim or a tool
 * refuses what it does. */
#include <stdio.h>
#include <string.h>

#include "dispatch.h"
#include "tell.h"

void dispatch_bad_barrier(struct thread *t, uint32_t id, uint32_t n,
			  const struct cudasim_site *site)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_BARRIER,
		.error = ERROR_ILLEGAL_INSTRUCTION,
		.site = site,
	};
	if (id >= CUDASIM_N_BARRIERS)
		snprintf(fault.what, sizeof fault.what,
			 "there is no barrier %u: a block has barriers 0 to 15", id);
	else
		snprintf(fault.what, sizeof fault.what,
			 "barrier %u is asked to wait for %u "
			 "threads, which must be a multiple of 32 up to 1024",
			 id, n);
	dispatch_die(t, &fault);
}

void dispatch_bad_cluster(struct thread *t, const struct cudasim_site *site)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_BARRIER,
		.error = ERROR_ILLEGAL_INSTRUCTION,
		.site = site,
		.what = "a thread arrives twice at the cluster's barrier without waiting",
	};
	dispatch_die(t, &fault);
}

void dispatch_bad_mask(struct thread *t, uint32_t mask, const struct cudasim_site *site)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_MASK,
		.error = ERROR_ILLEGAL_INSTRUCTION,
		.site = site,
	};
	snprintf(fault.what, sizeof fault.what,
		 "lane %u calls a warp operation with the mask "
		 "0x%08x, which lacks the lane itself",
		 t->pub.lane, mask);
	dispatch_die(t, &fault);
}

void __cudasim_trap(uint32_t kind, const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	struct fault fault = {
		.kind = CUDASIM_FAULT_TRAP,
		.error = ERROR_LAUNCH_FAILURE,
		.site = site,
		.what = "__trap() was called",
	};
	if (kind == CUDASIM_TRAP_ILLEGAL) {
		fault.kind = CUDASIM_FAULT_ILLEGAL;
		fault.error = ERROR_ILLEGAL_INSTRUCTION;
		strcpy(fault.what, "an illegal instruction was encountered");
	} else if (kind == CUDASIM_TRAP_UNREACHABLE) {
		strcpy(fault.what, "the program reached a place marked as unreachable");
	} else if (kind == CUDASIM_TRAP_MBARRIER) {
		fault.kind = CUDASIM_FAULT_BARRIER;
		strcpy(fault.what, "more arrivals at an mbarrier than its phase waits for");
	}
	t->pub.site = site;
	/* Lanes at an earlier place, a printf say, go first, as in a GPU's warp. */
	warp_reconverge(t, CUDASIM_WARP_CONVERGE, site);
	dispatch_die(t, &fault);
}

__attribute__((noreturn)) void scheduler_misaligned(struct cudasim_thread *thread, const void *addr,
						    bool write, const struct cudasim_site *site)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_MISALIGNED,
		.error = ERROR_MISALIGNED_ADDRESS,
		.address = addr,
		.address_known = true,
		.write = write,
		.site = site,
		.what = "misaligned address",
	};
	dispatch_die((struct thread *)thread, &fault);
}

__attribute__((noreturn)) void scheduler_forbidden(struct cudasim_thread *thread, const void *addr,
						   bool write, const struct cudasim_site *site)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_ADDRESS,
		.error = ERROR_ILLEGAL_ADDRESS,
		.address = addr,
		.address_known = true,
		.write = write,
		.site = site,
		.what = "access to a host pool's memory without cudaMemPoolSetAccess() for a device",
	};
	dispatch_die((struct thread *)thread, &fault);
}

__attribute__((noreturn)) void scheduler_stack_full(struct cudasim_thread *thread,
						    const struct cudasim_site *site)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_STACK,
		.error = ERROR_ILLEGAL_ADDRESS,
		.address = __builtin_frame_address(0),
		.address_known = true,
		.write = true,
		.site = site,
		.what = "stack overflow: recursion too deep or local arrays too large",
	};
	dispatch_die((struct thread *)thread, &fault);
}

void scheduler_end_stopped(struct cudasim_thread *thread)
{
	struct thread *t = (struct thread *)thread;
	struct worker *worker = block_of(t)->worker;
	if (!atomic_load_explicit(&block_of(t)->run->stop, memory_order_relaxed))
		return;
	worker->in_device = 0;
	worker->event = EVENT_NONE;
	dispatch_abandon(t);
}

__attribute__((noreturn)) void scheduler_abort(struct cudasim_thread *thread, int error)
{
	struct fault fault = {
		.kind = CUDASIM_FAULT_TRAP,
		.error = error,
		.quiet = true,
		.site = thread->site,
		.what = "a tool has ended the launch",
	};
	dispatch_die((struct thread *)thread, &fault);
}

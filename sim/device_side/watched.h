/* SPDX-License-Identifier: Apache-2.0 */
/* watched.h - an access of a thread, as watched bodies announce it, for observers. */
#ifndef CUDASIM_SIM_WATCHED_H
#define CUDASIM_SIM_WATCHED_H

#include <stdint.h>

#include "cudasim/observer.h"
#include "fiber.h"
#include "thread.h"

enum { SPACE_NVVM_SHARED = 3, SPACE_NVVM_CONSTANT = 4, SPACE_NVVM_LOCAL = 5 };

static inline enum cudasim_space space_resolve(struct cudasim_thread *thread, const void *address,
					       uint32_t declared)
{
	const struct cudasim_block *block = thread->block;
	uintptr_t shared = (uintptr_t)address - (uintptr_t)block->shared;
	if (shared < block->shared_bytes || declared == SPACE_NVVM_SHARED)
		return CUDASIM_SPACE_SHARED;
	if (declared == SPACE_NVVM_CONSTANT)
		return CUDASIM_SPACE_CONSTANT;
	const struct fiber *own = ((const struct thread *)thread)->fiber;
	if (declared == SPACE_NVVM_LOCAL ||
	    (uintptr_t)address - (uintptr_t)own->low < (uintptr_t)(own->top - own->low))
		return CUDASIM_SPACE_LOCAL;
	return CUDASIM_SPACE_GLOBAL;
}

/* flags: see __cudasim_on_access(). */
static inline __attribute__((always_inline)) struct cudasim_access
access_describe(struct cudasim_thread *thread, const void *addr, uint64_t size, uint32_t flags,
		const struct cudasim_site *site)
{
	uint32_t declared = flags >> CUDASIM_ACCESS_SPACE_SHIFT & 0xf;
	return (struct cudasim_access){
		.address = addr,
		.size = size,
		.alignment = 1u << (flags >> CUDASIM_ACCESS_ALIGN_SHIFT & 0xf),
		.what = flags & 0xff,
		.space = space_resolve(thread, addr, declared),
		.declared_space = declared,
		.scope = (enum cudasim_scope)(flags >> CUDASIM_ACCESS_SCOPE_SHIFT & 0xf),
		.order = (enum cudasim_order)(flags >> CUDASIM_ACCESS_ORDER_SHIFT & 0xf),
		.op = (enum cudasim_atomic_op)(flags >> CUDASIM_ACCESS_OP_SHIFT & 0xff),
		.site = site,
	};
}

#endif

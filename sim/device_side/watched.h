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

/* flags: see __cudasim_on_access(). An address with bits at the top is a part of what is one access on
 * a GPU, and that misaligned (ptx_aligned()): it is what it was without them, for 16 bytes. */
static inline __attribute__((always_inline)) struct cudasim_access
access_describe(struct cudasim_thread *thread, const void *addr, uint64_t size, uint32_t flags,
		const struct cudasim_site *site)
{
	uint32_t declared = flags >> CUDASIM_ACCESS_SPACE_SHIFT & 0xf;
	uint64_t spoilt = (uintptr_t)addr >> CUDASIM_MISALIGNED_SHIFT;
	if (spoilt)
		addr = (const char *)addr - (spoilt << CUDASIM_MISALIGNED_SHIFT);
	return (struct cudasim_access){
		.address = addr,
		.size = size,
		.alignment = spoilt ? 16 : 1u << (flags >> CUDASIM_ACCESS_ALIGN_SHIFT & 0xf),
		.what = flags & 0xff,
		.space = space_resolve(thread, addr, declared),
		.declared_space = declared,
		.scope = (enum cudasim_scope)(flags >> CUDASIM_ACCESS_SCOPE_SHIFT & 0xf),
		.order = (enum cudasim_order)(flags >> CUDASIM_ACCESS_ORDER_SHIFT & 0xf),
		.op = (enum cudasim_atomic_op)(flags >> CUDASIM_ACCESS_OP_SHIFT & 0xff),
		.site = site,
	};
}

/* Bits of CUDASIM_WANT_* of which an observer has one that hears of the access: it depends on where
 * that lies, which no table says. */
static inline uint32_t access_wanted(const struct cudasim_access *access)
{
	if (access->space != CUDASIM_SPACE_LOCAL)
		return CUDASIM_WANT_ACCESS;
	return access->declared_space == SPACE_NVVM_LOCAL ? CUDASIM_WANT_LOCAL
							  : CUDASIM_WANT_LOCAL | CUDASIM_WANT_STACK;
}

#endif

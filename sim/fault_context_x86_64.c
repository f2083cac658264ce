/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fault_context.h"

#include <string.h>
#include <ucontext.h>

enum { PAGE_FAULT_WRITE = 2 };

static bool canonical(uint64_t address)
{
	int64_t high = (int64_t)address >> 47;
	return high == 0 || high == -1;
}

/* A general protection fault tells no address. It comes from an address that is
 * not canonical, which then stands in a register (wild pointers do), or else
 * from a misaligned access of an aligned vector instruction. */
void fault_context_read(const void *context, struct fault_context *ret)
{
	const ucontext_t *uc = context;
	const greg_t *r = uc->uc_mcontext.gregs;
	*ret = (struct fault_context){
		.pc = (uint64_t)r[REG_RIP],
		.frame = (uint64_t)r[REG_RBP],
		.sp = (uint64_t)r[REG_RSP],
		.write = r[REG_ERR] & PAGE_FAULT_WRITE,
	};
	for (int i = REG_R8; i <= REG_RCX; i++)
		if (!canonical((uint64_t)r[i])) {
			ret->non_canonical = true;
			ret->address = (uint64_t)r[i];
		}
}

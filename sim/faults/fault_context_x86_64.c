/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fault_context.h"

#include <string.h>
#include <ucontext.h>

#include "cudasim/abi.h"
#include "fault_operand.h"

enum { PAGE_FAULT_WRITE = 2, ADDRESS_BITS = 47, EXTENDED_MAGIC = 0x46505853 };

static bool canonical(uint64_t address)
{
	int64_t high = (int64_t)address >> ADDRESS_BITS;
	return high == 0 || high == -1;
}

/* An address that device code has spoilt because it is misaligned. */
static bool spoilt(uint64_t address)
{
	return address >> CUDASIM_MISALIGNED_SHIFT && !(address >> 63) &&
	       !(address >> ADDRESS_BITS &
		 ((1ull << (CUDASIM_MISALIGNED_SHIFT - ADDRESS_BITS)) - 1));
}

static uint64_t mended(uint64_t address)
{
	return address & ((1ull << ADDRESS_BITS) - 1);
}

/* Of a gather: an address in the vector registers, as the kernel has saved them. */
static bool find_in_vectors(const ucontext_t *uc, uint64_t *ret)
{
	const unsigned char *saved = (const unsigned char *)uc->uc_mcontext.fpregs;
	enum { REGISTERS_AT = 160, MAGIC_AT = 464, SIZE_AT = 468, LEGACY = 416, MOST = 4096 };
	uint32_t magic, size = LEGACY;
	uint64_t word;
	if (!saved)
		return false;
	memcpy(&magic, saved + MAGIC_AT, sizeof magic);
	if (magic == EXTENDED_MAGIC)
		memcpy(&size, saved + SIZE_AT, sizeof size);
	for (uint32_t at = REGISTERS_AT; at + sizeof word <= size && at < MOST; at += sizeof word) {
		memcpy(&word, saved + at, sizeof word);
		if ((at < LEGACY || at >= 576) && spoilt(word)) {
			*ret = mended(word);
			return true;
		}
	}
	return false;
}

static void find_address(const ucontext_t *uc, struct fault_context *ret)
{
	static const int order[16] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};
	const greg_t *r = uc->uc_mcontext.gregs;
	uint64_t registers[16], address;
	bool write = false, any_spoilt = false;
	for (int i = 0; i < 16; i++)
		registers[i] = (uint64_t)r[order[i]];
	bool known = fault_operand((const uint8_t *)ret->pc, registers, &address, &write);
	ret->write = write;
	if (known && !canonical(address)) {
		ret->non_canonical = true;
		ret->misaligned = spoilt(address);
		ret->address = ret->misaligned ? mended(address) : address;
		return;
	}
	for (int i = 0; i < 16; i++) {
		any_spoilt = any_spoilt || spoilt(registers[i]);
		if (!canonical(registers[i])) {
			ret->non_canonical = true;
			ret->address = registers[i];
		}
	}
	ret->misaligned = find_in_vectors(uc, &ret->address);
	if (any_spoilt && !ret->misaligned) { /* part of the address */
		ret->misaligned = true;
		ret->non_canonical = false;
	}
	ret->non_canonical |= ret->misaligned && !any_spoilt;
}

/* A general protection fault tells no address. It comes from one that is not canonical, as
 * wild pointers are and what device code makes of misaligned ones, or else from a misaligned
 * access of an aligned vector instruction. */
void fault_context_read(const void *context, bool protection, struct fault_context *ret)
{
	const ucontext_t *uc = context;
	const greg_t *r = uc->uc_mcontext.gregs;
	*ret = (struct fault_context){
		.pc = (uint64_t)r[REG_RIP],
		.frame = (uint64_t)r[REG_RBP],
		.sp = (uint64_t)r[REG_RSP],
		.write = r[REG_ERR] & PAGE_FAULT_WRITE,
	};
	if (protection)
		find_address(uc, ret);
}

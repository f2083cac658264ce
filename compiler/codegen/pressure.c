/* SPDX-License-Identifier: Apache-2.0 */
/* pressure.c - register pressure by block-local liveness: a value lives from
 * its definition to its last use in its block and, when another block uses it,
 * through all of both blocks. Real allocation differs; it is an estimate. */
#include "pressure.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FIXED = 10, LEAST = 16, MOST = 255 };

/* 32-bit registers that a value of the type takes; pointers take two. */
static unsigned width(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) == 1 ? 0 : (LLVMGetIntTypeWidth(type) + 31) / 32;
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
	case LLVMFloatTypeKind:
		return 1;
	case LLVMDoubleTypeKind:
	case LLVMPointerTypeKind:
		return 2;
	case LLVMVectorTypeKind:
		return LLVMGetVectorSize(type) * width(LLVMGetElementType(type));
	default:
		return 0;
	}
}

/* Uses of value: in_block counts those in its own block, outside the others. */
static void count_uses(LLVMValueRef value, unsigned *in_block, unsigned *outside)
{
	*in_block = *outside = 0;
	LLVMBasicBlockRef home = LLVMGetInstructionParent(value);
	for (LLVMUseRef u = LLVMGetFirstUse(value); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMGetInstructionParent(user) == home && !LLVMIsAPHINode(user))
			++*in_block;
		else
			++*outside;
	}
}

/* The largest sum within one block of values that it defines. A value is taken
 * as dead after its only use, as alive to the block's end otherwise. */
static unsigned block_pressure(LLVMBasicBlockRef block)
{
	unsigned live = 0, most = 0;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		unsigned n = (unsigned)LLVMGetNumOperands(i);
		for (unsigned k = 0; k < n; k++) {
			LLVMValueRef operand = LLVMGetOperand(i, k);
			unsigned in_block, outside;
			if (!LLVMIsAInstruction(operand) || LLVMIsAAllocaInst(operand) ||
			    LLVMGetInstructionParent(operand) != block)
				continue;
			count_uses(operand, &in_block, &outside);
			if (in_block == 1 && !outside && live >= width(LLVMTypeOf(operand)))
				live -= width(LLVMTypeOf(operand));
		}
		live += LLVMIsAAllocaInst(i) ? 0 : width(LLVMTypeOf(i));
		if (most < live)
			most = live;
	}
	return most;
}

/* Registers of the values that leave their block, at most once each. */
static unsigned crossing_pressure(LLVMValueRef function)
{
	unsigned sum = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			unsigned in_block, outside;
			count_uses(i, &in_block, &outside);
			if (LLVMIsAPHINode(i))
				sum += width(LLVMTypeOf(i));
			else if (outside && !LLVMIsAAllocaInst(i))
				sum += width(LLVMTypeOf(i)) ? 1 : 0;
		}
	}
	return sum;
}

uint32_t pressure_registers(LLVMValueRef function)
{
	unsigned most = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		unsigned here = block_pressure(b);
		most = most < here ? here : most;
	}
	unsigned sum = FIXED + most + crossing_pressure(function) / 4;
	sum = (sum + 1) & ~1u;
	return sum < LEAST ? LEAST : sum > MOST ? MOST : sum;
}

uint32_t pressure_bounded(uint32_t n_registers, uint32_t max_threads, uint32_t min_blocks)
{
	/* Compute capability 9.0: four partitions, which the warps are dealt out to. */
	enum { PARTITION = 16384, PARTITIONS = 4, UNIT = 256 /* of a warp's */ };
	uint32_t warps = (max_threads + 31) / 32 * (min_blocks ? min_blocks : 1);
	uint32_t on_one = (warps + PARTITIONS - 1) / PARTITIONS;
	if (!on_one)
		return n_registers;
	uint32_t fit = PARTITION / on_one / UNIT * UNIT / 32;
	fit = fit < LEAST ? LEAST : fit;
	return n_registers < fit ? n_registers : fit;
}

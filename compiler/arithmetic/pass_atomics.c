/* SPDX-License-Identifier: Apache-2.0 */
/* pass_atomics.c - an atomic addition of reals becomes a loop around a
 * compare-and-swap, as LLVM would make of it later, that does as the GPU does:
 *
 *   single, shared memory      a NaN is 0x7fffffff
 *   single, any other memory   subnormal operands and results are zeros of their sign
 *   double, shared memory      of two NaNs that in memory stays, made quiet
 *   double, any other memory   of two NaNs the operand stays; none is made quiet
 *
 * Source: PTX ISA 9.0, atom: "atom.add.f32 on global memory flushes", on shared
 * memory it does not; an H200 was seen to, and so were the NaNs. What it returns is
 * memory as it was. Which memory a generic address means is known when the code
 * runs. After the hooks, which announce one atomic access. */
#include <llvm-c/DebugInfo.h>

#include "arithmetic.h"
#include "device.h"
#include "llvm_functions.h"

static bool is_addition(LLVMValueRef i)
{
	return LLVMIsAAtomicRMWInst(i) && LLVMGetAtomicRMWBinOp(i) == LLVMAtomicRMWBinOpFAdd &&
	       (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMFloatTypeKind ||
		LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMDoubleTypeKind);
}

/* Whether the address lies outside the block's window. */
static LLVMValueRef is_global(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef pointer)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(dm->context);
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));

	if (space == 1 || space == 3)
		return LLVMConstInt(LLVMInt1TypeInContext(dm->context), space == 1, false);
	LLVMValueRef window = device_call_runtime(dm, b, "__cudasim_window", NULL, 0, NULL, 0);
	LLVMValueRef bytes = device_call_runtime(dm, b, "__cudasim_window_bytes", NULL, 0, NULL, 0);
	LLVMValueRef start = LLVMBuildPtrToInt(b, window, i64, "");
	LLVMValueRef offset = LLVMBuildSub(b, LLVMBuildPtrToInt(b, pointer, i64, ""), start, "");
	return LLVMBuildICmp(b, LLVMIntUGE, offset, bytes, "");
}

static LLVMValueRef flush_if(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef condition,
			     LLVMValueRef x)
{
	return LLVMBuildSelect(b, condition, flush_value(dm, b, x), x, "");
}

/* What memory holds afterwards. */
static LLVMValueRef new_value(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef global,
			      LLVMValueRef old, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(old), word = LLVMInt32TypeInContext(dm->context);

	if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind) {
		LLVMValueRef old_nan = LLVMBuildFCmp(b, LLVMRealUNO, old, old, "");
		LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, value, value, "");
		LLVMTypeRef i64 = LLVMInt64TypeInContext(dm->context);
		LLVMValueRef quiet = LLVMBuildOr(b, LLVMBuildBitCast(b, old, i64, ""),
						 LLVMConstInt(i64, 1ull << 51, false), "");
		LLVMValueRef sum = LLVMBuildFAdd(b, old, value, "");

		quiet = LLVMBuildSelect(b, global, old, LLVMBuildBitCast(b, quiet, type, ""), "");
		sum = LLVMBuildSelect(b, old_nan, quiet, sum, "");
		return LLVMBuildSelect(b, LLVMBuildAnd(b, global, nan, ""), value, sum, "");
	}
	LLVMValueRef sum = LLVMBuildFAdd(b, flush_if(dm, b, global, old),
					 flush_if(dm, b, global, value), "");
	LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, sum, sum, "");
	LLVMValueRef canonical = LLVMConstBitCast(LLVMConstInt(word, 0x7fffffff, false), type);

	nan = LLVMBuildAnd(b, nan, LLVMBuildNot(b, global, ""), "");
	return LLVMBuildSelect(b, nan, canonical, flush_if(dm, b, global, sum), "");
}

/* What the exchange reads when it fails may not be ordered as a store. */
static LLVMAtomicOrdering failure_ordering(LLVMAtomicOrdering ordering)
{
	switch (ordering) {
	case LLVMAtomicOrderingRelease:
		return LLVMAtomicOrderingMonotonic;
	case LLVMAtomicOrderingAcquireRelease:
		return LLVMAtomicOrderingAcquire;
	default:
		return ordering;
	}
}

static void expand(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef addition)
{
	LLVMTypeRef type = LLVMTypeOf(addition);
	bool is_single = LLVMGetTypeKind(type) == LLVMFloatTypeKind;
	LLVMTypeRef word = LLVMIntTypeInContext(dm->context, is_single ? 32 : 64);
	LLVMValueRef pointer = LLVMGetOperand(addition, 0), value = LLVMGetOperand(addition, 1);
	LLVMAtomicOrdering ordering = LLVMGetOrdering(addition);
	LLVMBasicBlockRef head = LLVMGetInstructionParent(addition);
	LLVMBasicBlockRef after = block_split_before(addition);
	LLVMBasicBlockRef loop = LLVMInsertBasicBlockInContext(dm->context, after, "");

	LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
	LLVMPositionBuilderAtEnd(b, head);
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(addition));
	LLVMValueRef global = is_global(dm, b, pointer);
	LLVMValueRef first = LLVMBuildLoad2(b, word, pointer, "");
	LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
	LLVMSetAlignment(first, is_single ? 4 : 8);
	LLVMBuildBr(b, loop);

	LLVMPositionBuilderAtEnd(b, loop);
	LLVMValueRef seen = LLVMBuildPhi(b, word, "");
	LLVMValueRef old = LLVMBuildBitCast(b, seen, type, "");
	LLVMValueRef new = LLVMBuildBitCast(b, new_value(dm, b, global, old, value), word, "");
	LLVMValueRef pair = LLVMBuildAtomicCmpXchg(b, pointer, seen, new, ordering,
						   failure_ordering(ordering), 0);
	LLVMSetVolatile(pair, LLVMGetVolatile(addition));
	LLVMSetAlignment(pair, is_single ? 4 : 8);
	instruction_set_sync_scope(pair, instruction_sync_scope(addition));
	LLVMValueRef again = LLVMBuildExtractValue(b, pair, 0, "");
	LLVMBuildCondBr(b, LLVMBuildExtractValue(b, pair, 1, ""), after, loop);

	LLVMValueRef values[] = {first, again};
	LLVMBasicBlockRef blocks[] = {head, loop};
	LLVMAddIncoming(seen, values, blocks, 2);
	LLVMReplaceAllUsesWith(addition, old);
	LLVMInstructionEraseFromParent(addition);
}

struct cudasim_error *pass_atomics(struct device_module *dm)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(dm->context);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
		     block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef i = LLVMGetFirstInstruction(block);
			while (i && !is_addition(i))
				i = LLVMGetNextInstruction(i);
			if (i)
				expand(dm, b, i); /* the rest follows, in blocks of its own */
		}
	}
	LLVMDisposeBuilder(b);
	return NULL;
}

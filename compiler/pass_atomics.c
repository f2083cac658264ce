/* SPDX-License-Identifier: Apache-2.0 */
/* pass_atomics.c - a single precision atomic addition becomes a loop around a
 * compare-and-swap, as LLVM would make of it later, that flushes subnormal
 * operands and results to zeros of their sign where the memory is not shared.
 *
 * Source: PTX ISA 9.0, atom: "atom.add.f32 on global memory flushes", on shared
 * memory it does not; an H200 was seen to. What it returns is memory as it was.
 * Which memory a generic address means is known when the code runs. After the
 * hooks, which announce one atomic access. */
#include <llvm-c/DebugInfo.h>

#include "arithmetic.h"
#include "device.h"
#include "llvm_bridge.h"

static bool is_addition(LLVMValueRef i)
{
	return LLVMIsAAtomicRMWInst(i) &&
	       LLVMGetAtomicRMWBinOp(i) == LLVMAtomicRMWBinOpFAdd &&
	       LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMFloatTypeKind;
}

/* Whether the address lies outside the block's window. */
static LLVMValueRef is_global(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef pointer)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(dm->context);
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

/* What the exchange reads when it fails may not be ordered as a store. */
static LLVMAtomicOrdering failure_ordering(LLVMAtomicOrdering ordering)
{
	switch (ordering) {
	case LLVMAtomicOrderingRelease: return LLVMAtomicOrderingMonotonic;
	case LLVMAtomicOrderingAcquireRelease: return LLVMAtomicOrderingAcquire;
	default: return ordering;
	}
}

static void expand(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef addition)
{
	LLVMTypeRef type = LLVMTypeOf(addition), word = LLVMInt32TypeInContext(dm->context);
	LLVMValueRef pointer = LLVMGetOperand(addition, 0), value = LLVMGetOperand(addition, 1);
	LLVMAtomicOrdering ordering = LLVMGetOrdering(addition);
	LLVMBasicBlockRef head = LLVMGetInstructionParent(addition);
	LLVMBasicBlockRef after = bridge_split_block(addition);
	LLVMBasicBlockRef loop = LLVMInsertBasicBlockInContext(dm->context, after, "");

	LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
	LLVMPositionBuilderAtEnd(b, head);
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(addition));
	LLVMValueRef global = is_global(dm, b, pointer);
	value = flush_if(dm, b, global, value);
	LLVMValueRef first = LLVMBuildLoad2(b, word, pointer, "");
	LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
	LLVMSetAlignment(first, 4);
	LLVMBuildBr(b, loop);

	LLVMPositionBuilderAtEnd(b, loop);
	LLVMValueRef seen = LLVMBuildPhi(b, word, "");
	LLVMValueRef old = LLVMBuildBitCast(b, seen, type, "");
	LLVMValueRef sum = LLVMBuildFAdd(b, flush_if(dm, b, global, old), value, "");
	LLVMValueRef new = LLVMBuildBitCast(b, flush_if(dm, b, global, sum), word, "");
	LLVMValueRef pair = LLVMBuildAtomicCmpXchg(b, pointer, seen, new, ordering,
						   failure_ordering(ordering), 0);
	LLVMSetVolatile(pair, LLVMGetVolatile(addition));
	LLVMSetAlignment(pair, 4);
	bridge_set_sync_scope(pair, bridge_sync_scope(addition));
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
			while (i && !(is_addition(i) &&
				      LLVMGetPointerAddressSpace(
					      LLVMTypeOf(LLVMGetOperand(i, 0))) != 3))
				i = LLVMGetNextInstruction(i);
			if (i)
				expand(dm, b, i); /* the rest follows, in blocks of its own */
		}
	}
	LLVMDisposeBuilder(b);
	return NULL;
}

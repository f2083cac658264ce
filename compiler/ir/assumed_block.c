/* SPDX-License-Identifier: Apache-2.0 */
#include "assumed_block.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "attributes.h"

static const char size[] = "cudasim-assumed-block", mark[] = "cudasim.other-block";

static unsigned kind_of_mark(LLVMValueRef function)
{
	return LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(function)), mark,
					sizeof mark - 1);
}

void assumed_block_set(LLVMValueRef kernel, const struct assumed_block *block)
{
	char text[40];
	int n = snprintf(text, sizeof text, "%" PRIu32 ",%" PRIu32 "%s%s", block->most[0],
			 block->most[1], block->has_warps ? ",warps" : "",
			 block->has_whole_rows ? ",rows" : "");
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(kernel));
	LLVMAddAttributeAtIndex(
		kernel, WHOLE_FUNCTION,
		LLVMCreateStringAttribute(context, size, sizeof size - 1, text, (unsigned)n));
}

bool assumed_block_get(LLVMValueRef kernel, struct assumed_block *block)
{
	unsigned n;
	LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(kernel, WHOLE_FUNCTION, size,
								   sizeof size - 1);
	if (!attribute)
		return false;
	const char *text = LLVMGetStringAttributeValue(attribute, &n);
	int n_read = sscanf(text, "%" SCNu32 ",%" SCNu32, &block->most[0], &block->most[1]);
	assert(n_read == 2);
	(void)n_read;
	block->has_warps = strstr(text, ",warps");
	block->has_whole_rows = strstr(text, ",rows");
	return true;
}

void assumed_block_mark(LLVMValueRef call)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(call));
	LLVMSetMetadata(call, kind_of_mark(call), LLVMMDNodeInContext(context, NULL, 0));
}

void assumed_block_apply(LLVMValueRef function)
{
	unsigned kind = kind_of_mark(function);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef next;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (LLVMIsACallInst(i) && LLVMGetMetadata(i, kind))
				LLVMInstructionEraseFromParent(i);
		}
	}
}

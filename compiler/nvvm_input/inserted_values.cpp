// SPDX-License-Identifier: Apache-2.0
/* inserted_values.cpp - see inserted_values.h. */
#include "inserted_values.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

void values_forward(LLVMValueRef value)
{
	for (Instruction &i : make_early_inc_range(instructions(*unwrap<Function>(value)))) {
		auto *extract = dyn_cast<ExtractValueInst>(&i);
		if (!extract)
			continue;
		Value *inserted = FindInsertedValue(extract->getAggregateOperand(),
						    extract->getIndices());
		if (!inserted || inserted == extract)
			continue;
		extract->replaceAllUsesWith(inserted);
		extract->eraseFromParent();
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "debug_values.h"
#include "llvm_versions.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace
{
/* A variable of the function or of a call that was inlined into it. */
using key = std::pair<DILocalVariable *, DILocation *>;

struct variable {
	SmallVector<std::pair<DbgVariableRecord *, Instruction *>, 4> values;
	bool whole = true; /* every record gives all of it, as one value or as none */
};
} // namespace

static bool gives_all(DbgVariableRecord &record, const DataLayout &layout)
{
	if (!record.isDbgValue() || record.hasArgList() || record.getExpression()->getNumElements())
		return false;
	if (record.isKillLocation())
		return true;
	Type *type = record.getVariableLocationOp(0)->getType();
	std::optional<uint64_t> bits = record.getVariable()->getSizeInBits();
	return type->isSized() && bits && layout.getTypeStoreSizeInBits(type) == *bits;
}

static MapVector<key, variable> find_variables(Function &function)
{
	MapVector<key, variable> found;
	for (Instruction &i : instructions(function)) {
		for (DbgVariableRecord &record : filterDbgVars(i.getDbgRecordRange())) {
			variable &v =
				found[{record.getVariable(), record.getDebugLoc().getInlinedAt()}];
			v.whole &= gives_all(record, function.getDataLayout());
			v.values.emplace_back(&record, &i);
		}
	}
	return found;
}

static void store_values(Function &function, const key &of, variable &v)
{
	const DataLayout &layout = function.getDataLayout();
	LLVMContext &context = function.getContext();
	Instruction *first = &*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
	Type *bytes = ArrayType::get(Type::getInt8Ty(context), *of.first->getSizeInBits() / 8);
	auto *memory = new AllocaInst(bytes, layout.getAllocaAddrSpace(), of.first->getName(),
				      function.getEntryBlock().getFirstInsertionPt());
	memory->setAlignment(Align(16));
	for (auto [record, before] : v.values) {
		if (!record->isKillLocation()) {
			bool phi = isa<PHINode>(before);
			IRBuilder<> builder(before->getParent(),
					    phi ? before->getParent()->getFirstInsertionPt()
						: before->getIterator());
			builder.SetCurrentDebugLocation(record->getDebugLoc());
			builder.CreateStore(record->getVariableLocationOp(0), memory);
		}
		record->eraseFromParent();
	}
	DIBuilder builder(*function.getParent(), false);
	auto *place = DILocation::get(context, of.first->getLine(), 0, of.first->getScope(),
				      of.second);
	llvm_versions::debug_declare(builder, memory, of.first, builder.createExpression(), place,
				     first);
}

void debug_store_values(LLVMValueRef value)
{
	auto &function = *unwrap<Function>(value);
	if (!function.getSubprogram())
		return;
	for (auto &[of, v] : find_variables(function))
		if (v.whole && of.first->getSizeInBits())
			store_values(function, of, v);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge_debug.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

using namespace llvm;

/* MDStrings are not followed by a NUL; the context's own pool of strings is. */
static const char *keep(LLVMContext &context, StringRef text)
{
	if (text.empty())
		return nullptr;
	return MDString::get(context, (text + Twine('\0')).str())->getString().data();
}

static void fill(LLVMContext &context, const DISubprogram *function, const DIScope *scope,
		 unsigned line, unsigned column, const void *identity, struct place *ret)
{
	StringRef symbol = function ? function->getLinkageName() : StringRef();
	if (function && symbol.empty())
		symbol = function->getName();
	ret->file = scope ? keep(context, scope->getFilename()) : nullptr;
	ret->directory = scope ? keep(context, scope->getDirectory()) : nullptr;
	ret->symbol = keep(context, symbol);
	ret->line = line;
	ret->column = column;
	ret->scope = identity;
}

unsigned place_chain(LLVMValueRef value, struct place *ret, unsigned max)
{
	auto *instruction = cast<Instruction>(unwrap(value));
	unsigned n = 0;
	for (const DILocation *at = instruction->getDebugLoc().get(); at; at = at->getInlinedAt()) {
		if (n < max) {
			const DISubprogram *function = at->getScope()->getSubprogram();
			const void *identity = at->getInlinedAt()
				? static_cast<const void *>(at->getInlinedAt())
				: static_cast<const void *>(function);
			fill(instruction->getContext(), function, at->getScope(), at->getLine(),
			     at->getColumn(), identity, &ret[n]);
		}
		n++;
	}
	return n;
}

bool place_function(LLVMValueRef value, struct place *ret)
{
	auto *function = cast<Function>(unwrap(value));
	const DISubprogram *sub = function->getSubprogram();
	*ret = place();
	ret->symbol = keep(function->getContext(), function->getName());
	if (!sub)
		return false;
	fill(function->getContext(), sub, sub, sub->getLine(), 0, sub, ret);
	return true;
}

bool bridge_atomic_ordering(LLVMValueRef value, LLVMAtomicOrdering *ret)
{
	auto *instruction = cast<Instruction>(unwrap(value));
	AtomicOrdering order = AtomicOrdering::NotAtomic;
	if (auto *load = dyn_cast<LoadInst>(instruction))
		order = load->getOrdering();
	else if (auto *store = dyn_cast<StoreInst>(instruction))
		order = store->getOrdering();
	else if (auto *rmw = dyn_cast<AtomicRMWInst>(instruction))
		order = rmw->getOrdering();
	else if (auto *cas = dyn_cast<AtomicCmpXchgInst>(instruction))
		order = cas->getSuccessOrdering();
	else if (auto *fence = dyn_cast<FenceInst>(instruction))
		order = fence->getOrdering();
	*ret = static_cast<LLVMAtomicOrdering>(order);
	return order != AtomicOrdering::NotAtomic;
}

int bridge_atomic_wrap(LLVMValueRef value)
{
	switch (cast<AtomicRMWInst>(unwrap(value))->getOperation()) {
	case AtomicRMWInst::UIncWrap: return 1;
	case AtomicRMWInst::UDecWrap: return 2;
	default: return 0;
	}
}

/* ---- memory of a function ------------------------------------------------- */

void bridge_drop_lifetimes(LLVMValueRef value)
{
	for (Instruction &i : make_early_inc_range(instructions(cast<Function>(unwrap(value)))))
		if (i.isLifetimeStartOrEnd())
			i.eraseFromParent();
}

static bool is_users(AllocaInst *alloca, bool (*hidden)(const char *, void *), void *arg)
{
	for (DbgVariableRecord *record : findDVRDeclares(alloca)) {
		/* A header's function that was inlined has a file of its own; its
		 * variable's file says so. */
		DIFile *file = record->getVariable()->getFile();
		if (!file) /* `this` and its like have none: their scope's */
			file = record->getVariable()->getScope()->getFile();
		if (!file || !hidden(keep(alloca->getContext(), file->getFilename()), arg))
			return true;
	}
	return false;
}

void bridge_promote(LLVMValueRef value, bool (*hidden)(const char *, void *), void *arg)
{
	auto *function = cast<Function>(unwrap(value));
	SmallVector<AllocaInst *, 16> nobodys;
	for (Instruction &i : function->getEntryBlock())
		if (auto *alloca = dyn_cast<AllocaInst>(&i))
			if (isAllocaPromotable(alloca) && !is_users(alloca, hidden, arg))
				nobodys.push_back(alloca);
	DominatorTree tree(*function);
	PromoteMemToReg(nobodys, tree);
}

/* ---- variables ----------------------------------------------------------- */

static SmallVector<DIGlobalVariableExpression *, 2> variables_of(LLVMValueRef value)
{
	SmallVector<DIGlobalVariableExpression *, 2> all;
	cast<GlobalVariable>(unwrap(value))->getDebugInfo(all);
	return all;
}

unsigned bridge_variable_count(LLVMValueRef global)
{
	return variables_of(global).size();
}

/* expression without what x86-64 has no use for: clang writes the address space
 * as `DW_OP_constu SPACE, DW_OP_swap, DW_OP_xderef`. */
static DIExpression *flat(const DIExpression *expression)
{
	SmallVector<uint64_t, 8> out;
	ArrayRef<uint64_t> in = expression->getElements();
	for (size_t i = 0; i < in.size();) {
		if (i + 3 < in.size() && in[i] == dwarf::DW_OP_constu &&
		    in[i + 2] == dwarf::DW_OP_swap && in[i + 3] == dwarf::DW_OP_xderef) {
			i += 4;
			continue;
		}
		size_t n = DIExpression::ExprOperand(&in[i]).getSize();
		out.append(in.begin() + i, in.begin() + i + n);
		i += n;
	}
	return DIExpression::get(expression->getContext(), out);
}

/* Replace (or with to == NULL remove) an entry of every compile unit's globals. */
static void relist(Module &module, DIGlobalVariableExpression *from,
		   DIGlobalVariableExpression *to)
{
	for (DICompileUnit *unit : module.debug_compile_units()) {
		SmallVector<Metadata *, 32> list;
		bool changed = false;
		for (DIGlobalVariableExpression *entry : unit->getGlobalVariables()) {
			if (entry == from) {
				changed = true;
				if (to)
					list.push_back(to);
			} else {
				list.push_back(entry);
			}
		}
		if (changed)
			unit->replaceGlobalVariables(MDTuple::get(module.getContext(), list));
	}
}

void bridge_variable_move(LLVMValueRef from, LLVMValueRef to, uint64_t offset)
{
	auto *source = cast<GlobalVariable>(unwrap(from));
	auto *target = cast<GlobalVariable>(unwrap(to));
	for (DIGlobalVariableExpression *entry : variables_of(from)) {
		DIExpression *expression = flat(entry->getExpression());
		if (offset)
			expression = DIExpression::prepend(expression, DIExpression::ApplyOffset,
							   static_cast<int64_t>(offset));
		auto *moved = DIGlobalVariableExpression::get(source->getContext(),
							      entry->getVariable(), expression);
		target->addDebugInfo(moved);
		relist(*source->getParent(), entry, moved);
	}
	source->eraseMetadata(LLVMContext::MD_dbg);
}

void bridge_variable_forget(LLVMValueRef value)
{
	auto *global = cast<GlobalVariable>(unwrap(value));
	for (DIGlobalVariableExpression *entry : variables_of(value))
		relist(*global->getParent(), entry, nullptr);
	global->eraseMetadata(LLVMContext::MD_dbg);
}

unsigned bridge_variable_localize(LLVMValueRef global, LLVMValueRef in, LLVMValueRef slot,
				  LLVMValueRef before)
{
	auto *function = cast<Function>(unwrap(in));
	DISubprogram *sub = function->getSubprogram();
	if (!sub)
		return 0;
	Module &module = *function->getParent();
	DIBuilder builder(module, false, sub->getUnit());
	unsigned n = 0;
	for (DIGlobalVariableExpression *entry : variables_of(global)) {
		DIGlobalVariable *variable = entry->getVariable();
		DILocalScope *scope = dyn_cast_or_null<DILocalScope>(variable->getScope());
		if (!scope)
			scope = sub;
		else if (scope->getSubprogram() != sub)
			continue;
		DILocalVariable *local = builder.createAutoVariable(
			scope, variable->getName(), variable->getFile(), variable->getLine(),
			variable->getType(), true, DINode::FlagZero, variable->getAlignInBits());
		uint64_t deref = dwarf::DW_OP_deref;
		builder.insertDeclare(unwrap(slot), local, builder.createExpression({deref}),
				      DILocation::get(function->getContext(), variable->getLine(), 0,
						      scope),
				      cast<Instruction>(unwrap(before)));
		n++;
	}
	return n;
}

void bridge_strip_address_spaces(LLVMModuleRef ref)
{
	Module &module = *unwrap(ref);
	for (GlobalVariable &global : module.globals()) {
		SmallVector<DIGlobalVariableExpression *, 2> all;
		global.getDebugInfo(all);
		bool changed = false;
		for (DIGlobalVariableExpression *entry : all)
			changed |= flat(entry->getExpression()) != entry->getExpression();
		if (!changed)
			continue;
		global.eraseMetadata(LLVMContext::MD_dbg);
		for (DIGlobalVariableExpression *entry : all) {
			auto *plain = DIGlobalVariableExpression::get(
				module.getContext(), entry->getVariable(),
				flat(entry->getExpression()));
			global.addDebugInfo(plain);
			relist(module, entry, plain);
		}
	}
	for (Function &function : module)
		for (Instruction &instruction : instructions(function))
			for (DbgVariableRecord &record :
			     filterDbgVars(instruction.getDbgRecordRange()))
				record.setExpression(flat(record.getExpression()));
}

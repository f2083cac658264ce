/* SPDX-License-Identifier: Apache-2.0 */
#include "debug_metadata.h"
#include "llvm_functions.h"
#include "llvm_versions.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <string>

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

/* A file as the compiler was given it. clang splits a path that shares its first
 * folder with the compilation folder: such a path is put together again. */
static std::string file_name(const DIScope *scope, const DISubprogram *function)
{
	StringRef name = scope->getFilename(), directory = scope->getDirectory();
	const DICompileUnit *unit = function ? function->getUnit() : nullptr;
	if (name.empty() || name.front() == '/' || directory.empty() || !unit ||
	    directory == unit->getDirectory())
		return name.str();
	return (directory + (directory.back() == '/' ? "" : "/") + name).str();
}

static void fill(LLVMContext &context, const DISubprogram *function, const DIScope *scope,
		 unsigned line, unsigned column, const void *identity, struct source_position *ret)
{
	StringRef symbol = function ? function->getLinkageName() : StringRef();
	if (function && symbol.empty())
		symbol = function->getName();
	ret->file = scope ? keep(context, file_name(scope, function)) : nullptr;
	ret->directory = scope ? keep(context, scope->getDirectory()) : nullptr;
	ret->symbol = keep(context, symbol);
	ret->line = line;
	ret->column = column;
	ret->scope = identity;
}

unsigned place_chain(LLVMValueRef value, struct source_position *ret, unsigned max)
{
	auto *instruction = cast<Instruction>(unwrap(value));
	unsigned n = 0;
	for (const DILocation *at = instruction->getDebugLoc().get(); at; at = at->getInlinedAt()) {
		if (n < max) {
			const DISubprogram *function = at->getScope()->getSubprogram();
			const void *identity =
				at->getInlinedAt() ? static_cast<const void *>(at->getInlinedAt())
						   : static_cast<const void *>(function);
			fill(instruction->getContext(), function, at->getScope(), at->getLine(),
			     at->getColumn(), identity, &ret[n]);
		}
		n++;
	}
	return n;
}

bool place_function(LLVMValueRef value, struct source_position *ret)
{
	auto *function = cast<Function>(unwrap(value));
	const DISubprogram *sub = function->getSubprogram();
	*ret = source_position();
	ret->symbol = keep(function->getContext(), function->getName());
	if (!sub)
		return false;
	fill(function->getContext(), sub, sub, sub->getLine(), 0, sub, ret);
	return true;
}

bool instruction_atomic_ordering(LLVMValueRef value, LLVMAtomicOrdering *ret)
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

int atomicrmw_wrap_kind(LLVMValueRef value)
{
	switch (cast<AtomicRMWInst>(unwrap(value))->getOperation()) {
	case AtomicRMWInst::UIncWrap:
		return 1;
	case AtomicRMWInst::UDecWrap:
		return 2;
	default:
		return 0;
	}
}

void debug_lend_location(LLVMValueRef value)
{
	auto *call = cast<CallInst>(unwrap(value));
	Function *caller = call->getFunction(), *callee = call->getCalledFunction();
	DISubprogram *from = callee ? callee->getSubprogram() : nullptr;
	if (!from || caller->getSubprogram())
		return;
	DIBuilder builder(*caller->getParent(), false, from->getUnit());
	DISubprogram *sub = builder.createFunction(
		from->getFile(), "", "", from->getFile(), from->getLine(), from->getType(),
		from->getLine(), DINode::FlagArtificial, DISubprogram::SPFlagDefinition);
	caller->setSubprogram(sub);
	builder.finalizeSubprogram(sub);
	DILocation *place = DILocation::get(caller->getContext(), from->getLine(), 0, sub);
	for (Instruction &i : instructions(*caller))
		if (isa<CallInst>(i))
			i.setDebugLoc(place);
}

void debug_qualify_names(LLVMModuleRef module)
{
	enum { NAME_OPERAND = 2 };
	DebugInfoFinder finder;
	finder.processModule(*unwrap(module));
	for (DISubprogram *function : finder.subprograms()) {
		if (function->getLinkageName().empty())
			continue;
		char *name = name_demangle(function->getLinkageName().str().c_str(), true);
		function->replaceOperandWith(NAME_OPERAND,
					     MDString::get(function->getContext(), name));
		free(name);
	}
}

/* ---- memory of a function ------------------------------------------------- */

void debug_drop_lifetimes(LLVMValueRef value)
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
		const DISubprogram *function = record->getVariable()->getScope()->getSubprogram();
		if (!file || !hidden(keep(alloca->getContext(), file_name(file, function)), arg))
			return true;
	}
	return false;
}

void debug_promote_locals(LLVMValueRef value, bool (*hidden)(const char *, void *), void *arg)
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

void debug_keep_parameters(LLVMValueRef value)
{
	auto *function = cast<Function>(unwrap(value));
	IRBuilder<> builder(&*function->getEntryBlock().getFirstInsertionPt());
	for (Argument &argument : function->args()) {
		auto records = findDVRDeclares(&argument);
		if (records.empty())
			continue;
		AllocaInst *slot = builder.CreateAlloca(argument.getType());
		builder.CreateStore(&argument, slot);
		for (DbgVariableRecord *record : records) {
			record->setRawLocation(ValueAsMetadata::get(slot));
			record->setExpression(DIExpression::prepend(record->getExpression(),
								    DIExpression::DerefBefore));
		}
	}
}

/* ---- variables ----------------------------------------------------------- */

static SmallVector<DIGlobalVariableExpression *, 2> variables_of(LLVMValueRef value)
{
	SmallVector<DIGlobalVariableExpression *, 2> all;
	cast<GlobalVariable>(unwrap(value))->getDebugInfo(all);
	return all;
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
static void relist(Module &module, DIGlobalVariableExpression *from, DIGlobalVariableExpression *to)
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

void debug_variable_deref(LLVMValueRef value)
{
	auto *global = cast<GlobalVariable>(unwrap(value));
	auto all = variables_of(value);
	global->eraseMetadata(LLVMContext::MD_dbg);
	for (DIGlobalVariableExpression *entry : all) {
		auto *through = DIGlobalVariableExpression::get(
			global->getContext(), entry->getVariable(),
			DIExpression::prepend(flat(entry->getExpression()),
					      DIExpression::DerefBefore));
		global->addDebugInfo(through);
		relist(*global->getParent(), entry, through);
	}
}

void debug_variable_forget(LLVMValueRef value)
{
	auto *global = cast<GlobalVariable>(unwrap(value));
	for (DIGlobalVariableExpression *entry : variables_of(value))
		relist(*global->getParent(), entry, nullptr);
	global->eraseMetadata(LLVMContext::MD_dbg);
}

/* A local variable whose address stands in slot. The builder has no unit: with one, it copies the
 * lists of all that the unit holds. */
static void declare(Function *function, DILocalScope *scope, StringRef name, DIFile *file,
		    unsigned line, DIType *type, LLVMValueRef slot, LLVMValueRef before)
{
	DIBuilder builder(*function->getParent(), false);
	DILocalVariable *local = builder.createAutoVariable(scope, name, file, line, type, true);
	uint64_t deref = dwarf::DW_OP_deref;
	llvm_versions::debug_declare(builder, unwrap(slot), local,
				     builder.createExpression({deref}),
				     DILocation::get(function->getContext(), line, 0, scope),
				     cast<Instruction>(unwrap(before)));
}

void debug_variable_localize(LLVMValueRef global, LLVMValueRef in, LLVMValueRef slot,
			     LLVMValueRef before)
{
	auto *function = cast<Function>(unwrap(in));
	DISubprogram *sub = function->getSubprogram();
	if (!sub)
		return;
	for (DIGlobalVariableExpression *entry : variables_of(global)) {
		DIGlobalVariable *variable = entry->getVariable();
		DILocalScope *scope = dyn_cast_or_null<DILocalScope>(variable->getScope());
		if (!scope)
			scope = sub;
		else if (scope->getSubprogram() != sub)
			continue;
		declare(function, scope, variable->getName(), variable->getFile(),
			variable->getLine(), variable->getType(), slot, before);
	}
}

/* Looked for once, as it takes a walk over the module's code, and only when asked for. */
struct debug_types {
	DebugInfoFinder finder;
	bool is_filled = false;
};

struct debug_types *debug_types_new()
{
	return new debug_types;
}

void debug_types_free(struct debug_types *types)
{
	delete types;
}

/* The structure's debug type; NULL if the module has none that fits. */
static DIType *structure_type(Module &module, debug_types &types, const StructType *structure)
{
	uint64_t bits =
		module.getDataLayout().getTypeSizeInBits(const_cast<StructType *>(structure));
	StringRef name = structure->getName().drop_front(structure->getName().find('.') + 1);
	if (!types.is_filled)
		types.finder.processModule(module);
	types.is_filled = true;
	for (DIType *known : types.finder.types()) {
		auto *composite = dyn_cast<DICompositeType>(known);
		if (composite && composite->getSizeInBits() == bits &&
		    (composite->getName() == name || name.ends_with(composite->getName())) &&
		    !composite->getName().empty())
			return known;
	}
	return nullptr;
}

/* The debug type that best describes an IR type, as far as the module has one. */
static DIType *debug_type(Module &module, DIBuilder &builder, debug_types &types, Type *type)
{
	uint64_t bits = module.getDataLayout().getTypeSizeInBits(type);
	if (auto *structure = dyn_cast<StructType>(type); structure && structure->hasName())
		if (DIType *known = structure_type(module, types, structure))
			return known;
	if (type->isFloatTy())
		return builder.createBasicType("float", 32, dwarf::DW_ATE_float);
	if (type->isDoubleTy())
		return builder.createBasicType("double", 64, dwarf::DW_ATE_float);
	if (bits == 8)
		return builder.createBasicType("char", 8, dwarf::DW_ATE_signed_char);
	if (bits == 16)
		return builder.createBasicType("short", 16, dwarf::DW_ATE_signed);
	if (bits == 32)
		return builder.createBasicType("int", 32, dwarf::DW_ATE_signed);
	if (bits == 64)
		return builder.createBasicType("long", 64, dwarf::DW_ATE_signed);
	DIType *byte = builder.createBasicType("char", 8, dwarf::DW_ATE_signed_char);
	Metadata *range = builder.getOrCreateSubrange(0, static_cast<int64_t>(bits / 8));
	return builder.createArrayType(bits, 8, byte, builder.getOrCreateArray({range}));
}

void debug_variable_localize_array(struct debug_types *types, LLVMValueRef value, const char *name,
				   LLVMValueRef in, LLVMValueRef slot, LLVMValueRef before)
{
	auto *global = cast<GlobalVariable>(unwrap(value));
	auto *function = cast<Function>(unwrap(in));
	DISubprogram *sub = function->getSubprogram();
	if (!sub)
		return;
	DIBuilder builder(*function->getParent(), false);
	Type *type = global->getValueType();
	SmallVector<Metadata *, 4> ranges;
	ranges.push_back(builder.getOrCreateSubrange(0, int64_t(-1)));
	if (auto *array = dyn_cast<ArrayType>(type))
		type = array->getElementType();
	for (auto *array = dyn_cast<ArrayType>(type); array; array = dyn_cast<ArrayType>(type)) {
		ranges.push_back(builder.getOrCreateSubrange(
			0, static_cast<int64_t>(array->getNumElements())));
		type = array->getElementType();
	}
	DIType *element = debug_type(*function->getParent(), builder, *types, type);
	DIType *all = builder.createArrayType(0, 0, element, builder.getOrCreateArray(ranges));
	declare(function, sub, name, sub->getFile(), sub->getLine(), all, slot, before);
}

void debug_strip_address_spaces(LLVMModuleRef ref)
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
			auto *plain = DIGlobalVariableExpression::get(module.getContext(),
								      entry->getVariable(),
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

/* Puts another compile unit into the place of each. */
static void replace_units(Module &m, function_ref<DICompileUnit *(DICompileUnit *)> make)
{
	NamedMDNode *units = m.getNamedMetadata("llvm.dbg.cu");
	if (!units)
		return;
	DenseMap<DICompileUnit *, DICompileUnit *> ours;
	for (unsigned i = 0; i < units->getNumOperands(); i++) {
		auto *unit = cast<DICompileUnit>(units->getOperand(i));
		ours[unit] = make(unit);
		units->setOperand(i, ours[unit]);
	}
	DebugInfoFinder finder;
	finder.processModule(m);
	for (DISubprogram *function : finder.subprograms())
		if (DICompileUnit *unit = ours.lookup(function->getUnit()))
			function->replaceUnit(unit);
}

/* A module's flag: what its PTX is to have, as 1 (all) or 0 (line directives). */
static const char ptx_flag[] = "cudasim full debug information in PTX";

void debug_set_form(LLVMModuleRef module)
{
	Module &m = *unwrap(module);
	if (m.debug_compile_units().empty())
		return;
	bool full = any_of(m.debug_compile_units(), [](const DICompileUnit *unit) {
		return unit->getEmissionKind() == DICompileUnit::FullDebug ||
		       unit->getEmissionKind() == DICompileUnit::LineTablesOnly;
	});
	m.setModuleFlag(
		Module::Max, ptx_flag,
		ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(m.getContext()), full)));
	auto *five = ConstantInt::get(Type::getInt32Ty(m.getContext()), 5);
	m.setModuleFlag(Module::Max, "Dwarf Version", ConstantAsMetadata::get(five));
	replace_units(m, [&m](DICompileUnit *unit) {
		return DICompileUnit::getDistinct(
			m.getContext(), unit->getSourceLanguage(), unit->getFile(),
			unit->getProducer(), unit->isOptimized(), unit->getFlags(),
			unit->getRuntimeVersion(), "", DICompileUnit::FullDebug,
			unit->getEnumTypes().get(), unit->getRetainedTypes().get(),
			unit->getGlobalVariables().get(), unit->getImportedEntities().get(),
			unit->getMacros().get(), 0, true, false,
			DICompileUnit::DebugNameTableKind::None, false, unit->getSysRoot(),
			unit->getSDK());
	});
}

void debug_prepare_nvptx(LLVMModuleRef module, bool full)
{
	Module &m = *unwrap(module);
	if (m.getModuleFlag("Dwarf Version"))
		m.setModuleFlag(Module::Max, "Dwarf Version", 2);
	auto *asked = mdconst::extract_or_null<ConstantInt>(m.getModuleFlag(ptx_flag));
	if (asked ? !asked->isZero() : full)
		return;
	stripNonLineTableDebugInfo(m);
	replace_units(m, [&m](DICompileUnit *unit) {
		if (unit->getEmissionKind() == DICompileUnit::NoDebug)
			return unit;
		return DICompileUnit::getDistinct(
			m.getContext(), unit->getSourceLanguage(), unit->getFile(),
			unit->getProducer(), unit->isOptimized(), "", 0, "",
			DICompileUnit::DebugDirectivesOnly, nullptr, nullptr, nullptr, nullptr,
			nullptr, 0, false, false, DICompileUnit::DebugNameTableKind::None, false,
			"", "");
	});
}

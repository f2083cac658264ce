/* SPDX-License-Identifier: Apache-2.0 */
#include "llvm_functions.h"

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <string>

#include <llvm/Analysis/InlineCost.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/Internalize.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

static bool is_expanded(const User *user, const SmallPtrSetImpl<const Value *> &made)
{
	return (isa<CastInst>(user) || isa<GetElementPtrInst>(user)) &&
	       all_of(user->operands(), [&](const Use &operand) {
		       return isa<ConstantData>(operand) || made.count(operand);
	       });
}

/* What constants became has the place in the source of what uses it first. LLVM 22 makes one instruction for all uses
 * in a block and gives it the place of any of these, so that a line would begin where another is not done. */
static void take_places(ArrayRef<Constant *> constants)
{
	SmallPtrSet<const Value *, 16> made(constants.begin(), constants.end());
	SmallVector<Value *, 16> work(constants.begin(), constants.end());
	SmallVector<Instruction *, 16> instructions;
	while (!work.empty())
		for (User *user : work.pop_back_val()->users()) {
			auto *i = dyn_cast<Instruction>(user);
			if (!i || !is_expanded(i, made) || !made.insert(i).second)
				continue;
			work.push_back(i);
			instructions.push_back(i);
		}
	for (Instruction *i : instructions) {
		Instruction *next = i->getNextNode();
		while (next && (made.count(next) || isa<DbgInfoIntrinsic>(next)))
			next = next->getNextNode();
		if (next && !next->isTerminator() && next->getDebugLoc())
			i->setDebugLoc(next->getDebugLoc());
	}
}

void constants_expand(LLVMValueRef *globals, unsigned n_globals)
{
	SmallVector<Constant *, 16> constants;
	for (unsigned i = 0; i < n_globals; i++)
		constants.push_back(unwrap<Constant>(globals[i]));
	convertUsersOfConstantsToInstructions(constants);
	take_places(constants);
}

bool instruction_dominates(LLVMValueRef definition, LLVMValueRef user)
{
	auto *d = cast<Instruction>(unwrap(definition)), *u = cast<Instruction>(unwrap(user));
	if (d->getParent() == u->getParent())
		return d->comesBefore(u);
	return DominatorTree(*u->getFunction()).dominates(d, u);
}

bool branch_leaves_loop(LLVMValueRef branch, LLVMBasicBlockRef inside)
{
	auto *end = unwrap<Instruction>(branch);
	BasicBlock *block = unwrap(inside);
	DominatorTree tree(*end->getFunction());
	LoopInfo loops(tree);
	for (Loop *loop = loops.getLoopFor(block); loop; loop = loop->getParentLoop()) {
		if (!loop->contains(end))
			continue;
		for (unsigned i = 0; i < end->getNumSuccessors(); i++)
			if (!loop->contains(end->getSuccessor(i)))
				return true;
	}
	return false;
}

LLVMValueRef address_base(LLVMValueRef instruction, LLVMValueRef address, int64_t *offset)
{
	const DataLayout &layout = unwrap<Instruction>(instruction)->getModule()->getDataLayout();
	Value *value = unwrap(address);
	APInt bytes(layout.getIndexTypeSizeInBits(value->getType()), 0);
	const Value *base = value->stripAndAccumulateConstantOffsets(layout, bytes, true);
	const Value *object = getUnderlyingObject(base, 0);
	*offset = base == object && !bytes.isNegative() ? (int64_t)bytes.getZExtValue() : -1;
	return wrap(object);
}

bool address_is_aligned(LLVMValueRef instruction, LLVMValueRef address, uint64_t alignment)
{
	const DataLayout &layout = unwrap<Instruction>(instruction)->getModule()->getDataLayout();
	KnownBits known = computeKnownBits(unwrap(address), layout);
	return known.countMinTrailingZeros() >= Log2_64(alignment);
}

uint64_t type_store_size(LLVMValueRef instruction, LLVMTypeRef type)
{
	const DataLayout &layout = unwrap<Instruction>(instruction)->getModule()->getDataLayout();
	return layout.getTypeStoreSize(unwrap(type)).getFixedValue();
}

const char *instruction_sync_scope(LLVMValueRef instruction)
{
	auto *inst = unwrap<Instruction>(instruction);
	auto id = getAtomicSyncScopeID(inst);
	if (!id)
		return "";
	SmallVector<StringRef, 8> names;
	inst->getContext().getSyncScopeNames(names);
	/* LLVM keeps these names in a string map: they end in NUL. */
	return *id < names.size() ? names[*id].data() : "";
}

void instruction_set_sync_scope(LLVMValueRef instruction, const char *scope)
{
	auto *inst = unwrap<Instruction>(instruction);
	SyncScope::ID id = inst->getContext().getOrInsertSyncScopeID(scope);
	if (auto *load = dyn_cast<LoadInst>(inst))
		load->setSyncScopeID(id);
	else if (auto *store = dyn_cast<StoreInst>(inst))
		store->setSyncScopeID(id);
	else if (auto *fence = dyn_cast<FenceInst>(inst))
		fence->setSyncScopeID(id);
	else if (auto *rmw = dyn_cast<AtomicRMWInst>(inst))
		rmw->setSyncScopeID(id);
	else
		cast<AtomicCmpXchgInst>(inst)->setSyncScopeID(id);
}

void function_delete_body(LLVMValueRef function)
{
	unwrap<Function>(function)->deleteBody();
}

void call_inline(LLVMValueRef call)
{
	InlineFunctionInfo info;
	InlineResult result = InlineFunction(*unwrap<CallBase>(call), info);
	assert(result.isSuccess());
	(void)result;
}

struct function_passes {
	LoopAnalysisManager lam;
	FunctionAnalysisManager fam;
	CGSCCAnalysisManager cgam;
	ModuleAnalysisManager mam;
	FunctionPassManager manager;
};

struct function_passes *function_passes_new(const char *text)
{
	auto *passes = new function_passes;
	PassBuilder builder;
	builder.registerModuleAnalyses(passes->mam);
	builder.registerCGSCCAnalyses(passes->cgam);
	builder.registerFunctionAnalyses(passes->fam);
	builder.registerLoopAnalyses(passes->lam);
	builder.crossRegisterProxies(passes->lam, passes->fam, passes->cgam, passes->mam);
	Error failure = builder.parsePassPipeline(passes->manager, text);
	assert(!failure);
	(void)!!failure;
	return passes;
}

void function_passes_run(struct function_passes *passes, LLVMValueRef function)
{
	auto *f = unwrap<Function>(function);
	/* What changed since its last run is not known to the analyses. */
	passes->fam.clear(*f, f->getName());
	passes->manager.run(*f, passes->fam);
}

void function_passes_free(struct function_passes *passes)
{
	delete passes;
}

void debug_drop_variables(LLVMValueRef function)
{
	for (Instruction &i : instructions(*unwrap<Function>(function)))
		i.dropDbgRecords();
}

bool call_try_inline(LLVMValueRef call)
{
	auto *base = unwrap<CallBase>(call);
	Function *callee = base->getCalledFunction();
	if (!callee || callee->isDeclaration() || !isInlineViable(*callee).isSuccess())
		return false;
	InlineFunctionInfo info;
	return InlineFunction(*base, info).isSuccess();
}

/* LLVM's own lists (llvm.global.annotations, llvm.used) tell of the function itself. */
static bool is_in_list(const User *user)
{
	if (auto *variable = dyn_cast<GlobalVariable>(user))
		return variable->getName().starts_with("llvm.");
	return isa<Constant>(user) && !user->use_empty() && all_of(user->users(), is_in_list);
}

void function_replace_address(LLVMValueRef function, LLVMValueRef with)
{
	unwrap<Function>(function)->replaceUsesWithIf(unwrap(with), [](Use &use) {
		auto *call = dyn_cast<CallBase>(use.getUser());
		return (!call || !call->isCallee(&use)) && !is_in_list(use.getUser());
	});
}

void debug_drop_locations(LLVMValueRef function)
{
	auto *f = unwrap<Function>(function);
	for (Instruction &i : instructions(*f)) {
		i.dropDbgRecords();
		i.setDebugLoc(DebugLoc());
	}
	f->setSubprogram(nullptr);
}

LLVMBasicBlockRef block_split_before(LLVMValueRef instruction)
{
	auto *i = unwrap<Instruction>(instruction);
	return wrap(i->getParent()->splitBasicBlock(i->getIterator()));
}

char *name_demangle(const char *name, bool without_params)
{
	/* Without "_Z" it is no mangled name, though the demangler reads some as types: a
	 * variable `s` would become `short`. */
	ItaniumPartialDemangler demangler;
	if (strncmp(name, "_Z", 2) || demangler.partialDemangle(name))
		return strdup(name);
	char *text;
	if (without_params && demangler.isFunction())
		text = demangler.getFunctionName(nullptr, nullptr);
	else
		text = demangler.finishDemangle(nullptr, nullptr);
	return text ? text : strdup(name);
}

void machine_set_options(LLVMTargetMachineRef machine)
{
	auto *tm = reinterpret_cast<TargetMachine *>(machine);
	tm->Options.EmitStackSizeSection = true;
	tm->Options.UseInitArray = true;
}

bool module_link_needed(LLVMModuleRef to, LLVMModuleRef from)
{
	auto internalize = [](Module &module, const StringSet<> &linked) {
		internalizeModule(module, [&linked](const GlobalValue &value) {
			return !value.hasName() || !linked.contains(value.getName());
		});
	};
	return Linker::linkModules(*unwrap(to), std::unique_ptr<Module>(unwrap(from)),
				   Linker::LinkOnlyNeeded, internalize);
}

LLVMModuleRef module_clone_globals(LLVMModuleRef module)
{
	ValueToValueMapTy map;
	auto clone = CloneModule(*unwrap(module), map,
				 [](const GlobalValue *v) { return !isa<Function>(v); });
	return wrap(clone.release());
}

LLVMValueRef build_gather(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef addresses,
			  unsigned align)
{
	return wrap(
		unwrap(builder)->CreateMaskedGather(unwrap(type), unwrap(addresses), Align(align)));
}

void instruction_forbid_contraction(LLVMValueRef instruction)
{
	auto *i = unwrap<Instruction>(instruction);
	FastMathFlags flags = i->getFastMathFlags();
	flags.setAllowContract(false);
	i->copyFastMathFlags(flags);
}

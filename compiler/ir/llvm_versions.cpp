/* SPDX-License-Identifier: Apache-2.0 */
/* llvm_versions.cpp - see llvm_versions.h. From LLVM 20 on clang gives kernels a calling convention and their bounds
 * attributes, where nvvm.annotations named both; the readers of bitcode and text change old modules likewise. Later
 * versions rename intrinsics in the same way. Passes for each form would double what they have to know. */
#include "llvm_versions.h"

#if LLVM_VERSION_MAJOR >= 20

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/AutoUpgrade.h>
#include <llvm/IR/CallingConv.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

/* ---- kernels --------------------------------------------------------------------------------- */

static void annotate(Function &f, const Twine &property, uint64_t value)
{
	LLVMContext &context = f.getContext();
	Metadata *parts[] = {
		ConstantAsMetadata::get(&f),
		MDString::get(context, property.str()),
		ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), value)),
	};
	f.getParent()
		->getOrInsertNamedMetadata("nvvm.annotations")
		->addOperand(MDNode::get(context, parts));
}

/* "nvvm.maxntid"="32,2" is maxntidx 32, maxntidy 2. */
static void annotate_bound(Function &f, StringRef attribute, StringRef property, bool per_dimension)
{
	if (!f.hasFnAttribute(attribute))
		return;
	SmallVector<StringRef, 3> numbers;
	f.getFnAttribute(attribute).getValueAsString().split(numbers, ',');
	for (unsigned i = 0; i < numbers.size() && i < 3; i++) {
		uint64_t value;
		if (!numbers[i].trim().getAsInteger(10, value))
			annotate(f, per_dimension ? property + Twine("xyz"[i]) : Twine(property),
				 value);
	}
	f.removeFnAttr(attribute);
}

/* Launches from device code are calls of kernels until pass_launches.c. */
static void settle_calls(Function &f)
{
	for (Instruction &i : instructions(f))
		if (auto *call = dyn_cast<CallBase>(&i))
			if (call->getCallingConv() == CallingConv::PTX_Kernel)
				call->setCallingConv(CallingConv::C);
}

static void settle_kernel(Function &f, bool of_clang)
{
	if (f.getCallingConv() == CallingConv::PTX_Kernel) {
		f.setCallingConv(CallingConv::C);
		annotate(f, "kernel", 1);
		if (of_clang)
			f.removeFnAttr(Attribute::NoInline); /* nothing calls a kernel */
	}
	annotate_bound(f, "nvvm.maxntid", "maxntid", true);
	annotate_bound(f, "nvvm.reqntid", "reqntid", true);
	annotate_bound(f, "nvvm.cluster_dim", "cluster_dim_", true);
	annotate_bound(f, "nvvm.minctasm", "minctasm", false);
	annotate_bound(f, "nvvm.maxnreg", "maxnreg", false);
	annotate_bound(f, "nvvm.maxclusterrank", "maxclusterrank", false);
}

/* ---- alignment -------------------------------------------------------------------------------- */

/* clang 22 takes an access through a cast pointer, *(int *)(bytes + i), for one of the array's alignment; before, as in
 * nvcc's code, it had that of its type, even where the type is declared with a smaller one. Members of packed
 * structures are addressed by their own types, and stay as they are. */
static void settle_alignment(Instruction &i, const DataLayout &layout)
{
	if (!isa<LoadInst>(i) && !isa<StoreInst>(i))
		return;
	auto *address = dyn_cast<GEPOperator>(getLoadStorePointerOperand(&i));
	Type *type = getLoadStoreType(&i);
	if (!address || !type->isSingleValueType() ||
	    !address->getSourceElementType()->isSingleValueType() ||
	    layout.getTypeStoreSize(address->getSourceElementType()) >=
		    layout.getTypeStoreSize(type))
		return;
	Align natural = layout.getABITypeAlign(type);
	if (natural <= getLoadStoreAlignment(&i))
		return;
	if (auto *load = dyn_cast<LoadInst>(&i))
		load->setAlignment(natural);
	else
		cast<StoreInst>(i).setAlignment(natural);
}

/* ---- intrinsics ------------------------------------------------------------------------------ */

static bool is_zero(const Value *v)
{
	auto *constant = dyn_cast<ConstantInt>(v);
	return constant && constant->isZero();
}

/* The name that LLVM 19 has for what is called, without "llvm.nvvm."; "" where it is the same. Arguments that it did not
 * have are taken off, others made of its type. */
static StringRef old_name(StringRef name, SmallVectorImpl<Value *> &args, IRBuilderBase &b)
{
	if (name.starts_with("barrier.cta.red.")) {
		/* (id, all or n of threads, i1) */
		bool whole = name.ends_with(".all"), first = whole && is_zero(args[0]);
		StringRef kind = name.split(".red.").second.split('.').first;
		args.back() = b.CreateZExt(args.back(), b.getInt32Ty());
		if (whole && first)
			args.erase(args.begin());
		else if (whole)
			args.insert(args.begin() + 1, b.getInt32(0));
		return StringSwitch<StringRef>(kind)
			.Case("popc", first ? "barrier0.popc" : "barrier.red.popc")
			.Case("and", first ? "barrier0.and" : "barrier.red.and")
			.Default(first ? "barrier0.or" : "barrier.red.or");
	}
	if (name == "barrier.cta.sync.aligned.all" && is_zero(args[0])) {
		args.clear();
		return "barrier0";
	}
	return StringSwitch<StringRef>(name)
		.Case("barrier.cta.sync.aligned.all", "bar.sync")
		.Case("barrier.cta.sync.aligned.count", "barrier")
		.Case("barrier.cta.sync.all", "barrier.sync")
		.Case("barrier.cta.sync.count", "barrier.sync.cnt")
		.Case("barrier.cta.arrive.aligned.count", "barrier.arrive")
		.Case("barrier.cta.arrive.count", "barrier.arrive")
		.Default("");
}

static void settle_call(CallInst &call, StringRef name)
{
	IRBuilder<> b(&call);
	SmallVector<Value *, 4> args(call.args());
	StringRef then = old_name(name, args, b);
	if (then.empty())
		return;
	SmallVector<Type *, 4> types;
	for (Value *arg : args)
		types.push_back(arg->getType());
	/* Those that vote return a word. */
	bool is_vote = call.getType()->isIntegerTy(1);
	auto *type = FunctionType::get(is_vote ? b.getInt32Ty() : call.getType(), types, false);
	AttrBuilder effects(b.getContext(), call.getCalledFunction()->getAttributes().getFnAttrs());
	FunctionCallee callee = call.getModule()->getOrInsertFunction(
		("llvm.nvvm." + then).str(), type,
		AttributeList::get(b.getContext(), AttributeList::FunctionIndex, effects));
	CallInst *old = b.CreateCall(callee, args);
	for (Attribute attribute : call.getAttributes().getFnAttrs())
		old->addFnAttr(attribute);
	Value *result = is_vote ? b.CreateICmpNE(old, b.getInt32(0)) : old;
	call.replaceAllUsesWith(result);
	call.eraseFromParent();
}

/* What the readers of modules make of llvm.nvvm.tanh.approx.f32, in libdevice and elsewhere. */
static void settle_tanh(CallInst &call)
{
	if (!call.hasApproxFunc() || call.hasAllowReassoc())
		return;
	FunctionCallee approximate = call.getModule()->getOrInsertFunction(
		"llvm.nvvm.tanh.approx.f32", call.getFunctionType(),
		call.getCalledFunction()->getAttributes());
	call.setCalledFunction(approximate);
	call.setFastMathFlags(FastMathFlags());
}

static void settle_intrinsic(Function &f)
{
	StringRef name = f.getName();
	if (name == "llvm.tanh.f32")
		for (User *user : make_early_inc_range(f.users()))
			settle_tanh(*cast<CallInst>(user));
	if (!f.isDeclaration() || !name.consume_front("llvm.nvvm."))
		return;
	for (User *user : make_early_inc_range(f.users()))
		if (auto *call = dyn_cast<CallInst>(user))
			if (call->getCalledFunction() == &f)
				settle_call(*call, name);
	if (f.use_empty())
		f.eraseFromParent();
}

/* Overloaded now: the old names would be taken for these with a wrong ending. The last ones, which are not LLVM 19's but
 * have builtins, are intrinsics with one argument less now. */
static const struct {
	const char *then, *now;
} names[] = {
	{"llvm.nvvm.fabs.f", "llvm.nvvm.fabs.f32"},
	{"llvm.nvvm.fabs.ftz.f", "llvm.nvvm.fabs.ftz.f32"},
	{"llvm.nvvm.fabs.d", "llvm.nvvm.fabs.f64"},
	{"llvm.nvvm.ex2.approx.f", "llvm.nvvm.ex2.approx.f32"},
	{"llvm.nvvm.ex2.approx.ftz.f", "llvm.nvvm.ex2.approx.ftz.f32"},
	{"llvm.nvvm.prmt.rc8", "llvm.nvvm.prmt.rc8.three"},
	{"llvm.nvvm.prmt.rc16", "llvm.nvvm.prmt.rc16.three"},
	{"llvm.nvvm.prmt.ecl", "llvm.nvvm.prmt.ecl.three"},
	{"llvm.nvvm.prmt.ecr", "llvm.nvvm.prmt.ecr.three"},
};

bool clang_makes_launches()
{
	return true;
}

bool intrinsic_settled(const char *name)
{
	static const StringRef settled[] = {
		"barrier0",         "barrier0.popc",   "barrier0.and",     "barrier0.or",
		"barrier.red.popc", "barrier.red.and", "barrier.red.or",   "bar.sync",
		"barrier",          "barrier.sync",    "barrier.sync.cnt", "barrier.arrive",
		"tanh.approx.f32",
	};
	StringRef rest(name);
	return rest.consume_front("llvm.nvvm.") && is_contained(settled, rest);
}

const char *intrinsic_name_here(const char *then)
{
	for (auto &name : names)
		if (StringRef(name.then) == then)
			return name.now;
	return then;
}

const char *intrinsic_name_19(const char *now)
{
	for (auto &name : names)
		if (StringRef(name.now) == now)
			return name.then;
	return now;
}

void module_settle(LLVMModuleRef ref, bool of_clang)
{
	Module &module = *unwrap(ref);
	for (Function &f : make_early_inc_range(module)) {
		settle_kernel(f, of_clang);
		settle_calls(f);
		if (of_clang)
			for (Instruction &i : instructions(f))
				settle_alignment(i, module.getDataLayout());
		settle_intrinsic(f);
	}
}

void module_unsettle(LLVMModuleRef ref)
{
	Module &module = *unwrap(ref);
	for (Function &f : make_early_inc_range(module))
		if (f.isDeclaration() && f.getName().starts_with("llvm."))
			UpgradeCallsToIntrinsic(&f);
	UpgradeNVVMAnnotations(module);
}

#else

bool clang_makes_launches()
{
	return false;
}

bool intrinsic_settled(const char *)
{
	return false;
}

const char *intrinsic_name_here(const char *then)
{
	return then;
}

const char *intrinsic_name_19(const char *now)
{
	return now;
}

void module_settle(LLVMModuleRef, bool)
{
}

void module_unsettle(LLVMModuleRef)
{
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* alignment.cpp - see alignment.h.
 *
 * A GPU ends the launch at a misaligned access; x86 performs it. A branch before each access
 * would cost time and keep loops from becoming vectors. So the address is spoilt instead: its
 * low bits, which are zero where it is aligned, are added to it once more from bit
 * CUDASIM_MISALIGNED_SHIFT on, and what is not canonical then faults where it is accessed and
 * only there. No control flow, and what is added is as invariant as the low bits are.
 *
 * These are those of a sum: an address is a base, and indices times sizes. Terms that are
 * multiples of the alignment vanish, extensions and truncations keep low bits, and what a
 * loop adds to its own address is a multiple mostly. What is left is the base, of which the
 * low bits are computed once where it is made. Where it is known to be aligned, nothing is.
 *
 * The alignment is that of the access in the program, no larger than its size. Neighbouring
 * accesses that nvcc makes one of (a float4's elements) need that of all of them.
 *
 * Rejected: the processor's own alignment check (EFLAGS.AC), which refuses what libc and
 * vectors of elements do; tests before loops over threads, with a second form of the loop
 * (twice the code, or a slow form for programs that look at the alignment themselves). */
#include "alignment.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cudasim/abi.h"
#include "llvm_versions.h"
#include "low_bits.h"

using namespace llvm;
using namespace low_bits;

namespace
{

enum {
	WIDEST = 16, /* bytes, of a GPU's access */
};

class Spoiler
{
public:
	Spoiler(Function &f, DominatorTree &tree)
	    : f(f), layout(f.getParent()->getDataLayout()), tree(tree), search(tree, layout)
	{
	}
	/* All accesses, or those that are parts of larger ones. */
	void run(bool parts_only);

private:
	struct Access {
		Instruction *instruction;
		unsigned operand;
		uint64_t needs;  /* alignment in bytes, of the address less `behind` bytes */
		uint64_t behind;
		bool is_part;
	};
	/* A load or store at a constant distance from a base. */
	struct Part {
		size_t access;
		int64_t offset;
		uint64_t size, align;
	};

	Function &f;
	const DataLayout &layout;
	DominatorTree &tree;
	Search search;
	std::vector<Access> accesses;
	std::map<
		std::pair<std::vector<std::pair<Value *, uint64_t>>, std::pair<uint64_t, uint64_t>>,
		Value *>
		additions;
	std::map<std::pair<Value *, Value *>, Value *> spoilt; /* of pointers, by addition */
	std::vector<WeakTrackingVH> replaced;

	bool is_own(const Value *address) const;
	void add(Instruction &i, unsigned operand, uint64_t size, uint64_t align);
	void find(Instruction &i);
	void join(std::vector<Part> &parts);
	void join_neighbours();
	Instruction *behind(Value *v) const;
	Value *addition(const Sum &sum, unsigned bits, Instruction *before);
	Value *base_of(Value *pointer, unsigned bits);
	Value *spoil(Value *pointer, Value *base, Value *by);
	void treat(const Access &access);
};

/* ---- what is accessed, and how aligned it has to be ------------------------------------ */

/* Structures of the simulator's own: a thread's, a block's, what threads keep. */
bool Spoiler::is_own(const Value *address) const
{
	const Value *base = getUnderlyingObject(address, 0);
	if (auto *argument = dyn_cast<Argument>(base))
		return f.getAttributes().getParamAttrs(argument->getArgNo()).hasAttribute(own_name);
	if (auto *call = dyn_cast<CallBase>(base)) {
		Function *callee = call->getCalledFunction();
		return callee && (callee->getName() == "__cudasim_context" ||
				  callee->getName() == "__cudasim_loop_frame" ||
				  callee->getName() == "__cudasim_loop_thread");
	}
	auto *load = dyn_cast<LoadInst>(base);
	/* A thread's block; what a block points to is the program's. */
	auto *call = load ? dyn_cast<CallBase>(getUnderlyingObject(load->getPointerOperand(), 0))
			  : nullptr;
	Function *callee = call ? call->getCalledFunction() : nullptr;
	return callee && callee->getName() == "__cudasim_context";
}

/* An instruction of a GPU accesses 1, 2, 4, 8 or 16 bytes; other sizes go in pieces. */
void Spoiler::add(Instruction &i, unsigned operand, uint64_t size, uint64_t align)
{
	uint64_t piece = size & -size;
	piece = std::min({piece, align, (uint64_t)WIDEST});
	unsigned space = i.getOperand(operand)->getType()->getPointerAddressSpace();
	if (space <= 5 && !is_own(i.getOperand(operand)))
		accesses.push_back({&i, operand, std::max<uint64_t>(piece, 1), 0, false});
}

void Spoiler::find(Instruction &i)
{
	if (auto *load = dyn_cast<LoadInst>(&i))
		add(i, LoadInst::getPointerOperandIndex(), layout.getTypeStoreSize(i.getType()),
		    load->getAlign().value());
	else if (auto *store = dyn_cast<StoreInst>(&i))
		add(i, StoreInst::getPointerOperandIndex(),
		    layout.getTypeStoreSize(store->getValueOperand()->getType()),
		    store->getAlign().value());
	else if (auto *update = dyn_cast<AtomicRMWInst>(&i))
		add(i, AtomicRMWInst::getPointerOperandIndex(),
		    layout.getTypeStoreSize(update->getType()), update->getAlign().value());
	else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&i))
		add(i, AtomicCmpXchgInst::getPointerOperandIndex(),
		    layout.getTypeStoreSize(exchange->getCompareOperand()->getType()),
		    exchange->getAlign().value());
	auto *memory = dyn_cast<MemIntrinsic>(&i);
	auto *size = memory ? dyn_cast<ConstantInt>(memory->getLength()) : nullptr;
	if (!size || size->isZero())
		return;
	add(i, 0, size->getZExtValue(), memory->getDestAlign().valueOrOne().value());
	if (auto *copy = dyn_cast<MemTransferInst>(memory))
		add(i, 1, size->getZExtValue(), copy->getSourceAlign().valueOrOne().value());
}

/* Of parts that lie side by side, those that one aligned access can take. */
void Spoiler::join(std::vector<Part> &parts)
{
	if (parts.size() > 1) {
		/* Where the address is known best. */
		const Part *best = &parts[0];
		for (const Part &p : parts)
			if (p.align > best->align)
				best = &p;
		uint64_t align = std::min<uint64_t>(best->align, WIDEST);
		int64_t origin = best->offset;
		std::map<int64_t, uint64_t> at; /* sizes */
		for (const Part &p : parts)
			at[p.offset] = std::max(at[p.offset], p.size);
		for (const Part &p : parts) {
			for (uint64_t wide = align; wide > p.size; wide /= 2) {
				uint64_t within = (uint64_t)(p.offset - origin) % wide;
				int64_t first = p.offset - (int64_t)within, next = first;
				for (auto found = at.find(next);
				     found != at.end() && next < first + (int64_t)wide;
				     found = at.find(next))
					next += (int64_t)found->second;
				if (next != first + (int64_t)wide)
					continue;
				accesses[p.access].needs = wide;
				accesses[p.access].behind = within;
				accesses[p.access].is_part = true;
				break;
			}
		}
	}
	parts.clear();
}

/* As nvcc does: in a block, loads with no write between them, stores with no read. */
void Spoiler::join_neighbours()
{
	std::map<const Instruction *, size_t> of;
	for (size_t k = 0; k < accesses.size(); k++)
		of[accesses[k].instruction] = k;
	for (BasicBlock &block : f) {
		std::map<Value *, std::vector<Part>> loads;
		std::vector<Part> stores;
		Value *stored = nullptr;
		auto end_loads = [&] {
			for (auto &[base, parts] : loads)
				join(parts);
			loads.clear();
		};
		for (Instruction &i : block) {
			Value *address = getLoadStorePointerOperand(&i);
			Type *type = address ? getLoadStoreType(&i) : nullptr;
			bool simple = address && !i.isAtomic() && !i.isVolatile() && of.count(&i) &&
				      (type->isIntOrPtrTy() || type->isFloatingPointTy());
			Part part = {};
			Value *base = nullptr;
			if (simple) {
				APInt offset(64, 0);
				base = address->stripAndAccumulateConstantOffsets(layout, offset,
										  true);
				part = {of[&i], offset.getSExtValue(),
					layout.getTypeStoreSize(type),
					getLoadStoreAlignment(&i).value()};
			}
			if (i.mayWriteToMemory() && !isa<AssumeInst>(i))
				end_loads();
			if ((i.mayReadFromMemory() && !isa<AssumeInst>(i)) ||
			    (isa<StoreInst>(i) && (!simple || base != stored)))
				join(stores);
			if (simple && isa<LoadInst>(i))
				loads[base].push_back(part);
			if (simple && isa<StoreInst>(i)) {
				stores.push_back(part);
				stored = base;
			}
		}
		end_loads();
		join(stores);
	}
}

/* ---- the access ------------------------------------------------------------------------ */

/* The first place at which the value may be used. */
Instruction *Spoiler::behind(Value *v) const
{
	auto *i = dyn_cast<Instruction>(v);
	if (!i)
		return &*f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
	if (isa<PHINode>(i))
		return &*i->getParent()->getFirstInsertionPt();
	return i->isTerminator() ? nullptr : i->getNextNode();
}

/* What is added to the address: its low bits at the top. */
Value *Spoiler::addition(const Sum &sum, unsigned bits, Instruction *before)
{
	uint64_t mask = (1ull << bits) - 1;
	std::vector<std::pair<Value *, uint64_t>> key(sum.terms.begin(), sum.terms.end());
	std::sort(key.begin(), key.end());
	Value *&known = additions[{key, {sum.constant & mask, bits}}];
	if (known)
		return known;
	Instruction *at = before;
	for (auto &[v, factor] : sum.terms) {
		Instruction *here = behind(v);
		bool last = here != nullptr;
		for (auto &[other, times] : sum.terms)
			if (here && !tree.dominates(other, here))
				last = false;
		if (last)
			at = here;
	}
	IRBuilder<> b(at);
	b.SetCurrentDebugLocation(before->getDebugLoc());
	Value *low = sum.constant & mask ? b.getInt64(sum.constant & mask) : nullptr;
	for (auto &[v, factor] : sum.terms) {
		Value *number = v->getType()->isPointerTy()
					? b.CreatePtrToInt(v, b.getInt64Ty())
					: b.CreateZExtOrTrunc(v, b.getInt64Ty());
		if ((factor & mask) != 1)
			number = b.CreateMul(number, b.getInt64(factor & mask));
		low = low ? b.CreateAdd(low, number) : number;
	}
	Value *made = b.CreateShl(b.CreateAnd(low, b.getInt64(mask)), CUDASIM_MISALIGNED_SHIFT);
	if (at != before || sum.terms.empty())
		known = made;
	return made;
}

/* What is the same for neighbouring accesses: the pointer before steps of known multiples. */
Value *Spoiler::base_of(Value *pointer, unsigned bits)
{
	for (;;) {
		auto *cast = dyn_cast<AddrSpaceCastInst>(pointer);
		auto *gep = dyn_cast<GetElementPtrInst>(pointer);
		if (!cast && !gep)
			return pointer;
		Sum sum;
		APInt none(64, 0);
		if (gep && !gep->accumulateConstantOffset(layout, none))
			for (auto at = gep_type_begin(gep), end = gep_type_end(gep); at != end;
			     ++at)
				if (!at.getStructTypeOrNull())
					search.add(at.getOperand(),
						   at.getSequentialElementStride(layout)
							   .getFixedValue(),
						   bits, sum);
		for (auto &[v, factor] : sum.terms)
			if (factor & ((1ull << bits) - 1))
				return pointer;
		if (!sum.known || sum.spoilt)
			return pointer;
		pointer = cast ? cast->getOperand(0) : gep->getPointerOperand();
	}
}

/* The pointer with its base spoilt: geps and casts from there on are made once more. nullptr
 * where that cannot be. */
Value *Spoiler::spoil(Value *pointer, Value *base, Value *by)
{
	auto found = spoilt.find({pointer, by});
	if (found != spoilt.end())
		return found->second;
	auto *i = dyn_cast<Instruction>(pointer);
	if (pointer == base) {
		Instruction *at = behind(base);
		auto *made = dyn_cast<Instruction>(by);
		if (made && (!at || !tree.dominates(made, at))) {
			at = made->getNextNode();
			if (i && !tree.dominates(i, at))
				return nullptr;
		}
		if (!at)
			return nullptr;
		IRBuilder<> b(at);
		return spoilt[{pointer, by}] = b.CreateGEP(b.getInt8Ty(), pointer, by, "spoilt");
	}
	Value *under = spoil(i->getOperand(0), base, by);
	if (!under || (isa<Instruction>(under) && !tree.dominates(cast<Instruction>(under), i)))
		return nullptr;
	Instruction *copy = i->clone();
	copy->setOperand(0, under);
	copy->insertAfter(i);
	return spoilt[{pointer, by}] = copy;
}

void Spoiler::treat(const Access &access)
{
	unsigned bits = (unsigned)Log2_64(access.needs);
	Value *pointer = access.instruction->getOperand(access.operand);
	Sum sum;
	if (!bits || isa<AllocaInst>(pointer))
		return;
	sum.constant = 0 - access.behind;
	search.add(pointer, 1, bits, sum);
	if (sum.spoilt)
		return;
	if (!sum.known) { /* the address itself */
		sum = Sum();
		sum.constant = 0 - access.behind;
		sum.terms[pointer] = 1;
	}
	sum.terms.remove_if([&](auto &one) { return !(one.second & (access.needs - 1)); });
	if (sum.terms.empty() && !(sum.constant & (access.needs - 1)))
		return;
	Value *by = addition(sum, bits, access.instruction);
	Value *changed = spoil(pointer, base_of(pointer, bits), by);
	if (!changed) {
		IRBuilder<> b(access.instruction);
		changed = b.CreateGEP(b.getInt8Ty(), pointer, by);
	}
	access.instruction->setOperand(access.operand, changed);
	replaced.emplace_back(pointer);
}

void Spoiler::run(bool parts_only)
{
	for (Instruction &i : instructions(f))
		if (tree.isReachableFromEntry(i.getParent()))
			find(i);
	join_neighbours();
	for (const Access &access : accesses)
		if (access.is_part || !parts_only)
			treat(access);
	for (WeakTrackingVH &old : replaced) {
		Value *left = old;
		if (auto *i = dyn_cast_or_null<Instruction>(left))
			RecursivelyDeleteTriviallyDeadInstructions(i);
	}
}

struct SpoilPass : PassInfoMixin<SpoilPass> {
	bool parts_only;
	explicit SpoilPass(bool parts_only) : parts_only(parts_only)
	{
	}
	PreservedAnalyses run(Function &f, FunctionAnalysisManager &analyses)
	{
		Spoiler(f, analyses.getResult<DominatorTreeAnalysis>(f)).run(parts_only);
		PreservedAnalyses kept;
		kept.preserveSet<CFGAnalyses>();
		return kept;
	}
	static bool isRequired()
	{
		return true;
	}
};

} // namespace

void alignment_spoil_misaligned(LLVMValueRef function)
{
	auto &f = *unwrap<Function>(function);
	if (f.isDeclaration())
		return;
	DominatorTree tree(f);
	Spoiler(f, tree).run(false);
}

void alignment_register(PassBuilder &builder)
{
	/* Later LLVM has moved some of an access's parts to where they are used. */
	llvm_versions::at_early_simplification(builder, [](ModulePassManager &manager) {
		manager.addPass(createModuleToFunctionPassAdaptor(SpoilPass(true)));
	});
	builder.registerVectorizerStartEPCallback(
		[](FunctionPassManager &manager, OptimizationLevel) {
			manager.addPass(SpoilPass(false));
		});
	builder.registerPipelineParsingCallback([](StringRef name, FunctionPassManager &manager,
						   ArrayRef<PassBuilder::PipelineElement>) {
		if (name != "cudasim-align" && name != "cudasim-align-parts")
			return false;
		manager.addPass(SpoilPass(name == "cudasim-align-parts"));
		return true;
	});
}

void alignment_mark_own(LLVMValueRef function, unsigned param)
{
	auto *f = unwrap<Function>(function);
	f->addParamAttr(param, Attribute::get(f->getContext(), own_name));
	f->addParamAttr(param, Attribute::getWithAlignment(f->getContext(), Align(8)));
}

void alignment_doubt(LLVMModuleRef ref)
{
	Module &module = *unwrap(ref);
	for (Function &f : module) {
		for (Argument &argument : f.args())
			if (!argument.hasByValAttr() && !argument.hasStructRetAttr())
				argument.removeAttr(Attribute::Alignment);
		f.removeRetAttr(Attribute::Alignment);
		for (Instruction &i : make_early_inc_range(instructions(f))) {
			if (auto *load = dyn_cast<LoadInst>(&i))
				load->setMetadata(LLVMContext::MD_align, nullptr);
			auto *call = dyn_cast<CallBase>(&i);
			if (!call || isa<MemIntrinsic>(call))
				continue;
			for (unsigned k = 0; k < call->arg_size(); k++)
				if (!call->isByValArgument(k) &&
				    !call->paramHasAttr(k, Attribute::StructRet))
					call->removeParamAttr(k, Attribute::Alignment);
			call->removeRetAttr(Attribute::Alignment);
			if (isa<AssumeInst>(call) && call->getOperandBundle("align"))
				call->eraseFromParent();
		}
	}
}

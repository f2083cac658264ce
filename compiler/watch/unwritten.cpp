/* SPDX-License-Identifier: Apache-2.0 */
/* unwritten.cpp - see unwritten.h.
 *
 * A variable is an alloca with a debug record of the user's. Its uses are followed through
 * casts and address computations. A store or copy into it marks what it writes; when its
 * address goes elsewhere (a call's argument, a pointer that is stored) all of it counts as
 * written from there on, since what others do with it is not seen here. A variable whose
 * address is chosen among others, or becomes a number, is not followed.
 *
 * A read is tested unless a write that covers it dominates it and the scope's beginning
 * dominates that write: then no way leads from the scope's beginning around the write. It is
 * told where nothing of what it reads was written, so that copies of structures may take
 * unwritten members along, and a union's one member may be written and another read. The
 * read of a bit field's word that only serves to write the field is none. */
#include "unwritten.h"
#include "llvm_versions.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <string>

using namespace llvm;

namespace
{

constexpr uint64_t max_bytes = 4096;  /* of a variable that is followed */
constexpr unsigned max_marks = 16;    /* states that one store marks at a computed place */
constexpr unsigned max_pairs = 40000; /* of reads and writes that are compared */
constexpr uint64_t max_read = 64;    /* states that a read is tested by */
constexpr uint64_t small_bytes = 64;  /* filled member by member */

enum class kind { read, write, all, begin };

/* What an instruction does to a variable: reads or writes size bytes at offset (none: it is
 * computed), writes all, or begins its scope. */
struct use {
	kind what;
	Instruction *at;
	Value *address;
	std::optional<uint64_t> offset;
	uint64_t size;
};

struct variable {
	AllocaInst *memory;
	DbgVariableRecord *record;
	uint64_t size, scalar, n; /* n states of `scalar` bytes each */
	AllocaInst *states;       /* n of the variable's; those behind are always set */
	bool has_fields;          /* bit fields of it are written one by one */
	SmallVector<use, 16> uses;
};

/* The smallest scalar of the type. */
uint64_t smallest(Type *type, const DataLayout &layout)
{
	uint64_t least = 8;
	if (auto *array = dyn_cast<ArrayType>(type))
		return smallest(array->getElementType(), layout);
	if (auto *vector = dyn_cast<FixedVectorType>(type))
		return smallest(vector->getElementType(), layout);
	if (auto *structure = dyn_cast<StructType>(type)) {
		for (Type *member : structure->elements())
			least = std::min(least, smallest(member, layout));
		return least;
	}
	return std::min<uint64_t>(
		least,
		PowerOf2Ceil(std::max<uint64_t>(1, layout.getTypeStoreSize(type).getFixedValue())));
}

std::string file_of(const DILocalVariable *v)
{
	DIFile *file = v->getFile() ? v->getFile() : v->getScope()->getFile();
	if (!file)
		return "";
	StringRef name = file->getFilename(), folder = file->getDirectory();
	if (name.starts_with("/") || folder.empty())
		return name.str();
	return (folder + "/" + name).str();
}

/* Has an object of the type anything that can be written? */
bool has_data(const DIType *type)
{
	while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
		unsigned tag = derived->getTag();
		if (tag != dwarf::DW_TAG_typedef && tag != dwarf::DW_TAG_const_type &&
		    tag != dwarf::DW_TAG_volatile_type)
			return true;
		type = derived->getBaseType();
	}
	auto *composite = dyn_cast_or_null<DICompositeType>(type);
	if (!composite || (composite->getTag() != dwarf::DW_TAG_structure_type &&
			   composite->getTag() != dwarf::DW_TAG_class_type))
		return true;
	for (const DINode *node : composite->getElements()) {
		auto *member = dyn_cast<DIDerivedType>(node);
		if (member && !member->isStaticMember() &&
		    (member->getTag() == dwarf::DW_TAG_member ||
		     (member->getTag() == dwarf::DW_TAG_inheritance &&
		      has_data(member->getBaseType()))))
			return true;
	}
	return false;
}

/* The record by which the user knows the memory, or none. */
DbgVariableRecord *users_record(AllocaInst *memory, const unwritten_user *user)
{
	auto records = findDVRDeclares(memory);
	if (records.size() != 1)
		return nullptr;
	DbgVariableRecord *record = records[0];
	const DILocalVariable *v = record->getVariable();
	if (v->getArg() || v->isArtificial() || v->getName().empty() ||
	    record->getExpression()->getNumElements() || !has_data(v->getType()))
		return nullptr;
	DIFile *file = v->getFile() ? v->getFile() : v->getScope()->getFile();
	if (!file || user->hidden(file->getFilename().str().c_str(), user->arg) ||
	    user->hidden(file_of(v).c_str(), user->arg))
		return nullptr;
	return record;
}

/* ---- uses -------------------------------------------------------------------- */

/* Is the value of this load only masked and stored back, as where a bit field is written? */
bool is_field_write(LoadInst *load)
{
	for (User *user : load->users()) {
		auto *masked = dyn_cast<BinaryOperator>(user);
		if (!masked || masked->getOpcode() != Instruction::And)
			return false;
		for (User *next : masked->users()) {
			auto *joined = dyn_cast<BinaryOperator>(next);
			auto *store = dyn_cast<StoreInst>(next);
			if (joined && joined->getOpcode() == Instruction::Or && joined->hasOneUse())
				store = dyn_cast<StoreInst>(*joined->user_begin());
			if (!store || store->getPointerOperand() != load->getPointerOperand())
				return false;
		}
	}
	return true;
}

class finder
{
	variable &v;
	const DataLayout &layout;

	std::optional<uint64_t> offset_of(Value *address) const
	{
		APInt offset(64, 0);
		Value *base = address->stripAndAccumulateConstantOffsets(layout, offset, true);
		if (base != v.memory || offset.isNegative() || offset.uge(v.size))
			return std::nullopt;
		return offset.getZExtValue();
	}

	void add(kind what, Instruction *at, Value *address, uint64_t size)
	{
		v.uses.push_back({what, at, address, offset_of(address), size});
	}

	bool intrinsic(IntrinsicInst *call, Value *pointer)
	{
		auto *length =
			isa<MemIntrinsic>(call)
				? dyn_cast<ConstantInt>(cast<MemIntrinsic>(call)->getLength())
				: nullptr;
		if (call->isLifetimeStartOrEnd()) {
			if (call->getIntrinsicID() == Intrinsic::lifetime_start)
				add(kind::begin, call, v.memory, v.size);
			return true;
		}
		if (call->isAssumeLikeIntrinsic())
			return true;
		if (auto *copy = dyn_cast<MemTransferInst>(call);
		    copy && copy->getRawSource() == pointer && length)
			add(kind::read, call, pointer, length->getZExtValue());
		if (auto *set = dyn_cast<MemIntrinsic>(call); set && set->getRawDest() == pointer) {
			if (length)
				add(kind::write, call, pointer, length->getZExtValue());
			else
				add(kind::all, call, pointer, v.size);
		}
		if (!isa<MemIntrinsic>(call))
			add(kind::all, call, pointer, v.size);
		return true;
	}

	/* False where the variable cannot be followed. */
	bool user_of(Value *pointer, Instruction *i, SmallVectorImpl<Value *> &more)
	{
		if (isa<GetElementPtrInst>(i) || isa<AddrSpaceCastInst>(i) || isa<BitCastInst>(i)) {
			more.push_back(i);
			return !i->getType()->isVectorTy();
		}
		if (auto *load = dyn_cast<LoadInst>(i)) {
			bool for_field = v.memory->getAllocatedType()->isStructTy() &&
					 is_field_write(load);
			v.has_fields |= for_field && !load->use_empty();
			if (!load->use_empty() && !for_field)
				add(kind::read, i, pointer,
				    layout.getTypeStoreSize(load->getType()));
			return true;
		}
		if (auto *store = dyn_cast<StoreInst>(i)) {
			if (store->getValueOperand() == pointer)
				add(kind::all, i, pointer, v.size);
			else
				add(kind::write, i, pointer,
				    layout.getTypeStoreSize(store->getValueOperand()->getType()));
			return true;
		}
		if (isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i)) {
			if (i->getOperand(0) != pointer)
				return false;
			uint64_t size = layout.getTypeStoreSize(i->getOperand(1)->getType());
			add(kind::read, i, pointer, size);
			add(kind::write, i, pointer, size);
			return true;
		}
		if (isa<ICmpInst>(i))
			return true;
		if (auto *call = dyn_cast<IntrinsicInst>(i))
			return intrinsic(call, pointer);
		if (isa<CallInst>(i)) {
			add(kind::all, i, pointer, v.size);
			return true;
		}
		return false;
	}

public:
	finder(variable &in, const DataLayout &l) : v(in), layout(l)
	{
	}

	bool run()
	{
		SmallVector<Value *, 16> pointers{v.memory};
		while (!pointers.empty()) {
			Value *pointer = pointers.pop_back_val();
			for (User *user : pointer->users()) {
				auto *i = dyn_cast<Instruction>(user);
				if (!i || !user_of(pointer, i, pointers))
					return false;
			}
		}
		return true;
	}
};

/* ---- code -------------------------------------------------------------------- */

class follower
{
	Function &function;
	const DataLayout &layout;
	const unwritten_user *user;
	IRBuilder<> builder;
	unsigned own;
	unsigned n_pairs = 0;

	template <typename T> T *mine(T *i)
	{
		if (auto *instruction = dyn_cast<Instruction>(i))
			instruction->setMetadata(own, MDNode::get(function.getContext(), {}));
		return i;
	}

	void stand(Instruction *before)
	{
		builder.SetInsertPoint(before);
		builder.SetCurrentDebugLocation(DebugLoc());
	}

	void set(Value *at, uint64_t n, uint8_t to)
	{
		if (n == 1 || n == 2 || n == 4 || n == 8)
			mine(builder.CreateAlignedStore(
				ConstantInt::get(builder.getIntNTy((unsigned)n * 8),
						 to ? 0x0101010101010101u >> (64 - 8 * n) : 0),
				at, Align(1)));
		else if (n)
			mine(builder.CreateMemSet(at, builder.getInt8(to), n, Align(1)));
	}

	/* The states that a computed index can mean; count - 1 more may follow. */
	static uint64_t room(const variable &v)
	{
		return PowerOf2Ceil(v.n);
	}

	/* The index in the states where the address is an element of the variable's own array, by one
	 * index; else NULL. Most are, and the address need not be taken apart while the code runs. */
	Value *index_of_element(const variable &v, const use &u)
	{
		auto *element = dyn_cast<GetElementPtrInst>(u.address);
		if (!element || element->getPointerOperand() != v.memory ||
		    layout.getTypeAllocSize(element->getResultElementType()) != v.scalar)
			return nullptr;
		unsigned last = element->getNumOperands() - 1;
		for (unsigned i = 1; i < last; i++) {
			auto *constant = dyn_cast<ConstantInt>(element->getOperand(i));
			if (!constant || !constant->isZero())
				return nullptr;
		}
		Value *index = element->getOperand(last);
		return index->getType()->isIntegerTy(64) ? index : nullptr;
	}

	/* Where the states of `count` scalars from the use's address on lie. An address outside of
	 * the variable, which is memcheck's business, means some other of the states. */
	Value *place(const variable &v, const use &u, uint64_t &count)
	{
		if (u.offset) {
			uint64_t first = *u.offset / v.scalar;
			uint64_t last = (*u.offset + u.size - 1) / v.scalar;
			count = std::min(last, v.n - 1) - first + 1;
			return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), v.states,
								  first);
		}
		count = std::max<uint64_t>(1, (u.size + v.scalar - 1) / v.scalar);
		if (count > max_marks || count > v.n)
			return nullptr;
		Type *i64 = builder.getInt64Ty();
		Value *index = index_of_element(v, u);
		if (!index) {
			Value *offset = builder.CreateSub(builder.CreatePtrToInt(u.address, i64),
							  builder.CreatePtrToInt(v.memory, i64));
			index = builder.CreateLShr(offset, Log2_64(v.scalar));
		}
		index = builder.CreateAnd(index, builder.getInt64(room(v) - 1));
		return builder.CreateInBoundsGEP(builder.getInt8Ty(), v.states, index);
	}

	/* What nobody writes beside bit fields shows as zeros, as in plain bodies
	 * (pass_padding.cpp). */
	Value *pattern(const variable &v, Type *type)
	{
		if (type->isFPOrFPVectorTy())
			return builder.getInt8(0xff);
		return builder.getInt8(v.has_fields ? 0 : 0xaa);
	}

	void fill(const variable &v, Type *type, uint64_t offset)
	{
		if (auto *structure = dyn_cast<StructType>(type)) {
			const StructLayout *members = layout.getStructLayout(structure);
			for (unsigned i = 0; i < structure->getNumElements(); i++)
				fill(v, structure->getElementType(i),
				     offset + members->getElementOffset(i));
			return;
		}
		if (auto *array = dyn_cast<ArrayType>(type)) {
			uint64_t step = layout.getTypeAllocSize(array->getElementType());
			for (uint64_t i = 0; i < array->getNumElements(); i++)
				fill(v, array->getElementType(), offset + i * step);
			return;
		}
		uint64_t size = layout.getTypeStoreSize(type);
		Value *to = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), v.memory,
							       offset);
		mine(builder.CreateMemSet(to, pattern(v, type), size, Align(1)));
	}

	void fill(const variable &v)
	{
		Type *type = v.memory->getAllocatedType(), *element = type;
		while (auto *array = dyn_cast<ArrayType>(element))
			element = array->getElementType();
		if (v.size <= small_bytes)
			fill(v, type, 0);
		else
			mine(builder.CreateMemSet(v.memory, pattern(v, element), v.size, Align(1)));
	}

	/* Whether a write of the variable comes before the read on every way from the beginning
	 * of its scope. */
	bool is_covered(const variable &v, const use &read, const DominatorTree &tree)
	{
		const Instruction *begin = nullptr;
		for (const use &u : v.uses) {
			if (u.what == kind::begin && begin)
				return false;
			if (u.what == kind::begin)
				begin = u.at;
		}
		for (const use &u : v.uses) {
			bool covers = u.what == kind::all ||
				      (u.what == kind::write && u.offset &&
				       (u.size >= v.size ||
					(read.offset && *u.offset <= *read.offset &&
					 *u.offset + u.size >= *read.offset + read.size)));
			if (!covers || u.at == read.at || ++n_pairs > max_pairs)
				continue;
			if (tree.dominates(u.at, read.at) &&
			    (!begin || tree.dominates(begin, u.at)))
				return true;
		}
		return false;
	}

	void test(const variable &v, const use &read)
	{
		uint64_t count;
		stand(read.at);
		Value *at = read.size ? place(v, read, count) : nullptr, *state;
		if (!at || count > max_read)
			return;
		if (count <= 8) {
			state = mine(builder.CreateAlignedLoad(
				builder.getIntNTy((unsigned)count * 8), at, Align(1)));
			state = builder.CreateZExt(
				builder.CreateICmpNE(state, ConstantInt::get(state->getType(), 0)),
				builder.getInt32Ty());
		} else {
			state = builder.getInt64(0);
			for (uint64_t i = 0; i < count;
			     i += 8) /* the last eight may overlap others */
				state = builder.CreateOr(state,
							 mine(builder.CreateAlignedLoad(
								 builder.getInt64Ty(),
								 builder.CreateConstInBoundsGEP1_64(
									 builder.getInt8Ty(), at,
									 std::min(i, count - 8)),
								 Align(1))));
			state = builder.CreateZExt(builder.CreateICmpNE(state, builder.getInt64(0)),
						   builder.getInt32Ty());
		}
		builder.SetCurrentDebugLocation(read.at->getDebugLoc());
		std::string name = v.record->getVariable()->getName().str();
		unwritten_read what = {wrap(read.at), wrap(state), wrap(read.address), read.size,
				       name.c_str()};
		user->read(&what, wrap(&builder), user->arg);
	}

	void mark(const variable &v, const use &u)
	{
		uint64_t count;
		/* Behind it: a debugger that stops there shows what is not yet written. */
		stand(u.at->getNextNode());
		if (u.what == kind::all) {
			set(v.states, v.n, 1);
			return;
		}
		if (Value *at = u.size ? place(v, u, count) : nullptr)
			set(at, count, 1);
		else if (u.size)
			set(v.states, v.n, 1);
	}

	void declare(const variable &v)
	{
		const DILocalVariable *of = v.record->getVariable();
		/* Without the unit: with it, the lists of all that the unit holds are copied. */
		DIBuilder debug(*function.getParent(), false);
		DIType *byte = debug.createBasicType("unsigned char", 8,
						     dwarf::DW_ATE_unsigned_char);
		Metadata *range = debug.getOrCreateSubrange(0, (int64_t)v.n);
		DIType *type = debug.createArrayType(v.n * 8, 8, byte,
						     debug.getOrCreateArray({range}));
		std::string name = "__cudasim_written:" + std::to_string(v.scalar) + ":" +
				   of->getName().str();
		DILocalVariable *states = debug.createAutoVariable(
			const_cast<DILocalScope *>(of->getScope()), name, of->getFile(),
			of->getLine(), type, true, DINode::FlagArtificial);
		llvm_versions::debug_declare(debug, v.states, states, debug.createExpression(),
					     v.record->getDebugLoc().get(),
					     &*std::next(v.states->getIterator()));
	}

public:
	follower(Function &f, const unwritten_user *u)
	    : function(f), layout(f.getDataLayout()), user(u), builder(f.getContext()),
	      own(f.getContext().getMDKindID("cudasim.unwritten"))
	{
	}

	void run()
	{
		SmallVector<variable, 8> all;
		for (Instruction &i : function.getEntryBlock()) {
			auto *memory = dyn_cast<AllocaInst>(&i);
			if (!memory || !memory->isStaticAlloca() || memory->isArrayAllocation() ||
			    !memory->getAllocatedType()->isSized())
				continue;
			uint64_t size = layout.getTypeAllocSize(memory->getAllocatedType());
			DbgVariableRecord *record = users_record(memory, user);
			if (!record || !size || size > max_bytes)
				continue;
			variable v = {memory, record,
				      size,   smallest(memory->getAllocatedType(), layout),
				      0,      nullptr,
				      false,  {}};
			v.n = (size + v.scalar - 1) / v.scalar;
			if (finder(v, layout).run())
				all.push_back(v);
		}
		if (all.empty())
			return;
		DominatorTree tree(function);
		for (variable &v : all) {
			stand(v.memory);
			v.states = builder.CreateAlloca(
				ArrayType::get(builder.getInt8Ty(), room(v) + max_marks));
			v.states->setAlignment(Align(1));
		}
		/* Behind the parameters' own stores: where the stack ends here, they are known. */
		Instruction *first = &*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
		for (Instruction &i : function.getEntryBlock())
			if (auto *store = dyn_cast<StoreInst>(&i);
			    store && isa<Argument>(store->getValueOperand()) &&
			    isa<AllocaInst>(store->getPointerOperand()))
				first = i.getNextNode();
		for (variable &v : all) {
			/* What was written before need not be tested, nor be marked again. */
			SmallVector<bool, 16> covered;
			for (const use &u : v.uses)
				covered.push_back(u.what != kind::begin && is_covered(v, u, tree));
			stand(first);
			set(v.states, v.n, 0);
			set(builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), v.states, v.n),
			    room(v) - v.n + max_marks, 1);
			if (none_of(v.uses, [](const use &u) { return u.what == kind::begin; }))
				fill(v);
			for (size_t i = 0; i < v.uses.size(); i++) {
				const use &u = v.uses[i];
				if (u.what == kind::read && !covered[i])
					test(v, u);
				if ((u.what == kind::write || u.what == kind::all) && !covered[i])
					mark(v, u);
				if (u.what == kind::begin) {
					stand(u.at->getNextNode());
					set(v.states, v.n, 0);
					fill(v);
				}
			}
			declare(v);
		}
	}
};

} // namespace

void unwritten_follow(LLVMValueRef function, const struct unwritten_user *user)
{
	auto *f = cast<Function>(unwrap(function));
	if (f->getSubprogram())
		follower(*f, user).run();
}

bool unwritten_own(LLVMValueRef instruction)
{
	auto *i = dyn_cast<Instruction>(unwrap(instruction));
	return i && i->getMetadata("cudasim.unwritten");
}

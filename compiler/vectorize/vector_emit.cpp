/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_emit.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include "llvm_versions.h"
#include "loop_events.h"
#include "own_atomics.h"

using namespace llvm;
using namespace llvm_versions;

namespace vectorize
{

Emitter::Emitter(Function &function, const Plan &plan, unsigned n_lanes)
    : builder(function.getContext()), n_lanes(n_lanes), function(function), plan(plan),
      layout(function.getParent()->getDataLayout())
{
}

/* ---- types, variables, blocks ------------------------------------------------------ */

Type *Emitter::widen(Type *type) const
{
	auto *s = dyn_cast<StructType>(type);
	if (!s)
		return FixedVectorType::get(type, n_lanes);
	SmallVector<Type *, 4> elements;
	for (Type *element : s->elements())
		elements.push_back(widen(element));
	return StructType::get(type->getContext(), elements);
}

Type *Emitter::mask_type() const
{
	return FixedVectorType::get(Type::getInt1Ty(function.getContext()), n_lanes);
}

Constant *Emitter::no_lanes() const
{
	return Constant::getNullValue(mask_type());
}

AllocaInst *Emitter::variable(Type *type, const Twine &name)
{
	BasicBlock &entry = function.getEntryBlock();
	return new AllocaInst(type, layout.getAllocaAddrSpace(), name, entry.begin());
}

Value *Emitter::load(AllocaInst *variable)
{
	return builder.CreateLoad(variable->getAllocatedType(), variable);
}

Value *Emitter::any(Value *mask)
{
	Type *bits = builder.getIntNTy(n_lanes);
	return builder.CreateICmpNE(builder.CreateBitCast(mask, bits), ConstantInt::get(bits, 0));
}

BasicBlock *Emitter::block(const Twine &name)
{
	return BasicBlock::Create(function.getContext(), name, &function);
}

void Emitter::enter(BasicBlock *block)
{
	builder.CreateBr(block);
	builder.SetInsertPoint(block);
}

void Emitter::close_loop(Instruction *back_edge, bool of_threads)
{
	LLVMContext &c = function.getContext();
	auto note = [&](const char *text) { return MDNode::get(c, MDString::get(c, text)); };
	SmallVector<Metadata *, 3> members = {nullptr, note("llvm.loop.unroll.disable")};
	if (of_threads)
		members.push_back(note("llvm.loop.isvectorized"));
	MDNode *id = MDNode::getDistinct(c, members);
	id->replaceOperandWith(0, id);
	back_edge->setMetadata(LLVMContext::MD_loop, id);
}

Value *Emitter::all_or(Value *mask)
{
	return mask ? mask : Constant::getAllOnesValue(mask_type());
}

/* ---- values ------------------------------------------------------------------------ */

void Emitter::begin_block()
{
	here.clear();
}

Value *Emitter::lanes_times(Type *type, int64_t stride)
{
	SmallVector<Constant *, 16> lanes;
	for (unsigned i = 0; i < n_lanes; i++)
		lanes.push_back(ConstantInt::get(type, (uint64_t)(stride * i)));
	return ConstantVector::get(lanes);
}

void Emitter::make_private(const Loop &threads)
{
	for (Instruction &i : function.getEntryBlock()) {
		auto *old = dyn_cast<AllocaInst>(&i);
		bool used = false;
		for (const User *user : i.users())
			used |= threads.contains(cast<Instruction>(user)->getParent());
		if (!old || !used)
			continue;
		uint64_t bytes = plan.lane_bytes(*old);
		uint64_t all = plan.is_woven(*old) ? old->getAllocationSize(layout)->getFixedValue()
						   : bytes * n_lanes;
		AllocaInst *copies = variable(ArrayType::get(builder.getInt8Ty(), all), "lanes");
		copies->setAlignment(old->getAlign());
		Value *lanes = builder.CreateGEP(builder.getInt8Ty(), copies,
						 lanes_times(builder.getInt64Ty(), (int64_t)bytes));
		privates[old] = {copies, lanes, nullptr, true};
	}
}

Emitter::Slots &Emitter::slots_of(Instruction &i)
{
	Slots &s = slots[&i];
	Shape::Kind kind = plan.shape(&i).kind;
	if (kind != Shape::VARYING && !s.scalar)
		s.scalar = variable(i.getType(), "lane0");
	if (kind != Shape::UNIFORM && !s.vector)
		s.vector = variable(widen(i.getType()), "wide");
	if (kind == Shape::STRIDED && !s.ok)
		s.ok = variable(builder.getInt1Ty(), "regular");
	return s;
}

void Emitter::each_variable(const std::function<void(Instruction &, AllocaInst *)> &visit)
{
	for (auto &[value, s] : slots)
		for (AllocaInst *one : {s.scalar, s.vector, s.ok})
			if (one)
				visit(*cast<Instruction>(value), one);
}

Value *Emitter::scalar(Value *value)
{
	if (isa<AllocaInst>(value) && privates.count(value))
		return privates[value].scalar;
	if (!plan.contains(value))
		return value;
	Forms &f = here[value];
	return f.scalar ? f.scalar : f.scalar = load(slots_of(*cast<Instruction>(value)).scalar);
}

Value *Emitter::vector(Value *value)
{
	if (isa<AllocaInst>(value) && privates.count(value))
		return privates[value].vector;
	if (!plan.contains(value))
		return builder.CreateVectorSplat(n_lanes, value);
	Forms &f = here[value];
	if (f.vector)
		return f.vector;
	if (plan.shape(value).kind == Shape::UNIFORM)
		return builder.CreateVectorSplat(n_lanes, scalar(value));
	return f.vector = load(slots_of(*cast<Instruction>(value)).vector);
}

Value *Emitter::regular(Value *value)
{
	if (!plan.contains(value) || plan.shape(value).kind != Shape::STRIDED)
		return nullptr;
	auto found = here.find(value);
	if (found != here.end() && found->second.defined)
		return found->second.ok;
	return load(slots_of(*cast<Instruction>(value)).ok);
}

void Emitter::define(Instruction &i, Value *scalar, Value *vector, Value *ok)
{
	here[&i] = {scalar, vector, ok, true};
	bool elsewhere = isa<PHINode>(i);
	for (const User *user : i.users()) {
		auto *u = cast<Instruction>(user);
		elsewhere |= u->getParent() != i.getParent() || isa<PHINode>(u);
	}
	if (!elsewhere)
		return;
	Slots &s = slots_of(i);
	if (scalar)
		builder.CreateStore(scalar, s.scalar);
	if (vector)
		builder.CreateStore(vector, s.vector);
	if (s.ok)
		builder.CreateStore(ok ? ok : builder.getTrue(), s.ok);
}

/* ---- arithmetic -------------------------------------------------------------------- */

/* Whether a wider form of lane0 + i * stride counts on for all lanes. */
Value *Emitter::stays_in_range(CastInst &cast, Value *lane0)
{
	bool is_signed = isa<SExtInst>(cast);
	unsigned width = lane0->getType()->getIntegerBitWidth();
	int64_t span = plan.shape(cast.getOperand(0)).stride * (int64_t)(n_lanes - 1);
	APInt limit;
	if (span > 0)
		limit = is_signed ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
	else
		limit = is_signed ? APInt::getSignedMinValue(width) : APInt::getMinValue(width);
	limit -= APInt(width, (uint64_t)span, true);
	CmpInst::Predicate predicate =
		span > 0 ? (is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
			 : (is_signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE);
	return builder.CreateICmp(predicate, lane0, ConstantInt::get(lane0->getType(), limit));
}

Value *Emitter::ok_of_operands(Instruction &i)
{
	Value *ok = nullptr;
	for (Value *operand : i.operands()) {
		Value *other = regular(operand);
		if (other)
			ok = ok ? builder.CreateAnd(ok, other) : other;
	}
	if (isa<SExtInst, ZExtInst>(i)) {
		Value *in = stays_in_range(cast<CastInst>(i), scalar(i.getOperand(0)));
		ok = ok ? builder.CreateAnd(ok, in) : in;
	}
	return ok;
}

Value *Emitter::clone_scalar(Instruction &i)
{
	Instruction *copy = i.clone();
	for (Use &operand : copy->operands())
		operand.set(scalar(operand));
	/* What is known of the active lanes need not be true of lane 0. */
	if (plan.shape(&i).kind == Shape::STRIDED)
		copy->dropPoisonGeneratingFlags();
	return builder.Insert(copy, i.getName());
}

/* A lane that is not active must not divide by zero. */
Value *Emitter::divide(BinaryOperator &i, Value *mask)
{
	Value *divisor = vector(i.getOperand(1));
	if (mask && !isa<Constant>(i.getOperand(1)))
		divisor = builder.CreateSelect(mask, divisor,
					       ConstantInt::get(divisor->getType(), 1));
	return builder.CreateBinOp(i.getOpcode(), vector(i.getOperand(0)), divisor);
}

static bool has_vector_form(Intrinsic::ID id)
{
	switch (id) {
	case Intrinsic::uadd_with_overflow:
	case Intrinsic::sadd_with_overflow:
	case Intrinsic::usub_with_overflow:
	case Intrinsic::ssub_with_overflow:
	case Intrinsic::umul_with_overflow:
	case Intrinsic::smul_with_overflow:
		return true;
	default:
		return isTriviallyVectorizable(id);
	}
}

Value *Emitter::widen_call(CallInst &call)
{
	Intrinsic::ID id = call.getIntrinsicID();
	SmallVector<Value *, 4> args;
	SmallVector<Type *, 4> types;
	if (intrinsic_overloaded_at(id, -1)) {
		Type *type = call.getType();
		types.push_back(widen(type->isStructTy() ? type->getStructElementType(0) : type));
	}
	for (unsigned k = 0; k < call.arg_size(); k++) {
		Value *arg = call.getArgOperand(k);
		args.push_back(intrinsic_scalar_at(id, k) ? scalar(arg) : vector(arg));
		if (intrinsic_overloaded_at(id, (int)k))
			types.push_back(args.back()->getType());
	}
	Function *f = intrinsic_declare(function.getParent(), id, types);
	CallInst *wide = builder.CreateCall(f, args);
	if (isa<FPMathOperator>(wide))
		wide->copyFastMathFlags(&call);
	return wide;
}

Value *Emitter::widen_instruction(Instruction &i, Value *mask)
{
	if (auto *binary = dyn_cast<BinaryOperator>(&i)) {
		if (binary->isIntDivRem())
			return divide(*binary, mask);
	}
	if (auto *call = dyn_cast<CallInst>(&i))
		return widen_call(*call);
	if (auto *cast = dyn_cast<CastInst>(&i)) {
		Value *v = builder.CreateCast(cast->getOpcode(), vector(i.getOperand(0)),
					      widen(i.getType()));
		if (auto *w = dyn_cast<Instruction>(v))
			w->copyIRFlags(&i);
		return v;
	}
	if (auto *gep = dyn_cast<GetElementPtrInst>(&i)) {
		Value *pointer = gep->getPointerOperand();
		bool one = plan.shape(pointer).kind == Shape::UNIFORM;
		SmallVector<Value *, 4> indices;
		bool wide = !one;
		for (Value *index : gep->indices()) {
			bool same = plan.shape(index).kind == Shape::UNIFORM;
			indices.push_back(same ? scalar(index) : vector(index));
			wide |= !same;
		}
		(void)wide;
		return builder.CreateGEP(gep->getSourceElementType(),
					 one ? scalar(pointer) : vector(pointer), indices, "",
					 gep->getNoWrapFlags());
	}
	if (auto *choice = dyn_cast<SelectInst>(&i)) {
		bool one = plan.shape(choice->getCondition()).kind == Shape::UNIFORM;
		Value *v = builder.CreateSelect(
			one ? scalar(choice->getCondition()) : vector(choice->getCondition()),
			vector(choice->getTrueValue()), vector(choice->getFalseValue()));
		if (auto *w = dyn_cast<Instruction>(v); w && isa<FPMathOperator>(w))
			w->copyFastMathFlags(&i);
		return v;
	}
	if (auto *field = dyn_cast<ExtractValueInst>(&i))
		return builder.CreateExtractValue(vector(field->getAggregateOperand()),
						  field->getIndices());
	if (auto *compare = dyn_cast<CmpInst>(&i)) {
		Value *v = builder.CreateCmp(compare->getPredicate(), vector(i.getOperand(0)),
					     vector(i.getOperand(1)));
		if (auto *w = dyn_cast<Instruction>(v))
			w->copyIRFlags(&i);
		return v;
	}
	Instruction *copy = i.clone();
	for (Use &operand : copy->operands())
		operand.set(vector(operand));
	copy->mutateType(widen(i.getType()));
	return builder.Insert(copy);
}

/* ---- lane by lane ------------------------------------------------------------------ */

bool Emitter::is_per_lane(const Instruction &i) const
{
	if (auto *call = dyn_cast<CallInst>(&i))
		return isa<MemIntrinsic>(call) || !has_vector_form(call->getIntrinsicID());
	return i.isAtomic() || i.isVolatile() || isa<InsertValueInst>(i);
}

Value *Emitter::extract(Value *vector, Value *lane)
{
	auto *s = dyn_cast<StructType>(vector->getType());
	if (!s)
		return builder.CreateExtractElement(vector, lane);
	SmallVector<Type *, 4> types;
	for (Type *element : s->elements())
		types.push_back(element->getScalarType());
	Value *ret = PoisonValue::get(StructType::get(s->getContext(), types));
	for (unsigned k = 0; k < s->getNumElements(); k++)
		ret = builder.CreateInsertValue(
			ret,
			builder.CreateExtractElement(builder.CreateExtractValue(vector, k), lane),
			k);
	return ret;
}

Value *Emitter::insert(Value *vector, Value *element, Value *lane)
{
	auto *s = dyn_cast<StructType>(vector->getType());
	if (!s)
		return builder.CreateInsertElement(vector, element, lane);
	for (unsigned k = 0; k < s->getNumElements(); k++)
		vector = builder.CreateInsertValue(
			vector,
			builder.CreateInsertElement(builder.CreateExtractValue(vector, k),
						    builder.CreateExtractValue(element, k), lane),
			k);
	return vector;
}

/* For each active lane, in their order: a loop over the mask's bits. */
Value *Emitter::each_lane(Instruction &i, Value *mask)
{
	Type *bits_type = builder.getIntNTy(n_lanes);
	bool has_value = !i.getType()->isVoidTy();
	std::map<Value *, Value *> wide;
	for (Value *operand : i.operands())
		if (plan.shape(operand).kind != Shape::UNIFORM)
			wide[operand] = vector(operand);
		else if (plan.contains(operand))
			scalar(operand);
	Value *bits = builder.CreateBitCast(all_or(mask), bits_type);
	BasicBlock *from = builder.GetInsertBlock(), *head = block("lanes"), *body = block("lane"),
		   *end = block("lanes.end");
	enter(head);
	PHINode *left = builder.CreatePHI(bits_type, 2), *result = nullptr;
	if (has_value)
		result = builder.CreatePHI(widen(i.getType()), 2);
	builder.CreateCondBr(builder.CreateICmpNE(left, ConstantInt::get(bits_type, 0)), body, end);
	builder.SetInsertPoint(body);
	Value *lane = builder.CreateIntrinsic(Intrinsic::cttz, {bits_type},
					      {left, builder.getTrue()});
	Instruction *copy = i.clone();
	for (Use &operand : copy->operands()) {
		auto found = wide.find(operand);
		operand.set(found != wide.end() ? extract(found->second, lane) : scalar(operand));
	}
	builder.Insert(copy);
	Value *more = has_value ? insert(result, copy, lane) : nullptr;
	Value *rest = builder.CreateAnd(left,
					builder.CreateSub(left, ConstantInt::get(bits_type, 1)));
	left->addIncoming(bits, from);
	left->addIncoming(rest, builder.GetInsertBlock());
	if (has_value) {
		result->addIncoming(PoisonValue::get(result->getType()), from);
		result->addIncoming(more, builder.GetInsertBlock());
	}
	close_loop(builder.CreateBr(head), false);
	builder.SetInsertPoint(end);
	return result;
}

/* ---- memory ------------------------------------------------------------------------ */

Value *Emitter::choose(Value *ok, const std::function<Value *()> &usual,
		       const std::function<Value *()> &other)
{
	if (!ok)
		return usual();
	BasicBlock *a = block("regular"), *b = block("irregular"), *after = block("after");
	builder.CreateCondBr(ok, a, b, MDBuilder(builder.getContext()).createLikelyBranchWeights());
	builder.SetInsertPoint(a);
	Value *va = usual();
	a = builder.GetInsertBlock();
	builder.CreateBr(after);
	builder.SetInsertPoint(b);
	Value *vb = other();
	b = builder.GetInsertBlock();
	builder.CreateBr(after);
	builder.SetInsertPoint(after);
	if (!va)
		return nullptr;
	PHINode *phi = builder.CreatePHI(va->getType(), 2);
	phi->addIncoming(va, a);
	phi->addIncoming(vb, b);
	return phi;
}

bool Emitter::is_contiguous(const Instruction &i) const
{
	Shape s = plan.shape(i.getOperand(isa<StoreInst>(i) ? 1 : 0));
	Type *type = isa<StoreInst>(i) ? i.getOperand(0)->getType() : i.getType();
	return s.kind == Shape::STRIDED && !type->isIntegerTy(1) &&
	       s.stride == (int64_t)layout.getTypeAllocSize(type).getFixedValue() &&
	       layout.getTypeSizeInBits(type) == layout.getTypeAllocSizeInBits(type);
}

void Emitter::emit_load(LoadInst &i, Value *mask)
{
	Value *pointer = i.getPointerOperand();
	Type *type = widen(i.getType());
	/* Both before the ways part. */
	Value *lanes = vector(pointer), *lane0 = is_contiguous(i) ? scalar(pointer) : nullptr;
	auto gather = [&]() -> Value * {
		return builder.CreateMaskedGather(type, lanes, i.getAlign(), all_or(mask),
						  PoisonValue::get(type));
	};
	auto contiguous = [&]() -> Value * {
		if (!mask)
			return builder.CreateAlignedLoad(type, lane0, i.getAlign());
		return builder.CreateMaskedLoad(type, lane0, i.getAlign(), mask,
						PoisonValue::get(type));
	};
	define(i, nullptr, lane0 ? choose(regular(pointer), contiguous, gather) : gather());
}

/* The value of the last active lane: threads one after the other would leave it. */
Value *Emitter::last_lane(Value *vector, Value *mask)
{
	if (!mask)
		return builder.CreateExtractElement(vector, n_lanes - 1);
	Type *bits_type = builder.getIntNTy(n_lanes);
	Value *bits = builder.CreateBitCast(mask, bits_type);
	Value *zeros = builder.CreateIntrinsic(Intrinsic::ctlz, {bits_type},
					       {bits, builder.getTrue()});
	return builder.CreateExtractElement(
		vector, builder.CreateSub(ConstantInt::get(bits_type, n_lanes - 1), zeros));
}

void Emitter::emit_store(StoreInst &i, Value *mask)
{
	Value *pointer = i.getPointerOperand(), *value = i.getValueOperand();
	if (plan.shape(pointer).kind == Shape::UNIFORM) {
		Value *one = plan.shape(value).kind == Shape::UNIFORM
				     ? scalar(value)
				     : last_lane(vector(value), mask);
		builder.CreateAlignedStore(one, scalar(pointer), i.getAlign());
		return;
	}
	Value *wide = vector(value), *lanes = vector(pointer);
	Value *lane0 = is_contiguous(i) ? scalar(pointer) : nullptr;
	auto scatter = [&]() -> Value * {
		builder.CreateMaskedScatter(wide, lanes, i.getAlign(), all_or(mask));
		return nullptr;
	};
	auto contiguous = [&]() -> Value * {
		if (mask)
			builder.CreateMaskedStore(wide, lane0, i.getAlign(), mask);
		else
			builder.CreateAlignedStore(wide, lane0, i.getAlign());
		return nullptr;
	};
	if (lane0)
		choose(regular(pointer), contiguous, scatter);
	else
		scatter();
}

/* ---- any instruction --------------------------------------------------------------- */

bool Emitter::is_cheap(const Instruction &i) const
{
	if (i.mayReadOrWriteMemory() || is_per_lane(i))
		return isa<IntrinsicInst>(i) && cast<IntrinsicInst>(i).isAssumeLikeIntrinsic();
	switch (i.getOpcode()) {
	case Instruction::UDiv:
	case Instruction::SDiv:
	case Instruction::URem:
	case Instruction::SRem:
	case Instruction::FDiv:
	case Instruction::FRem:
	case Instruction::Call:
		return false;
	default:
		return true;
	}
}

void Emitter::emit(Instruction &i, Value *mask)
{
	Shape::Kind kind = plan.shape(&i).kind;
	builder.SetCurrentDebugLocation(i.getDebugLoc());
	if (auto *intrinsic = dyn_cast<IntrinsicInst>(&i))
		if (intrinsic->isAssumeLikeIntrinsic())
			return;
	if (loop_event_is_access(wrap(&i))) {
		emit_event(cast<CallInst>(i), mask);
	} else if (own_atomics_is_call(wrap(&i))) {
		emit_update(cast<CallInst>(i), mask);
	} else if (isa<AtomicRMWInst>(i) && adds_up(cast<AtomicRMWInst>(i))) {
		emit_sum(cast<AtomicRMWInst>(i), mask);
	} else if (is_per_lane(i) && kind != Shape::UNIFORM) {
		Value *values = each_lane(i, mask);
		if (values)
			define(i, nullptr, values);
	} else if (auto *store = dyn_cast<StoreInst>(&i)) {
		emit_store(*store, mask);
	} else if (isa<FenceInst>(i)) {
		builder.Insert(i.clone());
	} else if (kind == Shape::UNIFORM) {
		define(i, clone_scalar(i), nullptr);
	} else if (auto *load = dyn_cast<LoadInst>(&i)) {
		emit_load(*load, mask);
	} else if (kind == Shape::STRIDED) {
		Value *ok = ok_of_operands(i), *lane0 = clone_scalar(i);
		define(i, lane0, widen_instruction(i, mask), ok);
	} else {
		define(i, nullptr, widen_instruction(i, mask));
	}
}

} // namespace vectorize

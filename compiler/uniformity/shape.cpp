/* SPDX-License-Identifier: Apache-2.0 */
#include "shape.h"

#include <cstdlib>

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace uniformity
{

Shape shape_join(Shape a, Shape b)
{
	if (a.kind == Shape::UNKNOWN)
		return b;
	if (b.kind == Shape::UNKNOWN || a == b)
		return a;
	return Shape::varying();
}

static Shape of_address(const GetElementPtrInst &gep, function_ref<Shape(const Value *)> of,
			const DataLayout &layout)
{
	Shape base = of(gep.getPointerOperand());
	if (base.kind == Shape::VARYING || base.kind == Shape::UNKNOWN)
		return base;
	int64_t stride = base.stride;
	for (auto at = gep_type_begin(gep), end = gep_type_end(gep); at != end; ++at) {
		Shape s = of(at.getOperand());
		if (s.kind == Shape::UNKNOWN || s.kind == Shape::VARYING)
			return s;
		if (s.kind == Shape::UNIFORM)
			continue;
		if (!at.getOperand()->getType()->isIntegerTy(64))
			return Shape::varying();
		stride += s.stride * (int64_t)at.getSequentialElementStride(layout).getFixedValue();
	}
	return Shape::strided(stride);
}

/* By a constant of the source; other products are not affine in general. */
static Shape of_product(const Instruction &i, Shape a)
{
	auto *c = dyn_cast<ConstantInt>(i.getOperand(1));
	if (!c || a.kind != Shape::STRIDED || c->getValue().getSignificantBits() > 31)
		return Shape::varying();
	int64_t factor = c->getSExtValue();
	if (i.getOpcode() == Instruction::Shl) {
		if (factor > 30)
			return Shape::varying();
		factor = 1ll << factor;
	}
	if (std::abs(a.stride) > INT32_MAX)
		return Shape::varying();
	return Shape::strided(a.stride * factor);
}

static Shape of_operation(const Instruction &i, Shape a, function_ref<Shape(const Value *)> of)
{
	switch (i.getOpcode()) {
	case Instruction::Or:
		if (!cast<PossiblyDisjointInst>(i).isDisjoint())
			return Shape::varying();
		[[fallthrough]];
	case Instruction::Add:
	case Instruction::Sub: {
		Shape b = of(i.getOperand(1));
		if (a.kind == Shape::VARYING || b.kind == Shape::VARYING)
			return Shape::varying();
		return Shape::strided(i.getOpcode() == Instruction::Sub ? a.stride - b.stride
									: a.stride + b.stride);
	}
	case Instruction::Mul:
	case Instruction::Shl:
		return of_product(i, a);
	case Instruction::SExt:
	case Instruction::ZExt:
		return i.getOperand(0)->getType()->getIntegerBitWidth() < 16 ? Shape::varying() : a;
	case Instruction::Trunc:
		return i.getType()->getIntegerBitWidth() < 16 ? Shape::varying() : a;
	case Instruction::PtrToInt:
	case Instruction::IntToPtr:
		return i.getType()->getScalarSizeInBits() == 64 || i.getType()->isPointerTy()
			       ? a
			       : Shape::varying();
	case Instruction::Freeze:
	case Instruction::AddrSpaceCast:
		return a;
	case Instruction::Select:
		if (a.kind != Shape::UNIFORM)
			return Shape::varying();
		return shape_join(of(i.getOperand(1)), of(i.getOperand(2)));
	default:
		return Shape::varying();
	}
}

Shape shape_of(const Instruction &i, function_ref<Shape(const Value *)> of,
	       const DataLayout &layout)
{
	bool all_uniform = true, any_unknown = false;
	for (const Value *operand : i.operands()) {
		if (isa<BasicBlock>(operand))
			continue;
		Shape s = of(operand);
		any_unknown |= s.kind == Shape::UNKNOWN;
		all_uniform &= s.kind == Shape::UNIFORM;
	}
	if (any_unknown)
		return Shape();
	if (i.isAtomic() || i.isVolatile() ||
	    (isa<CallBase>(i) && i.mayReadOrWriteMemory() && !isa<IntrinsicInst>(i)))
		return Shape::varying();
	if (all_uniform)
		return Shape::uniform();
	if (auto *gep = dyn_cast<GetElementPtrInst>(&i))
		return of_address(*gep, of, layout);
	return of_operation(i, i.getNumOperands() ? of(i.getOperand(0)) : Shape::varying(), of);
}

} // namespace uniformity

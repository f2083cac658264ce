// SPDX-License-Identifier: Apache-2.0
/* synchrony_sum.cpp - see synchrony_sum.h.
 *
 * What is not a sum of products is a variable, and the same variable wherever it is computed by
 * the same operation of the same sums. It is the same for all lanes where these are. A loop's
 * phi is the same for all where it begins so and is computed from itself and what is the same;
 * where it grows by steps, it is its beginning and a multiple of the number of rounds. Behind the
 * loop it differs, since lanes leave in different rounds. A remainder is its dividend without a
 * multiple of the divisor. */
#include "synchrony_sum.h"

#include <algorithm>

#include <llvm-c/Core.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include "cudasim/abi.h"
#include "warp_synchrony.h"

using namespace llvm;

enum { MAX_DEPTH = 32, MAX_NODES = 2000, MAX_PRODUCTS = 32, MAX_FACTORS = 4 };
enum { LANES = CUDASIM_WARP_SIZE };
enum name {
	CONTEXT,
	PARAMETER,
	VALUE,
	GLOBAL,
	OPERATION,
	QUOTIENT,
	POWER,
	WITHIN,
	COUNTER,
	PHI,
	BEHIND,
	LATER
};

static int64_t number_of(const void *p)
{
	return (int64_t)(intptr_t)p;
}

static synchrony_sum constant(int64_t n)
{
	return n ? synchrony_sum{{{}, n}} : synchrony_sum{};
}

static synchrony_variable same(bool is_positive = false)
{
	synchrony_variable v;
	v.what = synchrony_variable::SAME;
	v.is_positive = is_positive;
	return v;
}

static synchrony_sum one(unsigned variable)
{
	return {{{variable}, 1}};
}

/* Is it a constant? */
static bool is_number(const synchrony_sum &s, int64_t &n)
{
	n = s.empty() ? 0 : s.begin()->second;
	return s.empty() || (s.size() == 1 && s.begin()->first.empty());
}

static void append(std::vector<int64_t> &name, const synchrony_sum &s)
{
	name.push_back((int64_t)s.size());
	for (auto &[product, factor] : s) {
		name.push_back((int64_t)product.size());
		name.insert(name.end(), product.begin(), product.end());
		name.push_back(factor);
	}
}

bool synchrony_sums::is_power(const synchrony_sum &s) const
{
	if (s.size() != 1 || s.begin()->second <= 0 ||
	    (s.begin()->second & (s.begin()->second - 1)))
		return false;
	for (unsigned v : s.begin()->first)
		if (!variables[v].is_power)
			return false;
	return true;
}

synchrony_sum synchrony_sums::plus(const synchrony_sum &a, const synchrony_sum &b, int64_t factor)
{
	const int64_t most = (int64_t)1 << 40;
	synchrony_sum all = a;
	for (auto &[product, n] : b) {
		int64_t &to = all[product], scaled;
		if (__builtin_mul_overflow(n, factor, &scaled) || std::abs(scaled) > most ||
		    std::abs(to + scaled) > most)
			failed = true;
		else
			to += scaled;
		if (!to)
			all.erase(product);
	}
	failed |= all.size() > MAX_PRODUCTS;
	return failed ? synchrony_sum{} : all;
}

synchrony_sum synchrony_sums::times(const synchrony_sum &a, const synchrony_sum &b)
{
	synchrony_sum all;
	for (auto &[product, n] : a) {
		synchrony_sum part;
		for (auto &[other, m] : b) {
			synchrony_product both = product;
			both.insert(both.end(), other.begin(), other.end());
			std::sort(both.begin(), both.end());
			failed |= both.size() > MAX_FACTORS;
			part[both] = m;
		}
		all = plus(all, part, n);
	}
	return all;
}

bool synchrony_sums::is_same(const synchrony_sum &s) const
{
	for (auto &[product, n] : s)
		for (unsigned v : product)
			if (variables[v].what != synchrony_variable::SAME)
				return false;
	return true;
}

/* ---- variables ------------------------------------------------------------ */

unsigned synchrony_sums::named(const std::vector<int64_t> &name, const synchrony_variable &v)
{
	auto [at, is_new] = names.insert({name, (unsigned)variables.size()});
	if (is_new)
		variables.push_back(v);
	return at->second;
}

synchrony_sum synchrony_sums::lanes(Value *value)
{
	return one(named({VALUE, number_of(value)}, synchrony_variable()));
}

/* The loops in whose rounds the variables of s vary. */
static void add_loops(const synchrony_sums &all, const synchrony_sum &s, synchrony_variable &v)
{
	for (auto &[product, n] : s)
		for (unsigned i : product)
			v.loops.insert(v.loops.end(), all.variables[i].loops.begin(),
				       all.variables[i].loops.end());
	std::sort(v.loops.begin(), v.loops.end());
	v.loops.erase(std::unique(v.loops.begin(), v.loops.end()), v.loops.end());
}

synchrony_sum synchrony_sums::opaque(User &user, unsigned opcode, const Instruction &at,
				     unsigned depth)
{
	std::vector<int64_t> name = {OPERATION, opcode, number_of(user.getType())};
	synchrony_variable v = same();
	if (auto *compare = dyn_cast<CmpInst>(&user))
		name.push_back(compare->getPredicate());
	for (Value *operand : user.operands()) {
		synchrony_sum s = walk(operand, at, depth + 1);
		if (!is_same(s))
			return lanes(&user);
		append(name, s);
		add_loops(*this, s, v);
	}
	return one(named(name, v));
}

unsigned synchrony_sums::width()
{
	synchrony_variable v = same(true);
	v.is_width = true;
	return named({CONTEXT, SYNCHRONY_WIDTH, 0}, v);
}

synchrony_sum synchrony_sums::word(Value *value)
{
	uint64_t which = 0;
	synchrony_variable v;
	switch (synchrony_word_of(wrap(value), &which)) {
	case SYNCHRONY_X:
		v.what = synchrony_variable::X;
		return one(named({CONTEXT, SYNCHRONY_X, 0}, v));
	case SYNCHRONY_Y:
		v.what = synchrony_variable::Y;
		return one(named({CONTEXT, SYNCHRONY_Y, 0}, v));
	case SYNCHRONY_NUMBER:
		v.what = synchrony_variable::NUMBER;
		return one(named({CONTEXT, SYNCHRONY_NUMBER, 0}, v));
	case SYNCHRONY_WIDTH:
		return one(width());
	case SYNCHRONY_HEIGHT:
		v = same(true);
		v.is_height = true;
		return one(named({CONTEXT, SYNCHRONY_HEIGHT, 0}, v));
	case SYNCHRONY_SAME:
		v.what = synchrony_variable::SAME;
		return one(named({CONTEXT, SYNCHRONY_SAME, (int64_t)which}, v));
	default:
		return lanes(value);
	}
}

/* ---- operations ------------------------------------------------------------- */

/* One for each neighbour in a warp, which begins at a multiple of 32? */
static bool counts_lanes(const synchrony_sums &all, const synchrony_sum &s)
{
	unsigned n = 0;
	for (auto &[product, factor] : s) {
		if (factor != 1 || product.empty())
			return false;
		bool has_width = false, has_y = false;
		for (unsigned i : product) {
			has_width |= all.variables[i].is_width;
			has_y |= all.variables[i].what == synchrony_variable::Y;
		}
		auto what = all.variables[product[0]].what;
		bool is_lane = product.size() == 1 && (what == synchrony_variable::X ||
						       what == synchrony_variable::NUMBER);
		if (!is_lane && !(product.size() == 2 && has_width && has_y))
			return false;
		n += is_lane;
	}
	return n == 1;
}

synchrony_sum synchrony_sums::quotient(const synchrony_sum &a, const synchrony_sum &by,
				       bool is_signed)
{
	int64_t n;
	std::vector<int64_t> name = {QUOTIENT, is_signed};
	synchrony_variable v;
	append(name, a);
	append(name, by);
	v.dividend = a;
	v.divisor = by;
	v.is_power = is_power(a) && is_power(by);
	if (is_same(a) && is_same(by)) {
		v.what = synchrony_variable::SAME;
		add_loops(*this, a, v);
		add_loops(*this, by, v);
	} else if (is_number(by, n) && n > 0 && n % LANES == 0 && counts_lanes(*this, a)) {
		v.what = synchrony_variable::SAME;
	}
	return one(named(name, v));
}

synchrony_sum synchrony_sums::rest(const synchrony_sum &a, const synchrony_sum &by, bool is_signed)
{
	return plus(a, times(by, quotient(a, by, is_signed)), -1);
}

synchrony_sum synchrony_sums::offset(GEPOperator &gep, const Instruction &at, unsigned depth)
{
	const DataLayout &layout = at.getModule()->getDataLayout();
	synchrony_sum all = walk(gep.getPointerOperand(), at, depth + 1);
	Type *whole = nullptr;
	unsigned k = 0;
	for (auto part = gep_type_begin(gep), end = gep_type_end(gep); part != end; ++part, k++) {
		auto *array = dyn_cast_or_null<ArrayType>(whole);
		whole = part.getIndexedType();
		if (StructType *structure = part.getStructTypeOrNull()) {
			auto field = cast<ConstantInt>(part.getOperand())->getZExtValue();
			auto bytes = layout.getStructLayout(structure)->getElementOffset(field);
			all = plus(all, constant((int64_t)bytes.getFixedValue()));
			continue;
		}
		auto size = (int64_t)part.getSequentialElementStride(layout).getFixedValue();
		synchrony_sum index = walk(part.getOperand(), at, depth + 1);
		bool outermost = k == 1 && !isa<GEPOperator>(gep.getPointerOperand());
		bool bound = indices == SYNCHRONY_ALL_WITHIN
				     ? !outermost
				     : indices == SYNCHRONY_LANES_WITHIN && !is_same(index);
		if (bound && array && array->getNumElements() &&
		    !isa<Constant>(part.getOperand())) {
			synchrony_variable v;
			v.most = (int64_t)array->getNumElements() - 1;
			index = one(named({WITHIN, number_of(&gep), k}, v));
		}
		all = plus(all, index, size);
	}
	return all;
}

/* Does a loop's phi double in each round? */
static bool doubles(const PHINode &phi, const Value *next)
{
	auto *op = dyn_cast<BinaryOperator>(next);
	if (!op || op->getOperand(0) != &phi)
		return false;
	auto *by = dyn_cast<ConstantInt>(op->getOperand(1));
	switch (op->getOpcode()) {
	case Instruction::Shl:
		return by != nullptr;
	case Instruction::Mul:
		return by && !by->isZero();
	case Instruction::Add:
		return op->getOperand(1) == &phi;
	default:
		return false;
	}
}

/* Is it shifted by a constant in each round, or multiplied or divided by a power of two? */
static bool is_shifted(const PHINode &phi, const Value *next)
{
	auto *op = dyn_cast<BinaryOperator>(next);
	auto *by = op ? dyn_cast<ConstantInt>(op->getOperand(1)) : nullptr;
	if (!op || op->getOperand(0) != &phi)
		return false;
	switch (op->getOpcode()) {
	case Instruction::Shl:
	case Instruction::LShr:
	case Instruction::AShr:
		return by != nullptr;
	case Instruction::Mul:
	case Instruction::UDiv:
	case Instruction::SDiv:
		return by && by->getValue().isPowerOf2();
	default:
		return op->getOpcode() == Instruction::Add && op->getOperand(1) == &phi;
	}
}

/* The value that a loop's phi has behind the loop. */
synchrony_sum synchrony_sums::behind(PHINode &phi, const Loop &loop, unsigned depth)
{
	BasicBlock *exiting = loop.getExitingBlock();
	auto *branch = exiting ? dyn_cast<BranchInst>(exiting->getTerminator()) : nullptr;
	if (!branch || !is_same(walk(branch->getCondition(), *branch, depth + 1)))
		return lanes(&phi);
	synchrony_sum last = round(phi, *branch, depth + 1);
	if (!is_same(last))
		return lanes(&phi);
	synchrony_variable v = same();
	for (auto &[product, n] : last)
		for (unsigned i : product)
			v.is_positive |= last.size() == 1 && variables[i].phi == &phi &&
					 variables[i].is_positive;
	if (loop.getParentLoop())
		v.loops = {loop.getParentLoop()};
	return one(named({BEHIND, number_of(&phi)}, v));
}

synchrony_sum synchrony_sums::round(PHINode &phi, const Instruction &at, unsigned depth)
{
	Loop *loop = loops.getLoopFor(phi.getParent());
	auto known = assumed.find(&phi);
	if (known != assumed.end())
		return one(known->second);
	if (phi.getNumIncomingValues() == 1)
		return walk(phi.getIncomingValue(0), at, depth + 1);
	bool is_header = loop && loop->getHeader() == phi.getParent() && loop->getLoopLatch() &&
			 loop->getLoopPredecessor() && phi.getNumIncomingValues() == 2;
	if (!is_header)
		return lanes(&phi);
	if (!loop->contains(&at))
		return behind(phi, *loop, depth);
	const Instruction &before = *loop->getLoopPredecessor()->getTerminator(),
			  &end = *loop->getLoopLatch()->getTerminator();
	Value *next = phi.getIncomingValueForBlock(loop->getLoopLatch());
	synchrony_sum start = walk(phi.getIncomingValueForBlock(loop->getLoopPredecessor()), before,
				   depth + 1);

	synchrony_variable v = same();
	v.phi = &phi;
	v.loops = {loop};
	int64_t first;
	v.is_positive = is_number(start, first) && first > 0 && doubles(phi, next);
	v.is_power = is_power(start) && is_shifted(phi, next);
	unsigned itself = named({PHI, number_of(&phi)}, v);
	assumed[&phi] = itself;
	synchrony_sum step = plus(walk(next, end, depth + 1), one(itself), -1);
	assumed.erase(&phi);
	synchrony_variable steps;
	add_loops(*this, step, steps);
	bool is_steady = is_same(step);
	for (const Loop *l : steps.loops)
		is_steady &= !loop->contains(l);
	if (is_steady) {
		synchrony_variable rounds = same();
		rounds.counter = loop;
		rounds.loops = {loop};
		return plus(start, times(step, one(named({COUNTER, number_of(loop)}, rounds))));
	}
	return is_same(start) && is_same(step) ? one(itself) : lanes(&phi);
}

/* The remainder that a selection gives, but where the divisor, which it compares, is 0; NULL where
 * it is none. */
static const BinaryOperator *guarded(const Operator &select)
{
	auto *compare = dyn_cast<ICmpInst>(select.getOperand(0));
	auto *rest = dyn_cast<BinaryOperator>(select.getOperand(2));
	if (!compare || !rest || compare->getPredicate() != CmpInst::ICMP_EQ ||
	    (rest->getOpcode() != Instruction::URem && rest->getOpcode() != Instruction::SRem))
		return nullptr;
	auto *zero = dyn_cast<ConstantInt>(compare->getOperand(1));
	auto *by = dyn_cast<SelectInst>(rest->getOperand(1));
	bool is_it = zero && zero->isZero() && by && by->getCondition() == compare &&
		     by->getFalseValue() == compare->getOperand(0) &&
		     select.getOperand(1) == rest->getOperand(0);
	return is_it ? rest : nullptr;
}

/* What a conversion that changes no value converts; nullptr for all else. */
static Value *converted(const Operator &op)
{
	Value *from = op.getNumOperands() ? op.getOperand(0) : nullptr;
	switch (op.getOpcode()) {
	case Instruction::Trunc:
		return op.getType()->getScalarSizeInBits() >= 32 ? from : nullptr;
	case Instruction::SExt:
		return from->getType()->isIntegerTy(1) ? nullptr : from;
	case Instruction::ZExt:
	case Instruction::AddrSpaceCast:
	case Instruction::BitCast:
	case Instruction::IntToPtr:
	case Instruction::PtrToInt:
	case Instruction::Freeze:
		return from;
	default:
		return nullptr;
	}
}

synchrony_sum synchrony_sums::operation(Operator &op, const Instruction &at, unsigned depth)
{
	auto operand = [&](unsigned k) { return walk(op.getOperand(k), at, depth + 1); };
	int64_t n;
	synchrony_sum second;
	if (Value *from = converted(op))
		return walk(from, at, depth + 1);
	switch (op.getOpcode()) {
	case Instruction::Add:
		return plus(operand(0), operand(1));
	case Instruction::Sub:
		return plus(operand(0), operand(1), -1);
	case Instruction::Mul:
		return times(operand(0), operand(1));
	case Instruction::Shl:
		second = operand(1);
		if (is_number(second, n) && n >= 0 && n < 32)
			return times(operand(0), constant((int64_t)1 << n));
		if (is_same(second)) {
			std::vector<int64_t> name = {POWER};
			synchrony_variable v = same(true);
			v.is_power = true;
			append(name, second);
			add_loops(*this, second, v);
			return times(operand(0), one(named(name, v)));
		}
		break;
	case Instruction::UDiv:
	case Instruction::SDiv:
		return quotient(operand(0), operand(1), op.getOpcode() == Instruction::SDiv);
	case Instruction::URem:
	case Instruction::SRem:
		return rest(operand(0), operand(1), op.getOpcode() == Instruction::SRem);
	case Instruction::LShr:
	case Instruction::AShr:
		second = operand(1);
		if (is_number(second, n) && n >= 0 && n < 32)
			return quotient(operand(0), constant((int64_t)1 << n), false);
		break;
	case Instruction::And:
		second = operand(1);
		if (second = plus(second, constant(1)); is_power(second))
			return rest(operand(0), second, false);
		break;
	case Instruction::Xor:
		second = operand(1);
		if (is_number(second, n) && n == 1) {
			synchrony_sum first = operand(0);
			return plus(plus(constant(1), first), rest(first, constant(2), false), -2);
		}
		break;
	case Instruction::GetElementPtr:
		return offset(cast<GEPOperator>(op), at, depth);
	case Instruction::PHI:
		return round(cast<PHINode>(op), at, depth);
	case Instruction::Select:
		if (auto *division = guarded(op)) {
			Value *by = cast<ICmpInst>(op.getOperand(0))->getOperand(0);
			synchrony_sum first = walk(division->getOperand(0), at, depth + 1);
			bool is_signed = division->getOpcode() == Instruction::SRem;
			return rest(first, walk(by, at, depth + 1), is_signed);
		}
		break;
	case Instruction::Trunc:
	case Instruction::SExt:
	case Instruction::Or:
	case Instruction::ICmp:
		break;
	default:
		return lanes(&op);
	}
	return opaque(op, op.getOpcode(), at, depth);
}

synchrony_sum synchrony_sums::walk(Value *value, const Instruction &at, unsigned depth)
{
	Type *type = value->getType();
	if (depth > MAX_DEPTH || nodes++ > MAX_NODES)
		return lanes(value);
	if (auto *known = dyn_cast<ConstantInt>(value))
		return known->getValue().getSignificantBits() > 40
			       ? lanes(value)
			       : constant(known->getSExtValue());
	if (isa<ConstantPointerNull>(value))
		return {};
	if (auto *global = dyn_cast<GlobalVariable>(value)) {
		/* Arrays without a size are one and the same memory. */
		synchrony_variable v = same();
		v.is_address = true;
		return one(named({GLOBAL, global->isDeclaration() ? 0 : number_of(global)}, v));
	}
	if (isa<Argument>(value) && is_called)
		return lanes(value);
	auto *op = dyn_cast<Operator>(value);
	if (!op || type->isVectorTy())
		return isa<Constant>(value) || isa<Argument>(value)
			       ? one(named({VALUE, number_of(value)}, same()))
			       : lanes(value);
	if (isa<Instruction>(value) && synchrony_is_context(wrap(value)))
		return word(value);
	LLVMValueRef argument;
	uint64_t offset;
	if (isa<LoadInst>(value) && synchrony_is_parameter(wrap(value), &argument, &offset))
		return one(
			named({PARAMETER, number_of(unwrap(argument)), (int64_t)offset}, same()));
	return operation(*op, at, depth);
}

synchrony_sum synchrony_sums::of(Value *value, const Instruction &at, synchrony_indices as)
{
	nodes = 0;
	indices = as;
	return walk(value, at, 0);
}

/* ---- rounds ----------------------------------------------------------------- */

bool synchrony_sums::varies_in(const synchrony_variable &v, const Loop *loop) const
{
	for (const Loop *l : v.loops)
		if (!loop || loop->contains(l))
			return true;
	return false;
}

/* A variable like v of which nothing else is known. */
static synchrony_variable another(const synchrony_variable &v)
{
	synchrony_variable other = same(v.is_positive);
	other.loops = v.loops;
	return other;
}

synchrony_sum synchrony_sums::later(const synchrony_sum &s, const Loop *loop)
{
	synchrony_sum all;
	for (auto &[product, n] : s) {
		synchrony_sum part = constant(n);
		for (unsigned i : product) {
			const synchrony_variable v = variables[i];
			synchrony_sum then = one(i);
			if (varies_in(v, loop)) {
				if (loop && v.counter == loop)
					then = plus(then, constant(1));
				else if (loop && v.phi && v.phi->getParent() == loop->getHeader())
					then = walk(v.phi->getIncomingValueForBlock(
							    loop->getLoopLatch()),
						    *loop->getLoopLatch()->getTerminator(), 0);
				else
					then = one(named({LATER, i}, another(v)));
			}
			part = times(part, then);
		}
		all = plus(all, part);
	}
	return all;
}

// SPDX-License-Identifier: Apache-2.0
/* synchrony_guard.cpp - the conditions under which an access runs, for synchrony_apart.cpp. */
#include <algorithm>

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "synchrony_proof.h"

using namespace llvm;
using namespace synchrony;

/* Does it compare a constant with the highest bit set? */
static bool is_negative(const ICmpInst &compare)
{
	for (const Value *v : compare.operands())
		if (auto *known = dyn_cast<ConstantInt>(v))
			if (known->isNegative())
				return true;
	return false;
}

/* The comparisons that a condition is made of, each with whether it holds: those of a and b where
 * `a && b` holds or `a || b` does not, in any spelling. */
static void split_condition(Value *condition, bool holds,
			    std::vector<std::pair<ICmpInst *, bool>> &all)
{
	using namespace PatternMatch;
	Value *a, *b;
	if (match(condition, m_Not(m_Value(a)))) {
		split_condition(a, !holds, all);
	} else if (match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
			   ? holds
			   : match(condition, m_LogicalOr(m_Value(a), m_Value(b))) && !holds) {
		split_condition(a, holds, all);
		split_condition(b, holds, all);
	} else if (auto *compare = dyn_cast<ICmpInst>(condition)) {
		all.push_back({compare, holds});
	}
}

/* The conditions that hold where `at` runs. */
std::vector<guard> synchrony_apart::guards_of(const Instruction &at)
{
	std::vector<guard> all;
	const BasicBlock *block = at.getParent();
	DomTreeNode *node = sums.tree.getNode(block);
	while (node && (node = node->getIDom())) {
		auto *branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
		if (!branch || !branch->isConditional())
			continue;
		if (branch->getSuccessor(0) == branch->getSuccessor(1))
			continue;
		bool taken = sums.tree.dominates({node->getBlock(), branch->getSuccessor(0)},
						 block);
		if (!taken &&
		    !sums.tree.dominates({node->getBlock(), branch->getSuccessor(1)}, block))
			continue;
		std::vector<std::pair<ICmpInst *, bool>> compares;
		split_condition(branch->getCondition(), taken, compares);
		for (auto [compare, holds] : compares)
			if (!compare->isUnsigned() || !is_negative(*compare))
				all.push_back(guard_of(*compare, holds, at));
	}
	return all;
}

guard synchrony_apart::guard_of(const ICmpInst &compare, bool holds, const Instruction &at)
{
	synchrony_sum a = sums.of(compare.getOperand(0), at),
		      b = sums.of(compare.getOperand(1), at);
	guard g = {guard::BELOW, sums.plus(a, b, -1)};
	const synchrony_sum none, unit = {{{}, 1}};
	switch (holds ? compare.getPredicate() : compare.getInversePredicate()) {
	case CmpInst::ICMP_EQ:
		g.is = guard::ZERO;
		break;
	case CmpInst::ICMP_NE:
		g.is = guard::NOT_ZERO;
		break;
	case CmpInst::ICMP_SLT:
	case CmpInst::ICMP_ULT:
		break;
	case CmpInst::ICMP_SLE:
	case CmpInst::ICMP_ULE:
		g.sum = sums.plus(g.sum, unit, -1);
		break;
	case CmpInst::ICMP_SGT:
	case CmpInst::ICMP_UGT:
		g.sum = sums.plus(none, g.sum, -1);
		break;
	default: /* >= */
		g.sum = sums.plus(sums.plus(none, g.sum, -1), unit, -1);
		break;
	}
	return g;
}

/* The most threads that there are of a kind. */
int64_t synchrony_apart::threads(synchrony_variable::kind lane) const
{
	int64_t known = 0;
	if (lane == synchrony_variable::X)
		known = block.x;
	if (lane == synchrony_variable::Y)
		known = block.y;
	return known ? known : (int64_t)MAX_THREADS;
}

/* The lanes that come to where the guards hold, by the number that p is written with. */
range synchrony_apart::lanes_of(const parts &p, const std::vector<guard> &guards) const
{
	return range_of(lane_of(p), guards);
}

/* The factor of a lane of that kind in s; what there is else goes to rest. */
int64_t synchrony_apart::factor_of(const synchrony_sum &s, synchrony_variable::kind lane,
				   synchrony_sum &rest) const
{
	int64_t factor = 0, of_x = 0, of_row = 0;
	synchrony_product x, row;
	rest.clear();
	for (auto &[product, n] : s) {
		bool has_y = false, has_width = false;
		for (unsigned v : product) {
			has_y |= sums.variables[v].what == synchrony_variable::Y;
			has_width |= sums.variables[v].is_width;
		}
		if (product.size() == 1 && sums.variables[product[0]].what == lane) {
			factor = n;
			continue;
		}
		rest[product] = n;
		if (product.size() == 2 && has_y && has_width) {
			of_row = n;
			row = product;
		}
		if (product.size() == 1 &&
		    sums.variables[product[0]].what == synchrony_variable::X) {
			of_x = n;
			x = product;
		}
	}
	/* threadIdx.y * blockDim.x + threadIdx.x */
	if (lane == synchrony_variable::NUMBER && !factor && of_x && of_x == of_row) {
		rest.erase(x);
		rest.erase(row);
		return of_x;
	}
	return factor;
}

/* Does it say that threadIdx of this axis is 0, since threadIdx.y * 16 + threadIdx.x is? */
bool synchrony_apart::is_zero(const guard &g, synchrony_variable::kind lane) const
{
	bool is_positive = false, is_negative = false, has_lane = false;
	for (auto &[product, n] : g.sum) {
		(n > 0 ? is_positive : is_negative) = true;
		unsigned n_lanes = 0;
		bool has_unknown = false;
		for (unsigned v : product) {
			const synchrony_variable &part = sums.variables[v];
			bool is_lane = part.what == synchrony_variable::X ||
				       part.what == synchrony_variable::Y;
			n_lanes += is_lane;
			has_lane |= part.what == lane;
			has_unknown |= !is_lane && !part.is_width && !part.is_height;
		}
		if (n_lanes != 1 || has_unknown)
			return false;
	}
	return g.is == guard::ZERO && has_lane && is_positive != is_negative;
}

/* Is what it indexes first a whole variable, or unknown, and no inner array of a variable? */
static bool is_outermost(GEPOperator &gep)
{
	Value *of = gep.getPointerOperand()->stripPointerCasts();
	auto *variable = dyn_cast<GlobalVariable>(of);
	return !isa<GEPOperator>(of) &&
	       (!variable || variable->getValueType() == gep.getSourceElementType());
}

/* Indices of inner arrays stay within these. */
void synchrony_apart::add_bounds(Value *address, const Instruction &at, std::vector<guard> &guards)
{
	const synchrony_sum none, unit = {{{}, 1}};
	auto *gep = dyn_cast<GEPOperator>(address);
	for (; gep; gep = dyn_cast<GEPOperator>(gep->getPointerOperand())) {
		bool is_whole = is_outermost(*gep);
		Type *whole = nullptr;
		unsigned k = 0;
		for (auto part = gep_type_begin(gep); part != gep_type_end(gep); ++part, k++) {
			auto *array = dyn_cast_or_null<ArrayType>(whole);
			whole = part.getIndexedType();
			if (!array || !array->getNumElements() || (is_whole && k == 1) ||
			    isa<Constant>(part.getOperand()))
				continue;
			auto n = (int64_t)array->getNumElements();
			synchrony_sum index = sums.of(part.getOperand(), at);
			guards.push_back({guard::BELOW, sums.plus(index, unit, -n)});
			guards.push_back(
				{guard::BELOW, sums.plus(sums.plus(none, index, -1), unit, -1)});
		}
	}
}

range synchrony_apart::range_of(synchrony_variable::kind lane,
				const std::vector<guard> &guards) const
{
	range r = {0, threads(lane) - 1};
	for (const guard &g : guards) {
		if (is_zero(g, lane))
			return {0, 0};
		synchrony_sum others;
		int64_t factor = factor_of(g.sum, lane, others), rest;
		if (g.is == guard::NOT_ZERO || !is_constant(others, rest) ||
		    (factor != 1 && factor != -1))
			continue;
		/* factor * lane <= -1 - rest */
		if (g.is == guard::ZERO)
			r = {std::max(r.least, -factor * rest), std::min(r.most, -factor * rest)};
		else if (factor == 1)
			r.most = std::min(r.most, -1 - rest);
		else
			r.least = std::max(r.least, 1 + rest);
	}
	return r;
}

bool synchrony_apart::is_nonzero(unsigned variable, const std::vector<guard> &guards) const
{
	if (sums.variables[variable].is_positive)
		return true;
	for (const guard &g : guards) {
		int64_t factor = 0, rest = 0;
		for (auto &[product, n] : g.sum)
			if (product.empty())
				rest = n;
			else if (product == synchrony_product{variable})
				factor = n;
		if (!factor || g.sum.size() != 1u + (rest != 0))
			continue;
		/* c - n < 0, or n != 0 */
		if ((g.is == guard::BELOW && factor < 0 && rest >= -1) ||
		    (g.is == guard::NOT_ZERO && !rest))
			return true;
	}
	return false;
}

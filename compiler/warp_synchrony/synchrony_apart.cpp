// SPDX-License-Identifier: Apache-2.0
/* synchrony_apart.cpp - see synchrony_apart.h.
 *
 * The two addresses are sums (synchrony_sum.h). What is the same for all lanes and rounds, as the
 * variable itself, vanishes from their distance; left are multiples of the distance of two lanes,
 * which is 1 to 31 or its negative, and the rest. The accesses are apart where
 *   - only one lane comes to both, by a condition that it alone fulfils;
 *   - for each distance of two lanes, also where a condition lets one column or row of the block
 *     alone come to one of the accesses (synchrony_pin.cpp), no value of the rest makes the
 *     accesses overlap: it is a constant, or a multiple of one, as 512 * stage of a buffer with
 *     several stages is, with indices of inner arrays that stay within these;
 *   - the store's lane is below n by a condition, and n elements lie between a lane's two
 *     accesses (trees: if (t < n) s[t] += s[t + n]);
 *   - the lane's number is m * q + r with r < m, and they are apart by more than the r can make
 *     up for, or the q are equal and the r are not (networks: s[2 * t - t % m]);
 *   - all of it is a multiple of one value that is no 0 (trees: s[2 * n * t] += s[2 * n * t + n],
 *     also where the condition t % (2 * n) == 0 makes t such a multiple).
 *
 * A block whose threadIdx.y has no part in an address is taken for one of whole warps in x, and
 * where it has a part, the block for no wider than its rows or columns, which are 8 elements at
 * least: tile[threadIdx.y * W + threadIdx.x] is each thread's own. blockDim.x counts as a
 * multiple of 32 where addresses are of threadIdx.x alone, or where the launch's is one. Of two stores the block is also taken for one of 8 threads or more in x, so that
 * a warp has 5 rows at most: tile[threadIdx.y + 8 * i][threadIdx.x] are different rows. */
#include "synchrony_apart.h"

#include <algorithm>
#include <numeric>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "synchrony_proof.h"

using namespace llvm;
using namespace synchrony;

enum { MIN_ROW = 8 };
enum { MAX_PROOFS = 20000 /* tried in one function */ };

bool synchrony::is_constant(const synchrony_sum &s, int64_t &n)
{
	n = s.empty() ? 0 : s.begin()->second;
	return s.empty() || (s.size() == 1 && s.begin()->first.empty());
}

synchrony_variable::kind synchrony::lane_of(const parts &p)
{
	if (p.is_column)
		return synchrony_variable::Y;
	return p.is_number || p.is_row ? synchrony_variable::NUMBER : synchrony_variable::X;
}

/* ---- parts ------------------------------------------------------------------ */

/* n times the product of variables that are the same for all lanes, or for some, is a multiple of
 * that. In a block with rows, lanes of a warp may be blockDim.x apart, but no block's size. */
int64_t synchrony_apart::unit_of(const synchrony_product &product, int64_t n, bool has_rows) const
{
	bool has_width = false, has_height = false;
	for (unsigned v : product) {
		has_width |= sums.variables[v].is_width;
		has_height |= sums.variables[v].is_height;
	}
	bool is_whole = has_width && (has_height || !has_rows || block.has_whole_rows);
	return is_whole ? std::abs(n) * LANES : std::abs(n);
}

/* May the sum differ between threads of several rows? */
bool synchrony_apart::has_rows(const synchrony_sum &s) const
{
	for (auto &[product, n] : s)
		for (unsigned v : product) {
			auto what = sums.variables[v].what;
			if (what == synchrony_variable::Y || what == synchrony_variable::NUMBER ||
			    (what == synchrony_variable::LANE && sums.has_rows))
				return true;
		}
	return false;
}

parts synchrony_apart::split(const synchrony_sum &s)
{
	parts p;
	p.has_rows = has_rows(s);
	for (auto &[product, n] : s) {
		synchrony_product rest;
		unsigned n_lanes = 0, n_others = 0, lane = 0;
		for (unsigned v : product) {
			bool is_same = sums.variables[v].what == synchrony_variable::SAME;
			bool is_other = sums.variables[v].what == synchrony_variable::LANE;
			n_lanes += !is_same && !is_other;
			n_others += is_other;
			if (is_same)
				rest.push_back(v);
			else
				lane = v;
		}
		auto what = sums.variables[lane].what;
		if (product.empty()) {
			p.constant = n;
		} else if (!n_lanes && !n_others) {
			p.same[product] = n;
		} else if (n_lanes == 1 && !n_others) {
			bool is_number = what == synchrony_variable::NUMBER;
			synchrony_sum &to = what == synchrony_variable::Y ? p.y : p.x;
			p.known &= what == synchrony_variable::Y || to.empty() ||
				   p.is_number == is_number;
			p.is_number |= is_number;
			to[rest] = n;
		} else if (product.size() == 1 && sums.variables[lane].most >= 0) {
			(n > 0 ? p.most : p.least) += n * sums.variables[lane].most;
		} else {
			p.step = std::gcd(p.step, unit_of(product, n, p.has_rows));
		}
	}
	if (have_row(p)) {
		p.y.clear();
		p.is_row = true;
	}
	return p;
}

/* threadIdx.y * blockDim.x + threadIdx.x is the thread's number. */
bool synchrony_apart::have_row(parts &p)
{
	return !p.y.empty() && !p.is_number && p.y == sums.times(p.x, {{{sums.width()}, 1}});
}

/* ---- proofs ------------------------------------------------------------------ */

static bool has(const std::vector<guard> &guards, const guard &wanted)
{
	for (const guard &g : guards)
		if (g.is == wanted.is && g.sum == wanted.sum)
			return true;
	return false;
}

/* Is there one lane that comes to both? Not for one threadIdx.x in several rows. */
bool synchrony_apart::is_one(const parts &a, const parts &b, const std::vector<guard> &load,
			     const std::vector<guard> &store) const
{
	if (!a.y.empty() || !b.y.empty() || lane_of(a) != lane_of(b))
		return false;
	for (const guard &g : load)
		for (auto lane : {lane_of(a), synchrony_variable::NUMBER}) {
			if (lane == synchrony_variable::X && (a.has_rows || b.has_rows))
				continue;
			synchrony_sum rest;
			bool known = g.is == guard::ZERO && factor_of(g.sum, lane, rest);
			for (auto &[product, n] : rest)
				for (unsigned v : product)
					known &= sums.variables[v].what ==
							 synchrony_variable::SAME &&
						 sums.variables[v].loops.empty();
			if (known && has(store, g))
				return true;
		}
	return false;
}

static int64_t divide_down(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* May base + step * i + least..most lie in -stored < d < loaded, for any i? Both are sizes: the
 * load's address less the store's is d. */
static bool may_overlap(int64_t base, int64_t step, range rest, int64_t loaded, int64_t stored)
{
	int64_t low = -loaded - rest.most + 1, high = stored - rest.least - 1;
	if (!step)
		return low <= base && base <= high;
	return divide_down(high - base, step) >= -divide_down(base - low, step);
}

/* For all pairs of lanes, where their factors are constants? */
bool synchrony_apart::stay_apart(const parts &load, const parts &store, range loading,
				 range storing, const access &l, const access &s, distances within)
{
	int64_t x, y, other_x, other_y;
	if (!is_constant(load.x, x) || !is_constant(store.x, other_x) || !is_constant(load.y, y) ||
	    !is_constant(store.y, other_y) || y != other_y)
		return false;
	int64_t step = std::gcd(load.step, store.step), base = load.constant - store.constant;
	for (auto &[product, n] : sums.plus(load.same, store.same, -1))
		step = std::gcd(step, unit_of(product, n, load.has_rows || store.has_rows));
	range rest = {load.least - store.most, load.most - store.least};
	auto meet = [&](int64_t d) { return may_overlap(base + d, step, rest, l.size, s.size); };
	/* Threads with one threadIdx.x differ in what is not known, from row to row. */
	bool has_hidden_rows = !y && lane_of(load) == synchrony_variable::X &&
			       (load.has_rows || store.has_rows);
	if (x != other_x) {
		if (y || has_hidden_rows)
			return false;
		for (int64_t a = loading.least; a <= loading.most; a++) {
			int64_t first = a / LANES * LANES;
			for (int64_t b = std::max(first, storing.least);
			     b < first + LANES && b <= storing.most; b++)
				if (a != b && meet(x * a - other_x * b))
					return false;
		}
		return true;
	}
	int64_t far = std::max(std::abs(x), std::abs(y)), near = std::min(std::abs(x), std::abs(y));
	if (near && far / near < MIN_ROW)
		return false;
	int64_t row = near ? (far - 1) / near : LANES - 1;
	int64_t rows = l.stores ? LANES / MIN_ROW : LANES - 1;
	int64_t most_x = std::abs(x) == near ? std::min<int64_t>(row, LANES - 1) : LANES - 1,
		most_y = !y                    ? 0
			 : std::abs(y) == near ? std::min<int64_t>(row, rows)
					       : rows;
	within.x.least = std::max({within.x.least, -most_x, loading.least - storing.most});
	within.x.most = std::min({within.x.most, most_x, loading.most - storing.least});
	within.y.least = std::max(within.y.least, -most_y);
	within.y.most = std::min(within.y.most, most_y);
	for (int64_t a = within.x.least; a <= within.x.most; a++)
		for (int64_t b = within.y.least; b <= within.y.most; b++)
			if ((a || b || has_hidden_rows) && meet(x * a + y * b))
				return false;
	return true;
}

/* Does a condition keep the lanes below the distance? In rows of threads, or of an array, both
 * accesses have it and are just n elements apart: such a tree is taken for one that stays in its
 * row, where no number says otherwise. */
bool synchrony_apart::is_tree(const parts &load, const parts &store,
			      const std::vector<guard> &loading, const std::vector<guard> &storing,
			      const access &l, const access &s)
{
	int64_t x, width = 0;
	if (!is_constant(load.x, x) || x <= 0 || load.x != store.x || load.y != store.y ||
	    load.step || store.step || lane_of(load) != lane_of(store))
		return false;
	const bool has_rows = load.is_row || !load.y.empty();
	if (!load.y.empty() && (!is_constant(load.y, width) || width < x))
		return false;
	synchrony_sum distance = sums.plus(load.same, store.same, -1);
	distance = sums.plus(distance, {{{}, load.constant - store.constant}});
	for (bool stores : {true, false}) {
		range lanes = lanes_of(stores ? load : store, stores ? loading : storing);
		for (const guard &g : stores ? storing : loading) {
			/* g.sum is lane - n. */
			synchrony_sum bound;
			int64_t rest, n;
			bool is_in_row = !load.y.empty() ||
					 factor_of(g.sum, lane_of(load), bound) != 1;
			if (g.is != guard::BELOW ||
			    (is_in_row && (!has_rows || !has(stores ? loading : storing, g) ||
					   factor_of(g.sum, synchrony_variable::X, bound) != 1)))
				continue;
			/* distance - x * n for a lane that stores, distance + x * n for one
			 * that loads */
			if (!is_constant(sums.plus(distance, bound, stores ? x : -x), rest) ||
			    (is_in_row && rest))
				continue;
			if (is_in_row && width && is_constant(bound, n) &&
			    2 * std::abs(n) * x > width)
				continue;
			if (stores ? x * lanes.least + x + rest + load.least - store.most >= s.size
				   : -x * lanes.least - x + rest + load.most - store.least <=
					     -l.size)
				return true;
		}
	}
	return false;
}

/* The same of the rows of an array, in which no lane is farther away than a row is wide? */
bool synchrony_apart::is_tree_of_rows(parts load, parts store, const std::vector<guard> &loading,
				      const std::vector<guard> &storing, const access &l,
				      const access &s)
{
	int64_t x, y;
	if (!is_constant(load.x, x) || !is_constant(load.y, y) || load.x != store.x ||
	    load.y != store.y || x < std::max(l.size, s.size) || y < MIN_ROW * x || y % x ||
	    load.is_number || (load.constant - store.constant) % y)
		return false;
	for (auto &[product, n] : sums.plus(load.same, store.same, -1))
		if (n % y)
			return false;
	for (parts *p : {&load, &store}) {
		p->x = p->y;
		p->y.clear();
		p->is_column = true;
	}
	return is_tree(load, store, loading, storing, l, s);
}

/* Is the whole distance a multiple of something, and never by 0? */
bool synchrony_apart::is_multiple(const parts &load, const parts &store,
				  const std::vector<guard> &guards, const access &l,
				  const access &s) const
{
	if (load.x != store.x || load.x.size() != 1 || !load.y.empty() || !store.y.empty() ||
	    load.step || store.step || load.least || load.most || store.least || store.most ||
	    load.constant != store.constant)
		return false;
	const synchrony_product &unit = load.x.begin()->first;
	int64_t x = load.x.begin()->second, distance = 0;
	synchrony_sum difference = load.same;
	for (auto &[product, n] : store.same)
		if (!(difference[product] -= n))
			difference.erase(product);
	if (difference.size() > 1 || (difference.size() == 1 && difference.begin()->first != unit))
		return false;
	if (!difference.empty())
		distance = difference.begin()->second;
	for (unsigned v : unit)
		if (!is_nonzero(v, guards))
			return false;
	for (int64_t k = 1 - LANES; k < LANES; k++)
		if (k && std::abs(x * k + distance) < std::max(l.size, s.size))
			return false;
	return true;
}

/* The sum's factor of the lane's number, and of unit * quotient; whatever else it has is left. */
static bool take_digits(synchrony_sum &s, unsigned lane, const synchrony_product &unit,
			unsigned quotient, int64_t &of_lane, int64_t &of_quotient)
{
	synchrony_product digit = unit;
	digit.push_back(quotient);
	std::sort(digit.begin(), digit.end());
	of_lane = s[{lane}];
	of_quotient = s[digit];
	s.erase({lane});
	s.erase(digit);
	for (auto &[product, n] : s)
		if (n && (std::count(product.begin(), product.end(), lane) ||
			  std::count(product.begin(), product.end(), quotient)))
			return false;
	return of_lane > 0;
}

/* With the lane's number taken apart into digits by a divisor in both addresses? */
bool synchrony_apart::has_digits(const synchrony_sum &load, const synchrony_sum &store,
				 const std::vector<guard> &guards, const access &l, const access &s)
{
	for (unsigned q = 0, n = (unsigned)sums.variables.size(); q < n; q++) {
		const synchrony_variable v = sums.variables[q];
		if (v.what != synchrony_variable::LANE || v.divisor.size() != 1 ||
		    v.dividend.size() != 1 || v.dividend.begin()->second != 1 ||
		    v.dividend.begin()->first.size() != 1)
			continue;
		const synchrony_product &unit = v.divisor.begin()->first;
		unsigned lane = v.dividend.begin()->first[0];
		auto what = sums.variables[lane].what;
		int64_t many = v.divisor.begin()->second, x, other_x, factor, other;
		bool known = many > 0 &&
			     (what == synchrony_variable::X || what == synchrony_variable::NUMBER);
		for (unsigned part : unit)
			known &= sums.variables[part].what == synchrony_variable::SAME &&
				 is_nonzero(part, guards);
		synchrony_sum from = load, to = store;
		if (!known || !take_digits(from, lane, unit, q, x, factor) ||
		    !take_digits(to, lane, unit, q, other_x, other) || x != other_x ||
		    factor != other || x < std::max(l.size, s.size))
			continue;
		synchrony_sum rest = sums.plus(from, to, -1);
		if (!sums.is_same(from) || !sums.is_same(to) || rest.size() > 1 ||
		    (rest.size() == 1 && rest.begin()->first != unit))
			continue;
		int64_t distance = rest.empty() ? 0 : rest.begin()->second;
		bool apart = true;
		for (int64_t d = 1 - LANES; d < LANES; d++) {
			int64_t units = (x * many + factor) * d + distance;
			apart &= std::abs(units) >= x * many || (!units && !d);
		}
		if (apart)
			return true;
	}
	return false;
}

/* Where a condition says that the lane is a multiple of something, it is put in as such. */
void synchrony_apart::thin_out(synchrony_sum &load, synchrony_sum &store,
			       const std::vector<guard> &loading, const std::vector<guard> &storing)
{
	for (const guard &g : loading) {
		synchrony_product lane, quotient;
		synchrony_sum unit;
		bool shared = false;
		for (const guard &other : storing)
			shared |= g.is == guard::ZERO && other.is == g.is && other.sum == g.sum;
		for (auto &[product, n] : g.sum) {
			unsigned others = 0;
			for (unsigned v : product)
				others += sums.variables[v].what == synchrony_variable::LANE;
			if (product.size() == 1 && n == 1 && !others &&
			    sums.variables[product[0]].what != synchrony_variable::SAME)
				lane = product;
			else if (others != 1)
				shared = false;
			else
				for (unsigned v : product)
					if (sums.variables[v].what == synchrony_variable::LANE)
						quotient.push_back(v);
			if (product != lane) {
				synchrony_product rest;
				for (unsigned v : product)
					if (sums.variables[v].what != synchrony_variable::LANE)
						rest.push_back(v);
				unit[rest] = -n;
			}
		}
		if (!shared || lane.empty() || quotient.size() != 1)
			continue;
		for (synchrony_sum *s : {&load, &store}) {
			synchrony_sum all;
			for (auto &[product, n] : *s) {
				synchrony_sum part = {{product, n}};
				if (std::count(product.begin(), product.end(), lane[0]))
					part = sums.times(part, unit);
				all = sums.plus(all, part);
			}
			*s = all;
		}
		return;
	}
}

/* Addresses in two variables of shared memory? */
bool synchrony_apart::are_different_variables(const synchrony_sum &a, const synchrony_sum &b) const
{
	auto variable_of = [&](const synchrony_sum &s) {
		int64_t found = -1, n_found = 0;
		for (auto &[product, n] : s)
			for (unsigned v : product)
				if (sums.variables[v].is_address) {
					found = v;
					n_found += n == 1 && product.size() == 1 ? 1 : 2;
				}
		return n_found == 1 ? found : -1;
	};
	int64_t one = variable_of(a), other = variable_of(b);
	return one >= 0 && other >= 0 && one != other;
}

/* How far the lanes of a first access and of a store may be apart in y by the conditions of each;
 * in x stay_apart() asks itself. */
distances synchrony_apart::between(const std::vector<guard> &loading,
				   const std::vector<guard> &storing) const
{
	range first = range_of(synchrony_variable::Y, loading),
	      second = range_of(synchrony_variable::Y, storing);
	distances d;
	d.y = {first.least - second.most, first.most - second.least};
	return d;
}

bool synchrony_apart::are_apart(const access &l, const access &s, synchrony_round round,
				const Loop *loop)
{
	sums.failed = false;
	std::vector<guard> loading = guards_of(*l.at), storing = guards_of(*s.at);
	add_bounds(l.address, *l.at, loading);
	add_bounds(s.address, *s.at, storing);
	for (auto as : {SYNCHRONY_EXACT, SYNCHRONY_LANES_WITHIN, SYNCHRONY_ALL_WITHIN}) {
		sums.failed = false;
		synchrony_sum from = sums.of(l.address, *l.at, as),
			      to = sums.of(s.address, *s.at, as);
		if (round == SYNCHRONY_THIS_ROUND)
			thin_out(from, to, loading, storing);
		else
			to = sums.later(to, round == SYNCHRONY_NEXT_ROUND ? loop : nullptr);
		if (are_different_variables(from, to))
			return true;
		parts load = split(from), store = split(to);
		bool apart = false;
		if (load.known && store.known &&
		    (load.x.empty() || store.x.empty() || load.is_number == store.is_number)) {
			load.is_number = store.is_number = load.is_number || store.is_number;
			range first = lanes_of(load, loading), second = lanes_of(store, storing);
			distances within = between(loading, storing);
			apart = is_one(load, store, loading, storing) ||
				stay_apart(load, store, first, second, l, s, within);
			for (auto as : {PIN_TO_VALUES, PIN_TO_LANES}) {
				parts pinned = load, pinned_store = store;
				distances pins = within;
				if (!apart && use_pins(pinned, pinned_store, loading, storing, l, s,
						       as, pins))
					apart = stay_apart(pinned, pinned_store, first, second, l,
							   s, pins);
			}
			if (!apart && round == SYNCHRONY_THIS_ROUND)
				apart = is_tree(load, store, loading, storing, l, s) ||
					is_tree_of_rows(load, store, loading, storing, l, s) ||
					is_multiple(load, store, storing, l, s) ||
					has_digits(from, to, storing, l, s);
		}
		if (apart && !sums.failed)
			return true;
	}
	return false;
}

/* ---- the interface ----------------------------------------------------------- */

struct synchrony_apart *synchrony_apart_new(LLVMValueRef function, bool is_called,
					    struct synchrony_block block)
{
	return new synchrony_apart(*unwrap<Function>(function), is_called, block);
}

void synchrony_apart_free(struct synchrony_apart *apart)
{
	delete apart;
}

bool synchrony_is_in_loop(const struct synchrony_apart *apart, LLVMBasicBlockRef header,
			  LLVMValueRef i)
{
	const Loop *loop = apart->sums.loops.getLoopFor(unwrap(header));
	return !loop || loop->getHeader() != unwrap(header) ||
	       loop->contains(unwrap<Instruction>(i));
}

bool synchrony_is_of_one_warp(struct synchrony_apart *apart, LLVMValueRef i)
{
	apart->sums.failed = false;
	std::vector<guard> guards = apart->guards_of(*unwrap<Instruction>(i));
	for (auto lane : {synchrony_variable::X, synchrony_variable::NUMBER}) {
		range lanes = apart->range_of(lane, guards);
		if (lanes.least / LANES == lanes.most / LANES)
			return true;
	}
	return apart->sums.failed;
}

/* What i loads or stores; false where it is not known how much. */
static bool find_access(Instruction &i, bool stores, access &ret)
{
	const DataLayout &layout = i.getModule()->getDataLayout();
	Type *type = nullptr;
	ret = {&i, nullptr, 0, stores};
	if (auto *load = dyn_cast<LoadInst>(&i)) {
		ret.address = load->getPointerOperand();
		type = load->getType();
	} else if (auto *store = dyn_cast<StoreInst>(&i)) {
		ret.address = store->getPointerOperand();
		type = store->getValueOperand()->getType();
	} else if (auto *atomic = dyn_cast<AtomicRMWInst>(&i)) {
		ret.address = atomic->getPointerOperand();
		type = atomic->getType();
	} else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&i)) {
		ret.address = exchange->getPointerOperand();
		type = exchange->getNewValOperand()->getType();
	} else if (auto *copy = dyn_cast<MemIntrinsic>(&i)) {
		auto *length = dyn_cast<ConstantInt>(copy->getLength());
		auto *transfer = dyn_cast<MemTransferInst>(&i);
		ret.address = stores || !transfer ? copy->getRawDest() : transfer->getRawSource();
		if (!length || length->getValue().getActiveBits() > 31)
			return false;
		ret.size = length->getSExtValue();
		return true;
	} else {
		return false;
	}
	ret.size = (int64_t)layout.getTypeStoreSize(type).getFixedValue();
	return true;
}

bool synchrony_are_apart(struct synchrony_apart *apart, LLVMValueRef first, bool stores,
			 LLVMValueRef store, enum synchrony_round round, LLVMBasicBlockRef header)
{
	access l, s;
	if (!find_access(*unwrap<Instruction>(first), stores, l) ||
	    !find_access(*unwrap<Instruction>(store), true, s))
		return false;
	const LoopInfo &loops = apart->sums.loops;
	Loop *loop = header ? loops.getLoopFor(unwrap(header)) : nullptr;
	if (round == SYNCHRONY_NEXT_ROUND) {
		if (!loop || loop->getHeader() != unwrap(header) || !loop->getLoopLatch())
			round = SYNCHRONY_ANY_ROUND;
		else if (!loop->contains(l.at) || !loop->contains(s.at))
			round = SYNCHRONY_THIS_ROUND; /* one of them lies outside, and varies alone */
	}
	auto [answer, is_new] = apart->known.insert({{first, stores, store, round, loop}, false});
	if (is_new && apart->known.size() <= MAX_PROOFS)
		answer->second = apart->are_apart(l, s, round, loop);
	return answer->second;
}

// SPDX-License-Identifier: Apache-2.0
/* synchrony_pin.cpp - accesses to which a condition lets one column or row of threads alone, for
 * synchrony_apart.cpp: the borders of a tile.
 *
 *	tile[y + 1][x + 1] = ...;
 *	if (x == 0)
 *		tile[y + 1][0] = ...;
 *	if (x == blockDim.x - 1)
 *		tile[y + 1][blockDim.x + 1] = ...;
 *
 * There threadIdx.x is a known value, `at`, and c + n * x may be written as c + (n - m) * at + m * x
 * for any m. With the other address's factor as m the distance of the two depends on the distance
 * of two lanes alone, and this has a known sign where no thread has a smaller threadIdx.x than
 * `at`, or a larger one.
 *
 * What is compared with blockDim.x - 1 is the last. A number is the last if no larger block is asked
 * about. */
#include <algorithm>

#include "synchrony_proof.h"

using namespace llvm;
using namespace synchrony;

/* Is the variable blockDim of the same axis? */
bool synchrony_apart::is_size(synchrony_variable::kind lane, unsigned variable) const
{
	const synchrony_variable &v = sums.variables[variable];
	return lane == synchrony_variable::X ? v.is_width : v.is_height;
}

pin synchrony_apart::pin_of(const std::vector<guard> &guards, synchrony_variable::kind lane) const
{
	for (const guard &g : guards) {
		pin p;
		if (is_zero(g, lane)) {
			p.known = p.is_first = true;
			return p;
		}
		int64_t factor = 0, constant = 0, sizes = 0;
		bool known = g.is == guard::ZERO;
		for (auto &[product, n] : g.sum) {
			bool is_lane = product.size() == 1 &&
				       sums.variables[product[0]].what == lane;
			for (unsigned v : product)
				known &= is_lane ||
					 (sums.variables[v].what == synchrony_variable::SAME &&
					  sums.variables[v].loops.empty());
			if (is_lane)
				factor = n;
			else
				p.at[product] = n;
			constant += product.empty() ? n : 0;
			sizes += product.size() == 1 && is_size(lane, product[0]) ? n : 0;
		}
		if (!known || (factor != 1 && factor != -1))
			continue;
		for (auto &[product, n] : p.at)
			n *= -factor;
		constant *= -factor;
		p.known = true;
		p.is_first = p.at.empty();
		int64_t at;
		p.is_last = (p.at.size() == 2 && constant == -1 && sizes * -factor == 1) ||
			    (is_constant(p.at, at) && at + 1 >= threads(lane));
		return p;
	}
	return {};
}

/* The address p with another factor of the lane, which is at `at`; false where that is not known. */
bool synchrony_apart::move(parts &p, synchrony_variable::kind lane, const synchrony_sum &factor,
			   const synchrony_sum &at)
{
	synchrony_sum &own = lane == synchrony_variable::Y ? p.y : p.x;
	for (auto &[product, n] : sums.times(sums.plus(own, factor, -1), at)) {
		if (product.empty()) {
			p.constant += n;
			continue;
		}
		for (unsigned v : product)
			if (sums.variables[v].what != synchrony_variable::SAME)
				return false;
		if (!(p.same[product] += n))
			p.same.erase(product);
	}
	own = factor;
	return true;
}

/* The last lane of an access within its row of `row` bytes. */
static int64_t most_in_row(const synchrony_sums &sums, const parts &p, int64_t size, int64_t factor,
			   int64_t row)
{
	for (auto &[product, n] : p.same)
		for (unsigned v : product)
			if (!sums.variables[v].is_address)
				return row / factor;
	int64_t column = p.constant % row;
	return (row - (column < 0 ? column + row : column) - size) / factor;
}

/* Makes the factors of the lanes equal by what the conditions say, and says how far the lanes of
 * the first access and the store may be apart. False where nothing can be gained. as: where both
 * have a known lane, the factor becomes 0, or stays that of one of them. */
bool synchrony_apart::use_pins(parts &load, parts &store, const std::vector<guard> &loading,
			       const std::vector<guard> &storing, const access &l, const access &s,
			       pinning as, distances &ret)
{
	if (load.is_number || store.is_number || (load.y.empty() && store.y.empty()))
		return false;
	const parts first = load, second = store;
	pin from[2], to[2];
	range *of[2] = {&ret.x, &ret.y};
	for (auto lane : {synchrony_variable::X, synchrony_variable::Y}) {
		bool is_y = lane == synchrony_variable::Y;
		auto factor = is_y ? &parts::y : &parts::x;
		pin &a = from[is_y] = pin_of(loading, lane), &b = to[is_y] = pin_of(storing, lane);
		int64_t one = 0, other = 0;
		bool numbers = a.known && b.known && is_constant(a.at, one) &&
			       is_constant(b.at, other);
		/* The factor that both get: that of the one that is not pinned. */
		synchrony_sum all = b.known && !(first.*factor).empty() ? first.*factor
									: second.*factor;
		if (b.known && !a.known)
			all = first.*factor;
		if (numbers || (a.known && b.known && as == PIN_TO_VALUES))
			all.clear();
		if ((a.known && !move(load, lane, all, a.at)) ||
		    (b.known && !move(store, lane, all, b.at)))
			return false;
		if (numbers)
			*of[is_y] = {one - other, one - other};
		if (numbers || (!a.known && !b.known))
			continue;
		if (a.is_last || b.is_first)
			of[is_y]->least = std::max<int64_t>(of[is_y]->least, 0);
		if (a.is_first || b.is_last)
			of[is_y]->most = std::min<int64_t>(of[is_y]->most, 0);
	}
	/* No lane is farther away than a row has lanes. */
	int64_t x, y;
	if (!is_constant(load.x, x) || !is_constant(load.y, y) || x <= 0 || y <= 0 || x == y)
		return from[0].known || from[1].known || to[0].known || to[1].known;
	bool is_y = y < x;
	int64_t near = std::min(x, y), far = std::max(x, y);
	const pin &a = from[is_y], &b = to[is_y];
	if (a.known != b.known) {
		int64_t most = a.known ? most_in_row(sums, second, s.size, near, far)
				       : most_in_row(sums, first, l.size, near, far);
		*of[is_y] = {std::max(of[is_y]->least, -most), std::min(of[is_y]->most, most)};
	}
	return from[0].known || from[1].known || to[0].known || to[1].known;
}

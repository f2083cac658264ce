/* SPDX-License-Identifier: Apache-2.0 */
/* Thrust, on: set operations, searches, scans and reductions by key, copies that
 * choose, iterators that make, pair, permute and transform, universal vectors.
 * Long: builds for half a minute, and thrust.cu shows the main parts */
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/gather.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/set_operations.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>
#include <thrust/universal_vector.h>

#include <algorithm>

#include "case.cuh"

struct mix {
	__host__ __device__ int operator()(int i) const
	{
		return (i * 7919) % 1009;
	}
};
struct is_even {
	__host__ __device__ bool operator()(int x) const
	{
		return x % 2 == 0;
	}
};
struct weigh {
	__host__ __device__ int operator()(const thrust::tuple<int, int> &t) const
	{
		return thrust::get<0>(t) * 3 + thrust::get<1>(t);
	}
};

using ints = thrust::device_vector<int>;

template <typename V> static void show_vector(const char *name, const V &v, size_t n)
{
	std::vector<typename V::value_type> h(n);
	thrust::copy(v.begin(), v.begin() + n, h.begin());
	show(name, h.data(), (int)n);
}

int main()
{
	const int n = 2000;
	ints a(n), b(n), c(2 * n);
	thrust::tabulate(a.begin(), a.end(), mix());
	thrust::tabulate(thrust::device, b.begin(), b.end(), is_even());
	thrust::transform(a.begin(), a.end(), thrust::constant_iterator<int>(5), b.begin(), thrust::plus<int>());
	/* On the host: thrust.cu has the device's sort. */
	std::vector<int> h(n);
	thrust::copy(a.begin(), a.end(), h.begin());
	std::sort(h.begin(), h.end());
	a = h;
	thrust::copy(b.begin(), b.end(), h.begin());
	std::sort(h.rbegin(), h.rend());
	b = h;
	show_vector("sorted downwards", b, n);
	thrust::reverse(b.begin(), b.end());
	auto end = thrust::set_intersection(a.begin(), a.end(), b.begin(), b.end(), c.begin());
	show_vector("intersection", c, end - c.begin());
	thrust::merge(a.begin(), a.end(), b.begin(), b.end(), c.begin());
	show_vector("merged", c, 2 * n);
	ints found(40);
	thrust::lower_bound(a.begin(), a.end(), thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(40),
			    found.begin());
	show_vector("lower bounds", found, 40);
	auto range = thrust::equal_range(a.begin(), a.end(), 500);
	say("equal range", "%d %d", (int)(range.first - a.begin()), (int)(range.second - a.begin()));

	end = thrust::copy_if(a.begin(), a.end(), c.begin(), is_even());
	show_vector("copied if even", c, end - c.begin());
	thrust::device_vector<int> keys(n), sums(n);
	auto tens = thrust::make_transform_iterator(a.begin(), thrust::placeholders::_1 / 10);
	auto ends = thrust::reduce_by_key(tens, tens + n, thrust::constant_iterator<int>(1), keys.begin(), sums.begin());
	show_vector("reduced by key", sums, ends.second - sums.begin());
	thrust::inclusive_scan_by_key(tens, tens + n, a.begin(), sums.begin());
	show_vector("scanned by key", sums, n);
	auto pairs = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
	thrust::transform(pairs, pairs + n, sums.begin(), weigh());
	show_vector("zipped", sums, n);
	ints map(n);
	thrust::tabulate(map.begin(), map.end(), thrust::placeholders::_1 * 7 % n);
	auto permuted = thrust::make_permutation_iterator(a.begin(), map.begin());
	thrust::copy(permuted, permuted + n, sums.begin());
	show_vector("permuted", sums, n);
	thrust::scatter(a.begin(), a.begin() + 100, map.begin(), sums.begin());
	thrust::gather(map.begin(), map.end(), sums.begin(), c.begin());
	show_vector("scattered and gathered", c, n);
	say("inner product", "%d", thrust::inner_product(a.begin(), a.end(), b.begin(), 3));
	say("largest", "%d", (int)(thrust::max_element(sums.begin(), sums.end()) - sums.begin()));
	thrust::adjacent_difference(a.begin(), a.end(), sums.begin());
	show_vector("adjacent difference", sums, n);

	thrust::universal_vector<int> u(100, 3);
	thrust::exclusive_scan(thrust::device, u.begin(), u.end(), u.begin(), 10);
	CHECK(cudaDeviceSynchronize());
	say("universal", "%d %d %d", u[0], u[50], u[99]);
	return 0;
}

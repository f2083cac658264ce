/* SPDX-License-Identifier: Apache-2.0 */
/* Thrust: the everyday algorithms on device vectors. */
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include "case.cuh"

struct square {
	__host__ __device__ int operator()(int x) const
	{
		return x * x % 1009;
	}
};
struct is_small {
	__host__ __device__ bool operator()(int x) const
	{
		return x < 100;
	}
};

template <typename V> static void show_vector(const char *name, const V &v)
{
	std::vector<typename V::value_type> h(v.size());
	thrust::copy(v.begin(), v.end(), h.begin());
	show(name, h.data(), (int)h.size());
}

int main()
{
	const int n = 3000;
	thrust::device_vector<int> a(n), b(n);
	thrust::sequence(a.begin(), a.end());
	thrust::transform(a.begin(), a.end(), b.begin(), square());
	show_vector("transform", b);
	say("reduce", "%d", thrust::reduce(b.begin(), b.end()));
	say("max", "%d", thrust::reduce(b.begin(), b.end(), 0, thrust::maximum<int>()));
	say("count", "%d", (int)thrust::count_if(b.begin(), b.end(), is_small()));
	say("transform reduce", "%d", thrust::transform_reduce(a.begin(), a.begin() + 50, square(), 0, thrust::plus<int>()));
	thrust::device_vector<int> scanned(n);
	thrust::exclusive_scan(b.begin(), b.end(), scanned.begin());
	show_vector("scan", scanned);
	thrust::sort_by_key(b.begin(), b.end(), a.begin());
	show_vector("sorted keys", b);
	b.erase(thrust::unique(b.begin(), b.end()), b.end());
	say("unique", "%d", (int)b.size());
	thrust::host_vector<float> h(4, 1.5f);
	thrust::device_vector<float> f = h;
	f[2] = 7;
	say("element", "%g %g", (float)f[2], (float)f[3]);
	say("pairs", "%d",
	    (int)thrust::count_if(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(500), is_small()));
	return 0;
}

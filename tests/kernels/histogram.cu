/* SPDX-License-Identifier: Apache-2.0 */
/* CUB's histograms, whose kernel has many registers and a bound of 384 threads:
 * its launch is sized by the occupancy, which must not be 0.
 * Long: builds for half a minute */
#include <cub/device/device_histogram.cuh>

#include "case.cuh"

/* Calls twice, as CUB wants it: for the size of the temporary memory, then in earnest. */
template <typename F> static void with_temporary(F f)
{
	size_t bytes = 0;
	CHECK(f(nullptr, bytes));
	memory<char> temp((int)bytes + 1);
	CHECK(f((void *)temp.there, bytes));
	CHECK(cudaDeviceSynchronize());
}

static const int n = 3000;

static void histograms(const memory<int> &values)
{
	memory<int> counts(20);
	with_temporary([&](void *t, size_t &b) {
		return cub::DeviceHistogram::HistogramEven(t, b, values.there, counts.there, 21, -4000, 4000, n);
	});
	counts.show("histogram");
	memory<int> levels(std::vector<int>{-5000, -100, 0, 7, 300, 5000}), few(5);
	with_temporary([&](void *t, size_t &b) {
		return cub::DeviceHistogram::HistogramRange(t, b, values.there, few.there, 6, levels.there, n);
	});
	few.show("histogram of ranges");
}

int main()
{
	std::vector<int> v(n);
	for (int i = 0; i < n; i++)
		v[i] = (i * 7919) % 10007 - 5000;
	histograms(memory<int>(v));
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
// What thrust.session looks at.
#include <thrust/complex.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/pair.h>
#include <thrust/tuple.h>

#include <cstdio>
#include <vector>

int main()
{
	std::vector<int> start = {1, 2, 3};
	thrust::host_vector<float> host(3, 1.5f);
	thrust::device_vector<int> numbers(start.begin(), start.end()), none;
	thrust::device_ptr<int> pointer = numbers.data();
	thrust::device_reference<int> second = numbers[1];
	thrust::pair<int, int> pair = {1, 2};
	thrust::tuple<int, float> tuple(3, 4.5f);
	thrust::complex<float> z(1, -2);
	printf("%d\n", (int)second);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
// What thrust.session looks at, and into.session steps into.
#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <thrust/complex.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/pair.h>
#include <thrust/tuple.h>

#include <cstdio>
#include <vector>

__global__ void sum(const int *in, int *out)
{
	using Reduce = cub::BlockReduce<int, 32>;
	__shared__ typename Reduce::TempStorage storage;
	auto block = cooperative_groups::this_thread_block();
	int rank = (int)block.thread_rank();
	int total = Reduce(storage).Sum(in[rank]);
	if (rank == 0)
		*out = total;
}

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
	thrust::device_vector<int> total(1), all(32, 2);
	sum<<<1, 32>>>(thrust::raw_pointer_cast(all.data()), thrust::raw_pointer_cast(total.data()));
	cudaDeviceSynchronize();
	printf("%d %d\n", (int)second, (int)total[0]);
	return 0;
}

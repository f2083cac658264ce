// SPDX-License-Identifier: Apache-2.0
// What into.session steps into: cooperative groups' and CUB's headers.
#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>

#include <cstdio>

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
	int host[32], *in, *out, total;
	for (int i = 0; i < 32; i++)
		host[i] = i;
	cudaMalloc(&in, sizeof host);
	cudaMalloc(&out, sizeof *out);
	cudaMemcpy(in, host, sizeof host, cudaMemcpyDefault);
	sum<<<1, 32>>>(in, out);
	cudaMemcpy(&total, out, sizeof total, cudaMemcpyDefault);
	printf("%d\n", total);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
// The toolkit's own headers of device code: CCCL, cooperative groups, half precision, curand.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <curand_kernel.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void groups(int *ret)
{
	auto tile = cg::tiled_partition<32>(cg::this_thread_block());
	int sum = cg::reduce(tile, int(threadIdx.x), cg::plus<int>());
	if (tile.thread_rank() == 0)
		ret[tile.meta_group_rank()] = sum;
}

__global__ void counted(int *ret)
{
	cuda::atomic_ref<int, cuda::thread_scope_device> at(*ret);
	cuda::std::array<int, 3> three = {1, 2, 3};
	at.fetch_add(three[threadIdx.x % 3]);
}

__global__ void halves(float *ret)
{
	ret[0] = __half2float(__hadd(__float2half(1.5f), __float2half(2.25f)));
	ret[1] = __bfloat162float(__hmul(__float2bfloat16(3.0f), __float2bfloat16(0.5f)));
}

__global__ void block_sum(int *ret)
{
	using Reduce = cub::BlockReduce<int, 128>;
	__shared__ typename Reduce::TempStorage storage;
	int sum = Reduce(storage).Sum(int(threadIdx.x) * 2);
	if (threadIdx.x == 0)
		*ret = sum;
}

__global__ void random(float *ret)
{
	curandStatePhilox4_32_10_t state;
	curand_init(7, threadIdx.x, 0, &state);
	ret[threadIdx.x] = curand_uniform(&state);
}

// Bytes times bytes: 1*5 + 2*6 + 3*7 + 4*8 + 10, 255*2 + 1; halves times bytes: 2*4 + 3*5 + 1, twice.
__global__ void dots(int *ret)
{
	ret[0] = __dp4a(0x01020304, 0x05060708, 10);
	ret[1] = __dp4a(0xff000000u, 2u << 24, 1u);
	ret[2] = __dp2a_lo(0x00030002, 0x01010504, 1);
	ret[3] = __dp2a_hi(0x00030002, 0x05040101, 1);
}

int main()
{
	int *ints;
	float *floats;
	cudaMallocManaged(&ints, 4096);
	cudaMallocManaged(&floats, 4096);

	groups<<<1, 64>>>(ints);
	cudaDeviceSynchronize();
	printf("groups: %d %d\n", ints[0], ints[1]);

	ints[0] = 0;
	counted<<<1, 96>>>(ints);
	cudaDeviceSynchronize();
	printf("atomic: %d\n", ints[0]);

	halves<<<1, 1>>>(floats);
	cudaDeviceSynchronize();
	printf("halves: %g %g\n", floats[0], floats[1]);

	dots<<<1, 1>>>(ints);
	cudaDeviceSynchronize();
	printf("dots: %d %d %d %d\n", ints[0], ints[1], ints[2], ints[3]);

	block_sum<<<1, 128>>>(ints);
	cudaDeviceSynchronize();
	printf("block sum: %d\n", ints[0]);

	random<<<1, 32>>>(floats);
	cudaDeviceSynchronize();
	int inside = 0;
	for (int i = 0; i < 32; i++)
		inside += floats[i] > 0 && floats[i] <= 1;
	printf("random: %d of 32 in (0, 1]\n", inside);

	for (int i = 0; i < 1000; i++)
		ints[i] = i * 7919 % 1000; // a permutation, since 7919 and 1000 have no common factor
	void *room = nullptr;
	size_t size = 0;
	int *sum;
	cudaMallocManaged(&sum, sizeof *sum);
	cub::DeviceReduce::Sum(room, size, ints, sum, 1000);
	cudaMalloc(&room, size);
	cub::DeviceReduce::Sum(room, size, ints, sum, 1000);
	cudaDeviceSynchronize();
	printf("device sum: %d\n", *sum);

	thrust::device_vector<int> v(ints, ints + 1000);
	thrust::sort(v.begin(), v.end());
	int at_10 = v[10], at_999 = v[999];
	thrust::inclusive_scan(v.begin(), v.end(), v.begin());
	printf("thrust: %d %d, scanned %d, sum %d\n", at_10, at_999, int(v[100]),
	       thrust::reduce(v.begin(), v.begin() + 4));
	printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

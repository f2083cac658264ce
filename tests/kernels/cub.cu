/* SPDX-License-Identifier: Apache-2.0 */
/* CUB: block-wide and warp-wide primitives in a kernel, device-wide ones on arrays.
 *
 * Flags: --extended-lambda */
#include <cub/cub.cuh>

#include "case.cuh"

__global__ void block_primitives(int *out)
{
	using reduce = cub::BlockReduce<int, 128>;
	using scan = cub::BlockScan<int, 128>;
	__shared__ union {
		typename reduce::TempStorage reduce;
		typename scan::TempStorage scan;
	} temp;
	int i = threadIdx.x, v = (i * 7) % 13;
	int sum = reduce(temp.reduce).Sum(v);
	__syncthreads();
	int before;
	scan(temp.scan).ExclusiveSum(v, before);
	__syncthreads();
	int largest = reduce(temp.reduce).Reduce(v, cuda::maximum<>{});
	out[i] = before;
	if (i == 0) {
		out[128] = sum;
		out[129] = largest;
	}
}

__global__ void block_sort(int *out)
{
	using sort = cub::BlockRadixSort<int, 64, 2>;
	__shared__ typename sort::TempStorage temp;
	int keys[2];
	for (int k = 0; k < 2; k++)
		keys[k] = ((threadIdx.x * 2 + k) * 7919) % 1009 - 500;
	sort(temp).Sort(keys);
	for (int k = 0; k < 2; k++)
		out[threadIdx.x * 2 + k] = keys[k];
}

__global__ void warp_primitives(int *out)
{
	using reduce = cub::WarpReduce<int>;
	using scan = cub::WarpScan<int>;
	__shared__ typename reduce::TempStorage temp[2];
	__shared__ typename scan::TempStorage temp2[2];
	int warp = threadIdx.x / 32, v = threadIdx.x % 5;
	int sum = reduce(temp[warp]).Sum(v), upto;
	scan(temp2[warp]).InclusiveSum(v, upto);
	out[threadIdx.x] = upto + (threadIdx.x % 32 == 0 ? 1000 * sum : 0);
}

__global__ void load_and_store(int *out, const int *in)
{
	using load = cub::BlockLoad<int, 32, 4, cub::BLOCK_LOAD_TRANSPOSE>;
	using store = cub::BlockStore<int, 32, 4, cub::BLOCK_STORE_TRANSPOSE>;
	__shared__ union {
		typename load::TempStorage load;
		typename store::TempStorage store;
	} temp;
	int items[4];
	load(temp.load).Load(in, items);
	__syncthreads();
	for (int k = 0; k < 4; k++)
		items[k] = items[k] * 10 + k;
	store(temp.store).Store(out, items);
}

/* Calls twice, as CUB wants it: for the size of the temporary memory, then in earnest. */
template <typename F> static void with_temporary(F f)
{
	size_t bytes = 0;
	CHECK(f(nullptr, bytes));
	void *temp;
	CHECK(cudaMalloc(&temp, bytes));
	CHECK(f(temp, bytes));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(temp));
}

int main()
{
	run("block reduce and scan", 130, 1, 128, block_primitives);
	run("block sort", 128, 1, 64, block_sort);
	run("warp reduce and scan", 64, 1, 64, warp_primitives);
	const int n = 5000;
	std::vector<int> v(n);
	for (int i = 0; i < n; i++)
		v[i] = (i * 7919) % 10007 - 5000;
	memory<int> in(v), out(n), one(1);
	run("block load and store", 128, 1, 32, load_and_store, (const int *)in.there);

	with_temporary([&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, in.there, one.there, n); });
	one.show("device sum");
	with_temporary([&](void *t, size_t &b) { return cub::DeviceReduce::Max(t, b, in.there, one.there, n); });
	one.show("device max");
	with_temporary([&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, in.there, out.there, n); });
	out.show("device scan");
	with_temporary([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, in.there, out.there, n); });
	out.show("device sort");
	with_temporary([&](void *t, size_t &b) {
		return cub::DeviceSelect::If(t, b, in.there, out.there, one.there, n,
					     [] __device__(int x) { return x > 4000; });
	});
	one.show("device select, count");
	std::vector<int> chosen = out.fetch();
	show("device select", chosen.data(), one.fetch()[0]);
	return 0;
}

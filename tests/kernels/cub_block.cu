/* SPDX-License-Identifier: Apache-2.0 */
/* CUB in a kernel, on: merge sorts, exchanges, shuffles, histograms,
 * discontinuities, differences, run lengths, scans with a running prefix, each
 * algorithm of the block's reduction and scan.
 * Long: builds for 20 seconds, and cub.cu shows the main parts */
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>

#include "case.cuh"

struct later {
	__device__ bool operator()(int a, int b) const
	{
		return a > b;
	}
};

static __device__ int value(int i)
{
	return (i * 7919) % 1009 - 300;
}

__global__ void sorts(int *out)
{
	using block_sort = cub::BlockMergeSort<int, 64, 3, int>;
	using warp_sort = cub::WarpMergeSort<int, 4, 16>;
	__shared__ union {
		typename block_sort::TempStorage block;
		typename warp_sort::TempStorage warp[4];
	} temp;
	int i = threadIdx.x, keys[4], values[3];
	for (int k = 0; k < 3; k++) {
		keys[k] = value(3 * i + k) % 50;
		values[k] = 3 * i + k;
	}
	block_sort(temp.block).StableSort(*reinterpret_cast<int(*)[3]>(keys), values, later());
	for (int k = 0; k < 3; k++) {
		out[3 * i + k] = keys[k];
		out[192 + 3 * i + k] = values[k];
	}
	__syncthreads();
	for (int k = 0; k < 4; k++)
		keys[k] = value(4 * i + k);
	warp_sort(temp.warp[i / 16]).Sort(keys, later());
	for (int k = 0; k < 4; k++)
		out[384 + 4 * i + k] = keys[k];
}

__global__ void movements(int *out)
{
	using exchange = cub::BlockExchange<int, 64, 3>;
	using shuffle = cub::BlockShuffle<int, 64>;
	using warp_exchange = cub::WarpExchange<int, 4, 16>;
	__shared__ union {
		typename exchange::TempStorage exchange;
		typename shuffle::TempStorage shuffle;
		typename warp_exchange::TempStorage warp[4];
	} temp;
	int i = threadIdx.x, items[4], other[3];
	for (int k = 0; k < 3; k++)
		items[k] = 3 * i + k;
	exchange(temp.exchange).BlockedToStriped(*reinterpret_cast<int(*)[3]>(items), other);
	__syncthreads();
	for (int k = 0; k < 3; k++)
		out[3 * i + k] = other[k];
	int ranks[3] = {(3 * i + 5) % 192, (3 * i + 6) % 192, (3 * i + 7) % 192};
	exchange(temp.exchange).ScatterToBlocked(other, ranks);
	__syncthreads();
	for (int k = 0; k < 3; k++)
		out[192 + 3 * i + k] = other[k];
	int moved = -1, turned = -1;
	shuffle(temp.shuffle).Offset(value(i), moved, 2);
	__syncthreads();
	shuffle(temp.shuffle).Rotate(value(i), turned, 9);
	__syncthreads();
	out[384 + i] = i < 62 ? moved : 0;
	out[448 + i] = turned;
	for (int k = 0; k < 4; k++)
		items[k] = i + 100 * k;
	warp_exchange(temp.warp[i / 16]).StripedToBlocked(items, items);
	for (int k = 0; k < 4; k++)
		out[512 + 4 * i + k] = items[k];
}

__global__ void comparisons(int *out)
{
	using discontinuity = cub::BlockDiscontinuity<int, 64>;
	using difference = cub::BlockAdjacentDifference<int, 64>;
	using histogram = cub::BlockHistogram<unsigned char, 64, 2, 16, cub::BLOCK_HISTO_SORT>;
	__shared__ union {
		typename discontinuity::TempStorage discontinuity;
		typename difference::TempStorage difference;
		typename histogram::TempStorage histogram;
	} temp;
	__shared__ int counts[16];
	int i = threadIdx.x, items[2] = {i * i / 100, (i * i + i) / 100}, heads[2], tails[2], gaps[2];
	discontinuity(temp.discontinuity).FlagHeadsAndTails(heads, tails, items, cuda::std::not_equal_to<>());
	__syncthreads();
	difference(temp.difference).SubtractLeft(items, gaps, cuda::std::minus<>());
	__syncthreads();
	for (int k = 0; k < 2; k++)
		out[2 * i + k] = heads[k] + 10 * tails[k] + 100 * gaps[k];
	unsigned char bytes[2] = {(unsigned char)(i % 16), (unsigned char)(i * i % 16)};
	histogram h(temp.histogram);
	h.InitHistogram(counts);
	__syncthreads();
	h.Composite(bytes, counts);
	__syncthreads();
	if (i < 16)
		out[128 + i] = counts[i];
}

__global__ void run_lengths(int *out)
{
	using decode = cub::BlockRunLengthDecode<int, 32, 1, 4>;
	__shared__ typename decode::TempStorage temp;
	int i = threadIdx.x, values[1] = {i * 11}, lengths[1] = {i % 5 + 1}, total;
	decode d(temp, values, lengths, total);
	for (int first = 0; first < total; first += 128) {
		int items[4];
		d.RunLengthDecode(items, first);
		for (int k = 0; k < 4; k++)
			if (first + 4 * i + k < total)
				out[first + 4 * i + k] = items[k];
	}
}

struct running {
	int sum;
	__device__ int operator()(int more)
	{
		int before = sum;
		sum += more;
		return before;
	}
};

template <cub::BlockReduceAlgorithm R, cub::BlockScanAlgorithm S> __global__ void reductions(int *out)
{
	using reduce = cub::BlockReduce<int, 32, R, 3>;
	using scan = cub::BlockScan<int, 32, S, 3>;
	__shared__ union {
		typename reduce::TempStorage reduce;
		typename scan::TempStorage scan;
	} temp;
	int i = threadIdx.x + 32 * threadIdx.y;
	running prefix = {1000};
	for (int round = 0; round < 3; round++) {
		int v = value(i + 96 * round), upto;
		scan(temp.scan).InclusiveSum(v, upto, prefix);
		__syncthreads();
		out[96 * round + i] = upto;
	}
	int sum = reduce(temp.reduce).Sum(value(i), 77);
	__syncthreads();
	int largest = reduce(temp.reduce).Reduce(value(i), cuda::maximum<>());
	__syncthreads();
	int two[2] = {i, 2 * i}, before[2], all;
	scan(temp.scan).ExclusiveScan(two, before, 5, cuda::std::plus<>(), all);
	out[288 + i] = before[0] + before[1] + all;
	if (i == 0) {
		out[384] = sum;
		out[385] = largest;
	}
}

__global__ void warps(int *out)
{
	using reduce = cub::WarpReduce<int, 16>;
	using scan = cub::WarpScan<int, 16>;
	__shared__ typename reduce::TempStorage temp[4];
	__shared__ typename scan::TempStorage temp2[4];
	int i = threadIdx.x, w = i / 16, v = value(i), before, upto, all;
	out[i] = reduce(temp[w]).HeadSegmentedSum(v, i % 5 == 0);
	__syncwarp();
	out[64 + i] = reduce(temp[w]).TailSegmentedReduce(v, i % 7 == 6, cuda::maximum<>());
	__syncwarp();
	int few = reduce(temp[w]).Sum(v, 11);
	scan(temp2[w]).Scan(v, upto, before, -5, cuda::minimum<>());
	__syncwarp();
	scan(temp2[w]).ExclusiveSum(v, before, all);
	out[128 + i] = upto;
	out[192 + i] = before + 100000 * (all & 15) + (i % 16 == 0 ? 10000000 * (few & 7) : 0);
}

int main()
{
	run("sorts", 640, 1, 64, sorts);
	run("movements", 768, 1, 64, movements);
	run("comparisons", 144, 1, 64, comparisons);
	run("run lengths", 94, 1, 32, run_lengths);
	run("raking", 386, 1, dim3(32, 3), reductions<cub::BLOCK_REDUCE_RAKING, cub::BLOCK_SCAN_RAKING>);
	run("raking, in any order", 386, 1, dim3(32, 3),
	    reductions<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, cub::BLOCK_SCAN_RAKING_MEMOIZE>);
	run("warps' reductions", 386, 1, dim3(32, 3), reductions<cub::BLOCK_REDUCE_WARP_REDUCTIONS, cub::BLOCK_SCAN_WARP_SCANS>);
	run("parts of warps", 256, 1, 64, warps);
	return 0;
}

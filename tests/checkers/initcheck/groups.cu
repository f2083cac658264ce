/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of several warps meet in memory that is theirs and not the program's. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "../cases.h"

namespace cg = cooperative_groups;

template <bool FIXED> __global__ void tiles(int *out)
{
	__shared__ int kept[2];
	auto tile = cg::tiled_partition<64>(cg::this_thread_block());
	int sum = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
	if (tile.thread_rank() == 0 && (FIXED || tile.meta_group_rank() == 0))
		kept[tile.meta_group_rank()] = sum;
	tile.sync();
	out[threadIdx.x] = kept[tile.meta_group_rank()] + tile.shfl(sum, 40); /* FINDS(tiles_guilty): uninitialized */
}
CASE(tiles_guilty) { device_array<int> out(128); tiles<false><<<1, 128>>>(out); }
CASE(tiles_innocent) { device_array<int> out(128); tiles<true><<<1, 128>>>(out); }

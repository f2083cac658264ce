/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative groups, warps, attributes, memory.
 *
 * Flags: -std=c++20 -arch=sm_90 -expt-relaxed-constexpr */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "snippet.cuh"

namespace cg = cooperative_groups;

SNIPPET(thread_block, 48) { auto b = cg::this_thread_block(); if (b.thread_rank() == 47) { o[0] = b.size(); o[1] = b.group_index().x; o[2] = b.thread_index().x; } b.sync(); }
SNIPPET(tile_reduce, 64) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); int s = cg::reduce(t, (int)threadIdx.x, cg::plus<int>()); if (t.thread_rank() == 0) o[t.meta_group_rank()] = s; if (!threadIdx.x) o[2] = t.meta_group_size(); }
SNIPPET(tile_of_eight, 32) { auto t = cg::tiled_partition<8>(cg::this_thread_block()); int m = cg::reduce(t, (int)(threadIdx.x * 7 % 13), cg::greater<int>()); if (!t.thread_rank()) o[t.meta_group_rank()] = m; }
SNIPPET(tile_shuffles, 32) { auto t = cg::tiled_partition<16>(cg::this_thread_block()); int v = threadIdx.x; int a = t.shfl(v, 3), b = t.shfl_down(v, 2), c = t.shfl_xor(v, 1), d = t.shfl_up(v, 1); if (threadIdx.x == 20) { o[0] = a; o[1] = b; o[2] = c; o[3] = d; } }
SNIPPET(tile_votes, 32) { auto t = cg::tiled_partition<4>(cg::this_thread_block()); int any = t.any(threadIdx.x == 5), all = t.all(threadIdx.x < 8); unsigned ballot = t.ballot(threadIdx.x & 1); if (!t.thread_rank() && threadIdx.x < 12) o[threadIdx.x / 4] = any * 100 + all * 10000 + ballot; }
SNIPPET(inclusive_scan, 32) { auto t = cg::tiled_partition<32>(cg::this_thread_block()); int s = cg::inclusive_scan(t, (int)threadIdx.x), e = cg::exclusive_scan(t, 2); if (threadIdx.x == 31) { o[0] = s; o[1] = e; } }
SNIPPET(coalesced, 32) { if (threadIdx.x % 3 == 0) { auto g = cg::coalesced_threads(); int n = g.size(), r = g.thread_rank(), s = cg::reduce(g, (int)threadIdx.x, cg::plus<int>()); if (threadIdx.x == 9) { o[0] = n; o[1] = r; o[2] = s; } } }
SNIPPET(labelled, 32) { auto g = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), threadIdx.x % 3); int n = g.size(); if (threadIdx.x < 3) o[threadIdx.x] = n; }
SNIPPET(binary_partition, 32) { auto g = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), threadIdx.x < 10); int n = g.size(); if (threadIdx.x == 0) o[0] = n; if (threadIdx.x == 31) o[1] = n; }
SNIPPET(invoke_one, 64) { auto b = cg::this_thread_block(); cg::invoke_one(b, [&] { atomicAdd(o, 1); }); int v = cg::invoke_one_broadcast(cg::tiled_partition<32>(b), [&] { return 9; }); if (!threadIdx.x) o[1] = v; }
SNIPPET(group_memcpy, 32) { __shared__ int s[32]; __shared__ int from[32]; from[threadIdx.x] = threadIdx.x + 1; auto b = cg::this_thread_block(); b.sync(); cg::memcpy_async(b, s, from, sizeof s); cg::wait(b); if (threadIdx.x < 4) o[threadIdx.x] = s[threadIdx.x * 8]; }
SNIPPET(partition_of_partition, 32) { auto t = cg::tiled_partition<4>(cg::tiled_partition<16>(cg::this_thread_block())); if (threadIdx.x == 22) { o[0] = t.thread_rank(); o[1] = t.meta_group_rank(); o[2] = t.num_threads(); } }

__global__ void grid_kernel(int *o) { auto g = cg::this_grid(); atomicAdd(&o[0], 1); g.sync(); if (g.thread_rank() == 0) { o[1] = o[0]; o[2] = g.size(); o[3] = g.num_blocks(); } }
HOST_SNIPPET(grid_sync) { void *a[] = {&o}; cudaLaunchCooperativeKernel((void *)grid_kernel, dim3(4), dim3(32), a); }
__global__ void __cluster_dims__(2, 1, 1) cluster_kernel(int *o) { __shared__ int s; auto c = cg::this_cluster(); s = 10 + c.block_rank(); c.sync(); int *other = c.map_shared_rank(&s, 1 - c.block_rank()); int v = *other; c.sync(); if (!threadIdx.x) o[blockIdx.x] = v; if (!threadIdx.x && !blockIdx.x) o[4] = c.num_blocks(); }
HOST_SNIPPET(cluster) { cluster_kernel<<<4, 32>>>(o); }

__global__ void __launch_bounds__(64, 2) bounded(int *o) { o[threadIdx.x & 7] = blockDim.x; }
HOST_SNIPPET(launch_bounds) { bounded<<<1, 64>>>(o); }
struct big { int v[32]; };
__global__ void constant_argument(const __grid_constant__ big b, int *o) { const int *p = b.v; o[threadIdx.x] = p[threadIdx.x * 2]; }
HOST_SNIPPET(grid_constant) { big b; for (int i = 0; i < 32; i++) b.v[i] = i * i; constant_argument<<<1, 8>>>(b, o); }
__managed__ int managed_number = 5;
SNIPPET(managed, 1) { managed_number *= 3; o[0] = managed_number; }
HOST_SNIPPET(managed_from_host) { managed_number += 100; cudaDeviceSynchronize(); o[0] = managed_number; }
__constant__ float weights[4] = {1, 2, 4, 8};
SNIPPET(constant_memory, 4) { o[threadIdx.x] = (int)weights[threadIdx.x]; }
HOST_SNIPPET(constant_symbol) { float w[2] = {7, 9}; cudaMemcpyToSymbol(weights, w, sizeof w, sizeof(float)); float back[4]; cudaMemcpyFromSymbol(back, weights, sizeof back); for (int i = 0; i < 4; i++) o[i] = (int)back[i]; }
template <typename T> __device__ T of_type = T(3);
SNIPPET(variable_of_template, 1) { of_type<int> += 4; o[0] = of_type<int>; o[1] = (int)of_type<float>; }
__device__ __noinline__ int not_inline(int x) { return x ^ 5; }
__device__ __forceinline__ int always_inline(int x) { return x * 5; }
SNIPPET(inline_attributes, 4) { o[threadIdx.x] = not_inline(always_inline(threadIdx.x)); }
struct dynamic_part { int n; float f[]; };
extern __shared__ dynamic_part dynamic_object;
__global__ void dynamic_kernel(int *o) { if (!threadIdx.x) dynamic_object.n = 6; dynamic_object.f[threadIdx.x] = threadIdx.x * 1.5f; __syncthreads(); if (!threadIdx.x) { o[0] = dynamic_object.n; o[1] = (int)(dynamic_object.f[3] * 2); } }
HOST_SNIPPET(extern_shared_struct) { dynamic_kernel<<<1, 4, 64>>>(o); }
template <typename T> __global__ void dynamic_template(int *o) { extern __shared__ __align__(16) unsigned char raw[]; T *t = reinterpret_cast<T *>(raw); t[threadIdx.x] = T(threadIdx.x * 2); __syncthreads(); o[threadIdx.x] = (int)t[3 - threadIdx.x]; }
HOST_SNIPPET(extern_shared_template) { dynamic_template<double><<<1, 4, 64>>>(o); }
struct constructed { int v; __device__ constructed() : v(9) {} };
SNIPPET(shared_without_constructor, 1) { __shared__ alignas(16) constructed c; constructed __shared__ d[2]; c.v = 3; d[1].v = 4; o[0] = c.v + d[1].v; o[1] = ((size_t)&c & 15) == 0; }
SNIPPET(restrict_and_ldg, 4) { const int *__restrict__ p = o; int v = __ldg(p + threadIdx.x) + 1; __syncthreads(); __stcg(o + threadIdx.x, v + (int)threadIdx.x); }
SNIPPET(assert_holds, 1) { assert(o != nullptr); o[0] = 1; }
SNIPPET(printing, 1) { o[0] = printf("%s %d %5.2f %c %%\n", "printing", 42, 2.5, 'x'); }
SNIPPET(local_array, 4) { int a[16]; for (int i = 0; i < 16; i++) a[i] = i * threadIdx.x; o[threadIdx.x] = a[(threadIdx.x * 5 + 3) & 15]; }
SNIPPET(volatile_access, 1) { volatile int *v = o; v[0] = 3; v[0] = v[0] + 1; }
SNIPPET(alloca_room, 1) { int *p = (int *)alloca(8 * sizeof(int)); for (int i = 0; i < 8; i++) p[i] = i; o[0] = p[5]; }
__device__ int depth(int n) { return n ? 1 + depth(n - 1) : 0; }
SNIPPET(recursion, 1) { o[0] = depth(20); }

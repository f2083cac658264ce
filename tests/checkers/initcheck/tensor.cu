/* SPDX-License-Identifier: Apache-2.0 */
/* What tensor cores load before anybody wrote it. */
#include <cuda_fp16.h>
#include <mma.h>

#include "../cases.h"

using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fragment_a;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> fragment_c;

/* A tile in shared memory of which the last row is left out where the input ends. */
__global__ void ragged(int rows, int n, float *out)
{
	__shared__ half tile[256];
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		tile[i] = __int2half_rn(i < rows * 16 ? i : 0);
	__syncwarp();
	fragment_a a;
	wmma::load_matrix_sync(a, tile, 16);                     /* FINDS(ragged_guilty): uninitialized */
	out[threadIdx.x] = __half2float(a.x[0]);
}
CASE(ragged_guilty) { device_array<float> a(32); ragged<<<1, 32>>>(15, 240, a); }
CASE(ragged_innocent) { device_array<float> a(32); ragged<<<1, 32>>>(15, 256, a); }

/* An accumulator that goes on from what is in memory. */
__global__ void sum(float *c)
{
	fragment_c f;
	wmma::load_matrix_sync(f, c, 16, wmma::mem_row_major);   /* FINDS(sum_guilty): uninitialized */
	f.x[0] += 1;
	wmma::store_matrix_sync(c, f, 16, wmma::mem_row_major);
}
static void sums(bool cleared)
{
	float *c;
	cudaMalloc(&c, 256 * sizeof *c);
	if (cleared)
		cudaMemset(c, 0, 256 * sizeof *c);
	sum<<<1, 32>>>(c);
	cudaFree(c);
}
CASE(sum_guilty) { sums(false); }
CASE(sum_innocent) { sums(true); }

/* ldmatrix of a tile that has a row too few. */
__global__ void by_rows(int n, unsigned *out)
{
	__shared__ __align__(16) half tile[64];
	for (int i = threadIdx.x; i < n; i += 32)
		tile[i] = __float2half(1.0f);
	__syncwarp();
	unsigned r, address = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x % 8 * 8]);
	asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(address)); /* FINDS(by_rows_guilty): uninitialized */
	out[threadIdx.x] = r;
}
CASE(by_rows_guilty) { device_array<unsigned> a(32); by_rows<<<1, 32>>>(56, a); }
CASE(by_rows_innocent) { device_array<unsigned> a(32); by_rows<<<1, 32>>>(64, a); }

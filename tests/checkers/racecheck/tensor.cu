/* SPDX-License-Identifier: Apache-2.0 */
/* Races of tensor cores' loads and stores: each lane's own accesses are compared. */
#include <cuda_fp16.h>
#include <mma.h>

#include "../cases.h"

using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fragment_a;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fragment_b;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> fragment_c;

/* A tile that all warps fill, and of which each then loads all: rows that other warps
 * stored need the barrier. */
template <bool WAITS> __global__ void filled(float *out)
{
	__shared__ half tile[256];
	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		tile[i] = __int2half_rn(i);                      /* FINDS(filled_guilty): race */
	if (WAITS)
		__syncthreads();
	else
		__syncwarp();
	fragment_a a;
	fragment_b b;
	fragment_c c;
	wmma::load_matrix_sync(a, tile, 16);                     /* FINDS(filled_guilty): race */
	wmma::fill_fragment(b, __float2half(1.0f));
	wmma::fill_fragment(c, 0.0f);
	wmma::mma_sync(c, a, b, c);
	wmma::store_matrix_sync(out + threadIdx.x / 32 * 256, c, 16, wmma::mem_row_major);
}
CASE(filled_guilty) { device_array<float> a(512); filled<false><<<1, 64>>>(a); }
CASE(filled_innocent) { device_array<float> a(512); filled<true><<<1, 64>>>(a); }

/* Two stages: the next tile is stored while slower warps still load the last one. */
template <bool WAITS> __global__ void stages(float *out)
{
	__shared__ half tile[256];
	fragment_a a;
	fragment_b b;
	fragment_c c;
	wmma::fill_fragment(b, __float2half(1.0f));
	wmma::fill_fragment(c, 0.0f);
	for (int k = 0; k < 3; k++) {
		for (int i = threadIdx.x; i < 256; i += blockDim.x)
			tile[i] = __int2half_rn(k);              /* FINDS(stages_guilty): race */
		__syncthreads();
		wmma::load_matrix_sync(a, tile, 16);             /* FINDS(stages_guilty): race */
		wmma::mma_sync(c, a, b, c);
		if (WAITS)
			__syncthreads();
	}
	wmma::store_matrix_sync(out + threadIdx.x / 32 * 256, c, 16, wmma::mem_row_major);
}
CASE(stages_guilty) { device_array<float> a(512); stages<false><<<1, 64>>>(a); }
CASE(stages_innocent) { device_array<float> a(512); stages<true><<<1, 64>>>(a); }

/* The result of each warp or block: in its own tile, or all in one. */
__global__ void results(float *out, int stride)
{
	fragment_c c;
	wmma::fill_fragment(c, (float)blockIdx.x);
	wmma::store_matrix_sync(out + blockIdx.x * stride, c, 16, wmma::mem_row_major); /* FINDS(results_guilty): race */
}
CASE(results_guilty) { device_array<float> a(1024); results<<<4, 32>>>(a, 128); }
CASE(results_innocent) { device_array<float> a(1024); results<<<4, 32>>>(a, 256); }

/* ldmatrix: a lane loads for others; the rows it reads are what is compared. */
template <bool WAITS> __global__ void by_rows(unsigned *out)
{
	__shared__ __align__(16) half tile[64];
	tile[62 - threadIdx.x * 2] = tile[63 - threadIdx.x * 2] = __float2half(1.0f); /* FINDS(by_rows_guilty): race */
	if (WAITS)
		__syncwarp();
	unsigned r, address = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x % 8 * 8]);
	asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(address)); /* FINDS(by_rows_guilty): race */
	out[threadIdx.x] = r;
}
CASE(by_rows_guilty) { device_array<unsigned> a(32); by_rows<false><<<1, 32>>>(a); }
CASE(by_rows_innocent) { device_array<unsigned> a(32); by_rows<true><<<1, 32>>>(a); }

/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor cores' loads and stores out of bounds. */
#include <cuda_fp16.h>
#include <mma.h>

#include "../case.cuh"

using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fragment_a;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> fragment_c;

/* The last tile of a matrix whose height is no multiple of 16. */
__global__ void tiles(const half *from, float *to)
{
	fragment_a a;
	wmma::load_matrix_sync(a, from + blockIdx.x * 256, 16); // EXPECT tile_end: out-of-bounds read
	to[blockIdx.x * 32 + threadIdx.x] = __half2float(a.x[0]);
}
static void run_tiles(int rows)
{
	half *from;
	float *to;
	cudaMalloc(&from, rows * 16 * sizeof *from);
	cudaMalloc(&to, 64 * sizeof *to);
	tiles<<<2, 32>>>(from, to);
	cudaDeviceSynchronize();
	cudaFree(from);
	cudaFree(to);
}
CASE(tile_end) { run_tiles(24); }
CASE(tile_end_fixed) { run_tiles(32); }

/* A result whose rows are further apart than the matrix has columns. */
__global__ void result(float *to, int stride)
{
	fragment_c c;
	wmma::fill_fragment(c, 1.0f);
	wmma::store_matrix_sync(to, c, stride, wmma::mem_row_major); // EXPECT stride_end: out-of-bounds write
}
static void run_result(int stride)
{
	float *to;
	cudaMalloc(&to, 256 * sizeof *to);
	result<<<1, 32>>>(to, stride);
	cudaDeviceSynchronize();
	cudaFree(to);
}
CASE(stride_end) { run_result(20); }
CASE(stride_end_fixed) { run_result(16); }

/* A tile of shared memory, of a launch that gave too little of it. */
__global__ void shared_tile(float *to)
{
	extern __shared__ half tile[];
	fragment_a a;
	wmma::load_matrix_sync(a, tile, 16); // EXPECT shared_tile_end: out-of-bounds read
	to[threadIdx.x] = __half2float(a.x[0]);
}
static void run_shared(int rows)
{
	float *to;
	cudaMalloc(&to, 32 * sizeof *to);
	shared_tile<<<1, 32, rows * 16 * sizeof(half)>>>(to);
	cudaDeviceSynchronize();
	cudaFree(to);
}
CASE(shared_tile_end) { run_shared(8); }
CASE(shared_tile_end_fixed) { run_shared(16); }

// SPDX-License-Identifier: Apache-2.0
// What view.session looks at: arrays in shared, global, local and managed memory, numbers of few bits,
// a matrix in the registers of a warp, a texture.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

#include <cstdio>
#include <vector>

struct Point {
	float x, y;
};

__managed__ short managed[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};

__global__ void view(float *global, int rows, int columns, cudaTextureObject_t texture, unsigned *seen)
{
	__shared__ int tile[4][6];
	__shared__ half halves[4];
	__shared__ __nv_bfloat16 brains[4];
	__shared__ __nv_fp8_e4m3 eighths[4];
	int lane = threadIdx.x;
	float local[2][3] = {{1, 2, 3}, {-1, NAN, INFINITY}};
	Point points[3] = {{0, 1}, {2, 3}, {4, 5}};
	int partly[4];
	partly[1] = 7;
	if (lane < 24)
		tile[lane / 6][lane % 6] = lane / 6 * 10 + lane % 6;
	if (lane < 4) {
		halves[lane] = __float2half(lane * 0.5f);
		brains[lane] = __float2bfloat16(lane * 0.25f);
		eighths[lane] = __nv_fp8_e4m3(lane * 2.0f);
	}
	/* A 16 x 8 matrix of mma.m16n8k16's C, by the figure of the PTX manual: element (row, column)
	 * is 10 * row + column. */
	float c[4];
	for (int i = 0; i < 4; i++)
		c[i] = (lane / 4 + (i < 2 ? 0 : 8)) * 10 + lane % 4 * 2 + i % 2;
	nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
	nvcuda::wmma::fill_fragment(sum, 2.5f);
	__syncthreads();
	seen[lane] = tile[lane % 4][0] + (unsigned)local[0][0] + (unsigned)points[0].x + partly[1] +
		     (unsigned)c[0] + (unsigned)sum.x[0] + (unsigned)__half2float(halves[1]) +
		     (unsigned)tex2D<uchar4>(texture, 0, 0).x + (unsigned)global[rows * columns - 1] +
		     managed[1][1][1] + (unsigned)float(eighths[1]) + (unsigned)__bfloat162float(brains[1]);
}

int main()
{
	std::vector<float> host(24);
	for (int i = 0; i < 24; i++)
		host[i] = i * 0.5f;
	float *global;
	unsigned *seen;
	cudaMalloc(&global, 24 * sizeof *global);
	cudaMalloc(&seen, 32 * sizeof *seen);
	cudaMemcpy(global, host.data(), 24 * sizeof *global, cudaMemcpyDefault);
	cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
	cudaArray_t array;
	cudaMallocArray(&array, &format, 3, 2);
	unsigned char texels[2][3][4];
	for (int i = 0; i < 24; i++)
		texels[i / 12][i / 4 % 3][i % 4] = (unsigned char)(10 * i);
	cudaMemcpy2DToArray(array, 0, 0, texels, 12, 12, 2, cudaMemcpyHostToDevice);
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	cudaTextureDesc how = {};
	cudaTextureObject_t texture;
	cudaCreateTextureObject(&texture, &resource, &how, nullptr);
	view<<<1, 32>>>(global, 4, 6, texture, seen);
	cudaDeviceSynchronize();
	printf("done\n");
	return 0;
}

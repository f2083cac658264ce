/* SPDX-License-Identifier: Apache-2.0 */
/* A two-dimensional mask in constant memory, applied to a frame: each pixel
 * becomes the weighted mean of its 5x5 neighbourhood; beyond the edge the
 * nearest pixel counts. The frame lives in pitched memory: its rows begin at
 * aligned addresses, so a row is longer than its pixels.
 *
 * usage: mask [width height] */
#include <vector>

#include "../check.h"

static const int RADIUS = 2, SIDE = 2 * RADIUS + 1;

__constant__ int weights[SIDE][SIDE];

__host__ __device__ inline int inside(int i, int n)
{
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

__global__ void apply(const unsigned char *frame, unsigned char *out, size_t pitch, int width,
		      int height, int total)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;

	int sum = 0;
	for (int dy = -RADIUS; dy <= RADIUS; dy++)
		for (int dx = -RADIUS; dx <= RADIUS; dx++)
			sum += weights[dy + RADIUS][dx + RADIUS] *
			       frame[inside(y + dy, height) * pitch + inside(x + dx, width)];
	out[y * pitch + x] = (sum + total / 2) / total;
}

int main(int argc, char **argv)
{
	int width = argument(argc, argv, 1, 641), height = argument(argc, argv, 2, 360);
	const int binomial[SIDE] = {1, 4, 6, 4, 1};
	int mask[SIDE][SIDE], total = 0;
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			total += mask[y][x] = binomial[y] * binomial[x];
	CHECK(cudaMemcpyToSymbol(weights, mask, sizeof mask));

	std::vector<unsigned char> frame(width * height), out(width * height);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			frame[y * width + x] = (x * x + 3 * y * y + (x ^ y) * 5) & 255;

	unsigned char *from, *to;
	size_t pitch;
	CHECK(cudaMallocPitch(&from, &pitch, width, height));
	CHECK(cudaMallocPitch(&to, &pitch, width, height));
	CHECK(cudaMemcpy2D(from, pitch, frame.data(), width, width, height,
			   cudaMemcpyHostToDevice));
	dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
	apply<<<grid, block>>>(from, to, pitch, width, height, total);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy2D(out.data(), width, to, pitch, width, height, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(from));
	CHECK(cudaFree(to));

	printf("%d x %d pixels in rows of %zu bytes, mask's total %d\n", width, height, pitch, total);
	printf("first row:");
	for (int x = 0; x < 16; x++)
		printf(" %d", out[x]);
	printf("\nbits %016llx\n", (unsigned long long)bits(out.data(), out.size()));
	return 0;
}

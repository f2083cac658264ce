/* SPDX-License-Identifier: Apache-2.0 */
/* Heat in a plate: each step sets every inner point to the mean of its four
 * neighbours and itself, weighted (the five-point stencil of the diffusion
 * equation); the edge keeps its temperature.
 *
 * usage: stencil [side steps] */
#include <utility>
#include <vector>

#include "../check.h"

__global__ void diffuse(const float *from, float *to, int side, float rate)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= side || y >= side)
		return;

	int i = y * side + x;
	float here = from[i];
	if (x > 0 && x < side - 1 && y > 0 && y < side - 1) {
		float around = from[i - 1] + from[i + 1] + from[i - side] + from[i + side];
		here += rate * (around - 4 * here);
	}
	to[i] = here;
}

int main(int argc, char **argv)
{
	int side = argument(argc, argv, 1, 1000), steps = argument(argc, argv, 2, 100);
	size_t n = (size_t)side * side;
	std::vector<float> plate(n, 20.0f);
	for (int x = 0; x < side; x++)
		plate[x] = 100.0f; /* the upper edge is hot */

	float *from, *to;
	CHECK(cudaMalloc(&from, n * sizeof(float)));
	CHECK(cudaMalloc(&to, n * sizeof(float)));
	CHECK(cudaMemcpy(from, plate.data(), n * sizeof(float), cudaMemcpyHostToDevice));

	double start = now();
	dim3 block(32, 8), grid((side + 31) / 32, (side + 7) / 8);
	for (int step = 0; step < steps; step++) {
		diffuse<<<grid, block>>>(from, to, side, 0.2f);
		std::swap(from, to);
	}
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	fprintf(stderr, "%d steps: %.3f ms\n", steps, 1e3 * (now() - start));

	CHECK(cudaMemcpy(plate.data(), from, n * sizeof(float), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(from));
	CHECK(cudaFree(to));
	printf("%d x %d points, %d steps\n", side, side, steps);
	for (int y = 0; y < 12; y++)
		printf("row %2d: %.9g\n", y, plate[y * side + side / 2]);
	printf("bits %016llx\n", (unsigned long long)bits(plate.data(), n));
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A Gaussian bell over an array: y[i] = exp(-(x[i] - mean)^2 / (2 sigma^2)) / (sigma sqrt(2 pi)),
 * with a grid-stride loop, so that any number of threads does. Its sum times
 * the step must be near 1.
 *
 * usage: gaussian [elements] */
#include <vector>

#include "../check.h"

__global__ void bell(const float *x, float *y, int n, float mean, float sigma)
{
	const float scale = 1.0f / (sigma * sqrtf(2.0f * 3.14159265f));
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float z = (x[i] - mean) / sigma;
		y[i] = scale * expf(-0.5f * z * z);
	}
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, 1000001);
	const float low = -10.0f, step = 20.0f / (n - 1);
	std::vector<float> x(n), y(n);
	for (int i = 0; i < n; i++)
		x[i] = low + i * step;

	float *dx, *dy;
	CHECK(cudaMalloc(&dx, n * sizeof(float)));
	CHECK(cudaMalloc(&dy, n * sizeof(float)));
	CHECK(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	bell<<<64, 256>>>(dx, dy, n, 0.5f, 1.5f);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(dx));
	CHECK(cudaFree(dy));

	double sum = 0;
	for (float value : y)
		sum += value;
	printf("%d elements, y at %.3g is %.9g, area %.5f\n", n, x[n / 2], y[n / 2], sum * step);
	printf("bits %016llx\n", (unsigned long long)bits(y.data(), n));
	return 0;
}

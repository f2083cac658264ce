/* SPDX-License-Identifier: Apache-2.0 */
/* c = a + b on the device and on the host, timed. Times go to stderr.
 *
 * usage: vectoradd [elements] */
#include <vector>

#include "../check.h"

__global__ void add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

static void add_on_host(const float *a, const float *b, float *c, int n)
{
	for (int i = 0; i < n; i++)
		c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, 4000000);
	size_t bytes = n * sizeof(float);
	std::vector<float> a(n), b(n), c(n), reference(n);
	for (int i = 0; i < n; i++) {
		a[i] = 0.25f * i;
		b[i] = 1.0f / (1 + i);
	}

	float *da, *db, *dc;
	CHECK(cudaMalloc(&da, bytes));
	CHECK(cudaMalloc(&db, bytes));
	CHECK(cudaMalloc(&dc, bytes));
	cudaEvent_t before, after;
	CHECK(cudaEventCreate(&before));
	CHECK(cudaEventCreate(&after));

	double start = now();
	CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaEventRecord(before));
	add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
	CHECK(cudaGetLastError());
	CHECK(cudaEventRecord(after));
	CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
	double with_copies = now() - start;

	float kernel_ms;
	CHECK(cudaEventElapsedTime(&kernel_ms, before, after));
	start = now();
	add_on_host(a.data(), b.data(), reference.data(), n);
	double on_host = now() - start;
	fprintf(stderr, "kernel %.3f ms, with copies %.3f ms, host %.3f ms\n", kernel_ms,
		1e3 * with_copies, 1e3 * on_host);

	int wrong = 0;
	for (int i = 0; i < n; i++)
		wrong += c[i] != reference[i];
	printf("%d elements, %d differ from the host's\n", n, wrong);
	printf("c[1] = %.9g, c[%d] = %.9g\n", c[1], n - 1, c[n - 1]);
	printf("bits %016llx\n", (unsigned long long)bits(c.data(), n));
	printf("the kernel took some time: %s\n", kernel_ms > 0 ? "yes" : "no");

	CHECK(cudaEventDestroy(before));
	CHECK(cudaEventDestroy(after));
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dc));
	return wrong != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Host code that kernels call, and cudasim_break(), which nobody hears here but
 * host_tool.c. */
#include <cstdio>
#include <vector>

#include <cudasim/device.h>

static std::vector<int> noted;

static void note(int block, unsigned thread, float half)
{
	noted.push_back(block * 100 + thread);
	if (half == 2.5f)
		printf("note %d %u %g\n", block, thread, half);
}

template <typename T> __device__ void show(T value)
{
	cudasim_host([](T x, const char *what) { printf("%s %g, %zu bytes\n", what, (double)x, sizeof x); },
		     value, "value");
}

__global__ void kernel(int *o)
{
	int i = threadIdx.x;
	float half = i / 2.0f;
	if (i % 4 == 1)
		cudasim_host(note, blockIdx.x, threadIdx.x, half);
	if (i == 2)
		cudasim_host([&](int a) { printf("lambda %d, half %g\n", a, half); }, i * 3);
	if (i == 3)
		cudasim_host([] { printf("without arguments, %d\n", cudaFree(0)); });
	if (i == 6) {
		show(3);
		show(4.5);
		show((short)7);
	}
	if (i == 7)
		cudasim_break();
	o[i] = i;
}

int main()
{
	int *o;
	cudaMalloc(&o, 1024);
	kernel<<<2, 8>>>(o);
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	for (int n : noted)
		printf("%d ", n);
	printf("\n");
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
// What strings.session compares: strings of the host and of a kernel, complex numbers, bytes.
#include <complex>
#include <cstdio>
#include <string>

enum Colour { RED, GREEN = 4 };

__device__ char message[8] = "device";

__global__ void kernel(const char *text, int n)
{
	__shared__ char shared[2][4];
	Colour colour = threadIdx.x == 1 ? GREEN : RED;
	shared[threadIdx.x][0] = 'a';
	shared[threadIdx.x][1] = text[threadIdx.x];
	shared[threadIdx.x][2] = 0;
	n += colour;
	printf("%s %d %s\n", shared[0], n, message);
}

int main()
{
	std::string name = "tile 12";
	std::complex<float> z(1, -2);
	const char *plain = "tile";
	char *text;
	cudaMalloc(&text, 3);
	cudaMemcpy(text, "xy", 3, cudaMemcpyDefault);
	kernel<<<1, 2>>>(text, 5);
	cudaDeviceSynchronize();
	printf("%zu %s %g\n", name.size(), plain, z.real());
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A variable in every storage, to be changed from the debugger; the host tells what the
 * kernel made of them. */
#include <cstdio>
#include <cuda_fp16.h>

enum Colour { RED = 1, GREEN = 2, BLUE = 4 };
struct Bits {
	unsigned low : 3, high : 5;
	int rest;
};
struct Base {
	int kind;
};
struct Shape : Base {
	double area[2];
	Colour colour;
	bool big;
	char name[8];
};

__device__ int in_device = 1;
__constant__ int in_constant[2] = {2, 3};
__managed__ int in_managed = 4;
int on_host = 5;

__device__ __noinline__ int twice(int n)
{
	int result = 2 * n;
	return result;
}

__global__ void store(int *out, int by_value, Shape shape)
{
	__shared__ int in_shared[4];
	extern __shared__ int in_dynamic[];
	int local = 6;
	Bits bits = {1, 2, 3};
	half h = __float2half(0.5f);
	float4 four = make_float4(1, 2, 3, 4);
	const float &second = four.y;
	float f = 1.5f;
	double d = -2.5;
	long long wide = 1ll << 40;
	signed char tiny = -3;
	unsigned short small = 7;
	int *null = nullptr;
	in_shared[threadIdx.x] = threadIdx.x;
	in_dynamic[threadIdx.x] = 10 * threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = in_device + in_constant[1] + in_managed + in_shared[0] + in_dynamic[1] +
			   local + bits.high + (int)(float)h + (int)second + by_value + shape.kind +
			   twice(tiny) + small + (int)f + (int)d + (int)(wide >> 40) +
			   (null == nullptr) + shape.colour;
}

int main(int argc, char **argv)
{
	int *out, host[4];
	Shape shape = {{8}, {0.5, 0.25}, GREEN, true, "square"};
	cudaMalloc(&out, sizeof host);
	store<<<1, 4, 64>>>(out, 9, shape);
	cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
	printf("%d %d %d\n", host[0], in_managed, on_host);
	return 0;
}

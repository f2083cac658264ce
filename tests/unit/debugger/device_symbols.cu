// SPDX-License-Identifier: Apache-2.0
// The device code that test_device_symbols.c reads, once from inside mix().
#include <cstdio>
#include <cuda_fp16.h>

namespace geo {
struct Box {
	int id;
	double area[2];
};
class Animal {
public:
	__device__ Animal(int legs) : legs_(legs) {}
	__device__ virtual int sound(int x) const { return x + legs_; }

protected:
	int legs_;
};
class Dog : public Animal {
public:
	__device__ Dog() : Animal(4) {}
	__device__ int sound(int x) const override { return x * legs_; }
};
__device__ int counter = 5;
__constant__ int table[4] = {2, 3, 5, 7};
} // namespace geo

__managed__ int both = 42;
extern __shared__ float dynamic[];
__shared__ int wide[8];

__device__ geo::Box made(int id)
{
	geo::Box result;
	result.id = id;
	result.area[0] = 0.5;
	result.area[1] = 0.25;
	return result;
}

__device__ __forceinline__ int squared(int v)
{
	int w = v + 1;
	return w * w;
}

__device__ __noinline__ int mix(geo::Box box, int depth) // line 47
{
	__shared__ int tile[16];
	static __device__ int calls;
	geo::Dog dog;
	const geo::Animal *animal = &dog;
	__half half = __float2half(1.5f);
	int outer = depth * 2;
	tile[depth] = 100 + depth;
	calls++;
	for (int k = 0; k < 1; k++) {
		int depth = outer + squared(outer);
		if (depth == 12) // outer is 6, and 6 + 49 is not: never
			return 0;
		wide[k] = depth;
		__brkpt(); // line 62
	}
	return box.id + animal->sound(1) + tile[depth] + int(__half2float(half)) + wide[0];
}

template <typename T, int N> __global__ void play(T *out, geo::Box first)
{
	__shared__ T ring[N];
	dynamic[0] = 2.5f;
	geo::Box box = made(first.id + 1);
	ring[0] = T(mix(box, 3));
	__syncthreads();
	*out = ring[0] + T(dynamic[0]) + T(geo::counter + geo::table[1]);
}

int main()
{
	float *out, result = 0;
	geo::Box box = {10, {}};
	cudaMalloc(&out, sizeof *out);
	play<float, 4><<<1, 1, 16>>>(out, box);
	cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
	/* 11 + 4 + 103 + 1 + 55 = 174, + 2.5 + 5 + 3 */
	return result == 184.5f ? 0 : 1;
}

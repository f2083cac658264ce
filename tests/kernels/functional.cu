/* SPDX-License-Identifier: Apache-2.0 */
/* nvstd::function in kernels and on the host: functions, lambdas, objects small and large. (Large ones
 * are copied, not moved: the toolkit's own header crashes then.)
 *
 * Flags: -std=c++17 */
#include <nvfunctional>

#include "case.cuh"

__device__ int on_device(int x)
{
	return x + 1;
}

__host__ __device__ int on_both(int x)
{
	return x + 2;
}

struct counted {
	int *live;
	int words[16];
	__host__ __device__ counted(int *live, int n) : live(live)
	{
		++*live;
		for (int i = 0; i < 16; i++)
			words[i] = n * i;
	}
	__host__ __device__ counted(const counted &other) : live(other.live)
	{
		++*live;
		for (int i = 0; i < 16; i++)
			words[i] = other.words[i];
	}
	__host__ __device__ ~counted() { --*live; }
	__host__ __device__ int operator()(int i) const { return words[i]; }
};

using unary = nvstd::function<int(int)>;

static __host__ __device__ int twice(const unary &f, int x)
{
	return f(f(x));
}

static __host__ __device__ void fill(int *out, int *live)
{
	*live = 0;
	unary none, null = nullptr, both = on_both;
	out[0] = bool(none) + 2 * (null == nullptr) + 4 * (both != nullptr);
	out[1] = twice(both, 10);
	int total = 5;
	unary adds = [&total](int x) { return total += x; };
	out[2] = adds(1); /* 6 */
	out[2] += adds(2); /* 8 */
	{
		unary large = counted(live, 3);
		unary copy = large;
		out[3] = copy(4) + large(5); /* 12 + 15 */
		out[4] = *live;              /* the two of them */
		unary moved = copy;
		out[5] = moved(4); /* 12 */
		out[6] = 100 * adds(1) + moved(5); /* 9, 15 */
		large = both;
		out[7] = large(3); /* 5 */
	}
	out[8] = adds(2); /* 11 */
	adds = nullptr;
	out[9] = *live;
	nvstd::function<void(int *)> sets = [](int *p) { *p = 77; };
	sets(&out[10]);
	nvstd::function<int &(int)> refers = [out](int i) -> int & { return out[i]; };
	refers(11) = 88;
	out[12] = both(nvstd::function<int(int, int)>([](int a, int b) { return a * b; })(6, 7));
}

__global__ void kernel(int *out, int *live)
{
	fill(out, live);
	unary device = on_device;
	out[13] = twice(device, 5);
	unary table[3] = {on_device, on_both, [](int x) { return x * x; }};
	out[14] = table[threadIdx.x % 3](9);
	out[15] = table[2](9);
}

int main()
{
	int here[16] = {0}, live;
	fill(here, &live);
	show("on the host", here, 13);
	memory<int> out(16), count(1);
	kernel<<<1, 1>>>(out.there, count.there);
	CHECK(cudaDeviceSynchronize());
	out.show("in a kernel");
	return 0;
}

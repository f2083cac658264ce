/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with much of C++ in them: what a debugger has to find its way in. */
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

namespace geo {
enum Kind { POINT, LINE = 3, AREA };
enum class Color : unsigned char { Red, Green, Blue = 7 };
struct Base {
	int id;
	float weight;
	__device__ int twice() const { return id * 2; }
};
struct Named {
	char name[8];
};
struct Shape : Base, Named {
	Kind kind;
	Color color;
	unsigned low : 3, mid : 5;
	int high : 4;
	double area[3];
	union {
		int i;
		float f;
	} u;
	const Shape *next;
};
template <typename T, int N> struct Ring {
	T data[N];
	int head;
	__device__ T &at(int i) { return data[(head + i) % N]; }
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
	__device__ Dog() : Animal(4), tail_(1.5f) {}
	__device__ int sound(int x) const override { return x * legs_; }

private:
	float tail_;
};
__device__ int counter = 5;
__constant__ int table[4] = {2, 3, 5, 7};
} // namespace geo

__managed__ int shared_with_host = 42;

__device__ int factorial(int n)
{
	if (n <= 1)
		return 1;
	return n * factorial(n - 1);
}

__device__ __forceinline__ int inlined(int v)
{
	int w = v + 1;
	return w * w;
}

template <typename F> __global__ void apply(F f, int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = f(i);
}

template <typename T> __global__ void tour(geo::Shape first, T *out, const T &scale)
{
	__shared__ geo::Ring<T, 4> ring;
	extern __shared__ float dynamic[];
	int tid = threadIdx.x;
	geo::Shape mine = first;
	mine.id += tid;
	mine.area[1] = tid * 0.25;
	mine.next = &mine;
	mine.u.f = 1.0f;
	int grid[2][3] = {{1, 2, 3}, {4, 5, tid}};
	T *p = &ring.data[tid % 4];
	T &r = *p;
	char text[] = "hello";
	const char *word = text;
	half h = __float2half(1.5f);
	__nv_bfloat16 b = __float2bfloat16(2.5f);
	float4 v = make_float4(1, 2, 3, tid);
	uchar3 rgb = make_uchar3(65, 66, 200);
	bool odd = tid & 1;
	unsigned long long big = 0xfedcba9876543210ull;
	signed char tiny = -3;
	short small = -300;
	double third = 1.0 / 3;
	float nan = __int_as_float(0x7fffffff), inf = __int_as_float(0x7f800000);
	int (*function)(int) = factorial;
	geo::Dog dog;
	const geo::Animal *animal = &dog;
	int *null = nullptr;
	if (tid < 4)
		ring.data[tid] = T(tid * 10);
	if (tid == 0)
		ring.head = 1;
	dynamic[tid] = tid * 0.5f;
	__syncthreads();
	r += scale;
	int fact = factorial(3 + tid % 2);
	int squared = inlined(tid);
	int noise = animal->sound(fact);
	if (odd)
		noise += function(4);
	else
		noise -= mine.twice();
	for (int k = 0; k < 3; k++) {
		int tid = k * 100;
		noise += tid + grid[1][2];
	}
	atomicAdd(&geo::counter, geo::table[tid % 4]);
	out[tid] = ring.at(0) + T(noise + squared + small + tiny) + T(v.w + rgb.x + dynamic[tid]) + T(third);
	if (null || nan == inf || word[0] == 'x' || big == 1 || __half2float(h) > 9 || __bfloat162float(b) > 9)
		out[0] = 0;
}

int main()
{
	geo::Shape s = {};
	s.id = 100;
	s.weight = 2.5f;
	snprintf(s.name, sizeof s.name, "box");
	s.kind = geo::LINE;
	s.color = geo::Color::Blue;
	s.low = 5;
	s.mid = 17;
	s.high = -2;
	s.area[0] = 1e100;
	s.area[2] = -0.0;
	int *ints, *result;
	double *doubles, *scale;
	cudaMalloc(&ints, 64 * sizeof(int));
	cudaMalloc(&doubles, 64 * sizeof(double));
	cudaMallocManaged(&scale, sizeof(double));
	*scale = 0.5;
	int factor = 3;
	apply<<<1, 64>>>([=] __device__(int i) { int j = i * factor; return j + 1; }, ints, 64);
	tour<double><<<2, 32, 32 * sizeof(float)>>>(s, doubles, *scale);
	cudaError_t error = cudaDeviceSynchronize();
	double host[64];
	cudaMemcpy(host, doubles, sizeof host, cudaMemcpyDeviceToHost);
	printf("%s %g %g %d\n", cudaGetErrorString(error), host[0], host[31], shared_with_host);
	result = ints;
	cudaFree(result);
	return 0;
}

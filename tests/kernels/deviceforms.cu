/* SPDX-License-Identifier: Apache-2.0 */
/* Launches from device code as sources write them: overloads and templates, qualified names,
 * macros, literals, lines, branches. What they print follows from the text.
 *
 * Flags: -rdc=true --extended-lambda */
#include <cuda_runtime.h>

#include "case.cuh"

namespace n {
template <class A, class B> __global__ void add(A *p, B b, int z)
{
	if (p)
		*p = b + z;
	else
		printf("null %d: %d\n", (int)b, z);
}
struct three {
	int v[3];
};
__global__ void tell(three x, const char *c)
{
	printf("text: %d %s\n", x.v[2], c);
}
} // namespace n

template <int N> __global__ void fixed(int *p)
{
	*p = N;
}
template <class F> __global__ void call(F f)
{
	f();
}
template <class T> struct box {
	T v;
	__device__ void go(T *p) { n::add<T, T><<<dim3(1), dim3(1), 0>>>(p, v, 7); }
};
#define LAUNCH(K, ...) K<<<1, 1>>>(__VA_ARGS__)

__device__ void helper(int *p)
{
	fixed<3><<<1, 1>>>(p); // not a launch: <<<1, 1>>>()
	n::add<int, float><<<1, 1>>>(p,
		2.5f, /* a, b */
		1);
	n::add<<<1, 1>>>(p, 5, 6);
	n::add<int, int><<<1, 1>>>(nullptr, 5, 0);
	n::add<int, int><<<1, 1>>>(NULL, 6, 0);
	n::three x = {{1, 2, 3}};
	n::tell<<<1, 1>>>(x, "a, (b");
	LAUNCH(fixed<9>, p);
	if (!p)
		fixed<4><<<1, 1>>>(p);
	else
		fixed<5><<<1, 1>>>(p);
	box<int> b{8};
	b.go(p);
	call<<<1, 1>>>([=] __device__() { printf("lambda: %d\n", *p); });
}

__global__ void parent(int *p)
{
	helper(p);
}

int main()
{
	int *p, value;
	CHECK(cudaMalloc(&p, sizeof *p));
	parent<<<1, 1>>>(p);
	CHECK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
	say("last", "%d", value);
	return 0;
}

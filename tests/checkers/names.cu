// SPDX-License-Identifier: Apache-2.0
// A bad access under functions in namespaces and a class, for the frames' names.
#include <cstdio>

namespace geo {

struct Points {
	int *p;
	__device__ void put(int i) const { p[i] = i; }
};

namespace {

__device__ __noinline__ void inner(Points points, int i)
{
	points.put(i);
}

} // namespace

__global__ void kernel(int *p) {
	inner(Points{p}, threadIdx.x);
}

void run(int *p)
{
	kernel<<<1, 65>>>(p);
}

} // namespace geo

int main() {
	int *p;
	cudaMalloc(&p, 64 * sizeof *p);
	geo::run(p);
	cudaDeviceSynchronize();
	cudaFree(p);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
// What the compiler, the headers and the runtime say of the version.
#include <cstdio>
#include <cuda.h>

extern "C" int nvrtcVersion(int *major, int *minor); // nvrtc.h is in a wheel of its own

__global__ void device_side(int *ret)
{
	*ret = __CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10;
}

int main()
{
	int *in_kernel, runtime = 0, driver = 0, major = 0, minor = 0;
	cudaMallocManaged(&in_kernel, sizeof *in_kernel);
	device_side<<<1, 1>>>(in_kernel);
	cudaDeviceSynchronize();
	cudaRuntimeGetVersion(&runtime);
	cudaDriverGetVersion(&driver);
	nvrtcVersion(&major, &minor);
	printf("nvcc %d.%d, in a kernel %d, headers %d and %d, runtime %d, NVRTC %d.%d, driver %s\n",
	       __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, *in_kernel, CUDA_VERSION, CUDART_VERSION, runtime,
	       major, minor, driver >= runtime ? "new enough" : "too old");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of memory that a launch can write, for `cudasim compare`: the first argument
 * names it. Element 5 is 5 + the second argument (0, unless APP_ARGUMENT says otherwise),
 * all other elements i are i: floats from 4 to 8 are 2^-21 apart, so 5 and 6 are 2^21 ULP
 * apart. */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <sys/mman.h>

enum { N = 64, WIDTH = 8 };

__managed__ float managed[N];
__device__ float variable[N];

__device__ float value(int i, int more)
{
	return i == 5 ? i + more : i;
}

__global__ void store(float *to, int more)
{
	int i = threadIdx.x;
	to[i] = value(i, more);
}

__global__ void store_variable(int more)
{
	variable[threadIdx.x] = value(threadIdx.x, more);
}

__global__ void store_managed(int more)
{
	managed[threadIdx.x] = value(threadIdx.x, more);
}

/* Texel i of a row, of rows of 8, of slices of 8 by 4, of layers of as much. */
__global__ void store_row(cudaSurfaceObject_t to, int more)
{
	surf1Dwrite(value(threadIdx.x, more), to, threadIdx.x * 4);
}

__global__ void store_image(cudaSurfaceObject_t to, int more)
{
	int i = threadIdx.x;
	surf2Dwrite(value(i, more), to, i % WIDTH * 4, i / WIDTH);
}

__global__ void store_volume(cudaSurfaceObject_t to, int more)
{
	int i = threadIdx.x;
	surf3Dwrite(value(i, more), to, i % WIDTH * 4, i / WIDTH % 4, i / WIDTH / 4);
}

__global__ void store_layers(cudaSurfaceObject_t to, int more)
{
	int i = threadIdx.x;
	surf2DLayeredwrite(value(i, more), to, i % WIDTH * 4, i / WIDTH % 4, i / WIDTH / 4);
}

__global__ void store_shorts(cudaSurfaceObject_t to, int more)
{
	int i = threadIdx.x;
	surf2Dwrite((unsigned short)value(i, more), to, i % WIDTH * 2, i / WIDTH);
}

__global__ void store_heap(int *to, int more)
{
	int *p = (int *)malloc(4);
	*p = more;
	to[0] = 1;
	free(p);
}

__global__ void nothing()
{
}

static cudaSurfaceObject_t surface(cudaArray_t array)
{
	cudaResourceDesc about = {};
	cudaSurfaceObject_t ret = 0;
	about.resType = cudaResourceTypeArray;
	about.res.array.array = array;
	cudaCreateSurfaceObject(&ret, &about);
	return ret;
}

static void arrays(const char *what, int more)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaChannelFormatDesc shorts = cudaCreateChannelDesc<unsigned short>();
	unsigned flags = cudaArraySurfaceLoadStore;
	cudaArray_t array = nullptr;
	cudaMipmappedArray_t mipmap = nullptr;
	if (!strcmp(what, "row")) {
		cudaMallocArray(&array, &format, N, 0, flags);
		store_row<<<1, N>>>(surface(array), more);
	} else if (!strcmp(what, "image")) {
		cudaMallocArray(&array, &format, WIDTH, N / WIDTH, flags);
		store_image<<<1, N>>>(surface(array), more);
	} else if (!strcmp(what, "volume")) {
		cudaMalloc3DArray(&array, &format, make_cudaExtent(WIDTH, 4, 2), flags);
		store_volume<<<1, N>>>(surface(array), more);
	} else if (!strcmp(what, "layers")) {
		cudaMalloc3DArray(&array, &format, make_cudaExtent(WIDTH, 4, 2),
				  flags | cudaArrayLayered);
		store_layers<<<1, N>>>(surface(array), more);
	} else if (!strcmp(what, "shorts")) {
		cudaMallocArray(&array, &shorts, WIDTH, N / WIDTH, flags);
		store_shorts<<<1, N>>>(surface(array), more);
	} else {
		/* The second level has 8 by 8 texels. */
		cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(16, 16, 0), 5, flags);
		cudaGetMipmappedArrayLevel(&array, mipmap, 1);
		store_image<<<1, N>>>(surface(array), more);
	}
	cudaDeviceSynchronize();
	cudaFreeMipmappedArray(mipmap);
	if (!mipmap)
		cudaFreeArray(array);
	/* What is gone is not looked at. */
	nothing<<<1, 1>>>();
}

static void host(const char *what, int more)
{
	void *p = nullptr, *seen;
	size_t bytes = N * sizeof(float);
	if (!strcmp(what, "pinned")) {
		cudaMallocHost(&p, bytes);
		store<<<1, N>>>((float *)p, more);
	} else if (!strcmp(what, "mapped")) {
		cudaHostAlloc(&p, bytes, cudaHostAllocMapped);
		cudaHostGetDevicePointer(&seen, p, 0);
		store<<<1, N>>>((float *)seen, more);
	} else if (!strcmp(what, "registered")) {
		/* Pages of its own. */
		alignas(4096) static float array[4096];
		cudaHostRegister(array, sizeof array, cudaHostRegisterMapped);
		cudaHostGetDevicePointer(&seen, array, 0);
		store<<<1, N>>>((float *)seen, more);
	} else if (!strcmp(what, "clock")) {
		/* What the host writes there is its own affair. */
		cudaMallocHost(&p, bytes);
		*(long long *)p = std::chrono::steady_clock::now().time_since_epoch().count();
		nothing<<<1, 1>>>();
	} else if (!strcmp(what, "copied")) {
		/* Nor is what is on its way there. */
		float *from;
		cudaStream_t stream;
		cudaMalloc(&from, bytes);
		cudaMallocHost(&p, bytes);
		cudaStreamCreate(&stream);
		cudaMemcpyAsync(p, from, bytes, cudaMemcpyDeviceToHost, stream);
		nothing<<<1, 1>>>();
	} else {
		/* Registered, and taken back without a word. */
		p = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		cudaHostRegister(p, 1 << 20, cudaHostRegisterDefault);
		mprotect(p, 1 << 20, PROT_NONE);
		nothing<<<1, 1>>>();
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int more = getenv("APP_ARGUMENT") ? atoi(getenv("APP_ARGUMENT")) : 0;
	float *p;
	if (strstr("row image volume layers shorts levels", what))
		arrays(what, more);
	else if (!strcmp(what, "managed"))
		store_managed<<<1, N>>>(more);
	else if (!strcmp(what, "variable"))
		store_variable<<<1, N>>>(more);
	else if (!strcmp(what, "managed memory")) {
		cudaMallocManaged(&p, N * sizeof *p);
		p[7] = 9; /* the kernel makes it 7 */
		store<<<1, N>>>(p, more);
		cudaDeviceSynchronize();
		p[0] = p[7] + p[0]; /* 7 */
		store<<<1, N>>>(p + 1, 0);
	} else if (!strcmp(what, "driver")) {
		CUdeviceptr address;
		cudaFree(nullptr);
		cuMemAlloc(&address, N * sizeof *p);
		store<<<1, N>>>((float *)address, more);
		cudaDeviceSynchronize();
		cuMemFree(address);
	} else if (!strcmp(what, "heap")) {
		int *to;
		cudaMalloc(&to, 4);
		store_heap<<<1, 1>>>(to, more);
	} else
		host(what, more);
	cudaError_t error = cudaDeviceSynchronize();
	printf("%s: %s\n", what, cudaGetErrorName(error));
	return error != cudaSuccess;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* surfaces.cu - surface objects: reads and writes of all dimensions, types and boundary modes. */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(x) do { cudaError_t e_ = (x); if (e_) printf("%s: %s\n", #x, cudaGetErrorName(e_)); } while (0)

enum { S1, S2, S3, SL1, SL2, SCUBE, SCUBEL };

template <class T, cudaSurfaceBoundaryMode M> __device__ T rd(int kind, cudaSurfaceObject_t s, int x, int y, int z)
{
	switch (kind) {
	case S1: return surf1Dread<T>(s, x, M);
	case S2: return surf2Dread<T>(s, x, y, M);
	case S3: return surf3Dread<T>(s, x, y, z, M);
	case SL1: return surf1DLayeredread<T>(s, x, z, M);
	case SL2: return surf2DLayeredread<T>(s, x, y, z, M);
	case SCUBE: return surfCubemapread<T>(s, x, y, z, M);
	default: return surfCubemapLayeredread<T>(s, x, y, z, M);
	}
}

template <class T, cudaSurfaceBoundaryMode M> __device__ void wr(T v, int kind, cudaSurfaceObject_t s, int x, int y, int z)
{
	switch (kind) {
	case S1: surf1Dwrite<T>(v, s, x, M); break;
	case S2: surf2Dwrite<T>(v, s, x, y, M); break;
	case S3: surf3Dwrite<T>(v, s, x, y, z, M); break;
	case SL1: surf1DLayeredwrite<T>(v, s, x, z, M); break;
	case SL2: surf2DLayeredwrite<T>(v, s, x, y, z, M); break;
	case SCUBE: surfCubemapwrite<T>(v, s, x, y, z, M); break;
	default: surfCubemapLayeredwrite<T>(v, s, x, y, z, M); break;
	}
}

__device__ uint32_t hash(uint32_t h, const void *p, int n)
{
	for (int i = 0; i < n; i++) h = (h ^ ((const unsigned char *)p)[i]) * 16777619u;
	return h;
}

/* Writes all, reads all back, and reads and writes outside. */
template <class T, cudaSurfaceBoundaryMode M> __global__ void all(int kind, cudaSurfaceObject_t s, int w, int h, int d, int margin, uint32_t *out)
{
	for (int z = -margin; z < d + margin; z++)
		for (int y = -margin; y < h + margin; y++)
			for (int x = -margin; x < w + margin; x++) {
				unsigned char bytes[sizeof(T)];
				for (int i = 0; i < (int)sizeof(T); i++) bytes[i] = (x + 10) * 7 + (y + 10) * 31 + (z + 10) * 101 + i * 13;
				T v;
				memcpy(&v, bytes, sizeof v);
				wr<T, M>(v, kind, s, x * (int)sizeof(T), y, z);
			}
	uint32_t a = 2166136261u;
	for (int z = -margin; z < d + margin; z++)
		for (int y = -margin; y < h + margin; y++)
			for (int x = -margin; x < w + margin; x++) {
				T v = rd<T, M>(kind, s, x * (int)sizeof(T), y, z);
				a = hash(a, &v, sizeof v);
			}
	*out = a;
}

template <class T, cudaSurfaceBoundaryMode M> void test(const char *name, int kind, int w, int h, int d, unsigned flags, int margin)
{
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
	cudaArray_t array;
	cudaResourceDesc r = {};
	cudaSurfaceObject_t s;
	uint32_t *out, a;
	CHECK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(w, kind == S1 || kind == SL1 ? 0 : h, kind == S1 || kind == S2 ? 0 : d), flags | cudaArraySurfaceLoadStore));
	size_t bytes = (size_t)w * h * d * sizeof(T);
	std::vector<unsigned char> host(bytes, 0);
	cudaMemcpy3DParms p = {};
	p.srcPtr = make_cudaPitchedPtr(host.data(), w * sizeof(T), w, h);
	p.dstArray = array;
	p.extent = make_cudaExtent(w, h, d);
	p.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&p));
	r.resType = cudaResourceTypeArray;
	r.res.array.array = array;
	CHECK(cudaCreateSurfaceObject(&s, &r));
	CHECK(cudaMalloc(&out, 4));
	all<T, M><<<1, 1>>>(kind, s, w, h, d, margin, out);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(&a, out, 4, cudaMemcpyDefault));
	p = {};
	p.dstPtr = make_cudaPitchedPtr(host.data(), w * sizeof(T), w, h);
	p.srcArray = array;
	p.extent = make_cudaExtent(w, h, d);
	p.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3D(&p));
	uint32_t b = 2166136261u;
	for (unsigned char c : host) b = (b ^ c) * 16777619u;
	printf("%s kind %d mode %d: read %08x, array %08x\n", name, kind, (int)M, a, b);
	CHECK(cudaDestroySurfaceObject(s));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(out));
}

template <class T, cudaSurfaceBoundaryMode M> void kinds(const char *name, int margin)
{
	test<T, M>(name, S1, 9, 1, 1, 0, margin);
	test<T, M>(name, S2, 7, 5, 1, 0, margin);
	test<T, M>(name, S3, 7, 5, 3, 0, margin);
	test<T, M>(name, SL1, 7, 1, 3, cudaArrayLayered, margin);
	test<T, M>(name, SL2, 7, 5, 3, cudaArrayLayered, margin);
	test<T, M>(name, SCUBE, 4, 4, 6, cudaArrayCubemap, margin);
	test<T, M>(name, SCUBEL, 4, 4, 12, cudaArrayCubemap | cudaArrayLayered, margin);
}

template <class T> void types(const char *name)
{
	kinds<T, cudaBoundaryModeTrap>(name, 0);
	kinds<T, cudaBoundaryModeClamp>(name, 2);
	kinds<T, cudaBoundaryModeZero>(name, 2);
}

/* A texture over the array that a surface writes, in the next launch. */
__global__ void write(cudaSurfaceObject_t s, float k)
{
	surf2Dwrite<float>(threadIdx.x * k + threadIdx.y, s, threadIdx.x * 4, threadIdx.y);
}

__global__ void read(cudaTextureObject_t t)
{
	float sum = 0;
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 8; x++)
			sum = sum * 1.25f + tex2D<float>(t, x + 0.5f, y + 0.5f);
	printf("texture over it, first %g: sum %a\n", tex2D<float>(t, 1.5f, 0.5f), sum);
}

int main()
{
	types<unsigned char>("uchar");
	types<short>("short");
	types<int>("int");
	types<float>("float");
	types<uchar2>("uchar2");
	types<uchar4>("uchar4");
	types<short2>("short2");
	types<ushort4>("ushort4");
	types<float2>("float2");
	types<int4>("int4");
	types<float4>("float4");

	cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	cudaArray_t array;
	CHECK(cudaMallocArray(&array, &desc, 8, 4, cudaArraySurfaceLoadStore));
	cudaResourceDesc r = {};
	r.resType = cudaResourceTypeArray;
	r.res.array.array = array;
	cudaTextureDesc td = {};
	cudaTextureObject_t t;
	cudaSurfaceObject_t s;
	CHECK(cudaCreateTextureObject(&t, &r, &td, NULL));
	CHECK(cudaCreateSurfaceObject(&s, &r));
	write<<<1, dim3(8, 4)>>>(s, 2);
	read<<<1, 1>>>(t);
	write<<<1, dim3(8, 4)>>>(s, -3);
	read<<<1, 1>>>(t);
	CHECK(cudaDeviceSynchronize());
	return 0;
}

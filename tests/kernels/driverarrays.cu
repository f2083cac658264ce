/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's arrays, copies by descriptor, textures and surfaces.
 *
 * Flags: -std=c++17 -lcuda */
#include <cuda.h>
#include <cuda_runtime.h>

#include "driver.cuh"

__global__ void fetch(float *out, cudaTextureObject_t t, int w, float step)
{
	int i = threadIdx.x;
	out[i] = tex2D<float>(t, (i % w + 0.5f) * step, (i / w + 0.5f) * step);
}

__global__ void fetch_linear(float4 *out, cudaTextureObject_t t)
{
	out[threadIdx.x] = tex1Dfetch<float4>(t, threadIdx.x);
}

__global__ void store(cudaSurfaceObject_t s)
{
	surf2Dwrite(100.0f + threadIdx.x, s, (threadIdx.x % 8) * 4, threadIdx.x / 8);
}

__global__ void most(int *p)
{
	extern __shared__ int s[];
	s[threadIdx.x] = *p;
}

static size_t bytes_of(int threads)
{
	return 16 * threads;
}

int main()
{
	CHECK(cudaFree(0));
	CUDA_ARRAY_DESCRIPTOR d = {8, 6, CU_AD_FORMAT_FLOAT, 1}, told = {};
	CUDA_ARRAY3D_DESCRIPTOR d3 = {4, 3, 2, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0}, told3 = {}, ds = {8, 6, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
	CUarray a, solid, surface, wrong;
	ANSWER("create", cuArrayCreate(&a, &d));
	ANSWER("create a solid", cuArray3DCreate(&solid, &d3));
	ANSWER("create for surfaces", cuArray3DCreate(&surface, &ds));
	CUDA_ARRAY_DESCRIPTOR three = {8, 6, CU_AD_FORMAT_FLOAT, 3};
	ANSWER("three channels", cuArrayCreate(&wrong, &three));
	DO(cuArrayGetDescriptor(&told, a));
	say("told", "%zu %zu %d %u", told.Width, told.Height, told.Format, told.NumChannels);
	DO(cuArray3DGetDescriptor(&told3, solid));
	say("told of the solid", "%zu %zu %zu %d %u %u", told3.Width, told3.Height, told3.Depth, told3.Format, told3.NumChannels, told3.Flags);

	float host[64], back[64] = {};
	for (int i = 0; i < 64; i++)
		host[i] = (float)i;
	CUDA_MEMCPY2D c = {};
	c.srcMemoryType = CU_MEMORYTYPE_HOST;
	c.srcHost = host;
	c.srcPitch = 40; /* ten floats a row, of which eight */
	c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	c.dstArray = a;
	c.WidthInBytes = 32;
	c.Height = 6;
	ANSWER("rows to the array", cuMemcpy2D(&c));
	CUDA_MEMCPY2D out = {};
	out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	out.srcArray = a;
	out.srcXInBytes = 8;
	out.srcY = 1;
	out.dstMemoryType = CU_MEMORYTYPE_HOST;
	out.dstHost = back;
	out.dstXInBytes = 4;
	out.dstPitch = 20;
	out.WidthInBytes = 16;
	out.Height = 2;
	ANSWER("a part of it back", cuMemcpy2D(&out));
	show("a part", back, 12);
	out.WidthInBytes = 32;
	ANSWER("more than there is", cuMemcpy2D(&out));
	out.WidthInBytes = 16;
	out.Height = 6;
	ANSWER("more rows than there are", cuMemcpy2D(&out));
	out.Height = 0;
	ANSWER("no rows", cuMemcpy2D(&out));
	ANSWER("nothing said", cuMemcpy2D(NULL));

	unsigned char block[4 * 4 * 3 * 2], same[sizeof block] = {};
	for (size_t i = 0; i < sizeof block; i++)
		block[i] = (unsigned char)(3 * i);
	CUDA_MEMCPY3D s = {};
	s.srcMemoryType = CU_MEMORYTYPE_HOST;
	s.srcHost = block;
	s.srcPitch = 16;
	s.srcHeight = 3;
	s.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	s.dstArray = solid;
	s.WidthInBytes = 16;
	s.Height = 3;
	s.Depth = 2;
	ANSWER("a solid", cuMemcpy3D(&s));
	CUdeviceptr p;
	DO(cuMemAlloc(&p, 4096));
	DO(cuMemsetD8(p, 0, 4096));
	CUDA_MEMCPY3D r = {};
	r.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	r.srcArray = solid;
	r.srcZ = 1;
	r.srcXInBytes = 4;
	r.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	r.dstDevice = p;
	r.dstPitch = 16;
	r.WidthInBytes = 12;
	r.Height = 2;
	r.Depth = 1;
	ANSWER("a slice of it to memory", cuMemcpy3D(&r));
	DO(cuMemcpyDtoH(same, p, 32));
	show("the slice", same, 32);
	r.srcZ = 2;
	ANSWER("a slice that is not there", cuMemcpy3D(&r));

	CUDA_ARRAY_DESCRIPTOR line = {16, 0, CU_AD_FORMAT_FLOAT, 1};
	CUarray row;
	DO(cuArrayCreate(&row, &line));
	ANSWER("to a row", cuMemcpyHtoA(row, 8, host + 5, 24));
	ANSWER("from a row", cuMemcpyAtoH(back, row, 12, 16));
	show("the row", back, 4);
	ANSWER("row to memory", cuMemcpyAtoD(p, row, 8, 24));
	ANSWER("memory to row", cuMemcpyDtoA(row, 40, p, 24));
	ANSWER("beyond the row", cuMemcpyHtoA(row, 48, host, 24));

	CUDA_RESOURCE_DESC res = {};
	CUDA_TEXTURE_DESC tex = {};
	CUtexObject t;
	res.resType = CU_RESOURCE_TYPE_ARRAY;
	res.res.array.hArray = a;
	tex.addressMode[0] = tex.addressMode[1] = tex.addressMode[2] = CU_TR_ADDRESS_MODE_CLAMP;
	tex.filterMode = CU_TR_FILTER_MODE_POINT;
	ANSWER("texture", cuTexObjectCreate(&t, &res, &tex, NULL));
	run("texels", 48, 1, 48, fetch, (cudaTextureObject_t)t, 8, 1.0f);
	DO(cuTexObjectDestroy(t));
	tex.filterMode = CU_TR_FILTER_MODE_LINEAR;
	DO(cuTexObjectCreate(&t, &res, &tex, NULL));
	run("between texels", 32, 1, 32, fetch, (cudaTextureObject_t)t, 8, 0.75f);
	DO(cuTexObjectDestroy(t));
	CUDA_RESOURCE_DESC flat = {};
	flat.resType = CU_RESOURCE_TYPE_LINEAR;
	flat.res.linear.devPtr = p;
	flat.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT8;
	flat.res.linear.numChannels = 4;
	flat.res.linear.sizeInBytes = 32;
	tex.filterMode = CU_TR_FILTER_MODE_POINT;
	DO(cuMemcpyHtoD(p, block, 32));
	ANSWER("texture of memory", cuTexObjectCreate(&t, &flat, &tex, NULL));
	run("normalised", 8, 1, 8, fetch_linear, (cudaTextureObject_t)t);
	DO(cuTexObjectDestroy(t));
	ANSWER("texture of nothing", cuTexObjectCreate(&t, NULL, &tex, NULL));

	CUsurfObject so;
	res.res.array.hArray = surface;
	ANSWER("surface", cuSurfObjectCreate(&so, &res));
	store<<<1, 48>>>(so);
	CHECK(cudaDeviceSynchronize());
	out.srcArray = surface;
	out.srcXInBytes = out.dstXInBytes = out.srcY = 0;
	out.dstPitch = 32;
	out.WidthInBytes = 32;
	out.Height = 6;
	DO(cuMemcpy2D(&out));
	show("stored", back, 48);
	DO(cuSurfObjectDestroy(so));

	cudaFunction_t f;
	CHECK(cudaGetFuncBySymbol(&f, (const void *)most));
	int grid = 0, threads = 0;
	ANSWER("best block", cuOccupancyMaxPotentialBlockSize(&grid, &threads, (CUfunction)f, bytes_of, 0, 0));
	say("its threads", "%d %d", grid, threads);
	ANSWER("best block up to 96", cuOccupancyMaxPotentialBlockSize(&grid, &threads, (CUfunction)f, NULL, 4096, 96));
	say("its threads, up to 96", "%d %d", grid, threads);
	ANSWER("destroy", cuArrayDestroy(a));
	ANSWER("destroy the solid", cuArrayDestroy(solid));
	return 0;
}

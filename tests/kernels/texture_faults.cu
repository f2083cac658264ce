/* SPDX-License-Identifier: Apache-2.0 */
/* texture_faults.cu - objects that are none, accesses outside, shapes that do not fit. Each
 * case is a process of its own: a fault ends the context. */
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <sys/wait.h>
#include <cuda_runtime.h>
__device__ float4 sink;
__global__ void t2(cudaTextureObject_t t, float x, float y) { sink = tex2D<float4>(t, x, y); }
__global__ void t1f(cudaTextureObject_t t, int x) { sink = tex1Dfetch<float4>(t, x); }
__global__ void s2(cudaSurfaceObject_t s, int x, int y) { surf2Dwrite<float>(1.f, s, x, y); }
__global__ void s2z(cudaSurfaceObject_t s, int x, int y) { surf2Dwrite<float>(1.f, s, x, y, cudaBoundaryModeZero); }
__global__ void s2r(cudaSurfaceObject_t s, int x, int y) { sink.x = surf2Dread<float>(s, x, y); }
__global__ void s2r4(cudaSurfaceObject_t s, int x, int y) { sink = surf2Dread<float4>(s, x, y); }
__global__ void l2(cudaTextureObject_t t, float x, float y, int l) { sink = tex2DLayered<float4>(t, x, y, l); }
__global__ void t3(cudaTextureObject_t t, float x, float y, float z) { sink = tex3D<float4>(t, x, y, z); }
__global__ void t1(cudaTextureObject_t t, float x) { sink = tex1D<float4>(t, x); }
__global__ void s3(cudaSurfaceObject_t s, int x, int y, int z) { surf3Dwrite<float>(1.f, s, x, y, z); }
__global__ void g2(cudaTextureObject_t t, float x, float y) { sink = tex2Dgather<float4>(t, x, y, 0); }
int main()
{
	for (int i = 0; i < 26; i++) {
		if (i == 4 || i == 13 || i == 16 || i == 22) continue; /* freed: a GPU may still have it */
		fflush(stdout);
		pid_t pid = fork();
		if (pid) { int st; waitpid(pid, &st, 0); continue; }
		float *dev; cudaMalloc(&dev, 1 << 22);
		cudaArray_t a; cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
		cudaMallocArray(&a, &d, 8, 8, cudaArraySurfaceLoadStore);
		float h[64]; for (int k = 0; k < 64; k++) h[k] = k + 1;
		cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 8, cudaMemcpyDefault);
		cudaMemcpy(dev, h, 256, cudaMemcpyDefault);
		cudaResourceDesc r = {}, l = {};
		r.resType = cudaResourceTypeArray; r.res.array.array = a;
		l.resType = cudaResourceTypeLinear; l.res.linear.devPtr = dev; l.res.linear.desc = d; l.res.linear.sizeInBytes = 256;
		cudaTextureDesc td = {};
		cudaTextureObject_t t, tl, s;
		cudaCreateTextureObject(&t, &r, &td, 0); cudaCreateTextureObject(&tl, &l, &td, 0); cudaCreateSurfaceObject(&s, &r);
		if (!i) printf("handles: %llx %llx %llx\n", t, tl, s);
		switch (i) {
		case 0: t2<<<1, 1>>>(t, 1.5, 1.5); break;
		case 1: t2<<<1, 1>>>(0, 1.5, 1.5); break;
		case 2: t2<<<1, 1>>>(1234, 1.5, 1.5); break;
		case 3: t2<<<1, 1>>>(0x123456789abcull, 1.5, 1.5); break;
		case 4: cudaDestroyTextureObject(t); t2<<<1, 1>>>(t, 1.5, 1.5); break;
		case 5: s2<<<1, 1>>>(s, 32, 0); break;
		case 6: s2<<<1, 1>>>(s, 0, -1); break;
		case 7: s2r<<<1, 1>>>(s, 0, 8); break;
		case 8: s2<<<1, 1>>>(s, 2, 0); break;
		case 9: s2<<<1, 1>>>(0, 0, 0); break;
		case 10: s2<<<1, 1>>>(1234, 0, 0); break;
		case 11: cudaDestroySurfaceObject(s); s2<<<1, 1>>>(s, 0, 0); break;
		case 12: s2r4<<<1, 1>>>(s, 0, 0); break;
		case 13: cudaFree(dev); t1f<<<1, 1>>>(tl, 3); break;
		case 14: t1f<<<1, 1>>>(tl, 64); break;
		case 15: t1f<<<1, 1>>>(tl, -1); break;
		case 16: cudaFreeArray(a); t2<<<1, 1>>>(t, 1.5, 1.5); break;
		case 17: t1f<<<1, 1>>>(t, 3); break;   /* kind mismatch */
		case 18: t2<<<1, 1>>>(tl, 3, 0); break;
		case 19: l2<<<1, 1>>>(t, 1.5, 1.5, 1); break;
		case 20: t3<<<1, 1>>>(t, 1.5, 1.5, 0); break;
		case 21: t1<<<1, 1>>>(t, 1.5); break;
		case 22: s3<<<1, 1>>>(s, 4, 1, 0); break;
		case 23: s2<<<1, 1>>>(t, 4, 1); break;
		case 24: t2<<<1, 1>>>(s, 1.5, 1.5); break;
		case 25: g2<<<1, 1>>>(t, 1.5, 1.5); break;
		}
		cudaError_t e = cudaDeviceSynchronize();
		float4 v = {}; cudaError_t e2 = cudaMemcpyFromSymbol(&v, sink, 16);
		printf("case %d: %s, %s, %g %g %g %g\n", i, cudaGetErrorName(e), cudaGetErrorName(e2), v.x, v.y, v.z, v.w);
		fflush(stdout);
		_exit(0);
	}
	return 0;
}

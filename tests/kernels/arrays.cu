/* SPDX-License-Identifier: Apache-2.0 */
/* arrays.cu - what calls about arrays, textures and surfaces answer: values and errors. */
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

/* Lines are numbered, so that each is a case. */
static void say(const char *format, ...)
{
	static char line[1024];
	static int n, at;
	va_list args;
	va_start(args, format);
	at += vsnprintf(line + at, sizeof line - at, format, args);
	va_end(args);
	if (line[at - 1] == '\n') {
		printf("%d: %s", ++n, line);
		at = 0;
	}
}

#define SHOW(x)                                      \
	do {                                         \
		say("%s\n", cudaGetErrorName(x));    \
		cudaGetLastError();                  \
	} while (0)

static void info(cudaArray_t a)
{
	cudaChannelFormatDesc d;
	cudaExtent e;
	unsigned f;
	cudaError_t error = cudaArrayGetInfo(&d, &e, &f, a);
	say("info %s: %d %d %d %d kind %d, %zu %zu %zu, flags %u\n", cudaGetErrorName(error), d.x, d.y, d.z, d.w, d.f, e.width, e.height, e.depth, f);
}

static void make(int x, int y, int z, int w, cudaChannelFormatKind k, size_t W, size_t H, size_t D, unsigned flags)
{
	cudaChannelFormatDesc d = cudaCreateChannelDesc(x, y, z, w, k);
	cudaArray_t a = NULL;
	cudaError_t e = cudaMalloc3DArray(&a, &d, make_cudaExtent(W, H, D), flags);
	say("%d,%d,%d,%d kind %d %zux%zux%zu flags %u: %s\n", x, y, z, w, k, W, H, D, flags, cudaGetErrorName(e));
	cudaGetLastError();
	if (!e) cudaFreeArray(a);
}

static void makemip(size_t W, size_t H, size_t D, unsigned flags, unsigned levels)
{
	cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
	cudaMipmappedArray_t a = NULL;
	cudaError_t e = cudaMallocMipmappedArray(&a, &d, make_cudaExtent(W, H, D), levels, flags);
	say("mip %zux%zux%zu flags %u levels %u: %s\n", W, H, D, flags, levels, cudaGetErrorName(e));
	cudaGetLastError();
	if (e) return;
	for (unsigned l = 0; l < 9; l++) {
		cudaArray_t level;
		e = cudaGetMipmappedArrayLevel(&level, a, l);
		if (e) { say(" %s\n", cudaGetErrorName(e)); cudaGetLastError(); break; }
		info(level);
	}
	cudaFreeMipmappedArray(a);
}

int main()
{
	const cudaChannelFormatKind S = cudaChannelFormatKindSigned, U = cudaChannelFormatKindUnsigned, F = cudaChannelFormatKindFloat;
	make(32, 0, 0, 0, F, 16, 0, 0, 0);
	make(32, 0, 0, 0, F, 0, 0, 0, 0);
	make(32, 0, 0, 0, F, 16, 0, 4, 0);
	make(32, 0, 0, 0, F, 16, 8, 4, 0);
	make(8, 8, 8, 0, U, 16, 8, 4, 0);
	make(32, 32, 32, 0, F, 16, 8, 0, 0);
	make(8, 8, 0, 0, F, 16, 8, 0, 0);
	make(8, 16, 0, 0, U, 16, 8, 0, 0);
	make(0, 0, 0, 0, U, 16, 8, 0, 0);
	make(0, 8, 0, 0, U, 16, 8, 0, 0);
	make(8, 0, 8, 0, U, 16, 8, 0, 0);
	make(64, 0, 0, 0, U, 16, 8, 0, 0);
	make(12, 0, 0, 0, S, 16, 8, 0, 0);
	make(16, 0, 0, 0, F, 16, 8, 0, 0);
	make(32, 0, 0, 0, cudaChannelFormatKindNone, 16, 8, 0, 0);
	make(32, 0, 0, 0, F, 16, 0, 4, cudaArrayLayered);
	make(32, 0, 0, 0, F, 16, 16, 4, cudaArrayLayered);
	make(32, 0, 0, 0, F, 16, 16, 0, cudaArrayLayered);
	make(32, 0, 0, 0, F, 16, 16, 6, cudaArrayCubemap);
	make(32, 0, 0, 0, F, 16, 8, 6, cudaArrayCubemap);
	make(32, 0, 0, 0, F, 16, 16, 5, cudaArrayCubemap);
	make(32, 0, 0, 0, F, 16, 16, 12, cudaArrayCubemap);
	make(32, 0, 0, 0, F, 16, 16, 12, cudaArrayCubemap | cudaArrayLayered);
	make(32, 0, 0, 0, F, 16, 16, 7, cudaArrayCubemap | cudaArrayLayered);
	make(32, 0, 0, 0, F, 16, 16, 0, cudaArrayTextureGather);
	make(32, 0, 0, 0, F, 16, 16, 4, cudaArrayTextureGather);
	make(32, 0, 0, 0, F, 16, 0, 0, cudaArrayTextureGather);
	make(32, 0, 0, 0, F, 16, 16, 0, cudaArraySurfaceLoadStore);
	make(32, 0, 0, 0, F, 16, 16, 0, 1024);
	make(8, 0, 0, 0, U, 131072, 0, 0, 0);
	make(8, 0, 0, 0, U, 131073, 0, 0, 0);
	make(8, 0, 0, 0, U, 131072, 1, 0, 0);
	make(8, 0, 0, 0, U, 131073, 1, 0, 0);
	make(8, 0, 0, 0, U, 1, 65536, 0, 0);
	make(8, 0, 0, 0, U, 1, 65537, 0, 0);
	make(8, 0, 0, 0, U, 16384, 1, 1, 0);
	make(8, 0, 0, 0, U, 16385, 1, 1, 0);
	make(8, 0, 0, 0, U, 32768, 0, 1, cudaArrayLayered);
	make(8, 0, 0, 0, U, 32769, 0, 1, cudaArrayLayered);
	make(8, 0, 0, 0, U, 1, 0, 2049, cudaArrayLayered);
	make(8, 0, 0, 0, U, 32768, 1, 1, cudaArraySurfaceLoadStore | cudaArrayLayered);
	make(8, 0, 0, 0, U, 1 << 20, 1 << 20, 0, 0);
	makemip(16, 16, 0, 0, 5);
	makemip(16, 16, 0, 0, 6);
	makemip(16, 16, 0, 0, 0);
	makemip(13, 7, 5, 0, 9);
	makemip(13, 0, 3, cudaArrayLayered, 2);
	makemip(8, 8, 6, cudaArrayCubemap, 2);

	cudaArray_t a, b, c3;
	cudaChannelFormatDesc df = cudaCreateChannelDesc<float>(), du4 = cudaCreateChannelDesc<uchar4>(), di = cudaCreateChannelDesc<int>();
	SHOW(cudaMallocArray(&a, &df, 10, 6));
	float zeros[60] = {};
	SHOW(cudaMemcpy2DToArray(a, 0, 0, zeros, 40, 40, 6, cudaMemcpyHostToDevice));
	SHOW(cudaMallocArray(&b, &du4, 10, 6));
	SHOW(cudaMalloc3DArray(&c3, &df, make_cudaExtent(5, 4, 3)));
	info(a), info(b), info(c3);
	SHOW(cudaMemcpy2DToArray(b, 0, 0, zeros, 40, 40, 6, cudaMemcpyHostToDevice));
	SHOW(cudaArrayGetInfo(NULL, NULL, NULL, a));
	cudaChannelFormatDesc other;
	SHOW(cudaArrayGetInfo(&other, NULL, NULL, NULL));
	cudaChannelFormatDesc got;
	SHOW(cudaGetChannelDesc(&got, b));
	say("%d %d %d %d %d\n", got.x, got.y, got.z, got.w, got.f);
	SHOW(cudaMallocArray(NULL, &df, 10, 6));
	cudaArray_t none;
	SHOW(cudaMallocArray(&none, NULL, 10, 6));
	SHOW(cudaFreeArray(NULL));
	SHOW(cudaFreeMipmappedArray(NULL));
	/* Copies. */
	float host[60], back[60];
	for (int i = 0; i < 60; i++) host[i] = i;
	SHOW(cudaMemcpy2DToArray(a, 0, 0, host, 40, 40, 6, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpy2DToArray(a, 0, 0, host, 40, 41, 6, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpy2DToArray(a, 0, 0, host, 40, 44, 6, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpy2DToArray(a, 0, 0, host, 40, 40, 7, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpy2DToArray(a, 4, 0, host, 40, 40, 6, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpy2DToArray(a, 2, 0, host, 40, 36, 6, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpy2DToArray(a, 4, 1, host, 40, 36, 5, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpy2DToArray(a, 0, 0, host, 36, 40, 6, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpy2DToArray(a, 0, 0, host, 40, 40, 6, cudaMemcpyDeviceToHost));
	SHOW(cudaMemcpy2DToArray(NULL, 0, 0, host, 40, 40, 6, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpy2DToArray(a, 0, 0, NULL, 40, 40, 6, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpy2DToArray(a, 0, 0, host, 40, 0, 6, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpy2DFromArray(back, 40, a, 0, 0, 40, 6, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 60; i++) say("%g%c", back[i], i % 10 == 9 ? '\n' : ' ');
	SHOW(cudaMemcpyToArray(a, 8, 2, host, 100, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpyToArray(a, 8, 2, host, 200, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpyFromArray(back, a, 0, 0, 240, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 60; i++) say("%g%c", back[i], i % 10 == 9 ? '\n' : ' ');
	SHOW(cudaMemcpyFromArray(back, a, 4, 1, 80, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 60; i++) say("%g%c", back[i], i % 10 == 9 ? '\n' : ' ');
	SHOW(cudaMemcpyArrayToArray(b, 4, 1, a, 8, 0, 100));
	SHOW(cudaMemcpy2DArrayToArray(b, 0, 0, a, 4, 1, 16, 3));
	SHOW(cudaMemcpy2DFromArray(back, 40, b, 0, 0, 40, 6, cudaMemcpyDefault));
	uint32_t h = 2166136261u;
	for (unsigned char c : std::vector<unsigned char>((unsigned char *)back, (unsigned char *)back + 40)) h = (h ^ c) * 16777619u;
	say("%08x\n", h);
	cudaMemcpy3DParms p = {};
	p.srcArray = a, p.dstArray = c3, p.extent = make_cudaExtent(3, 2, 1), p.srcPos = make_cudaPos(1, 2, 0), p.dstPos = make_cudaPos(2, 1, 1), p.kind = cudaMemcpyDeviceToDevice;
	SHOW(cudaMemcpy3D(&p));
	p.extent.depth = 2;
	SHOW(cudaMemcpy3D(&p));
	p.extent.depth = 0;
	SHOW(cudaMemcpy3D(&p));
	p.extent.depth = 1, p.kind = cudaMemcpyHostToDevice;
	SHOW(cudaMemcpy3D(&p));
	p.kind = cudaMemcpyDefault;
	SHOW(cudaMemcpy3D(&p));
	p.srcPtr = make_cudaPitchedPtr(host, 40, 10, 6);
	SHOW(cudaMemcpy3D(&p));
	p = {};
	p.srcPtr = make_cudaPitchedPtr(host, 20, 5, 4), p.dstArray = c3, p.extent = make_cudaExtent(5, 4, 3), p.kind = cudaMemcpyHostToDevice;
	SHOW(cudaMemcpy3D(&p));
	p.srcPos = make_cudaPos(4, 0, 0), p.extent = make_cudaExtent(4, 2, 1);
	SHOW(cudaMemcpy3D(&p));
	p = {};
	p.dstPtr = make_cudaPitchedPtr(back, 20, 5, 4), p.srcArray = c3, p.extent = make_cudaExtent(5, 4, 3), p.kind = cudaMemcpyDeviceToHost;
	SHOW(cudaMemcpy3D(&p));
	for (int i = 0; i < 60; i++) say("%g%c", back[i], i % 5 == 4 ? '\n' : ' ');
	SHOW(cudaMemcpy3D(NULL));
	/* Texture objects. */
	float *dev;
	SHOW(cudaMalloc(&dev, 4096));
	cudaTextureObject_t t;
	auto tex = [&](const char *what, cudaResourceDesc r, cudaTextureDesc td, cudaResourceViewDesc *v = NULL) {
		cudaError_t e = cudaCreateTextureObject(&t, &r, &td, v);
		say("%s: %s\n", what, cudaGetErrorName(e));
		cudaGetLastError();
		if (!e) cudaDestroyTextureObject(t);
	};
	cudaResourceDesc ra = {}, rl = {}, rp = {}, ri = {}, r0 = {};
	cudaTextureDesc td = {}, td2;
	cudaArray_t ai;
	SHOW(cudaMallocArray(&ai, &di, 10, 6));
	ra.resType = cudaResourceTypeArray, ra.res.array.array = a;
	ri = ra, ri.res.array.array = ai;
	rl.resType = cudaResourceTypeLinear, rl.res.linear.devPtr = dev, rl.res.linear.desc = df, rl.res.linear.sizeInBytes = 4096;
	rp.resType = cudaResourceTypePitch2D, rp.res.pitch2D.devPtr = dev, rp.res.pitch2D.desc = df, rp.res.pitch2D.width = 16, rp.res.pitch2D.height = 16, rp.res.pitch2D.pitchInBytes = 256;
	tex("array", ra, td);
	tex("no array", r0, td);
	r0.resType = cudaResourceTypeMipmappedArray;
	tex("no mipmapped array", r0, td);
	tex("linear", rl, td);
	tex("pitch", rp, td);
	td2 = td, td2.readMode = cudaReadModeNormalizedFloat;
	tex("float normalized", ra, td2);
	tex("int normalized", ri, td2);
	td2 = td, td2.filterMode = cudaFilterModeLinear;
	tex("float linear", ra, td2);
	tex("int linear", ri, td2);
	tex("linear memory linear", rl, td2);
	tex("pitch linear", rp, td2);
	td2 = td, td2.addressMode[0] = cudaAddressModeWrap, td2.normalizedCoords = 0;
	tex("wrap unnormalized", ra, td2);
	td2.addressMode[0] = (cudaTextureAddressMode)7;
	tex("mode 7", ra, td2);
	td2 = td, td2.filterMode = (cudaTextureFilterMode)7;
	tex("filter 7", ra, td2);
	td2 = td, td2.readMode = (cudaTextureReadMode)7;
	tex("read mode 7", ra, td2);
	td2 = td, td2.sRGB = 1;
	tex("srgb float", ra, td2);
	td2 = td, td2.normalizedCoords = 1;
	tex("linear memory normalized", rl, td2);
	td2.maxAnisotropy = 99;
	tex("aniso 99", ra, td2);
	cudaResourceDesc r = rl;
	r.res.linear.devPtr = (char *)dev + 4;
	tex("linear +4", r, td);
	r.res.linear.devPtr = (char *)dev + 256;
	tex("linear +256, too long", r, td);
	r.res.linear.devPtr = (char *)dev + 512, r.res.linear.sizeInBytes = 100;
	tex("linear +512", r, td);
	r.res.linear.devPtr = (char *)dev + 32;
	tex("linear +32", r, td);
	r.res.linear.sizeInBytes = 0;
	tex("linear 0 bytes", r, td);
	r = rl, r.res.linear.sizeInBytes = 1ull << 33;
	tex("linear 8 GiB", r, td);
	r = rl, r.res.linear.devPtr = NULL;
	tex("linear NULL", r, td);
	r = rl, r.res.linear.devPtr = host;
	tex("linear host", r, td);
	r = rl, r.res.linear.desc = cudaCreateChannelDesc(32, 32, 32, 0, F);
	tex("linear x3", r, td);
	r = rp, r.res.pitch2D.pitchInBytes = 64;
	tex("pitch 64", r, td);
	r.res.pitch2D.pitchInBytes = 60;
	tex("pitch 60", r, td);
	r.res.pitch2D.pitchInBytes = 80;
	tex("pitch 80", r, td);
	r.res.pitch2D.pitchInBytes = 32;
	tex("pitch 32", r, td);
	r.res.pitch2D.pitchInBytes = 96;
	tex("pitch 96", r, td);
	r = rp, r.res.pitch2D.height = 0;
	tex("pitch height 0", r, td);
	r = rp, r.res.pitch2D.devPtr = (char *)dev + 16;
	tex("pitch +16", r, td);
	r = rp, r.res.pitch2D.height = 1000;
	tex("pitch too long", r, td);
	cudaResourceViewDesc v = {};
	v.format = cudaResViewFormatFloat1, v.width = 10, v.height = 6;
	tex("view float1", ra, td, &v);
	v.format = cudaResViewFormatUnsignedInt1;
	tex("view uint1", ra, td, &v);
	v.format = cudaResViewFormatUnsignedChar4;
	tex("view uchar4", ra, td, &v);
	v.format = cudaResViewFormatFloat2;
	tex("view float2", ra, td, &v);
	tex("view linear", rl, td, &v);
	SHOW(cudaCreateTextureObject(NULL, &ra, &td, NULL));
	SHOW(cudaCreateTextureObject(&t, NULL, &td, NULL));
	SHOW(cudaCreateTextureObject(&t, &ra, NULL, NULL));
	SHOW(cudaCreateTextureObject(&t, &rl, NULL, NULL));
	SHOW(cudaDestroyTextureObject(t));
	SHOW(cudaDestroyTextureObject(0));
	SHOW(cudaDestroyTextureObject(12345));
	SHOW(cudaDestroySurfaceObject(0));
	SHOW(cudaDestroySurfaceObject(12345));
	td2 = td, td2.borderColor[2] = 3, td2.addressMode[1] = cudaAddressModeBorder, td2.filterMode = cudaFilterModeLinear;
	SHOW(cudaCreateTextureObject(&t, &ra, &td2, NULL));
	cudaResourceDesc gr;
	cudaTextureDesc gt;
	SHOW(cudaGetTextureObjectResourceDesc(&gr, t));
	say("%d %d\n", gr.resType, gr.res.array.array == a);
	SHOW(cudaGetTextureObjectTextureDesc(&gt, t));
	say("%d %d %d %d %d %d %d %g\n", gt.addressMode[0], gt.addressMode[1], gt.addressMode[2], gt.filterMode, gt.readMode, gt.sRGB, gt.normalizedCoords, gt.maxMipmapLevelClamp);
	SHOW(cudaGetTextureObjectResourceViewDesc(&v, t));
	SHOW(cudaGetTextureObjectResourceDesc(&gr, 12345));
	SHOW(cudaDestroyTextureObject(t));
	SHOW(cudaGetTextureObjectResourceDesc(&gr, t));
	SHOW(cudaDestroyTextureObject(t));
	cudaSurfaceObject_t s;
	SHOW(cudaCreateSurfaceObject(&s, &ra));
	SHOW(cudaCreateSurfaceObject(&s, &rl));
	SHOW(cudaCreateSurfaceObject(NULL, &ra));
	size_t width;
	SHOW(cudaDeviceGetTexture1DLinearMaxWidth(&width, &df, 0));
	say("%zu\n", width);
	SHOW(cudaDeviceGetTexture1DLinearMaxWidth(&width, &du4, 0));
	say("%zu\n", width);
	cudaArrayMemoryRequirements mr;
	SHOW(cudaArrayGetMemoryRequirements(&mr, a, 0));
	cudaArraySparseProperties sp;
	SHOW(cudaArrayGetSparseProperties(&sp, a));
	cudaArray_t plane;
	SHOW(cudaArrayGetPlane(&plane, a, 0));
	SHOW(cudaFreeArray(a));
	SHOW(cudaFreeArray(a));
	return 0;
}

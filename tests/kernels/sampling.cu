/* SPDX-License-Identifier: Apache-2.0 */
/* sampling.cu - texture fetches of every kind, as bits. Each case is one texture object and one
 * list of coordinates; with a file as its argument the program writes all answers there (16 bytes
 * a sample, cases one after the other), and prints a hash for each case. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <vector>
#include <string>
#include <cuda_runtime.h>

enum op { FETCH, T1, T2, T3, L1, L2, CUBE, CUBEL, LOD1, LOD2, LOD3, LODL1, LODL2, LODCUBE, LODCUBEL,
	GRAD1, GRAD2, GRAD3, GRADL1, GRADL2, GRADCUBE, GRADCUBEL, G0, G1, G2, G3 };
enum source { LINEAR, PITCH, ARRAY, MIP };
enum rtype { F, I, U };

struct coord { float x, y, z, lod, dx[3], dy[3]; int layer; };

template <class T> __device__ T fetch(int op, cudaTextureObject_t t, const coord &c)
{
	switch (op) {
	case FETCH: return tex1Dfetch<T>(t, (int)c.x);
	case T1: return tex1D<T>(t, c.x);
	case T2: return tex2D<T>(t, c.x, c.y);
	case T3: return tex3D<T>(t, c.x, c.y, c.z);
	case L1: return tex1DLayered<T>(t, c.x, c.layer);
	case L2: return tex2DLayered<T>(t, c.x, c.y, c.layer);
	case CUBE: return texCubemap<T>(t, c.x, c.y, c.z);
	case CUBEL: return texCubemapLayered<T>(t, c.x, c.y, c.z, c.layer);
	case LOD1: return tex1DLod<T>(t, c.x, c.lod);
	case LOD2: return tex2DLod<T>(t, c.x, c.y, c.lod);
	case LOD3: return tex3DLod<T>(t, c.x, c.y, c.z, c.lod);
	case LODL1: return tex1DLayeredLod<T>(t, c.x, c.layer, c.lod);
	case LODL2: return tex2DLayeredLod<T>(t, c.x, c.y, c.layer, c.lod);
	case LODCUBE: return texCubemapLod<T>(t, c.x, c.y, c.z, c.lod);
	case LODCUBEL: return texCubemapLayeredLod<T>(t, c.x, c.y, c.z, c.layer, c.lod);
	case GRAD1: return tex1DGrad<T>(t, c.x, c.dx[0], c.dy[0]);
	case GRAD2: return tex2DGrad<T>(t, c.x, c.y, make_float2(c.dx[0], c.dx[1]), make_float2(c.dy[0], c.dy[1]));
	case GRAD3: return tex3DGrad<T>(t, c.x, c.y, c.z, make_float4(c.dx[0], c.dx[1], c.dx[2], 0), make_float4(c.dy[0], c.dy[1], c.dy[2], 0));
	case GRADL1: return tex1DLayeredGrad<T>(t, c.x, c.layer, c.dx[0], c.dy[0]);
	case GRADL2: return tex2DLayeredGrad<T>(t, c.x, c.y, c.layer, make_float2(c.dx[0], c.dx[1]), make_float2(c.dy[0], c.dy[1]));
	case GRADCUBE: return texCubemapGrad<T>(t, c.x, c.y, c.z, make_float4(c.dx[0], c.dx[1], c.dx[2], 0), make_float4(c.dy[0], c.dy[1], c.dy[2], 0));
	case GRADCUBEL: return texCubemapLayeredGrad<T>(t, c.x, c.y, c.z, c.layer, make_float4(c.dx[0], c.dx[1], c.dx[2], 0), make_float4(c.dy[0], c.dy[1], c.dy[2], 0));
	case G0: return tex2Dgather<T>(t, c.x, c.y, 0);
	case G1: return tex2Dgather<T>(t, c.x, c.y, 1);
	case G2: return tex2Dgather<T>(t, c.x, c.y, 2);
	default: return tex2Dgather<T>(t, c.x, c.y, 3);
	}
}

template <class T> __global__ void sample(int op, cudaTextureObject_t t, const coord *c, T *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = fetch<T>(op, t, c[i]);
}

#define CHECK(x) do { cudaError_t e_ = (x); if (e_) { printf("%s: %s: %s\n", name, #x, cudaGetErrorName(e_)); cudaGetLastError(); return; } } while (0)

struct params {
	source src = ARRAY;
	int op = T2;
	int w = 8, h = 8, d = 0; /* as in cudaExtent */
	unsigned flags = 0;
	int bits[4] = {32, 0, 0, 0};
	cudaChannelFormatKind kind = cudaChannelFormatKindFloat;
	bool norm_read = false, norm_coords = false, linear = false, srgb = false;
	cudaTextureAddressMode mode = cudaAddressModeClamp;
	bool mip_linear = false;
	float bias = 0, min_lod = 0, max_lod = 99;
	float border[4] = {0, 0, 0, 0};
	int levels = 1;
	int data = 0;   /* 0 random, 1 one texel in eight is 1, the rest 0; 2: all values in turn; 3 wide exponents */
	int coords = 0; /* 0 mixed, 1 fine steps, 2 special values only */
	int aniso = 0;
};

static uint32_t state;
static uint32_t rnd() { state = state * 1664525u + 1013904223u; return state ^ state >> 15; }
static float unit() { return (rnd() >> 8) * (1.0f / 16777216); }

static void fill(unsigned char *p, size_t texels, const params &q)
{
	int n = 0;
	for (int b : q.bits) n += b != 0;
	for (size_t i = 0; i < texels; i++)
		for (int c = 0; c < n; c++) {
			uint32_t r = rnd();
			if (q.bits[0] == 32) {
				float f = unit() * 2 - 1;
				if (q.data == 1) f = i % 8 == 3;
				if (q.data == 3) f = ldexpf(f, (int)(r >> 8) % 60 - 30);
				if (q.kind == cudaChannelFormatKindFloat) memcpy(p, &f, 4);
				else memcpy(p, &r, 4);
				p += 4;
			} else if (q.bits[0] == 16) {
				uint16_t v = q.kind == cudaChannelFormatKindFloat ? (r >> 8 & 0x83ff) | (12 + (r >> 28) % 5) << 10 : r >> 8;
				if (q.data == 1) v = (i % 8 == 3) * (q.kind == cudaChannelFormatKindFloat ? 0x3c00 : q.kind == cudaChannelFormatKindSigned ? 0x7fff : 0xffff);
				if (q.data == 2) v = i * n + c;
				memcpy(p, &v, 2);
				p += 2;
			} else {
				*p = r >> 8;
				if (q.data == 1) *p = (i % 8 == 3) * (q.kind == cudaChannelFormatKindSigned ? 127 : 255);
				if (q.data == 2) *p = i * n + c;
				p++;
			}
		}
}

static const float special[] = {0, -0.0f, 0.5f, 1, -1, -0.5f, 1.5f, 0.25f, 0.75f, 2, 3.5f, -1e-9f, 1e-40f, 0.99999994f, 7.9999995f,
	8, 7.5f, 8.5f, 1e6f, -1e6f, 1e9f, -1e9f, 4e9f, 1e20f, -1e20f, 3e38f, INFINITY, -INFINITY, NAN, 2147483648.0f, 16777216.0f, -3.25f,
	0.501953125f, 0.5009765625f, 0.5029296875f, 100.125f, -100.125f, 65536.5f, 8388607.5f, -8388607.5f};

static std::vector<coord> make_coords(const params &q)
{
	std::vector<coord> all;
	bool cube = q.op == CUBE || q.op == CUBEL || q.op == LODCUBE || q.op == LODCUBEL || q.op == GRADCUBE || q.op == GRADCUBEL;
	int height = q.h ? q.h : 1, depth = q.d ? q.d : 1;
	float sx = q.norm_coords && !cube ? 1 : q.w, sy = q.norm_coords && !cube ? 1 : height, sz = q.norm_coords && !cube ? 1 : depth;
	if (cube) sx = sy = sz = 1;
	int n_special = sizeof special / sizeof special[0];
	auto add = [&](float x, float y, float z) {
		coord c = {};
		c.x = x, c.y = y, c.z = z;
		c.lod = unit() * (q.levels + 3) - 1.5f;
		for (int i = 0; i < 3; i++) {
			float s = ldexpf(1, (int)(unit() * (q.levels + 2)) - 1);
			float n = q.norm_coords && !cube ? (i == 0 ? q.w : i == 1 ? height : depth) : q.w;
			c.dx[i] = (unit() * 2 - 1) * s / n;
			c.dy[i] = (unit() * 2 - 1) * s / n;
		}
		c.layer = (int)(rnd() >> 8) % 9 - 2;
		all.push_back(c);
	};
	/* The order of evaluation is to be the same with every compiler. */
	auto wide = [&] {
		uint32_t exponent = rnd() >> 28;
		return ldexpf(unit() * 2 - 1, exponent);
	};
	if (q.coords == 1) {
		for (int i = 0; i < 8192; i++)
			add((i / 4096.0f + 2.0f) * (sx / q.w), 2.5f * (sy / height), 2.5f * (sz / depth));
		return all;
	}
	for (int i = 0; i < n_special; i++) {
		add(special[i] * (cube ? 1 : sx / q.w), 1.5f * sy / height, 1.5f * sz / depth);
		add(1.5f * sx / q.w, special[i] * (cube ? 1 : sy / height), 1.5f * sz / depth);
		add(1.5f * sx / q.w, 1.5f * sy / height, special[i] * (cube ? 1 : sz / depth));
		add(special[i], special[i], special[i]);
		add(special[i], special[(i * 7 + 3) % n_special], special[(i * 11 + 5) % n_special]);
	}
	if (q.coords == 2) return all;
	for (int i = 0; i < 1024; i++)
		if (cube) {
			float z = unit() * 2 - 1, y = unit() * 2 - 1, x = unit() * 2 - 1;
			add(x, y, z);
		} else {
			float z = unit() * sz, y = unit() * sy, x = unit() * sx;
			add(x, y, z);
		}
	for (int i = 0; i < 1024; i++)
		if (cube) {
			float z = wide(), y = wide(), x = wide();
			add(x, y, z);
		} else {
			float z = (unit() * 5 - 2) * sz, y = (unit() * 5 - 2) * sy, x = (unit() * 5 - 2) * sx;
			add(x, y, z);
		}
	return all;
}

static FILE *dump;
static int number;

static void run(const char *name, const params &q, rtype want)
{
	state = 12345 + 77 * number++;
	int n_channels = 0;
	for (int b : q.bits) n_channels += b != 0;
	size_t texel = n_channels * q.bits[0] / 8;
	cudaChannelFormatDesc desc = cudaCreateChannelDesc(q.bits[0], q.bits[1], q.bits[2], q.bits[3], q.kind);
	cudaResourceDesc r = {};
	cudaTextureDesc t = {};
	size_t h = q.h ? q.h : 1, d = q.d ? q.d : 1;
	void *memory = NULL;
	cudaArray_t array = NULL;
	cudaMipmappedArray_t mip = NULL;
	if (q.src == LINEAR) {
		std::vector<unsigned char> host(q.w * texel);
		fill(host.data(), q.w, q);
		CHECK(cudaMalloc(&memory, q.w * texel));
		CHECK(cudaMemcpy(memory, host.data(), q.w * texel, cudaMemcpyDefault));
		r.resType = cudaResourceTypeLinear;
		r.res.linear.devPtr = memory;
		r.res.linear.desc = desc;
		r.res.linear.sizeInBytes = q.w * texel;
	} else if (q.src == PITCH) {
		size_t pitch;
		std::vector<unsigned char> host(q.w * h * texel);
		fill(host.data(), q.w * h, q);
		CHECK(cudaMallocPitch(&memory, &pitch, q.w * texel, h));
		CHECK(cudaMemcpy2D(memory, pitch, host.data(), q.w * texel, q.w * texel, h, cudaMemcpyDefault));
		r.resType = cudaResourceTypePitch2D;
		r.res.pitch2D.devPtr = memory;
		r.res.pitch2D.desc = desc;
		r.res.pitch2D.width = q.w;
		r.res.pitch2D.height = h;
		r.res.pitch2D.pitchInBytes = pitch;
	} else {
		cudaExtent e = make_cudaExtent(q.w, q.h, q.d);
		if (q.src == MIP) CHECK(cudaMallocMipmappedArray(&mip, &desc, e, q.levels, q.flags));
		else CHECK(cudaMalloc3DArray(&array, &desc, e, q.flags));
		for (int l = 0; l < q.levels; l++) {
			size_t lw = q.w >> l ? q.w >> l : 1, lh = h >> l ? h >> l : 1;
			size_t ld = (q.flags & (cudaArrayLayered | cudaArrayCubemap)) ? d : d >> l ? d >> l : 1;
			std::vector<unsigned char> host(lw * lh * ld * texel);
			fill(host.data(), lw * lh * ld, q);
			cudaArray_t to = array;
			if (mip) CHECK(cudaGetMipmappedArrayLevel(&to, mip, l));
			cudaMemcpy3DParms p = {};
			p.srcPtr = make_cudaPitchedPtr(host.data(), lw * texel, lw, lh);
			p.dstArray = to;
			p.extent = make_cudaExtent(lw, lh, ld);
			p.kind = cudaMemcpyHostToDevice;
			CHECK(cudaMemcpy3D(&p));
		}
		if (mip) r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = mip;
		else r.resType = cudaResourceTypeArray, r.res.array.array = array;
	}
	t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = q.mode;
	t.filterMode = q.linear ? cudaFilterModeLinear : cudaFilterModePoint;
	t.readMode = q.norm_read ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
	t.sRGB = q.srgb;
	memcpy(t.borderColor, q.border, sizeof q.border);
	t.normalizedCoords = q.norm_coords;
	t.mipmapFilterMode = q.mip_linear ? cudaFilterModeLinear : cudaFilterModePoint;
	t.mipmapLevelBias = q.bias;
	t.minMipmapLevelClamp = q.min_lod;
	t.maxMipmapLevelClamp = q.max_lod;
	t.maxAnisotropy = q.aniso;
	cudaTextureObject_t o;
	CHECK(cudaCreateTextureObject(&o, &r, &t, NULL));
	std::vector<coord> c = make_coords(q);
	int n = c.size();
	coord *dc;
	uint4 *out;
	CHECK(cudaMalloc(&dc, n * sizeof *dc));
	CHECK(cudaMalloc(&out, n * sizeof *out));
	CHECK(cudaMemcpy(dc, c.data(), n * sizeof *dc, cudaMemcpyDefault));
	if (want == F) sample<float4><<<(n + 127) / 128, 128>>>(q.op, o, dc, (float4 *)out, n);
	else if (want == I) sample<int4><<<(n + 127) / 128, 128>>>(q.op, o, dc, (int4 *)out, n);
	else sample<uint4><<<(n + 127) / 128, 128>>>(q.op, o, dc, out, n);
	CHECK(cudaDeviceSynchronize());
	std::vector<uint32_t> bits(4 * n);
	CHECK(cudaMemcpy(bits.data(), out, 16 * n, cudaMemcpyDefault));
	uint32_t hash = 2166136261u;
	for (uint32_t b : bits)
		for (int k = 0; k < 4; k++) hash = (hash ^ (b >> 8 * k & 255)) * 16777619u;
	printf("%s: %d %08x\n", name, n, hash);
	if (dump) fwrite(bits.data(), 16, n, dump);
	CHECK(cudaDestroyTextureObject(o));
	CHECK(cudaFree(dc));
	CHECK(cudaFree(out));
	CHECK(cudaFree(memory));
	if (array) CHECK(cudaFreeArray(array));
	if (mip) CHECK(cudaFreeMipmappedArray(mip));
}

static const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder};
static const char *const mode_names[] = {"wrap", "clamp", "mirror", "border"};

static void with_modes(std::string name, params q, rtype want = F)
{
	for (int m = 0; m < 4; m++) {
		if (!q.norm_coords && (m == 0 || m == 2)) continue;
		q.mode = modes[m];
		if (m == 3) q.border[0] = 0.3f, q.border[1] = -2, q.border[2] = 5, q.border[3] = 0.7f;
		run((name + " " + mode_names[m]).c_str(), q, want);
	}
}

static void with_coords(std::string name, params q, rtype want = F)
{
	with_modes(name, q, want);
	q.norm_coords = true;
	with_modes(name + " normalized", q, want);
}

struct format { const char *name; int bits, n; cudaChannelFormatKind kind; };
static const format formats[] = {
	{"u8", 8, 1, cudaChannelFormatKindUnsigned}, {"s8", 8, 1, cudaChannelFormatKindSigned},
	{"u8x2", 8, 2, cudaChannelFormatKindUnsigned}, {"u8x4", 8, 4, cudaChannelFormatKindUnsigned}, {"s8x4", 8, 4, cudaChannelFormatKindSigned},
	{"u16", 16, 1, cudaChannelFormatKindUnsigned}, {"s16", 16, 1, cudaChannelFormatKindSigned}, {"u16x2", 16, 2, cudaChannelFormatKindUnsigned},
	{"u16x4", 16, 4, cudaChannelFormatKindUnsigned}, {"s16x4", 16, 4, cudaChannelFormatKindSigned},
	{"f16", 16, 1, cudaChannelFormatKindFloat}, {"f16x2", 16, 2, cudaChannelFormatKindFloat}, {"f16x4", 16, 4, cudaChannelFormatKindFloat},
	{"u32", 32, 1, cudaChannelFormatKindUnsigned}, {"s32", 32, 1, cudaChannelFormatKindSigned}, {"u32x2", 32, 2, cudaChannelFormatKindUnsigned},
	{"s32x4", 32, 4, cudaChannelFormatKindSigned}, {"f32", 32, 1, cudaChannelFormatKindFloat}, {"f32x2", 32, 2, cudaChannelFormatKindFloat},
	{"f32x4", 32, 4, cudaChannelFormatKindFloat}};

static params of(const format &f)
{
	params q;
	for (int i = 0; i < 4; i++) q.bits[i] = i < f.n ? f.bits : 0;
	q.kind = f.kind;
	return q;
}

int main(int argc, char **argv)
{
	if (argc > 1) dump = fopen(argv[1], "wb");
	params q;
	std::string s;
	/* Weights: one texel in eight is 1. */
	for (int w : {8, 13, 16, 100})
		for (int norm = 0; norm < 2; norm++)
			for (int op : {(int)T1, (int)T2, (int)T3}) {
				q = params();
				q.w = w, q.op = op, q.h = op == T1 ? 0 : w, q.d = op == T3 ? w : 0;
				q.norm_coords = norm, q.linear = true, q.data = 1, q.coords = 1;
				run(("steps f32 " + std::to_string(op) + "D " + std::to_string(w) + (norm ? " normalized" : "")).c_str(), q, F);
			}
	for (const format &f : formats) {
		if (f.n != 1 || f.bits == 32) continue;
		q = of(f);
		q.op = T1, q.h = 0, q.linear = true, q.data = 1, q.coords = 1;
		q.norm_read = f.kind != cudaChannelFormatKindFloat;
		run((std::string("steps ") + f.name).c_str(), q, F);
	}
	/* Point and linear sampling, dimensions, sizes, modes. */
	for (int linear = 0; linear < 2; linear++)
		for (int op : {(int)T1, (int)T2, (int)T3, (int)L1, (int)L2})
			for (int w : {8, 13, 1}) {
				q = params();
				q.op = op, q.linear = linear, q.w = w;
				q.h = op == T1 || op == L1 ? 0 : w == 13 ? 7 : w;
				q.d = op == T3 ? (w == 13 ? 5 : w) : op == L1 || op == L2 ? 4 : 0;
				q.flags = op == L1 || op == L2 ? cudaArrayLayered : 0;
				with_coords(std::string(linear ? "linear" : "point") + " op" + std::to_string(op) + " w" + std::to_string(w), q);
			}
	/* Formats. */
	for (const format &f : formats) {
		rtype own = f.kind == cudaChannelFormatKindFloat ? F : f.kind == cudaChannelFormatKindSigned ? I : U;
		q = of(f);
		s = std::string("format ") + f.name;
		q.norm_coords = true;
		with_modes(s + " element", q, own);
		q.norm_coords = false;
		q.src = PITCH;
		run((s + " pitch").c_str(), q, own);
		q.src = LINEAR, q.op = FETCH, q.w = 50;
		run((s + " fetch").c_str(), q, own);
		if (own != F && f.bits < 32) {
			q = of(f);
			q.norm_read = true, q.w = 65536 / (f.bits == 8 ? 256 : 1) / f.n, q.h = 0, q.op = FETCH, q.src = LINEAR, q.data = 2;
			run((s + " fetch norm").c_str(), q, F);
			q.src = ARRAY, q.w = 8, q.h = 8, q.op = T2, q.data = 0;
			with_coords(s + " norm point", q);
		}
		if (f.bits < 32 || own == F) {
			q = of(f);
			q.norm_read = own != F, q.linear = true;
			with_coords(s + " linear 2D", q);
			q.op = T1, q.h = 0;
			with_modes(s + " linear 1D", q);
			q.op = T3, q.h = q.d = 8;
			with_modes(s + " linear 3D", q);
			q.op = T2, q.h = 8, q.d = 0, q.src = PITCH;
			run((s + " linear pitch").c_str(), q, F);
		}
	}
	/* All values of narrow formats. */
	for (int k = 0; k < 6; k++) {
		q = of(formats[(int[]){0, 1, 5, 6, 10, 3}[k]]);
		q.norm_read = k != 4, q.w = k == 5 ? 64 : k < 2 ? 256 : 65536, q.h = 0, q.op = T1, q.data = 2, q.coords = 0;
		q.srgb = k == 5;
		run((std::string("all ") + formats[(int[]){0, 1, 5, 6, 10, 3}[k]].name + (k == 5 ? " srgb" : "")).c_str(), q, F);
	}
	q = of(formats[3]);
	q.norm_read = q.srgb = true;
	with_modes("srgb point", q);
	q.linear = true;
	with_coords("srgb linear", q);
	/* Wide exponents. */
	for (int op : {(int)T1, (int)T2, (int)T3}) {
		q = params();
		q.op = op, q.h = op == T1 ? 0 : 8, q.d = op == T3 ? 8 : 0, q.linear = true, q.data = 3;
		run(("exponents op" + std::to_string(op)).c_str(), q, F);
	}
	/* Gather. */
	for (int c = 0; c < 4; c++) {
		q = of(formats[19]);
		q.op = G0 + c, q.flags = cudaArrayTextureGather, q.w = 8, q.h = 8;
		with_coords("gather f32x4 " + std::to_string(c), q);
	}
	for (const format &f : formats) {
		q = of(f);
		q.op = G0, q.flags = cudaArrayTextureGather, q.w = 13, q.h = 7;
		run((std::string("gather ") + f.name).c_str(), q, f.kind == cudaChannelFormatKindFloat ? F : f.kind == cudaChannelFormatKindSigned ? I : U);
	}
	/* Cubemaps. */
	for (int linear = 0; linear < 2; linear++)
		for (int w : {1, 4, 8, 13})
			for (int layered = 0; layered < 2; layered++) {
				q = params();
				q.op = layered ? CUBEL : CUBE, q.w = q.h = w, q.d = layered ? 18 : 6, q.linear = linear, q.norm_coords = true;
				q.flags = cudaArrayCubemap | (layered ? cudaArrayLayered : 0);
				run((std::string(linear ? "linear" : "point") + " cube" + (layered ? "layered " : " ") + std::to_string(w)).c_str(), q, F);
			}
	/* Mipmaps. */
	for (int linear = 0; linear < 2; linear++)
		for (int mip = 0; mip < 2; mip++)
			for (int op = LOD1; op <= GRADCUBEL; op++) {
				q = params();
				bool cube = op == LODCUBE || op == LODCUBEL || op == GRADCUBE || op == GRADCUBEL;
				bool layered = op == LODL1 || op == LODL2 || op == GRADL1 || op == GRADL2;
				bool one = op == LOD1 || op == GRAD1 || op == LODL1 || op == GRADL1;
				q.src = MIP, q.op = op, q.w = 16, q.h = one ? 0 : 16, q.levels = 5;
				q.d = op == LOD3 || op == GRAD3 ? 16 : op == LODCUBE || op == GRADCUBE ? 6 : cube ? 18 : layered ? 4 : 0;
				q.flags = (cube ? cudaArrayCubemap : 0) | (layered || op == LODCUBEL || op == GRADCUBEL ? cudaArrayLayered : 0);
				q.linear = linear, q.mip_linear = mip, q.norm_coords = true;
				s = std::string("mip ") + (linear ? "linear" : "point") + (mip ? " linear" : " point") + " op" + std::to_string(op);
				run(s.c_str(), q, F);
				if (op == LOD2 || op == GRAD2) {
					q.w = 13, q.h = 21;
					run((s + " 13x21").c_str(), q, F);
					q.bias = 0.7f, q.min_lod = 0.4f, q.max_lod = 2.3f;
					run((s + " clamped").c_str(), q, F);
					q.aniso = 4;
					run((s + " anisotropic").c_str(), q, F);
				}
			}
	for (int op : {(int)T1, (int)T2, (int)T3}) {
		q = params();
		q.src = MIP, q.op = op, q.w = 16, q.h = op == T1 ? 0 : 16, q.d = op == T3 ? 16 : 0, q.levels = 3, q.linear = q.mip_linear = q.norm_coords = true, q.bias = 0.7f;
		run(("mip plain op" + std::to_string(op)).c_str(), q, F);
	}
	/* Levels of detail, finely: level k is all k. */
	if (dump) fclose(dump);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_texture.h - __nv_tex_surf_handler for the simulator.
 *
 * The name in the first argument is hashed to a type, for each of which a handler
 * below says what the other arguments are: one line a function of the toolkit. The
 * device compiler adds the place in the source to the two calls of the runtime
 * (cudasim/abi.h, __cudasim_texture and __cudasim_surface). */
#ifndef CUDASIM_COMPAT_TEXTURE_H
#define CUDASIM_COMPAT_TEXTURE_H

#include <cudasim/texture.h>

extern "C" __device__ void cudasim_texture_call(unsigned op, unsigned long long object,
						const struct cudasim_fetch *how, void *ret);
extern "C" __device__ void cudasim_surface_call(unsigned op, unsigned long long object,
						const struct cudasim_surface_place *where,
						void *value);

#define __nv_tex_surf_handler(name, value, object, ...)                                \
	::cudasim_texture::handler<::cudasim_texture::hash(name)>::run(value, object,  \
								       __VA_ARGS__)

namespace cudasim_texture {

#define CUDASIM_TEXTURE static __device__ __inline__ __attribute__((always_inline))

/* FNV-1a; two names with one hash would not compile. */
constexpr unsigned hash(const char *name, unsigned h = 2166136261u)
{
	/* C++11 has no loops here. */
	return *name ? hash(name + 1, (h ^ (unsigned char)*name) * 16777619u) : h;
}

/* The channels of T: as many as it has members, each the low bits of a register. */
template <class __T> struct channels {
	using base = decltype(__T::x);
	static constexpr int n = sizeof(__T) / sizeof(base);
};
#define CUDASIM_SCALAR(__T)                                                              \
	template <> struct channels<__T> {                                               \
		using base = __T;                                                        \
		static constexpr int n = 1;                                            \
	};
CUDASIM_SCALAR(char)
CUDASIM_SCALAR(signed char)
CUDASIM_SCALAR(unsigned char)
CUDASIM_SCALAR(short)
CUDASIM_SCALAR(unsigned short)
CUDASIM_SCALAR(int)
CUDASIM_SCALAR(unsigned)
CUDASIM_SCALAR(float)
#undef CUDASIM_SCALAR

template <class __B> CUDASIM_TEXTURE void convert(unsigned bits, __B *to)
{
	*to = (__B)bits;
}
CUDASIM_TEXTURE void convert(unsigned bits, float *to)
{
	*to = __builtin_bit_cast(float, bits);
}

template <class __T>
CUDASIM_TEXTURE void fetch(unsigned op, __T *value, unsigned long long object,
			   const cudasim_fetch &how)
{
	using __B = typename channels<__T>::base;
	unsigned bits[4];
	cudasim_texture_call(op, object, &how, bits);
	for (int i = 0; i < channels<__T>::n; i++)
		convert(bits[i], reinterpret_cast<__B *>(value) + i);
}

template <unsigned NAME> struct handler;

/* NAME(value, object, arguments): op, and what the fields of `how` are. Sparse arrays
 * are not simulated, so every texel is resident. */
#define CUDASIM_FETCH(NAME, OP, PARAMETERS, ...)                                       \
	template <> struct handler<hash(NAME)> {                                       \
		template <class __T>                                                     \
		CUDASIM_TEXTURE void run(__T *value, unsigned long long object,          \
					 CUDASIM_STRIP PARAMETERS)                     \
		{                                                                      \
			cudasim_fetch how = {};                                        \
			__VA_ARGS__;                                                   \
			fetch(OP, value, object, how);                                 \
		}                                                                      \
	};
#define CUDASIM_STRIP(...) __VA_ARGS__

enum {
	LAYERED = CUDASIM_FETCH_LAYERED,
	LOD = CUDASIM_FETCH_LOD,
	GRADIENT = CUDASIM_FETCH_GRADIENT,
	D1 = CUDASIM_FETCH_1D,
	D2 = CUDASIM_FETCH_2D,
	D3 = CUDASIM_FETCH_3D,
	CUBE = CUDASIM_FETCH_CUBE
};

#define __X how.x = x
#define XY how.x = x, how.y = y
#define XYZ how.x = x, how.y = y, how.z = z
#define LAYER how.layer = layer
#define LEVEL how.lod = level
#define GRADIENT1 how.dx[0] = dx, how.dy[0] = dy
#define GRADIENT2 how.dx[0] = dx->x, how.dx[1] = dx->y, how.dy[0] = dy->x, how.dy[1] = dy->y
#define GRADIENT3 GRADIENT2, how.dx[2] = dx->z, how.dy[2] = dy->z
#define RESIDENT *resident = 1

CUDASIM_FETCH("__itex1Dfetch", CUDASIM_FETCH_INDEX, (int x), how.index = x)
CUDASIM_FETCH("__itex1D", D1, (float x), __X)
CUDASIM_FETCH("__itex1DLod", D1 | LOD, (float x, float level), __X, LEVEL)
CUDASIM_FETCH("__itex1DGrad", D1 | GRADIENT, (float x, float dx, float dy), __X, GRADIENT1)
CUDASIM_FETCH("__itex1DLayered", D1 | LAYERED, (float x, int layer), __X, LAYER)
CUDASIM_FETCH("__itex1DLayeredLod", D1 | LAYERED | LOD, (float x, int layer, float level), __X,
	      LAYER, LEVEL)
CUDASIM_FETCH("__itex1DLayeredGrad", D1 | LAYERED | GRADIENT,
	      (float x, int layer, float dx, float dy), __X, LAYER, GRADIENT1)

CUDASIM_FETCH("__itex2D", D2, (float x, float y), XY)
CUDASIM_FETCH("__itex2D_sparse", D2, (float x, float y, unsigned char *resident), XY, RESIDENT)
CUDASIM_FETCH("__itex2DLod", D2 | LOD, (float x, float y, float level), XY, LEVEL)
CUDASIM_FETCH("__itex2DLod_sparse", D2 | LOD,
	      (float x, float y, float level, unsigned char *resident), XY, LEVEL, RESIDENT)
CUDASIM_FETCH("__itex2DGrad_v2", D2 | GRADIENT,
	      (float x, float y, const float2 *dx, const float2 *dy), XY, GRADIENT2)
CUDASIM_FETCH("__itex2DGrad_sparse", D2 | GRADIENT,
	      (float x, float y, const float2 *dx, const float2 *dy, unsigned char *resident), XY,
	      GRADIENT2, RESIDENT)
CUDASIM_FETCH("__itex2DLayered", D2 | LAYERED, (float x, float y, int layer), XY, LAYER)
CUDASIM_FETCH("__itex2DLayered_sparse", D2 | LAYERED,
	      (float x, float y, int layer, unsigned char *resident), XY, LAYER, RESIDENT)
CUDASIM_FETCH("__itex2DLayeredLod", D2 | LAYERED | LOD, (float x, float y, int layer, float level),
	      XY, LAYER, LEVEL)
CUDASIM_FETCH("__itex2DLayeredLod_sparse", D2 | LAYERED | LOD,
	      (float x, float y, int layer, float level, unsigned char *resident), XY, LAYER, LEVEL,
	      RESIDENT)
CUDASIM_FETCH("__itex2DLayeredGrad_v2", D2 | LAYERED | GRADIENT,
	      (float x, float y, int layer, const float2 *dx, const float2 *dy), XY, LAYER,
	      GRADIENT2)
CUDASIM_FETCH("__itex2DLayeredGrad_sparse", D2 | LAYERED | GRADIENT,
	      (float x, float y, int layer, const float2 *dx, const float2 *dy,
	       unsigned char *resident), XY, LAYER, GRADIENT2, RESIDENT)
CUDASIM_FETCH("__itex2Dgather", D2 | CUDASIM_FETCH_GATHER, (float x, float y, int component), XY,
	      how.component = component)
CUDASIM_FETCH("__itex2Dgather_sparse", D2 | CUDASIM_FETCH_GATHER,
	      (float x, float y, int component, unsigned char *resident), XY,
	      how.component = component, RESIDENT)

CUDASIM_FETCH("__itex3D", D3, (float x, float y, float z), XYZ)
CUDASIM_FETCH("__itex3D_sparse", D3, (float x, float y, float z, unsigned char *resident), XYZ,
	      RESIDENT)
CUDASIM_FETCH("__itex3DLod", D3 | LOD, (float x, float y, float z, float level), XYZ, LEVEL)
CUDASIM_FETCH("__itex3DLod_sparse", D3 | LOD,
	      (float x, float y, float z, float level, unsigned char *resident), XYZ, LEVEL, RESIDENT)
CUDASIM_FETCH("__itex3DGrad_v2", D3 | GRADIENT,
	      (float x, float y, float z, const float4 *dx, const float4 *dy), XYZ, GRADIENT3)
CUDASIM_FETCH("__itex3DGrad_sparse", D3 | GRADIENT,
	      (float x, float y, float z, const float4 *dx, const float4 *dy,
	       unsigned char *resident), XYZ, GRADIENT3, RESIDENT)

CUDASIM_FETCH("__itexCubemap", CUBE, (float x, float y, float z), XYZ)
CUDASIM_FETCH("__itexCubemapLod", CUBE | LOD, (float x, float y, float z, float level), XYZ, LEVEL)
CUDASIM_FETCH("__itexCubemapGrad_v2", CUBE | GRADIENT,
	      (float x, float y, float z, const float4 *dx, const float4 *dy), XYZ, GRADIENT3)
CUDASIM_FETCH("__itexCubemapLayered", CUBE | LAYERED, (float x, float y, float z, int layer), XYZ,
	      LAYER)
CUDASIM_FETCH("__itexCubemapLayeredLod", CUBE | LAYERED | LOD,
	      (float x, float y, float z, int layer, float level), XYZ, LAYER, LEVEL)
CUDASIM_FETCH("__itexCubemapLayeredGrad_v2", CUBE | LAYERED | GRADIENT,
	      (float x, float y, float z, int layer, const float4 *dx, const float4 *dy), XYZ, LAYER,
	      GRADIENT3)

#undef __X
#undef XY
#undef XYZ
#undef LAYER
#undef LEVEL
#undef GRADIENT1
#undef GRADIENT2
#undef GRADIENT3
#undef RESIDENT

/* ---- surfaces -------------------------------------------------------------------- */

#define CUDASIM_SURFACE(NAME, OP, PARAMETERS, ...)                                     \
	template <> struct handler<hash(NAME)> {                                       \
		template <class __T>                                                     \
		CUDASIM_TEXTURE void run(__T *value, unsigned long long object,          \
					 CUDASIM_STRIP PARAMETERS,                     \
					 cudaSurfaceBoundaryMode mode)                 \
		{                                                                      \
			cudasim_surface_place where = {__VA_ARGS__};                   \
			cudasim_surface_call((OP) | mode << CUDASIM_SURFACE_MODE_SHIFT |        \
						     sizeof(__T) << CUDASIM_SURFACE_SIZE_SHIFT,   \
					     object, &where, value);                   \
		}                                                                      \
	};
/* Reads and writes alike. */
#define CUDASIM_SURFACES(NAME, OP, PARAMETERS, ...)                                    \
	CUDASIM_SURFACE("__isurf" NAME "read", OP, PARAMETERS, __VA_ARGS__)            \
	CUDASIM_SURFACE("__isurf" NAME "write_v2", (OP) | CUDASIM_SURFACE_WRITE, PARAMETERS,    \
			__VA_ARGS__)

CUDASIM_SURFACES("1D", D1, (int x), x)
CUDASIM_SURFACES("2D", D2, (int x, int y), x, y)
CUDASIM_SURFACES("3D", D3, (int x, int y, int z), x, y, z)
CUDASIM_SURFACES("1DLayered", D1 | LAYERED, (int x, int layer), x, 0, 0, layer)
CUDASIM_SURFACES("2DLayered", D2 | LAYERED, (int x, int y, int layer), x, y, 0, layer)
CUDASIM_SURFACES("Cubemap", CUBE, (int x, int y, int face), x, y, 0, face)
CUDASIM_SURFACES("CubemapLayered", CUBE | LAYERED, (int x, int y, int face), x, y, 0, face)

#undef CUDASIM_SURFACES
#undef CUDASIM_SURFACE
#undef CUDASIM_FETCH
#undef CUDASIM_STRIP
#undef CUDASIM_TEXTURE

} // namespace cudasim_texture

#endif

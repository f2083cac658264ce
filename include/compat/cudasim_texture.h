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

extern "C" __device__ void cudasim_texture_call(unsigned __op, unsigned long long __object,
						const struct cudasim_fetch *__how, void *__ret);
extern "C" __device__ void cudasim_surface_call(unsigned __op, unsigned long long __object,
						const struct cudasim_surface_place *__where,
						void *__value);

#define __nv_tex_surf_handler(__name, __value, __object, ...)                                \
	::cudasim_texture::__handler<::cudasim_texture::__hash(__name)>::__run(__value, __object,  \
								       __VA_ARGS__)

namespace cudasim_texture {

#define CUDASIM_TEXTURE static __device__ __inline__ __attribute__((always_inline))

/* FNV-1a; two names with one hash would not compile. */
constexpr unsigned __hash(const char *__name, unsigned __h = 2166136261u)
{
	/* C++11 has no loops here. */
	return *__name ? __hash(__name + 1, (__h ^ (unsigned char)*__name) * 16777619u) : __h;
}

/* The channels of T: as many as it has members, each the low bits of a register. */
template <class __T> struct __channels {
	using __base = decltype(__T::x);
	static constexpr int __n = sizeof(__T) / sizeof(__base);
};
#define CUDASIM_SCALAR(__T)                                                              \
	template <> struct __channels<__T> {                                               \
		using __base = __T;                                                        \
		static constexpr int __n = 1;                                            \
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

template <class __B> CUDASIM_TEXTURE void __convert(unsigned __bits, __B *__to)
{
	*__to = (__B)__bits;
}
CUDASIM_TEXTURE void __convert(unsigned __bits, float *__to)
{
	*__to = __builtin_bit_cast(float, __bits);
}

template <class __T>
CUDASIM_TEXTURE void __fetch(unsigned __op, __T *__value, unsigned long long __object,
			   const cudasim_fetch &__how)
{
	using __B = typename __channels<__T>::__base;
	unsigned __bits[4];
	cudasim_texture_call(__op, __object, &__how, __bits);
	for (int __i = 0; __i < __channels<__T>::__n; __i++)
		__convert(__bits[__i], reinterpret_cast<__B *>(__value) + __i);
}

template <unsigned __NAME> struct __handler;

/* NAME(value, object, arguments): op, and what the fields of `how` are. Sparse arrays
 * are not simulated, so every texel is resident. */
#define CUDASIM_FETCH(__NAME, __OP, __PARAMETERS, ...)                                       \
	template <> struct __handler<__hash(__NAME)> {                                       \
		template <class __T>                                                     \
		CUDASIM_TEXTURE void __run(__T *__value, unsigned long long __object,          \
					 CUDASIM_STRIP __PARAMETERS)                     \
		{                                                                      \
			cudasim_fetch __how = {};                                        \
			__VA_ARGS__;                                                   \
			__fetch(__OP, __value, __object, __how);                                 \
		}                                                                      \
	};
#define CUDASIM_STRIP(...) __VA_ARGS__

enum {
	__LAYERED = CUDASIM_FETCH_LAYERED,
	__LOD = CUDASIM_FETCH_LOD,
	__GRADIENT = CUDASIM_FETCH_GRADIENT,
	__D1 = CUDASIM_FETCH_1D,
	__D2 = CUDASIM_FETCH_2D,
	__D3 = CUDASIM_FETCH_3D,
	__CUBE = CUDASIM_FETCH_CUBE
};

#define __X __how.x = x
#define __XY __how.x = x, __how.y = y
#define __XYZ __how.x = x, __how.y = y, __how.z = z
#define __LAYER __how.layer = layer
#define __LEVEL __how.lod = __level
#define __GRADIENT1 __how.dx[0] = dx, __how.dy[0] = dy
#define __GRADIENT2 __how.dx[0] = dx->x, __how.dx[1] = dx->y, __how.dy[0] = dy->x, __how.dy[1] = dy->y
#define __GRADIENT3 __GRADIENT2, __how.dx[2] = dx->z, __how.dy[2] = dy->z
#define __RESIDENT *__resident = 1

CUDASIM_FETCH("__itex1Dfetch", CUDASIM_FETCH_INDEX, (int x), __how.index = x)
CUDASIM_FETCH("__itex1D", __D1, (float x), __X)
CUDASIM_FETCH("__itex1DLod", __D1 | __LOD, (float x, float __level), __X, __LEVEL)
CUDASIM_FETCH("__itex1DGrad", __D1 | __GRADIENT, (float x, float dx, float dy), __X, __GRADIENT1)
CUDASIM_FETCH("__itex1DLayered", __D1 | __LAYERED, (float x, int layer), __X, __LAYER)
CUDASIM_FETCH("__itex1DLayeredLod", __D1 | __LAYERED | __LOD, (float x, int layer, float __level), __X,
	      __LAYER, __LEVEL)
CUDASIM_FETCH("__itex1DLayeredGrad", __D1 | __LAYERED | __GRADIENT,
	      (float x, int layer, float dx, float dy), __X, __LAYER, __GRADIENT1)

CUDASIM_FETCH("__itex2D", __D2, (float x, float y), __XY)
CUDASIM_FETCH("__itex2D_sparse", __D2, (float x, float y, unsigned char *__resident), __XY, __RESIDENT)
CUDASIM_FETCH("__itex2DLod", __D2 | __LOD, (float x, float y, float __level), __XY, __LEVEL)
CUDASIM_FETCH("__itex2DLod_sparse", __D2 | __LOD,
	      (float x, float y, float __level, unsigned char *__resident), __XY, __LEVEL, __RESIDENT)
CUDASIM_FETCH("__itex2DGrad_v2", __D2 | __GRADIENT,
	      (float x, float y, const float2 *dx, const float2 *dy), __XY, __GRADIENT2)
CUDASIM_FETCH("__itex2DGrad_sparse", __D2 | __GRADIENT,
	      (float x, float y, const float2 *dx, const float2 *dy, unsigned char *__resident), __XY,
	      __GRADIENT2, __RESIDENT)
CUDASIM_FETCH("__itex2DLayered", __D2 | __LAYERED, (float x, float y, int layer), __XY, __LAYER)
CUDASIM_FETCH("__itex2DLayered_sparse", __D2 | __LAYERED,
	      (float x, float y, int layer, unsigned char *__resident), __XY, __LAYER, __RESIDENT)
CUDASIM_FETCH("__itex2DLayeredLod", __D2 | __LAYERED | __LOD, (float x, float y, int layer, float __level),
	      __XY, __LAYER, __LEVEL)
CUDASIM_FETCH("__itex2DLayeredLod_sparse", __D2 | __LAYERED | __LOD,
	      (float x, float y, int layer, float __level, unsigned char *__resident), __XY, __LAYER, __LEVEL,
	      __RESIDENT)
CUDASIM_FETCH("__itex2DLayeredGrad_v2", __D2 | __LAYERED | __GRADIENT,
	      (float x, float y, int layer, const float2 *dx, const float2 *dy), __XY, __LAYER,
	      __GRADIENT2)
CUDASIM_FETCH("__itex2DLayeredGrad_sparse", __D2 | __LAYERED | __GRADIENT,
	      (float x, float y, int layer, const float2 *dx, const float2 *dy,
	       unsigned char *__resident), __XY, __LAYER, __GRADIENT2, __RESIDENT)
CUDASIM_FETCH("__itex2Dgather", __D2 | CUDASIM_FETCH_GATHER, (float x, float y, int component), __XY,
	      __how.component = component)
CUDASIM_FETCH("__itex2Dgather_sparse", __D2 | CUDASIM_FETCH_GATHER,
	      (float x, float y, int component, unsigned char *__resident), __XY,
	      __how.component = component, __RESIDENT)

CUDASIM_FETCH("__itex3D", __D3, (float x, float y, float z), __XYZ)
CUDASIM_FETCH("__itex3D_sparse", __D3, (float x, float y, float z, unsigned char *__resident), __XYZ,
	      __RESIDENT)
CUDASIM_FETCH("__itex3DLod", __D3 | __LOD, (float x, float y, float z, float __level), __XYZ, __LEVEL)
CUDASIM_FETCH("__itex3DLod_sparse", __D3 | __LOD,
	      (float x, float y, float z, float __level, unsigned char *__resident), __XYZ, __LEVEL, __RESIDENT)
CUDASIM_FETCH("__itex3DGrad_v2", __D3 | __GRADIENT,
	      (float x, float y, float z, const float4 *dx, const float4 *dy), __XYZ, __GRADIENT3)
CUDASIM_FETCH("__itex3DGrad_sparse", __D3 | __GRADIENT,
	      (float x, float y, float z, const float4 *dx, const float4 *dy,
	       unsigned char *__resident), __XYZ, __GRADIENT3, __RESIDENT)

CUDASIM_FETCH("__itexCubemap", __CUBE, (float x, float y, float z), __XYZ)
CUDASIM_FETCH("__itexCubemapLod", __CUBE | __LOD, (float x, float y, float z, float __level), __XYZ, __LEVEL)
CUDASIM_FETCH("__itexCubemapGrad_v2", __CUBE | __GRADIENT,
	      (float x, float y, float z, const float4 *dx, const float4 *dy), __XYZ, __GRADIENT3)
CUDASIM_FETCH("__itexCubemapLayered", __CUBE | __LAYERED, (float x, float y, float z, int layer), __XYZ,
	      __LAYER)
CUDASIM_FETCH("__itexCubemapLayeredLod", __CUBE | __LAYERED | __LOD,
	      (float x, float y, float z, int layer, float __level), __XYZ, __LAYER, __LEVEL)
CUDASIM_FETCH("__itexCubemapLayeredGrad_v2", __CUBE | __LAYERED | __GRADIENT,
	      (float x, float y, float z, int layer, const float4 *dx, const float4 *dy), __XYZ, __LAYER,
	      __GRADIENT3)

#undef __X
#undef __XY
#undef __XYZ
#undef __LAYER
#undef __LEVEL
#undef __GRADIENT1
#undef __GRADIENT2
#undef __GRADIENT3
#undef __RESIDENT

/* ---- surfaces -------------------------------------------------------------------- */

#define CUDASIM_SURFACE(__NAME, __OP, __PARAMETERS, ...)                                     \
	template <> struct __handler<__hash(__NAME)> {                                       \
		template <class __T>                                                     \
		CUDASIM_TEXTURE void __run(__T *__value, unsigned long long __object,          \
					 CUDASIM_STRIP __PARAMETERS,                     \
					 cudaSurfaceBoundaryMode __mode)                 \
		{                                                                      \
			cudasim_surface_place __where = {__VA_ARGS__};                   \
			cudasim_surface_call((__OP) | __mode << CUDASIM_SURFACE_MODE_SHIFT |        \
						     sizeof(__T) << CUDASIM_SURFACE_SIZE_SHIFT,   \
					     __object, &__where, __value);                   \
		}                                                                      \
	};
/* Reads and writes alike. */
#define CUDASIM_SURFACES(__NAME, __OP, __PARAMETERS, ...)                                    \
	CUDASIM_SURFACE("__isurf" __NAME "read", __OP, __PARAMETERS, __VA_ARGS__)            \
	CUDASIM_SURFACE("__isurf" __NAME "write_v2", (__OP) | CUDASIM_SURFACE_WRITE, __PARAMETERS,    \
			__VA_ARGS__)

CUDASIM_SURFACES("1D", __D1, (int x), x)
CUDASIM_SURFACES("2D", __D2, (int x, int y), x, y)
CUDASIM_SURFACES("3D", __D3, (int x, int y, int z), x, y, z)
CUDASIM_SURFACES("1DLayered", __D1 | __LAYERED, (int x, int layer), x, 0, 0, layer)
CUDASIM_SURFACES("2DLayered", __D2 | __LAYERED, (int x, int y, int layer), x, y, 0, layer)
CUDASIM_SURFACES("Cubemap", __CUBE, (int x, int y, int __face), x, y, 0, __face)
CUDASIM_SURFACES("CubemapLayered", __CUBE | __LAYERED, (int x, int y, int __face), x, y, 0, __face)

#undef CUDASIM_SURFACES
#undef CUDASIM_SURFACE
#undef CUDASIM_FETCH
#undef CUDASIM_STRIP
#undef CUDASIM_TEXTURE

} // namespace cudasim_texture

#endif

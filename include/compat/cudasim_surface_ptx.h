/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_surface_ptx.h - surface accesses for a GPU, which clang 19's header leaves out:
 * __nv_tex_surf_handler for the names that surface_indirect_functions.h uses, as the PTX
 * instructions suld.b and sust.b (PTX ISA, "Surface Instructions"), which move bytes. */
#ifndef CUDASIM_COMPAT_SURFACE_PTX_H
#define CUDASIM_COMPAT_SURFACE_PTX_H

#define CUDASIM_SURFACE static __device__ __inline__ __attribute__((always_inline))

namespace cudasim_surface {

/* FNV-1a; two names with one hash would not compile. */
constexpr unsigned __hash(const char *__name)
{
	unsigned __h = 2166136261u;
	while (*__name)
		__h = (__h ^ (unsigned char)*__name++) * 16777619u;
	return __h;
}

template <unsigned __NAME> struct __handler;

/* One instruction in its three boundary modes. PLACE is the text of the coordinates, from
 * operand %1 (writes) or from the first behind the result (reads). */
#define CUDASIM_MODES(__mode, __TRAP, __CLAMP, __ZERO)                                         \
	if (__mode == cudaBoundaryModeTrap) {                                            \
		__TRAP;                                                                  \
	} else if (__mode == cudaBoundaryModeClamp) {                                    \
		__CLAMP;                                                                 \
	} else {                                                                       \
		__ZERO;                                                                  \
	}

/* A shape: its name in PTX, the coordinates' text with %2 and up (one result or value),
 * the same with %3 and up (two), and the coordinates themselves. */
#define CUDASIM_READ(__TYPE, __C, __R, __SHAPE, __PLACE, __MODE, ...)                        \
	asm volatile("suld.b." __SHAPE "." __TYPE "." __MODE " {%0}, [%1, " __PLACE "];"       \
		     : "=" __C(__R) : "l"(__object), __VA_ARGS__)
#define CUDASIM_READ2(__SHAPE, __PLACE, __MODE, __A, __B, ...)                                   \
	asm volatile("suld.b." __SHAPE ".v2.b64." __MODE " {%0, %1}, [%2, " __PLACE "];"     \
		     : "=l"(__A), "=l"(__B) : "l"(__object), __VA_ARGS__)
#define CUDASIM_WRITE(__TYPE, __C, __V, __SHAPE, __PLACE, __MODE, ...)                             \
	asm volatile("sust.b." __SHAPE "." __TYPE "." __MODE " [%1, " __PLACE "], {%0};"       \
		     :: __C(__V), "l"(__object), __VA_ARGS__ : "memory")
#define CUDASIM_WRITE2(__SHAPE, __PLACE, __MODE, __A, __B, ...)                                  \
	asm volatile("sust.b." __SHAPE ".v2.b64." __MODE " [%2, " __PLACE "], {%0, %1};"     \
		     :: "l"(__A), "l"(__B), "l"(__object), __VA_ARGS__ : "memory")

#define CUDASIM_ACCESS(__T, __W, __TYPE, __C, __SHAPE, __PLACE, ...)                                       \
	if (sizeof(__T) == sizeof(__W)) {                                                          \
		__W w;                                                                           \
		if (__WRITE) {                                                                   \
			__builtin_memcpy(&w, __value, sizeof w);                                 \
			CUDASIM_MODES(__mode, CUDASIM_WRITE(__TYPE, __C, w, __SHAPE, __PLACE, "trap", __VA_ARGS__),   \
				      CUDASIM_WRITE(__TYPE, __C, w, __SHAPE, __PLACE, "clamp", __VA_ARGS__),        \
				      CUDASIM_WRITE(__TYPE, __C, w, __SHAPE, __PLACE, "zero", __VA_ARGS__))         \
		} else {                                                                       \
			CUDASIM_MODES(__mode, CUDASIM_READ(__TYPE, __C, w, __SHAPE, __PLACE, "trap", __VA_ARGS__), \
				      CUDASIM_READ(__TYPE, __C, w, __SHAPE, __PLACE, "clamp", __VA_ARGS__),      \
				      CUDASIM_READ(__TYPE, __C, w, __SHAPE, __PLACE, "zero", __VA_ARGS__))       \
			__builtin_memcpy(__value, &w, sizeof w);                                 \
		}                                                                              \
	}

#define CUDASIM_ACCESS2(__T, __SHAPE, __PLACE, ...)                                                  \
	if (sizeof(__T) == 16) {                                                                 \
		unsigned long long w[2];                                                       \
		if (__WRITE) {                                                                   \
			__builtin_memcpy(w, __value, sizeof(__T));                                 \
			CUDASIM_MODES(__mode, CUDASIM_WRITE2(__SHAPE, __PLACE, "trap", w[0], w[1], __VA_ARGS__),  \
				      CUDASIM_WRITE2(__SHAPE, __PLACE, "clamp", w[0], w[1], __VA_ARGS__),       \
				      CUDASIM_WRITE2(__SHAPE, __PLACE, "zero", w[0], w[1], __VA_ARGS__))        \
		} else {                                                                       \
			CUDASIM_MODES(__mode, CUDASIM_READ2(__SHAPE, __PLACE, "trap", w[0], w[1], __VA_ARGS__),   \
				      CUDASIM_READ2(__SHAPE, __PLACE, "clamp", w[0], w[1], __VA_ARGS__),        \
				      CUDASIM_READ2(__SHAPE, __PLACE, "zero", w[0], w[1], __VA_ARGS__))         \
			__builtin_memcpy(__value, w, sizeof(__T));                                 \
		}                                                                              \
	}

#define CUDASIM_STRIP(...) __VA_ARGS__
#define CUDASIM_HANDLER(__NAME, __IS_WRITE, __SHAPE, __ONE, __TWO, __PARAMETERS, ...)              \
	template <> struct __handler<__hash(__NAME)> {                                       \
		template <class __T>                                                     \
		CUDASIM_SURFACE void __run(__T *__value, unsigned long long __object,          \
					 CUDASIM_STRIP __PARAMETERS,                     \
					 cudaSurfaceBoundaryMode __mode)                 \
		{                                                                      \
			constexpr bool __WRITE = __IS_WRITE;                               \
			CUDASIM_ACCESS(__T, unsigned char, "b8", "h", __SHAPE, __ONE, __VA_ARGS__)        \
			CUDASIM_ACCESS(__T, unsigned short, "b16", "h", __SHAPE, __ONE, __VA_ARGS__)      \
			CUDASIM_ACCESS(__T, unsigned, "b32", "r", __SHAPE, __ONE, __VA_ARGS__)            \
			CUDASIM_ACCESS(__T, unsigned long long, "b64", "l", __SHAPE, __ONE, __VA_ARGS__)  \
			CUDASIM_ACCESS2(__T, __SHAPE, __TWO, __VA_ARGS__)                    \
		}                                                                      \
	};
#define CUDASIM_BOTH(__NAME, __SHAPE, __ONE, __TWO, __PARAMETERS, ...)                           \
	CUDASIM_HANDLER("__isurf" __NAME "read", false, __SHAPE, __ONE, __TWO, __PARAMETERS, __VA_ARGS__)     \
	CUDASIM_HANDLER("__isurf" __NAME "write_v2", true, __SHAPE, __ONE, __TWO, __PARAMETERS, __VA_ARGS__)

/* A cubemap is a layered surface, its faces the layers. */
CUDASIM_BOTH("1D", "1d", "{%2}", "{%3}", (int x), "r"(x))
CUDASIM_BOTH("2D", "2d", "{%2, %3}", "{%3, %4}", (int x, int y), "r"(x), "r"(y))
CUDASIM_BOTH("3D", "3d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", (int x, int y, int z), "r"(x),
	     "r"(y), "r"(z))
CUDASIM_BOTH("1DLayered", "a1d", "{%2, %3}", "{%3, %4}", (int x, int __layer), "r"(__layer), "r"(x))
CUDASIM_BOTH("2DLayered", "a2d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}",
	     (int x, int y, int __layer), "r"(__layer), "r"(x), "r"(y))
CUDASIM_BOTH("Cubemap", "a2d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", (int x, int y, int __face),
	     "r"(__face), "r"(x), "r"(y))
CUDASIM_BOTH("CubemapLayered", "a2d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}",
	     (int x, int y, int __face), "r"(__face), "r"(x), "r"(y))

#undef CUDASIM_BOTH
#undef CUDASIM_HANDLER
#undef CUDASIM_STRIP
#undef CUDASIM_ACCESS2
#undef CUDASIM_ACCESS
#undef CUDASIM_WRITE2
#undef CUDASIM_WRITE
#undef CUDASIM_READ2
#undef CUDASIM_READ
#undef CUDASIM_MODES
#undef CUDASIM_SURFACE

} // namespace cudasim_surface

#endif

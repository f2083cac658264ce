/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_surface_ptx.h - surface accesses for a GPU, which clang 19's header leaves out:
 * __nv_tex_surf_handler for the names that surface_indirect_functions.h uses, as the PTX
 * instructions suld.b and sust.b (PTX ISA, "Surface Instructions"), which move bytes. */
#ifndef CUDASIM_COMPAT_SURFACE_PTX_H
#define CUDASIM_COMPAT_SURFACE_PTX_H

#define CUDASIM_SURFACE static __device__ __inline__ __attribute__((always_inline))

namespace cudasim_surface {

/* FNV-1a; two names with one hash would not compile. */
constexpr unsigned hash(const char *name)
{
	unsigned h = 2166136261u;
	while (*name)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return h;
}

template <unsigned NAME> struct handler;

/* One instruction in its three boundary modes. PLACE is the text of the coordinates, from
 * operand %1 (writes) or from the first behind the result (reads). */
#define CUDASIM_MODES(mode, TRAP, CLAMP, ZERO)                                         \
	if (mode == cudaBoundaryModeTrap) {                                            \
		TRAP;                                                                  \
	} else if (mode == cudaBoundaryModeClamp) {                                    \
		CLAMP;                                                                 \
	} else {                                                                       \
		ZERO;                                                                  \
	}

/* A shape: its name in PTX, the coordinates' text with %2 and up (one result or value),
 * the same with %3 and up (two), and the coordinates themselves. */
#define CUDASIM_READ(TYPE, __C, __R, SHAPE, PLACE, MODE, ...)                        \
	asm volatile("suld.b." SHAPE "." TYPE "." MODE " {%0}, [%1, " PLACE "];"       \
		     : "=" __C(__R) : "l"(object), __VA_ARGS__)
#define CUDASIM_READ2(SHAPE, PLACE, MODE, __A, __B, ...)                                   \
	asm volatile("suld.b." SHAPE ".v2.b64." MODE " {%0, %1}, [%2, " PLACE "];"     \
		     : "=l"(__A), "=l"(__B) : "l"(object), __VA_ARGS__)
#define CUDASIM_WRITE(TYPE, __C, __V, SHAPE, PLACE, MODE, ...)                             \
	asm volatile("sust.b." SHAPE "." TYPE "." MODE " [%1, " PLACE "], {%0};"       \
		     :: __C(__V), "l"(object), __VA_ARGS__ : "memory")
#define CUDASIM_WRITE2(SHAPE, PLACE, MODE, __A, __B, ...)                                  \
	asm volatile("sust.b." SHAPE ".v2.b64." MODE " [%2, " PLACE "], {%0, %1};"     \
		     :: "l"(__A), "l"(__B), "l"(object), __VA_ARGS__ : "memory")

#define CUDASIM_ACCESS(__T, __W, TYPE, __C, SHAPE, PLACE, ...)                                       \
	if (sizeof(__T) == sizeof(__W)) {                                                          \
		__W w;                                                                           \
		if (WRITE) {                                                                   \
			__builtin_memcpy(&w, value, sizeof w);                                 \
			CUDASIM_MODES(mode, CUDASIM_WRITE(TYPE, __C, w, SHAPE, PLACE, "trap", __VA_ARGS__),   \
				      CUDASIM_WRITE(TYPE, __C, w, SHAPE, PLACE, "clamp", __VA_ARGS__),        \
				      CUDASIM_WRITE(TYPE, __C, w, SHAPE, PLACE, "zero", __VA_ARGS__))         \
		} else {                                                                       \
			CUDASIM_MODES(mode, CUDASIM_READ(TYPE, __C, w, SHAPE, PLACE, "trap", __VA_ARGS__), \
				      CUDASIM_READ(TYPE, __C, w, SHAPE, PLACE, "clamp", __VA_ARGS__),      \
				      CUDASIM_READ(TYPE, __C, w, SHAPE, PLACE, "zero", __VA_ARGS__))       \
			__builtin_memcpy(value, &w, sizeof w);                                 \
		}                                                                              \
	}

#define CUDASIM_ACCESS2(__T, SHAPE, PLACE, ...)                                                  \
	if (sizeof(__T) == 16) {                                                                 \
		unsigned long long w[2];                                                       \
		if (WRITE) {                                                                   \
			__builtin_memcpy(w, value, sizeof(__T));                                 \
			CUDASIM_MODES(mode, CUDASIM_WRITE2(SHAPE, PLACE, "trap", w[0], w[1], __VA_ARGS__),  \
				      CUDASIM_WRITE2(SHAPE, PLACE, "clamp", w[0], w[1], __VA_ARGS__),       \
				      CUDASIM_WRITE2(SHAPE, PLACE, "zero", w[0], w[1], __VA_ARGS__))        \
		} else {                                                                       \
			CUDASIM_MODES(mode, CUDASIM_READ2(SHAPE, PLACE, "trap", w[0], w[1], __VA_ARGS__),   \
				      CUDASIM_READ2(SHAPE, PLACE, "clamp", w[0], w[1], __VA_ARGS__),        \
				      CUDASIM_READ2(SHAPE, PLACE, "zero", w[0], w[1], __VA_ARGS__))         \
			__builtin_memcpy(value, w, sizeof(__T));                                 \
		}                                                                              \
	}

#define CUDASIM_STRIP(...) __VA_ARGS__
#define CUDASIM_HANDLER(NAME, IS_WRITE, SHAPE, ONE, TWO, PARAMETERS, ...)              \
	template <> struct handler<hash(NAME)> {                                       \
		template <class __T>                                                     \
		CUDASIM_SURFACE void run(__T *value, unsigned long long object,          \
					 CUDASIM_STRIP PARAMETERS,                     \
					 cudaSurfaceBoundaryMode mode)                 \
		{                                                                      \
			constexpr bool WRITE = IS_WRITE;                               \
			CUDASIM_ACCESS(__T, unsigned char, "b8", "h", SHAPE, ONE, __VA_ARGS__)        \
			CUDASIM_ACCESS(__T, unsigned short, "b16", "h", SHAPE, ONE, __VA_ARGS__)      \
			CUDASIM_ACCESS(__T, unsigned, "b32", "r", SHAPE, ONE, __VA_ARGS__)            \
			CUDASIM_ACCESS(__T, unsigned long long, "b64", "l", SHAPE, ONE, __VA_ARGS__)  \
			CUDASIM_ACCESS2(__T, SHAPE, TWO, __VA_ARGS__)                    \
		}                                                                      \
	};
#define CUDASIM_BOTH(NAME, SHAPE, ONE, TWO, PARAMETERS, ...)                           \
	CUDASIM_HANDLER("__isurf" NAME "read", false, SHAPE, ONE, TWO, PARAMETERS, __VA_ARGS__)     \
	CUDASIM_HANDLER("__isurf" NAME "write_v2", true, SHAPE, ONE, TWO, PARAMETERS, __VA_ARGS__)

/* A cubemap is a layered surface, its faces the layers. */
CUDASIM_BOTH("1D", "1d", "{%2}", "{%3}", (int x), "r"(x))
CUDASIM_BOTH("2D", "2d", "{%2, %3}", "{%3, %4}", (int x, int y), "r"(x), "r"(y))
CUDASIM_BOTH("3D", "3d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", (int x, int y, int z), "r"(x),
	     "r"(y), "r"(z))
CUDASIM_BOTH("1DLayered", "a1d", "{%2, %3}", "{%3, %4}", (int x, int layer), "r"(layer), "r"(x))
CUDASIM_BOTH("2DLayered", "a2d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}",
	     (int x, int y, int layer), "r"(layer), "r"(x), "r"(y))
CUDASIM_BOTH("Cubemap", "a2d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", (int x, int y, int face),
	     "r"(face), "r"(x), "r"(y))
CUDASIM_BOTH("CubemapLayered", "a2d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}",
	     (int x, int y, int face), "r"(face), "r"(x), "r"(y))

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

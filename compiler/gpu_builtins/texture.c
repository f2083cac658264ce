/* SPDX-License-Identifier: Apache-2.0 */
/* texture.c - on a real GPU: fetches and surface accesses, which our headers hand on
 * by number (cudasim/texture.h), as the PTX instructions they are (PTX ISA, "Texture
 * instructions", "Surface instructions"). The numbers are constants once these are
 * inlined, and one instruction is left of each call. */
#include "cudasim/texture.h"

#define BUILTIN __attribute__((always_inline))

typedef unsigned long long object;

/* Registers are untyped: float texels come as their bits. */
#define FETCH(CODE, ...)                                                                           \
	asm volatile(CODE                                                                          \
		     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])                          \
		     : "l"(texture), __VA_ARGS__)
#define TO "{%0, %1, %2, %3}, [%4, "

#define X "f"(how->x)
#define XY X, "f"(how->y)
#define XYZ XY, "f"(how->z)
#define LAYER "r"(how->layer)
#define LEVEL "f"(how->lod)
#define GRADIENT1 "f"(how->dx[0]), "f"(how->dy[0])
#define GRADIENT2 "f"(how->dx[0]), "f"(how->dx[1]), "f"(how->dy[0]), "f"(how->dy[1])
#define GRADIENT3                                                                                  \
	"f"(how->dx[0]), "f"(how->dx[1]), "f"(how->dx[2]), "f"(how->dy[0]), "f"(how->dy[1]),       \
		"f"(how->dy[2])

/* The six forms of a shape: COORDINATES and what follows are PTX operands, of which
 * N is the number of the first behind the coordinates. */
#define SHAPE(OP, NAME, COORDINATES, ARGUMENTS, LEVELS, GRADIENTS, GRADIENT)                       \
	case OP:                                                                                   \
		FETCH("tex." NAME ".v4.u32.f32 " TO COORDINATES "];", ARGUMENTS);                  \
		break;                                                                             \
	case OP | CUDASIM_FETCH_LOD:                                                               \
		FETCH("tex.level." NAME ".v4.u32.f32 " TO COORDINATES "], " LEVELS ";", ARGUMENTS, \
		      LEVEL);                                                                      \
		break;                                                                             \
	case OP | CUDASIM_FETCH_GRADIENT:                                                          \
		FETCH("tex.grad." NAME ".v4.u32.f32 " TO COORDINATES "], " GRADIENTS ";",          \
		      ARGUMENTS, GRADIENT);                                                        \
		break;

#define JOIN(...) __VA_ARGS__
#define GATHER(COMPONENT, NAME)                                                                    \
	case COMPONENT:                                                                            \
		FETCH("tld4." NAME ".2d.v4.u32.f32 " TO "{%5, %6}];", XY);                         \
		break;

BUILTIN void cudasim_texture_call(unsigned op, object texture, const struct cudasim_fetch *how,
				  unsigned *to)
{
	enum { LAYERED = CUDASIM_FETCH_LAYERED };
	switch (op) {
	case CUDASIM_FETCH_INDEX:
		FETCH("tex.1d.v4.u32.s32 " TO "{%5}];", "r"(how->index));
		break;
		SHAPE(CUDASIM_FETCH_1D, "1d", "{%5}", JOIN(X), "%6", "{%6}, {%7}", JOIN(GRADIENT1))
		SHAPE(CUDASIM_FETCH_1D | LAYERED, "a1d", "{%5, %6}", JOIN(LAYER, X), "%7",
		      "{%7}, {%8}", JOIN(GRADIENT1))
		SHAPE(CUDASIM_FETCH_2D, "2d", "{%5, %6}", JOIN(XY), "%7", "{%7, %8}, {%9, %10}",
		      JOIN(GRADIENT2))
		SHAPE(CUDASIM_FETCH_2D | LAYERED, "a2d", "{%5, %6, %7, %7}", JOIN(LAYER, XY), "%8",
		      "{%8, %9}, {%10, %11}", JOIN(GRADIENT2))
		SHAPE(CUDASIM_FETCH_3D, "3d", "{%5, %6, %7, %7}", JOIN(XYZ), "%8",
		      "{%8, %9, %10, %10}, {%11, %12, %13, %13}", JOIN(GRADIENT3))
		SHAPE(CUDASIM_FETCH_CUBE, "cube", "{%5, %6, %7, %7}", JOIN(XYZ), "%8",
		      "{%8, %9, %10, %10}, {%11, %12, %13, %13}", JOIN(GRADIENT3))
		SHAPE(CUDASIM_FETCH_CUBE | LAYERED, "acube", "{%5, %6, %7, %8}", JOIN(LAYER, XYZ),
		      "%9", "{%9, %10, %11, %11}, {%12, %13, %14, %14}", JOIN(GRADIENT3))
	case CUDASIM_FETCH_2D | CUDASIM_FETCH_GATHER:
		switch (how->component) {
			GATHER(0, "r")
			GATHER(1, "g")
			GATHER(2, "b")
			GATHER(3, "a")
		default:
			__builtin_trap();
		}
		break;
	default:
		__builtin_trap();
	}
}

/* ---- surfaces ----------------------------------------------------------------------- */

#define WHERE1 "l"(surface), "r"(at->x)
#define WHERE2 WHERE1, "r"(at->y)
#define WHERE3 WHERE2, "r"(at->z)
#define WHERE1L "l"(surface), "r"(at->layer), "r"(at->x)
#define WHERE2L WHERE1L, "r"(at->y)

/* One size of a shape and mode. N is how many values there are: the operands behind. */
#define READ(SIZE, BITS, OUTPUTS, NAMES, SHAPE, MODE, PLACE, ...)                                  \
	case SIZE:                                                                                 \
		asm volatile("suld.b." SHAPE BITS MODE " " NAMES ", " PLACE ";"                    \
			     : OUTPUTS                                                             \
			     : __VA_ARGS__                                                         \
			     : "memory");                                                          \
		break;
#define WRITE(SIZE, BITS, INPUTS, NAMES, SHAPE, MODE, PLACE, ...)                                  \
	case SIZE:                                                                                 \
		asm volatile("sust.b." SHAPE BITS MODE " " PLACE ", " NAMES ";"                    \
			     :                                                                     \
			     : __VA_ARGS__, INPUTS                                                 \
			     : "memory");                                                          \
		break;

/* READS(shape, mode, place behind n outputs): PLACEn names the operands. */
#define READS(SHAPE, MODE, P1, P2, P4, ...)                                                        \
	switch (size) {                                                                            \
	case 1: {                                                                                  \
		unsigned short v;                                                                  \
		asm volatile("suld.b." SHAPE ".b8" MODE " {%0}, " P1 ";"                           \
			     : "=h"(v)                                                             \
			     : __VA_ARGS__                                                         \
			     : "memory");                                                          \
		*(unsigned char *)value = (unsigned char)v;                                        \
	} break;                                                                                   \
		READ(2, ".b16", "=h"(((unsigned short *)value)[0]), "{%0}", SHAPE, MODE, P1,       \
		     JOIN(__VA_ARGS__))                                                            \
		READ(4, ".b32", "=r"(((unsigned *)value)[0]), "{%0}", SHAPE, MODE, P1,             \
		     JOIN(__VA_ARGS__))                                                            \
		READ(8, ".v2.b32",                                                                 \
		     JOIN("=r"(((unsigned *)value)[0]), "=r"(((unsigned *)value)[1])), "{%0, %1}", \
		     SHAPE, MODE, P2, JOIN(__VA_ARGS__))                                           \
		READ(16, ".v4.b32",                                                                \
		     JOIN("=r"(((unsigned *)value)[0]), "=r"(((unsigned *)value)[1]),              \
			  "=r"(((unsigned *)value)[2]), "=r"(((unsigned *)value)[3])),             \
		     "{%0, %1, %2, %3}", SHAPE, MODE, P4, JOIN(__VA_ARGS__))                       \
	default:                                                                                   \
		__builtin_trap();                                                                  \
	}

#define WRITES(SHAPE, MODE, PLACE, V1, V2, V4, ...)                                                \
	switch (size) {                                                                            \
		WRITE(1, ".b8", "h"((unsigned short)*(const unsigned char *)value), V1, SHAPE,     \
		      MODE, PLACE, JOIN(__VA_ARGS__))                                              \
		WRITE(2, ".b16", "h"(((const unsigned short *)value)[0]), V1, SHAPE, MODE, PLACE,  \
		      JOIN(__VA_ARGS__))                                                           \
		WRITE(4, ".b32", "r"(((const unsigned *)value)[0]), V1, SHAPE, MODE, PLACE,        \
		      JOIN(__VA_ARGS__))                                                           \
		WRITE(8, ".v2.b32",                                                                \
		      JOIN("r"(((const unsigned *)value)[0]), "r"(((const unsigned *)value)[1])),  \
		      V2, SHAPE, MODE, PLACE, JOIN(__VA_ARGS__))                                   \
		WRITE(16, ".v4.b32",                                                               \
		      JOIN("r"(((const unsigned *)value)[0]), "r"(((const unsigned *)value)[1]),   \
			   "r"(((const unsigned *)value)[2]), "r"(((const unsigned *)value)[3])),  \
		      V4, SHAPE, MODE, PLACE, JOIN(__VA_ARGS__))                                   \
	default:                                                                                   \
		__builtin_trap();                                                                  \
	}

#define MODES(FORM, SHAPE, ...)                                                                    \
	switch (mode) {                                                                            \
	case 0:                                                                                    \
		FORM(SHAPE, ".zero", __VA_ARGS__) break;                                           \
	case 1:                                                                                    \
		FORM(SHAPE, ".clamp", __VA_ARGS__) break;                                          \
	default:                                                                                   \
		FORM(SHAPE, ".trap", __VA_ARGS__) break;                                           \
	}

BUILTIN void cudasim_surface_call(unsigned op, object surface,
				  const struct cudasim_surface_place *at, void *value)
{
	unsigned size = op >> CUDASIM_SURFACE_SIZE_SHIFT;
	unsigned mode = op >> CUDASIM_SURFACE_MODE_SHIFT & 3;
	enum { LAYERED = CUDASIM_FETCH_LAYERED, WRITTEN = CUDASIM_SURFACE_WRITE };
	switch (op & (CUDASIM_FETCH_SHAPE | LAYERED | WRITTEN)) {
	case CUDASIM_FETCH_1D:
		MODES(READS, "1d", "[%1, {%2}]", "[%2, {%3}]", "[%4, {%5}]", JOIN(WHERE1))
		break;
	case CUDASIM_FETCH_2D:
		MODES(READS, "2d", "[%1, {%2, %3}]", "[%2, {%3, %4}]", "[%4, {%5, %6}]",
		      JOIN(WHERE2))
		break;
	case CUDASIM_FETCH_3D:
		MODES(READS, "3d", "[%1, {%2, %3, %4, %4}]", "[%2, {%3, %4, %5, %5}]",
		      "[%4, {%5, %6, %7, %7}]", JOIN(WHERE3))
		break;
	case CUDASIM_FETCH_1D | LAYERED:
		MODES(READS, "a1d", "[%1, {%2, %3}]", "[%2, {%3, %4}]", "[%4, {%5, %6}]",
		      JOIN(WHERE1L))
		break;
	case CUDASIM_FETCH_2D | LAYERED:
	case CUDASIM_FETCH_CUBE:
	case CUDASIM_FETCH_CUBE | LAYERED:
		MODES(READS, "a2d", "[%1, {%2, %3, %4, %4}]", "[%2, {%3, %4, %5, %5}]",
		      "[%4, {%5, %6, %7, %7}]", JOIN(WHERE2L))
		break;
	case CUDASIM_FETCH_1D | WRITTEN:
		MODES(WRITES, "1d", "[%0, {%1}]", "{%2}", "{%2, %3}", "{%2, %3, %4, %5}",
		      JOIN(WHERE1))
		break;
	case CUDASIM_FETCH_2D | WRITTEN:
		MODES(WRITES, "2d", "[%0, {%1, %2}]", "{%3}", "{%3, %4}", "{%3, %4, %5, %6}",
		      JOIN(WHERE2))
		break;
	case CUDASIM_FETCH_3D | WRITTEN:
		MODES(WRITES, "3d", "[%0, {%1, %2, %3, %3}]", "{%4}", "{%4, %5}",
		      "{%4, %5, %6, %7}", JOIN(WHERE3))
		break;
	case CUDASIM_FETCH_1D | LAYERED | WRITTEN:
		MODES(WRITES, "a1d", "[%0, {%1, %2}]", "{%3}", "{%3, %4}", "{%3, %4, %5, %6}",
		      JOIN(WHERE1L))
		break;
	case CUDASIM_FETCH_2D | LAYERED | WRITTEN:
	case CUDASIM_FETCH_CUBE | WRITTEN:
	case CUDASIM_FETCH_CUBE | LAYERED | WRITTEN:
		MODES(WRITES, "a2d", "[%0, {%1, %2, %3, %3}]", "{%4}", "{%4, %5}",
		      "{%4, %5, %6, %7}", JOIN(WHERE2L))
		break;
	default:
		__builtin_trap();
	}
}

/* device.h's: nothing outside the simulator. */
BUILTIN void cudasim_host_call(const char *name, void *work)
{
	(void)name, (void)work;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* texture_cube.c - cubemaps: faces 0..5 are +x, -x, +y, -y, +z, -z, each with its
 * own directions of s and t (CUDA C++ Programming Guide, "Cubemap Textures"). */
#include <math.h>

#include "texture.h"

struct cube_place cube_place(float x, float y, float z)
{
	float ax = fabsf(x), ay = fabsf(y), az = fabsf(z), m, s, t;
	unsigned face;
	if (az >= ax && az >= ay) {
		face = signbit(z) ? 5 : 4;
		m = az, s = signbit(z) ? -x : x, t = -y;
	} else if (ay >= ax) {
		face = signbit(y) ? 3 : 2;
		m = ay, s = x, t = signbit(y) ? -z : z;
	} else {
		face = signbit(x) ? 1 : 0;
		m = ax, s = signbit(x) ? z : -z, t = -y;
	}
	return (struct cube_place){face, (float)(((double)s / m + 1) / 2),
				   (float)(((double)t / m + 1) / 2)};
}

/* The texel's centre as a point of the cube [-size, size]^3, in half texels. */
static void to_cube(unsigned face, int32_t x, int32_t y, int32_t size, int32_t p[3])
{
	int32_t s = 2 * x + 1 - size, t = 2 * y + 1 - size;
	switch (face) {
	case 0: p[0] = size, p[1] = -t, p[2] = -s; break;
	case 1: p[0] = -size, p[1] = -t, p[2] = s; break;
	case 2: p[0] = s, p[1] = size, p[2] = t; break;
	case 3: p[0] = s, p[1] = -size, p[2] = -t; break;
	case 4: p[0] = s, p[1] = -t, p[2] = size; break;
	default: p[0] = -s, p[1] = -t, p[2] = -size; break;
	}
}

/* The way back: s and t of a point on the face. */
static void from_cube(unsigned face, const int32_t p[3], int32_t size, int32_t *x, int32_t *y)
{
	int32_t s, t;
	switch (face) {
	case 0: s = -p[2], t = -p[1]; break;
	case 1: s = p[2], t = -p[1]; break;
	case 2: s = p[0], t = p[2]; break;
	case 3: s = p[0], t = -p[2]; break;
	case 4: s = p[0], t = -p[1]; break;
	default: s = -p[0], t = -p[1]; break;
	}
	*x = (s + size - 1) / 2;
	*y = (t + size - 1) / 2;
}

bool cube_neighbour(unsigned *face, int32_t *x, int32_t *y, int32_t size)
{
	bool out_x = *x < 0 || *x >= size, out_y = *y < 0 || *y >= size;
	int32_t p[3];
	if (!out_x && !out_y)
		return true;
	if (out_x && out_y)
		return false;
	to_cube(*face, *x, *y, size, p);
	/* One coordinate is a half texel's step beyond the cube: fold it over the edge. */
	unsigned own = *face / 2;
	for (unsigned k = 0; k < 3; k++) {
		if (k == own || (p[k] <= size && p[k] >= -size))
			continue;
		*face = 2 * k + (p[k] < 0);
		p[own] = p[own] < 0 ? 1 - size : size - 1;
		p[k] = p[k] < 0 ? -size : size;
		from_cube(*face, p, size, x, y);
		return true;
	}
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* texture_cube.c - cubemaps: faces 0..5 are +x, -x, +y, -y, +z, -z, each with its
 * own directions of s and t (CUDA C++ Programming Guide, "Cubemap Textures"). */
#include <math.h>

#include "texture.h"

/* -1..1 to 0..1, cut off as all normalized coordinates are. */
static double on_face(float s)
{
	const float least = 0x1p-40f;
	if (isnan(s))
		return 0.5;
	s = s > 1 ? 1 : s < -1 ? -1 : s;
	s = s > 0 && s < least ? least : s < 0 && s > -least ? -least : s;
	return floor(((double)s + 1) / 2 * 0x1p21) * 0x1p-21;
}

static float flush(float x)
{
	return fabsf(x) < 0x1p-126f ? 0 : x;
}

/* The largest coordinate is made 1 or -1 first, by its reciprocal: of huge ones that is
 * flushed to 0, infinities and three zeros end as NaN. The choices below are an H200's
 * for all of these. A NaN stands for the middle of a face. */
struct cube_place cube_place(float x, float y, float z)
{
	float largest = fmaxf(fmaxf(fabsf(x), fabsf(y)), fabsf(z)), s, t;
	float r = largest > 0x1p126f ? 0 : 1 / largest;
	unsigned face;
	x = flush(x * r), y = flush(y * r), z = flush(z * r);
	float ax = fabsf(x), ay = fabsf(y), az = fabsf(z), sides = fmaxf(ax, ay);
	if (az >= sides || isnan(sides)) {
		face = z < 0 ? 5 : 4;
		s = face == 5 ? -x : x, t = -y;
	} else if (ay >= sides) {
		face = y < 0 ? 3 : 2;
		s = x, t = face == 3 ? -z : z;
	} else {
		face = x < 0 ? 1 : 0;
		s = face == 1 ? z : -z, t = -y;
	}
	return (struct cube_place){face, on_face(s), on_face(t)};
}

/* The texel's centre as a point of the cube [-size, size]^3, in half texels. */
static void to_cube(unsigned face, int32_t x, int32_t y, int32_t size, int32_t p[3])
{
	int32_t s = 2 * x + 1 - size, t = 2 * y + 1 - size;
	switch (face) {
	case 0:
		p[0] = size, p[1] = -t, p[2] = -s;
		break;
	case 1:
		p[0] = -size, p[1] = -t, p[2] = s;
		break;
	case 2:
		p[0] = s, p[1] = size, p[2] = t;
		break;
	case 3:
		p[0] = s, p[1] = -size, p[2] = -t;
		break;
	case 4:
		p[0] = s, p[1] = -t, p[2] = size;
		break;
	default:
		p[0] = -s, p[1] = -t, p[2] = -size;
		break;
	}
}

/* The way back: s and t of a point on the face. */
static void from_cube(unsigned face, const int32_t p[3], int32_t size, int32_t *x, int32_t *y)
{
	int32_t s, t;
	switch (face) {
	case 0:
		s = -p[2], t = -p[1];
		break;
	case 1:
		s = p[2], t = -p[1];
		break;
	case 2:
		s = p[0], t = p[2];
		break;
	case 3:
		s = p[0], t = -p[2];
		break;
	case 4:
		s = p[0], t = -p[1];
		break;
	default:
		s = -p[0], t = -p[1];
		break;
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

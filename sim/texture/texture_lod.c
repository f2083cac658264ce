/* SPDX-License-Identifier: Apache-2.0 */
/* texture_lod.c - the level of detail that derivatives ask for.
 *
 * A GPU estimates it: the length of a vector is its largest component and 11/32 of
 * the next, in nine bits; the longest of dx, dy and 11/16 of their sum and of their
 * difference counts; its logarithm goes by the first eight bits after the point.
 * All that was found by measuring an H200, which is met to 2/256 of a level. */
#include <math.h>

#include "texture.h"

/* 256 log2(1 + i / 256), as an H200 has it. */
static const uint8_t log2_of[256] = {
	0,   2,   4,   5,   6,   8,   9,   11,  12,  13,  15,  16,  18,  19,  20,  22,  23,  24,
	26,  27,  28,  30,  31,  32,  34,  35,  36,  38,  39,  40,  42,  43,  44,  45,  47,  48,
	49,  50,  52,  53,  54,  55,  57,  58,  59,  60,  62,  63,  64,  65,  66,  68,  69,  70,
	71,  72,  74,  75,  76,  77,  78,  79,  81,  82,  83,  84,  85,  86,  88,  89,  90,  91,
	92,  93,  94,  95,  97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107, 109, 110, 111,
	112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129,
	130, 131, 132, 133, 135, 136, 137, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147,
	148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 162, 163, 164,
	165, 166, 167, 168, 169, 170, 171, 172, 173, 173, 174, 175, 176, 177, 178, 179, 180, 181,
	181, 182, 183, 184, 185, 186, 187, 188, 188, 189, 190, 191, 192, 193, 194, 195, 195, 196,
	197, 198, 199, 200, 200, 201, 202, 203, 204, 205, 205, 206, 207, 208, 209, 210, 210, 211,
	212, 213, 214, 214, 215, 216, 217, 218, 218, 219, 220, 221, 222, 222, 223, 224, 225, 226,
	226, 227, 228, 229, 229, 230, 231, 232, 233, 233, 234, 235, 236, 236, 237, 238, 239, 239,
	240, 241, 242, 242, 243, 244, 245, 245, 246, 247, 248, 248, 249, 250, 251, 251, 252, 253,
	253, 254, 255, 255,
};

int32_t lod_fixed(float lod)
{
	const float most = MAX_LEVELS;
	lod = isnan(lod) ? 0 : lod < -most ? -most : lod > most ? most : lod;
	return (int32_t)(lod * 256);
}

/* Two components, or a length and the third. */
static double length2(double x, double y)
{
	int exponent;
	x = fabs(x), y = fabs(y);
	double large = x > y ? x : y, small = x > y ? y : x;
	if (!(large > 0) || isinf(large))
		return large;
	frexp(large, &exponent);
	double unit = ldexp(1, exponent - 10);
	return (floor(large / unit) + floor(small / unit * 11 / 32)) * unit;
}

static double length3(const double v[3])
{
	double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);
	double least = x < y ? x : y;
	least = least < z ? least : z;
	if (least == x)
		return length2(length2(y, z), x);
	return least == y ? length2(length2(x, z), y) : length2(length2(x, y), z);
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

int32_t lod_of_gradients(const float dx[3], const float dy[3])
{
	double x[3], y[3], sum[3], difference[3];
	int exponent;
	for (unsigned k = 0; k < 3; k++) {
		x[k] = dx[k], y[k] = dy[k];
		sum[k] = x[k] + y[k];
		difference[k] = x[k] - y[k];
	}
	double diagonal = larger(length3(sum), length3(difference)) * 11 / 16;
	double longest = larger(larger(length3(x), length3(y)), diagonal);
	if (!(longest > 0))
		return -256 * MAX_LEVELS;
	if (isinf(longest))
		return 256 * MAX_LEVELS;
	double mantissa = frexp(longest, &exponent); /* 0.5..1 */
	return (exponent - 1) * 256 + log2_of[(unsigned)(mantissa * 512) - 256];
}

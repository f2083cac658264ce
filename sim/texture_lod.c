/* SPDX-License-Identifier: Apache-2.0 */
/* texture_lod.c - the level of detail that derivatives ask for. */
#include <math.h>

#include "texture.h"

int32_t lod_fixed(float lod)
{
	const float most = MAX_LEVELS;
	lod = isnan(lod) ? 0 : lod < -most ? -most : lod > most ? most : lod;
	return (int32_t)(lod * 256);
}

float lod_of_gradients(const float *dx, const float *dy, unsigned n)
{
	double x = 0, y = 0;
	for (unsigned k = 0; k < n; k++) {
		x += (double)dx[k] * dx[k];
		y += (double)dy[k] * dy[k];
	}
	double longest = x > y ? x : y;
	return longest > 0 ? (float)(0.5 * log2(longest)) : -127;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* texels.h - textures, surfaces and CUDA arrays as arrays of their texels. */
#ifndef CUDASIM_DEBUGGER_TEXELS_H
#define CUDASIM_DEBUGGER_TEXELS_H

#include "shape.h"

/* Of a cudaTextureObject_t, a cudaSurfaceObject_t and a cudaArray_t; *is_image is false of other
 * types. Dimensions are slices, rows, columns and channels, as far as there are several. */
struct cudasim_error *texels_shape(const struct value *value, uint32_t level, bool *is_image,
				   struct shape *ret);

#endif

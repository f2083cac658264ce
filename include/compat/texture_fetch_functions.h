/* SPDX-License-Identifier: Apache-2.0 */
/* texture_fetch_functions.h - CUDA 13 dropped this header with the texture
 * references; clang 19 still includes it. What clang leaves out is included here. */
#include "surface_indirect_functions.h"

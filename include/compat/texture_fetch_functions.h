/* SPDX-License-Identifier: Apache-2.0 */
/* texture_fetch_functions.h - CUDA 13 dropped this header with the texture
 * references; clang 19 still includes it. What clang leaves out is included here. */
#ifdef __CUDASIM__
#include "surface_indirect_functions.h"
#else
#include "cudasim_surface_ptx.h"
#pragma push_macro("__nv_tex_surf_handler")
#undef __nv_tex_surf_handler
#define __nv_tex_surf_handler(name, value, object, ...)                                \
	::cudasim_surface::handler<::cudasim_surface::hash(name)>::run(value, object, __VA_ARGS__)
#include "surface_indirect_functions.h"
#pragma pop_macro("__nv_tex_surf_handler")
#endif

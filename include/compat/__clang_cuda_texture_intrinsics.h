/* SPDX-License-Identifier: Apache-2.0 */
/* __clang_cuda_texture_intrinsics.h - texture fetches and surface accesses.
 *
 * The toolkit's texture_indirect_functions.h and surface_indirect_functions.h call
 * __nv_tex_surf_handler("__itex2D", &value, object, x, y), which nvcc has built in.
 * clang's own header of this name knows the textures of it, as inline PTX, which is
 * right for a GPU; the surfaces are added here (cudasim_surface_ptx.h). In the
 * simulator both become calls of the runtime (cudasim_texture.h). */
#ifdef __CUDASIM__
#include "cudasim_texture.h"
#else
#include_next <__clang_cuda_texture_intrinsics.h>
#endif

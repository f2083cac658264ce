/* SPDX-License-Identifier: Apache-2.0 */
/* toolkit_tree.h - a folder that looks like a CUDA toolkit, for makefiles.
 *
 *   bin/nvcc, ptxas   scripts that run cudasim under these names: `cudasim cc`
 *   bin/cudasim-link  the host's compiler with a run path, for CMake
 *   include           the real toolkit's
 *   lib64, lib        libcudart.so, libcudart_static.a and their kin: libcudasim.so, or a library
 *                     beside it
 *   nvvm              lib64/libnvvm.so likewise; libdevice and headers are the real toolkit's
 *
 * Each version of CUDA has a tree of its own. With one of 12, libcudart.so and libcudart_static.a are the
 * stub for CUDA 12 (libraries/stubs): who links with them asks for that version's functions. */
#ifndef CUDASIM_DRIVER_TOOLKIT_TREE_H
#define CUDASIM_DRIVER_TOOLKIT_TREE_H

#include "places.h"
#include "toolkit.h"

/* Makes the tree, or brings it up to date, at places->toolkit_tree ("-12.4" behind, if that is the version); where that
 * cannot be written and is not up to date already, in the user's cache. *ret is
 * its path, which the caller frees. Errors: CUDASIM_E_SYSTEM. */
struct cudasim_error *toolkit_tree_make(const struct places *places, const struct toolkit *toolkit,
					char **ret);

/* The tree's folder of libraries, in which libcudasim.so is that of these places;
 * NULL if no tree has been made yet. The caller frees it. */
char *toolkit_tree_libraries(const struct places *places, const struct toolkit *toolkit);

/* The tree's cudasim-link, which programs are linked by so that they find libcudasim; NULL if no tree has been
 * made yet, and in a build tree, where libcudasim's soname is its path. The caller frees it. */
char *toolkit_tree_linker(const struct places *places, const struct toolkit *toolkit);

#endif

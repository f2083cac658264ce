/* SPDX-License-Identifier: Apache-2.0 */
/* environment.h - the variables with which a program, and all that it starts, finds cudasim's
 * libraries and tools under the names of NVIDIA's:
 *
 *   CUDASIM=1            simulate
 *   CUDA_HOME, CUDA_PATH the folder that looks like a toolkit (toolkit_tree.h)
 *   CUDASIM_TOOLKIT      the toolkit that cudasim takes headers from, since CUDA_HOME names another now
 *   PATH                 its cudasim, nvcc and ptxas, first
 *   LD_LIBRARY_PATH      the folder of names (libcuda.so.1, libcudart.so.12, ...), first
 *   LD_AUDIT             libcudasim-redirect.so, for who opens NVIDIA's libraries by a path
 *   PYTHONPATH           the folder of the notebook extension, last
 *   GLIBC_TUNABLES       room for thread-local variables of libraries that are opened late
 *   TRITON_...           Triton looks for its tools by these alone */
#ifndef CUDASIM_DRIVER_ENVIRONMENT_H
#define CUDASIM_DRIVER_ENVIRONMENT_H

#include "error.h"
#include "places.h"
#include "words.h"

/* names.at[i] is to have values.at[i]. */
struct environment {
	struct words names, values;
};

/* For this process: its own lists of folders, such as PATH, stay behind cudasim's. Makes the
 * toolkit's tree. Errors: those of toolkit_find() and toolkit_tree_make(). */
struct cudasim_error *environment_make(struct environment *ret);

/* The same of what is given. tree: the toolkit's tree; toolkit: the real one's root; get: getenv(). */
void environment_from(const struct places *places, const char *tree, const char *toolkit,
		      char *(*get)(const char *name), struct environment *ret);

/* Makes and sets all of them in this process, as before exec. */
struct cudasim_error *environment_enter(void);

/* The same, but nothing where no toolkit is found: for programs that may do without. */
struct cudasim_error *environment_enter_if_found(void);

/* Sets LD_LIBRARY_PATH alone: a program of `cudasim cc` that was built or moved where its cudasim is not finds this
 * one. */
struct cudasim_error *environment_enter_names(void);

void environment_fini(struct environment *environment);

#endif

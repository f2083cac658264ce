/* SPDX-License-Identifier: Apache-2.0 */
/* gpu.h - real GPU code beside the simulator's: what --gpu asks for.
 *
 *   x.bc (of the architecture) --cudasim-devcc --gpu--> x.sm_90.ptx
 *   x.sm_90.ptx --ptxas--> x.sm_90.cubin, for each real architecture
 *   all of them, and the highest PTX --fatbinary--> x.fatbin
 *   x.fatbin behind struct cudasim_blob takes the place of the blob in x.host.o
 *
 * The simulator's bitcode serves where its architecture is one of them; others
 * get a device pass of their own. */
#ifndef CUDASIM_DRIVER_GPU_H
#define CUDASIM_DRIVER_GPU_H

#include "architecture.h"
#include "command.h"
#include "toolkit.h"

/* A virtual architecture, for which device code is preprocessed and PTX made. */
struct gpu_front {
	char *name;      /* as clang and LLVM 19 know it: "sm_90", "sm_90a" */
	unsigned number; /* __CUDA_ARCH__: 900 */
	bool is_shared;  /* the simulator's own architecture */
};

/* Code for one real architecture, from one front's PTX. */
struct gpu_image {
	char *real;   /* "sm_86" */
	size_t front; /* index */
};

struct gpu {
	struct gpu_front *fronts;
	size_t n_fronts;
	struct gpu_image *images; /* [n_images]; none where PTX alone is wanted */
	size_t n_images;
	size_t ptx;               /* the front whose PTX later GPUs compile: the highest */
	char *ptxas, *fatbinary;  /* paths */
};

/* What to make: the names of --gpu=LIST; without a list those of -arch, -code and
 * -gencode; without any sm_90; and the PTX of the highest in each case. Touches
 * nothing outside. Errors: CUDASIM_E_ARGUMENT for unknown names. */
struct cudasim_error *gpu_choose(const struct command *command,
				 const struct architecture *architecture, struct gpu *ret);

/* Finds ptxas and fatbinary: in the toolkit, then on PATH, then in the folder of
 * the vendor's wheels. Errors: CUDASIM_E_NOTFOUND, naming the first that is not
 * there and how to get it. */
struct cudasim_error *gpu_find_tools(const struct toolkit *toolkit, struct gpu *gpu);

/* Where a tool of the toolkit is, by the same order; NULL if nowhere. The caller
 * frees it. */
char *gpu_find_tool(const struct toolkit *toolkit, const char *name);

/* "sm_90" -> "90". */
const char *gpu_number(const char *name);

void gpu_fini(struct gpu *gpu);

#endif

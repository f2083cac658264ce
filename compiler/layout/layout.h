/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h - where things lie: kernels' parameters, shared memory, variables.
 *
 * Made once, from the base module (pass_layout), and then the same for every
 * body. Names are the mangled names of the functions and globals in the
 * modules; offsets and sizes are bytes. */
#ifndef CUDASIM_COMPILER_LAYOUT_H
#define CUDASIM_COMPILER_LAYOUT_H

#include "device.h"

struct layout_param {
	uint64_t offset, size;
	unsigned align; /* a power of two */
};

/* A __shared__ variable. All extern __shared__ ones begin where the block's
 * dynamic shared memory does. */
struct layout_shared {
	char *name;
	uint64_t offset; /* in the window; 0 for dynamic ones */
	uint64_t size;   /* 0 for dynamic ones */
	unsigned align;
	bool dynamic;
};

struct layout_kernel {
	char *name;
	struct layout_param *params;
	size_t n_params;
	uint64_t params_size;
	size_t *shared; /* indices into the layout's shared variables, by offset */
	size_t n_shared;
	uint64_t static_shared_bytes; /* behind the reserved part */
	unsigned dynamic_shared_align;
	uint32_t flags; /* CUDASIM_KERNEL_* */
	uint32_t max_threads, min_blocks, cluster[3];
	uint64_t local_bytes;   /* largest of all bodies */
	uint64_t continuation_bytes;    /* of the plain bodies' continuation; 0 without one */
	uint32_t n_registers;
	bool vectorized;        /* a loop of a plain body's */
	bool large_loop;        /* pass_loop's is larger than most: for one plain body */
	bool has_v4_loop;       /* the AVX-512 body has one of its own (pass_share.c) */
	uint64_t watched_loop_bytes; /* of stack, for it; 0 without one */
	bool has_watched_loop;  /* there is one that tools can watch (watched_loops.h) */
	bool empty;             /* all plain bodies do nothing but return */
	char *why_not_loop;     /* NULL: pass_loop has made one; owned */
	char *why_not_watched;  /* the same of has_watched_loop */
	bool in_assumed_block; /* pass_loop makes the one for blocks as the source assumes them */
};

/* A __device__, __constant__ or __managed__ variable, or a static one of a
 * device function. */
struct layout_variable {
	char *name;
	uint64_t offset; /* in the module's variables */
	uint64_t size; /* of the variable (a managed one's slot has 8 bytes) */
	unsigned align;
	uint32_t flags; /* CUDASIM_VARIABLE_* */
};

struct device_layout {
	struct layout_kernel *kernels;
	size_t n_kernels;
	struct layout_shared *shared;
	size_t n_shared;
	struct layout_variable *variables;
	size_t n_variables;
	uint64_t variables_size;
	char **functions; /* whose address is taken */
	size_t n_functions;
};

/* By name; NULL if there is none. */
struct layout_kernel *layout_find_kernel(const struct device_layout *layout, const char *name);
const struct layout_shared *layout_find_shared(const struct device_layout *layout,
					       const char *name);
const struct layout_variable *layout_find_variable(const struct device_layout *layout,
						   const char *name);

void layout_free(struct device_layout *layout);

/* Make code name shared and other variables in instructions of their own, not
 * in constant expressions, so that their uses can be found and replaced. */
void layout_expand_constants(struct device_module *dm);

/* The program's layout, with its kernels, their parameters and launch bounds, from
 * nvvm.annotations, and cluster dimensions from llvm.global.annotations. */
struct device_layout *layout_new(struct device_module *dm);
/* layout_shared.c: offsets of the __shared__ variables. */
struct cudasim_error *layout_shared(struct device_module *dm, struct device_layout *layout);
/* layout_variables.c: offsets of all other variables; constant tables get
 * names that are the same in all modules. */
struct cudasim_error *layout_variables(struct device_module *dm, struct device_layout *layout);

/* layout_flags.c: what kernels may do; as the last pass on the base sees it. */
struct cudasim_error *layout_flags(struct device_module *dm, struct device_layout *layout);

/* True for a variable that lives in the module's variables; false for shared
 * ones, for constant tables and for LLVM's own globals (llvm.*). */
bool layout_is_variable(LLVMValueRef global);

/* True for a variable that is used and that no input defines. */
bool layout_is_undefined(LLVMValueRef global);

/* The passes of this room. */
struct cudasim_error *pass_layout(struct device_module *dm); /* program->layout made */
struct cudasim_error *pass_shared(struct device_module *dm); /* no AS 3 globals in code */
struct cudasim_error *pass_variables(struct device_module *dm); /* no AS 1/4 variables in code */
struct cudasim_error *pass_functions(struct device_module *dm); /* descriptors for addresses */
struct cudasim_error *pass_kernels(struct device_module *dm); /* entry thunks */
struct cudasim_error *pass_shared_end(struct device_module *dm); /* shared globals deleted */
void shared_delete(LLVMModuleRef module); /* the same of any module */

#endif

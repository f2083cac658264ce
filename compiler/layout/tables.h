/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - the module of what exists once: variables, constant tables,
 * descriptors, sites, kernels and their registration (struct cudasim_module). */
#ifndef CUDASIM_COMPILER_TABLES_H
#define CUDASIM_COMPILER_TABLES_H

#include "device.h"

/* Build the tables in dm->module, which holds the base's globals and declares
 * its functions (module_clone_globals). base gives the kernels' places in the
 * source. The layout's kernels must be complete. */
struct cudasim_error *tables_build(struct device_module *dm, struct device_module *base);

/* tables_variables.c: the initial image and what points into it. */
struct tables_variables {
	LLVMValueRef image;       /* a global */
	LLVMValueRef relocations; /* a global of n_relocations 64-bit offsets, or null */
	uint64_t n_relocations;
};
struct cudasim_error *tables_variables(struct device_module *dm, struct tables_variables *ret);

/* Helpers of both files: constants in dm's context. */
LLVMValueRef tables_i32(struct device_module *dm, uint64_t value);
LLVMValueRef tables_i64(struct device_module *dm, uint64_t value);
/* A private array of n equal values, or a null pointer if n is 0. */
LLVMValueRef tables_array(struct device_module *dm, LLVMTypeRef type, LLVMValueRef *values,
			  size_t n);
/* A private C string. */
LLVMValueRef tables_text(struct device_module *dm, const char *text);

#endif

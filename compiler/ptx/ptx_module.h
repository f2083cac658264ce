/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_module.h - a whole PTX module: its syntax tree, and NVVM IR made of it.
 *
 * "PTX ISA", chapters "PTX Source Format", "State Spaces, Types, and Variables",
 * "Abstracting the ABI" and "Directives". Bodies of functions are programs as
 * inline PTX is (ptx_syntax.h). The IR is what clang's device pass would give: kernels
 * in nvvm.annotations, parameters as arguments, variables in NVVM's address
 * spaces, debug locations; registers have become SSA values. */
#ifndef CUDASIM_COMPILER_PTX_MODULE_H
#define CUDASIM_COMPILER_PTX_MODULE_H

#include "ptx_syntax.h"

enum ptx_linkage {
	PTX_STATIC,  /* of this module alone */
	PTX_VISIBLE,
	PTX_WEAK,
	PTX_COMMON,  /* variables: several declarations are one */
	PTX_EXTERN,
};

/* One word of an initial value. */
struct ptx_value {
	enum { PTX_V_INTEGER, PTX_V_REAL, PTX_V_NAME } kind;
	int64_t integer;  /* PTX_V_NAME: bytes to be added to the address */
	double real;
	const char *name; /* PTX_V_NAME: variable or function */
	bool is_generic;  /* generic(name) */
	uint64_t mask;    /* of 0xFF00(name): the byte of the address that is meant; 0: all */
};

struct ptx_global {
	const char *name;
	const char *space; /* "global", "const", "shared", "local" */
	enum ptx_linkage linkage;
	const char *type;
	uint32_t n_lanes;
	uint32_t alignment; /* in bytes; 0: that of its type */
	uint32_t n_elements; /* 0: extern, of unknown size */
	bool is_managed;
	struct ptx_value *values;
	uint32_t n_values;
	bool is_initialized;
	uint32_t line;
};

/* .maxntid and its kin: numbers of a kernel. */
struct ptx_bound {
	const char *name; /* without the dot */
	uint32_t values[3];
	uint32_t n_values;
};

struct ptx_function {
	const char *name;
	bool is_entry, has_body, no_return;
	enum ptx_linkage linkage;
	struct ptx_param *returns, *params;
	uint32_t n_returns, n_params;
	struct ptx_bound *bounds;
	uint32_t n_bounds;
	struct ptx_program body; /* statements only; the arena is the module's */
	uint32_t line;
};

struct ptx_alias {
	const char *name, *of;
};

struct ptx_file {
	uint32_t number;
	const char *path;
};

struct ptx_module {
	struct ptx_global *globals;
	struct ptx_function *functions;
	struct ptx_alias *aliases;
	struct ptx_file *files;
	uint32_t n_globals, n_functions, n_aliases, n_files;
	struct ptx_arena *arena;
};

/* Text of size bytes, with or without a NUL behind it. Errors as ptx_parse(), and
 * *line is where in the text; CUDASIM_E_UNSUPPORTED, too, for PTX that says that NVIDIA's
 * NVVM compiler generated it (is_vendors). */
struct cudasim_error *ptx_module_parse(const char *text, size_t size, struct ptx_module *ret,
				       uint32_t *line);
void ptx_module_free(struct ptx_module *module);

/* Does the comment at the text's head say that NVIDIA's compiler made it? Its licence
 * does not allow to translate that for other platforms. */
bool ptx_module_is_vendors(const char *text, size_t size);

#endif

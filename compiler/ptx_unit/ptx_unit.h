/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_unit.h - a PTX module on its way to NVVM IR; for ptx_unit*.c and who calls
 * ptx_unit_build(). */
#ifndef CUDASIM_COMPILER_PTX_UNIT_H
#define CUDASIM_COMPILER_PTX_UNIT_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "ptx_emit.h"
#include "ptx_module.h"

/* What a function or a .callprototype takes and returns. In IR: single numbers are
 * integers of their width; an array is a pointer to the caller's, which is read (a
 * parameter) or written (a result, such pointers stand first). No result that is a
 * number: void; one: it; several: a structure. A kernel's array is a byval pointer. */
struct ptx_signature {
	const struct ptx_param *returns, *params;
	uint32_t n_returns, n_params;
};

/* What a name of the module means. */
struct ptx_name {
	const char *name;
	LLVMValueRef value; /* a global variable or function */
	const struct ptx_function *function; /* or NULL */
};

struct ptx_unit {
	LLVMContextRef context;
	LLVMModuleRef module;
	const struct ptx_module *tree;
	const char *source; /* the file's name */

	struct ptx_name *names; /* by hash of their names; empty ones have no name */
	uint32_t n_room;

	/* ptx_unit_debug.c */
	LLVMDIBuilderRef debug;
	LLVMMetadataRef debug_file; /* the PTX itself */
	LLVMMetadataRef *debug_files; /* [tree->n_files] */

	/* Called for each error; the message is of one line. */
	void (*report)(void *arg, uint32_t line, const char *message);
	void *arg;
	size_t n_errors;
};

/* The IR of a module, in `context`; NULL if something was reported. */
LLVMModuleRef ptx_unit_build(LLVMContextRef context, const struct ptx_module *tree,
			     const char *source,
			     void (*report)(void *arg, uint32_t line, const char *message),
			     void *arg);

__attribute__((format(printf, 3, 4))) void ptx_unit_fail(struct ptx_unit *unit, uint32_t line,
							 const char *format, ...);
const struct ptx_name *ptx_unit_name(const struct ptx_unit *unit, const char *name);

/* Bytes of one element; 0 for what is no type of a variable. */
unsigned ptx_unit_bytes(const char *type);

/* ---- ptx_unit_data.c ------------------------------------------------------ */

/* Declares the variable, without its initial value. */
LLVMValueRef ptx_unit_declare_global(struct ptx_unit *unit, const struct ptx_global *global);
void ptx_unit_initialize(struct ptx_unit *unit, const struct ptx_global *global);

/* ---- ptx_unit_call.c ------------------------------------------------------ */

struct ptx_signature ptx_unit_signature(const struct ptx_function *function);
/* NULL, with an error reported, where a type is none. */
LLVMTypeRef ptx_unit_function_type(struct ptx_unit *unit, const struct ptx_function *function);
/* Is it a function that libcudasim has for device code? */
bool ptx_unit_is_service(const char *name);
/* Names for the parameters of the function that is being defined, at its beginning. */
void ptx_unit_receive(struct ptx_emit *emit);
/* Ends the block by a return of what the results hold. */
void ptx_unit_return(struct ptx_emit *emit);

/* ---- ptx_unit_debug.c ----------------------------------------------------- */

void ptx_unit_debug_begin(struct ptx_unit *unit);
void ptx_unit_debug_function(struct ptx_unit *unit, struct ptx_emit *emit);
void ptx_unit_debug_end(struct ptx_unit *unit);

#endif

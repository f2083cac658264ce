/* SPDX-License-Identifier: Apache-2.0 */
/* debug_metadata.h - readers and writers of LLVM's debug metadata, atomics and
 * debug records that LLVM 19's C API lacks; llvm_functions.h has the rest. */
#ifndef CUDASIM_COMPILER_DEBUG_METADATA_H
#define CUDASIM_COMPILER_DEBUG_METADATA_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place in the source. Strings live as long as the LLVM context; NULL where
 * there is no debug information. */
struct source_position {
	const char *file;      /* as the compiler was given it */
	const char *directory; /* what a relative file is relative to */
	const char *symbol;    /* linkage name of the function, or its plain name */
	unsigned line, column; /* 0 where not known */
	const void *scope;     /* identity of function and inlined call it stands in */
};

/* Places of an instruction: the innermost first, then each place where its
 * function was inlined. Writes up to max and returns how many there are. */
unsigned place_chain(LLVMValueRef instruction, struct source_position *ret, unsigned max);

/* The place where a function begins: file and line of its name. False where it
 * has no debug information; *ret holds its symbol then, and nothing else. */
bool place_function(LLVMValueRef function, struct source_position *ret);

/* True for an instruction whose atomic ordering is not NotAtomic; *ret is an
 * LLVMAtomicOrdering (of success for cmpxchg). */
bool instruction_atomic_ordering(LLVMValueRef instruction, LLVMAtomicOrdering *ret);

/* The last of the operations LLVM 19's C API has no number for: increment and
 * decrement with wrap; 0 for others, else 1 (uinc_wrap) or 2 (udec_wrap). */
int atomicrmw_wrap_kind(LLVMValueRef atomicrmw);

/* Give the function around call, which has no debug information, a nameless
 * one, and the call a place at the callee's beginning, so that places of code
 * that is inlined there survive. Nothing if the callee has none either. */
void debug_lend_location(LLVMValueRef call);

/* Functions are named with their namespaces and classes, but without parameters, by the debug
 * information itself: scopes are not among what LLVM keeps of it for line tables. */
void debug_qualify_names(LLVMModuleRef module);

/* ---- memory of a function ------------------------------------------------- */

/* Remove the calls that tell when a local's life begins and ends, so that each
 * local keeps its own memory all through the function. */
void debug_drop_lifetimes(LLVMValueRef function);

/* Turn into registers what no variable of the user's lives in: locals without
 * debug information, and those whose variables all stand in files for which
 * hidden() answers true. */
void debug_promote_locals(LLVMValueRef function, bool (*hidden)(const char *file, void *arg),
			  void *arg);

/* Variables that live where a parameter points to (structures by value, results
 * that the caller holds) are found through a slot on the stack that keeps the
 * parameter, which itself may be gone from its register after a while. */
void debug_keep_parameters(LLVMValueRef function);

/* ---- variables ----------------------------------------------------------- */

/* Make the value of global's variables what the pointer in global points to. */
void debug_variable_deref(LLVMValueRef global);

/* Declare in function, for each of global's variables, a local variable of the
 * same name and type whose value is found at the address that the memory slot
 * `slot` (an alloca of a pointer) holds. The declarations stand before
 * instruction `before`. Variables that belong to another function are left out. */
void debug_variable_localize(LLVMValueRef global, LLVMValueRef function, LLVMValueRef slot,
			     LLVMValueRef before);
/* The structures' debug types of the module, found when the first is asked for. */
struct debug_types;
struct debug_types *debug_types_new(void);
void debug_types_free(struct debug_types *types);

/* The same for an `extern __shared__ T name[]`, for which clang writes no debug
 * information: an array without bounds of the debug type that fits T best (the
 * sign of integers is not known: int, char, ...). */
void debug_variable_localize_array(struct debug_types *types, LLVMValueRef global, const char *name,
				   LLVMValueRef function, LLVMValueRef slot, LLVMValueRef before);
/* Remove global's debug information from it and from the compile units. */
void debug_variable_forget(LLVMValueRef global);

/* Remove address spaces (DW_OP_xderef) from every expression that is
 * left in the module. */
void debug_strip_address_spaces(LLVMModuleRef module);

/* Have debug information written as clang asks for it, whatever the module asks for: DWARF 5, all
 * that there is, and no tables of names. The module remembers for its PTX what it asked for. */
void debug_set_form(LLVMModuleRef module);

/* For PTX, which knows DWARF 2: all debug information (full, or as the module asked for before
 * debug_set_form()), or line directives and nothing else. */
void debug_prepare_nvptx(LLVMModuleRef module, bool full);

#ifdef __cplusplus
}
#endif
#endif

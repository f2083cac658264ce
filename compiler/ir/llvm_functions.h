/* SPDX-License-Identifier: Apache-2.0 */
/* llvm_functions.h - what LLVM does in C++ only. Nothing else belongs here. */
#ifndef CUDASIM_COMPILER_LLVM_FUNCTIONS_H
#define CUDASIM_COMPILER_LLVM_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Turn every constant expression that an instruction uses and that rests on
 * one of the globals into instructions before their user, so that afterwards
 * the global's users are instructions, other globals' initialisers and
 * metadata only. */
void constants_expand(LLVMValueRef *globals, unsigned n_globals);

/* Whether the branch or switch leaves, on one of its ways, a loop that both it and the
 * block `inside` are in. */
bool branch_leaves_loop(LLVMValueRef branch, LLVMBasicBlockRef inside);

/* Whether an instruction is done wherever the other one is reached; of one function. */
bool instruction_dominates(LLVMValueRef definition, LLVMValueRef user);

/* Name of an atomic instruction's or fence's sync scope as NVVM IR spells it:
 * "" (system), "block", "device", "singlethread", ... Lives as long as the
 * context. */
const char *instruction_sync_scope(LLVMValueRef instruction);

/* Give an atomic instruction or fence the sync scope of that name. */
void instruction_set_sync_scope(LLVMValueRef instruction, const char *scope);

/* What an address that an instruction uses rests on, through casts and offsets. *offset: the
 * bytes between them, -1 where they are not a constant of 0 or more. */
LLVMValueRef address_base(LLVMValueRef instruction, LLVMValueRef address, int64_t *offset);

/* True where the address is a multiple of the alignment (a power of two) whatever the program's values
 * are, as LLVM's known bits say. */
bool address_is_aligned(LLVMValueRef instruction, LLVMValueRef address, uint64_t alignment);

/* Bytes that a store of that type would write in the instruction's module. */
uint64_t type_store_size(LLVMValueRef instruction, LLVMTypeRef type);

/* Make a function a declaration. */
void function_delete_body(LLVMValueRef function);

/* Inline the function that a call calls, whatever its size; the call is gone
 * afterwards. Asserts that LLVM can. */
void call_inline(LLVMValueRef call);

/* A pipeline of function passes (as LLVMRunPasses spells them) to run on one
 * function after another. Asserts that the text is a pipeline. Free it before
 * the module; it may not be used across changes that delete functions. */
struct function_passes;
struct function_passes *function_passes_new(const char *passes);
void function_passes_run(struct function_passes *passes, LLVMValueRef function);
void function_passes_free(struct function_passes *passes);

/* Drop the debug records of a function's variables; its lines stay. */
void debug_drop_variables(LLVMValueRef function);

/* Inline a call of a defined function; false if LLVM cannot, and nothing has
 * changed. */
bool call_try_inline(LLVMValueRef call);

/* Let everything that uses the function's address use another constant: code, initialisers;
 * neither calls of it nor metadata. */
void function_replace_address(LLVMValueRef function, LLVMValueRef with);

/* Whatever the function's code says of its places in the source goes: inlined, it stands at
 * the place of the call. */
void debug_drop_locations(LLVMValueRef function);

/* Cut the block before an instruction. Returns the new block, which begins with
 * it; the old one ends in a branch there. */
LLVMBasicBlockRef block_split_before(LLVMValueRef instruction);

/* Demangle a C++ name. The result is malloc()ed; a copy of the name where it
 * is not a mangled one. without_params: "ns::advance<32>" instead of
 * "void ns::advance<32>(int*)". */
char *name_demangle(const char *name, bool without_params);

/* Make the target machine write a .stack_sizes section, and constructors into
 * .init_array instead of the old .ctors. */
void machine_set_options(LLVMTargetMachineRef machine);

/* Load a vector from a vector of addresses, all of the alignment in bytes. */
LLVMValueRef build_gather(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef addresses,
			  unsigned align);

/* Take the flag that allows contraction from an instruction; LLVMSetFastMathFlags()
 * only adds flags. */
void instruction_forbid_contraction(LLVMValueRef instruction);

/* Link into `to` what it needs of `from`, which is taken over; that becomes internal. True where
 * they do not fit; the context's handler of diagnostics has heard why. */
bool module_link_needed(LLVMModuleRef to, LLVMModuleRef from);

/* A copy of the module in which every function is only declared. */
LLVMModuleRef module_clone_globals(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif

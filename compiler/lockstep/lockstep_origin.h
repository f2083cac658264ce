/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep_origin.h - which shared variables a value of a module may be the address of. */
#ifndef CUDASIM_COMPILER_LOCKSTEP_ORIGIN_H
#define CUDASIM_COMPILER_LOCKSTEP_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

enum { ORIGIN_VARIABLES = 16 /* told apart; the last stands for all others */ };

/* Bit i for variable i. */
typedef uint32_t lockstep_objects;

struct lockstep_origins;

/* Looks through all functions of module. shared: its n_shared shared variables, borrowed
 * until lockstep_origins_free(). Ends the program where there is no memory. */
struct lockstep_origins *lockstep_origins_new(LLVMModuleRef module, const LLVMValueRef *shared,
					      unsigned n_shared);
void lockstep_origins_free(struct lockstep_origins *origins);

/* The variables that an access of address may hit; all of them for a shared-space address of
 * which nothing is known. 0 for addresses of global memory, parameters and locals. */
lockstep_objects lockstep_origins_of(const struct lockstep_origins *origins, LLVMValueRef address);

/* Is a function of the module called, by its name or by its address? Kernels are not. */
bool lockstep_origins_is_called(const struct lockstep_origins *origins, LLVMValueRef function);

/* What a call, and what it calls in turn, may read and write. */
void lockstep_origins_called(const struct lockstep_origins *origins, LLVMValueRef call,
			     lockstep_objects *reads, lockstep_objects *writes);

#endif

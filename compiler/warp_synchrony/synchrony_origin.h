/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_origin.h - which shared variables a value of a module may be the address of. */
#ifndef CUDASIM_COMPILER_SYNCHRONY_ORIGIN_H
#define CUDASIM_COMPILER_SYNCHRONY_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

enum { ORIGIN_VARIABLES = 16 /* told apart; the last stands for all others */ };

/* Bit i for variable i. */
typedef uint32_t synchrony_objects;

struct synchrony_origins;

/* Looks through all functions of module. shared: its n_shared shared variables, borrowed
 * until synchrony_origins_free(). Ends the program where there is no memory. */
struct synchrony_origins *synchrony_origins_new(LLVMModuleRef module, const LLVMValueRef *shared,
						unsigned n_shared);
void synchrony_origins_free(struct synchrony_origins *origins);

/* The variables that an access of address may hit; all of them for a shared-space address of
 * which nothing is known. 0 for addresses of global memory, parameters and locals. */
synchrony_objects synchrony_origins_of(const struct synchrony_origins *origins,
				       LLVMValueRef address);

/* Is a function of the module called, by its name or by its address? Kernels are not. */
bool synchrony_origins_is_called(const struct synchrony_origins *origins, LLVMValueRef function);

/* Does the marker of this number stand in several places, as its function has been inlined there? */
bool synchrony_origins_is_shared(const struct synchrony_origins *origins, uint32_t number);

/* What a call, and what it calls in turn, may read and write. */
void synchrony_origins_called(const struct synchrony_origins *origins, LLVMValueRef call,
			      synchrony_objects *reads, synchrony_objects *writes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_register.h - registers and variables of a body, for ptx_operand.c, ptx_emit.c
 * and what puts whole functions together. */
#ifndef CUDASIM_COMPILER_PTX_REGISTER_H
#define CUDASIM_COMPILER_PTX_REGISTER_H

#include <limits.h>

#include "ptx_emit.h"

/* The scope of what has no name: the carry flag, the statement's operands. */
#define PTX_NO_SCOPE UINT_MAX

/* A new register in a scope; n_family and n_lanes as in struct ptx_register. In
 * strings with labels its alloca stands in the entry block. NULL, with the
 * emission's error set, when there is no memory. Pointers to registers hold
 * until the next one is added. */
struct ptx_register *ptx_register_add(struct ptx_emit *emit, unsigned scope, const char *name,
				      enum ptx_type type, uint32_t n_family, uint32_t n_lanes);

/* A name that stands for a variable's address, with the bytes that it has (0 where that
 * is not known). */
struct ptx_register *ptx_variable_add(struct ptx_emit *emit, unsigned scope, const char *name,
				      LLVMValueRef variable, uint64_t bytes);

/* By name, innermost scope first; NULL if there is none. */
struct ptx_register *ptx_register_find(struct ptx_emit *emit, const char *name);
/* The slot of a name with an optional lane (v.x). */
struct ptx_register *ptx_register_slot(struct ptx_emit *emit, const struct ptx_operand *operand);

/* Memory of the translated function, made when it is entered. */
LLVMValueRef ptx_entry_alloca(struct ptx_emit *emit, LLVMTypeRef type);

/* The lanes of a vector register, ordinary or special, that an operand names as a
 * whole; 0 for all other operands. */
uint32_t ptx_vector_lanes(struct ptx_emit *emit, const struct ptx_operand *operand);

/* Its value as an integer of its width. */
LLVMValueRef ptx_register_get(struct ptx_emit *emit, const struct ptx_register *reg);
void ptx_register_set(struct ptx_emit *emit, struct ptx_register *reg, LLVMValueRef bits);

void ptx_nomem(struct ptx_emit *emit);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* tensor.h - tensor cores: products of matrices that a warp holds, and the way of their parts
 * between memory and lanes. Forms are those of cudasim/mma.h.
 *
 * A product is a call of __cudasim_mma.FORM (the form in decimal digits), which takes a
 * lane's registers of A, B and C, an i32 each, and a site, and returns those of D as an array.
 * So they stay values in every body until pass_context makes it a call of __cudasim_mma, or
 * region_formation.cpp arrays of a loop over a warp. */
#ifndef CUDASIM_COMPILER_TENSOR_H
#define CUDASIM_COMPILER_TENSOR_H

#include "device.h"

#define TENSOR_PRODUCT "__cudasim_mma."

/* Where the parts of a matrix are. */
struct tensor_memory {
	LLVMValueRef address; /* of its first element */
	LLVMValueRef stride;  /* i32: elements from row to row, or from column to column */
	bool by_columns;      /* columns lie one after the other */
};

/* The form that a name's parts between dots tell, from mma or wmma on: shape, types (in PTX's
 * order D, A, B, C or as LLVM abbreviates it), options. Other words are skipped. False where
 * there is no shape, or types that are not of matrices. */
bool tensor_parse(const char *name, uint32_t *form);

/* All types of a form whose matrix has this one; for loads and stores. */
uint32_t tensor_form_of(uint32_t shape, enum cudasim_mma_type type);
/* m16n16k16 and its like; UINT32_MAX: none. */
uint32_t tensor_shape(const char *name);

/* CUDASIM_MMA_N_TYPES: none. */
enum cudasim_mma_type tensor_type(const char *name);

/* A lane's registers of an operand, from and to memory: cudasim_mma_words() i32 each. lane:
 * its number, i32. Neighbours in memory that share a register are one access. */
void tensor_load(LLVMBuilderRef builder, uint32_t form, enum cudasim_mma_operand of,
		 const struct tensor_memory *from, LLVMValueRef lane, LLVMValueRef *words);
void tensor_store(LLVMBuilderRef builder, uint32_t form, const struct tensor_memory *to,
		  LLVMValueRef lane, LLVMValueRef *words);

/* Two words as an i64, the lower one first. */
LLVMValueRef tensor_pair(LLVMBuilderRef builder, LLVMValueRef low, LLVMValueRef high);

/* The form of such a call's function, by its name; false for other functions. */
bool tensor_is_product(const char *name, uint32_t *form);

/* Build what stands for the call of an intrinsic of tensor cores (llvm.nvvm.wmma.*,
 * llvm.nvvm.mma.*, and llvm.nvvm.tensor.mma.FORM, which ptx_mma.c makes), before it. NULL
 * without *known for others. */
LLVMValueRef tensor_build(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef call,
			  const char *name,
			  LLVMValueRef (*lane)(struct device_module *, LLVMBuilderRef),
			  bool *known);

/* Make a product a call of libcudasim's __cudasim_mma; false for any other instruction. */
bool tensor_lower(struct device_module *dm, LLVMValueRef call);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* blas.h - cuBLAS's enumerations as CBLAS's, and sizes. */
#ifndef CUDASIM_CUBLAS_BLAS_H
#define CUDASIM_CUBLAS_BLAS_H

#include <cblas.h>

#include "call.h"

static inline bool is_operation(int op)
{
	return op >= OP_N && op <= OP_C;
}

static inline bool is_fill(int fill)
{
	return fill == FILL_LOWER || fill == FILL_UPPER;
}

static inline bool is_side(int side)
{
	return side == SIDE_LEFT || side == SIDE_RIGHT;
}

static inline bool is_diagonal(int diagonal)
{
	return diagonal == 0 || diagonal == 1;
}

static inline CBLAS_TRANSPOSE blas_operation(int op)
{
	return op == OP_N ? CblasNoTrans : op == OP_T ? CblasTrans : CblasConjTrans;
}

static inline CBLAS_UPLO blas_fill(int fill)
{
	return fill == FILL_LOWER ? CblasLower : CblasUpper;
}

static inline CBLAS_SIDE blas_side(int side)
{
	return side == SIDE_LEFT ? CblasLeft : CblasRight;
}

static inline CBLAS_DIAG blas_diagonal(int diagonal)
{
	return diagonal ? CblasUnit : CblasNonUnit;
}

/* Elements of a triangle with its diagonal; beyond what an int holds: -1. */
static inline int packed(int n)
{
	int64_t all = (int64_t)n * (n + 1) / 2;
	return all > INT32_MAX ? -1 : (int)all;
}

#endif

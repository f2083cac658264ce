/* SPDX-License-Identifier: Apache-2.0 */
/* See __clang_cuda_math_forward_declares.h: the two functions whose second operand
 * has this name take a pointer to an array in its place. */
#define __iexp (*__iexp)[1]
#include_next <__clang_cuda_cmath.h>
#undef __iexp

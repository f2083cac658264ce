/* SPDX-License-Identifier: Apache-2.0 */
/* mma.h - tensor cores: products of small matrices that a warp's lanes hold together. */
#ifndef CUDASIM_SIM_MMA_H
#define CUDASIM_SIM_MMA_H

#include <stdbool.h>
#include <stdint.h>

#include "cudasim/mma.h"

/* D = A * B + C for a warp. words[i][lane]: register i of the lane, operands and their order
 * as cudasim/mma.h says; D is put where C was. Safe from any thread. */
void mma_compute(uint32_t form, uint32_t (*words)[32]);

/* One element of D, for floating-point operands of up to 32 bits: c plus the products of the
 * n elements of a and b, all as their types' bits. See mma_float.c. */
uint32_t mma_dot(uint32_t form, const uint32_t *a, const uint32_t *b, uint32_t n, uint32_t c);

/* The same as mma_compute() for the common forms and numbers, quickly; false where it has done
 * nothing: other forms, infinities and NaNs, results that are subnormal in f32. */
bool mma_vector(uint32_t form, uint32_t (*words)[32]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* mma_layout.h - which lane of a warp holds which element of a tensor core's operands. */
#ifndef CUDASIM_FORMATS_MMA_LAYOUT_H
#define CUDASIM_FORMATS_MMA_LAYOUT_H

#include <stdint.h>

#include "cudasim/mma.h"

/* The place of an element in its matrix (A is m x k, B k x n, C and D m x n). Of m8n8k4 with
 * f16, block tells which of the four products it is of; else it is 0. */
struct mma_place {
	uint8_t row, column, block;
};

/* The place of element i of a lane. Elements count from the lowest bits of the lane's first
 * register of that operand; those that wmma keeps twice have one place.
 *
 * Source: PTX ISA 9.0, the figures of "Matrix fragments for mma.m16n8k16" and its like;
 * fragments of wmma, which the manual leaves open, as matrices loaded on an H200 showed. */
struct mma_place mma_place(uint32_t form, enum cudasim_mma_operand of, uint32_t lane, uint32_t i);

#endif

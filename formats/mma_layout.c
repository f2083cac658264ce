/* SPDX-License-Identifier: Apache-2.0 */
/* mma_layout.c - which lane holds which element of a matrix.
 *
 * The bits of a lane's number and of an element's number within the lane each add a power
 * of two to the row or to the column. With e elements in a register, of which a 64-bit one
 * holds one: the lowest bits of the element's number are k's lowest (of C and D: n's
 * lowest); then come the lane's two lowest bits, and the lane's upper three are the
 * lowest of m or n. What is left of the element's bits goes to m and k, in the order that
 * the tables below tell. */
#include "mma_layout.h"

/* The next bits of a dimension that are not given away yet. */
struct axis {
	uint32_t next, size, value;
};

static void take(struct axis *axis, uint32_t *bits, uint32_t n_bits)
{
	axis->value += (*bits & ((1u << n_bits) - 1)) * axis->next;
	axis->next <<= n_bits;
	*bits >>= n_bits;
}

static void take_one(struct axis *axis, uint32_t *bits)
{
	if (axis->next < axis->size)
		take(axis, bits, 1);
}

static void take_all(struct axis *axis, uint32_t *bits)
{
	while (axis->next < axis->size)
		take(axis, bits, 1);
}

static uint32_t log2_of(uint32_t x)
{
	return (uint32_t)__builtin_ctz(x);
}

/* PTX ISA, "Matrix fragments for mma.m8n8k4 with .f16": eight lanes, i to i + 3 and i + 16 to
 * i + 19, make one of the four products. */
static struct mma_place quad_place(uint32_t form, enum cudasim_mma_operand of, uint32_t lane,
				   uint32_t i)
{
	uint32_t upper = lane >> 4 << 2, own = (lane & 3) + upper;
	struct mma_place p = {.block = (uint8_t)(lane >> 2 & 3)};
	switch (of) {
	case CUDASIM_MMA_A:
		p.row = (uint8_t)(form & CUDASIM_MMA_A_COL ? i + upper : own);
		p.column = (uint8_t)(form & CUDASIM_MMA_A_COL ? lane & 3 : i);
		break;
	case CUDASIM_MMA_B:
		p.row = (uint8_t)(form & CUDASIM_MMA_B_COL ? i : lane & 3);
		p.column = (uint8_t)(form & CUDASIM_MMA_B_COL ? own : i + upper);
		break;
	default:
		if (cudasim_mma_type(form, of) == CUDASIM_MMA_F16) {
			p.row = (uint8_t)own;
			p.column = (uint8_t)i;
			break;
		}
		p.row = (uint8_t)((lane & 1) + (i & 2) + upper);
		p.column = (uint8_t)((i & 4) + (lane & 2) + (i & 1));
		break;
	}
	return p;
}

struct mma_place mma_place(uint32_t form, enum cudasim_mma_operand of, uint32_t lane, uint32_t i)
{
	struct axis m = {1, cudasim_mma_m(form), 0}, n = {1, cudasim_mma_n(form), 0};
	struct axis k = {1, cudasim_mma_k(form), 0};
	uint32_t bits = cudasim_mma_bits(cudasim_mma_type(form, of));
	uint32_t in_register = bits < 32 ? log2_of(32 / bits) : 0;
	/* m8n32 is computed as the product of the transposed matrices. */
	struct axis *rows = n.size == 32 ? &n : &m, *columns = n.size == 32 ? &m : &n;
	if (cudasim_mma_is_quad(form))
		return quad_place(form, of, lane, i);
	if (of >= CUDASIM_MMA_C) {
		take(columns, &i, 1);
		take(columns, &lane, 2);
		take(rows, &lane, 3);
		take_one(rows, &i);
		take_all(columns, &i);
		take_all(rows, &i);
		return (struct mma_place){(uint8_t)m.value, (uint8_t)n.value, 0};
	}
	struct axis *own = of == CUDASIM_MMA_A ? &m : &n;
	take(&k, &i, in_register);
	take(&k, &lane, 2);
	take(own, &lane, 3);
	if (own == rows)
		take_one(own, &i);
	take_all(&k, &i);
	take_all(own, &i);
	return of == CUDASIM_MMA_A ? (struct mma_place){(uint8_t)m.value, (uint8_t)k.value, 0}
				   : (struct mma_place){(uint8_t)k.value, (uint8_t)n.value, 0};
}

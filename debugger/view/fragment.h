/* SPDX-License-Identifier: Apache-2.0 */
/* fragment.h - matrices whose elements the lanes of a warp hold, for tensor cores. */
#ifndef CUDASIM_DEBUGGER_FRAGMENT_H
#define CUDASIM_DEBUGGER_FRAGMENT_H

#include "cudasim/mma.h"
#include "grid.h"

struct fragment {
	uint32_t form;
	enum cudasim_mma_operand of;
};
/* "m16n8k16,a,f16": the shape of the product, the operand, its elements' type; of m8n8k4 with f16
 * also row (which is meant without) or col. */
struct cudasim_error *fragment_parse(const char *text, struct fragment *ret);
/* Of an nvcuda::wmma::fragment, by its type; false of other types. */
bool fragment_of_type(const struct type *type, struct fragment *ret);
/* The matrix, out of what the expression gives in each lane of the focused warp. */
struct cudasim_error *fragment_read(const struct fragment *fragment, const char *expression,
				    struct grid *ret);

#endif

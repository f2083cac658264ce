/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_type.h - the types that PTX instructions carry as modifiers. */
#ifndef CUDASIM_COMPILER_PTX_TYPE_H
#define CUDASIM_COMPILER_PTX_TYPE_H

#include <stdbool.h>
#include <stdint.h>

enum ptx_type {
	PTX_NONE,
	PTX_PRED,
	PTX_B8,
	PTX_B16,
	PTX_B32,
	PTX_B64,
	PTX_B128,
	PTX_U8,
	PTX_U16,
	PTX_U32,
	PTX_U64,
	PTX_S8,
	PTX_S16,
	PTX_S32,
	PTX_S64,
	PTX_F16,
	PTX_BF16,
	PTX_F32,
	PTX_F64,
	PTX_TF32,
	PTX_F16X2,
	PTX_BF16X2,
	PTX_U16X2,
	PTX_S16X2,
	PTX_E4M3X2,
	PTX_E5M2X2,
	PTX_E4M3,
	PTX_E5M2,
	PTX_B1, /* of matrices */
	PTX_U4,
	PTX_S4,
	PTX_U2,
	PTX_S2, /* of cvt.pack and of matrices */
	PTX_N_TYPES,
};

enum ptx_class {
	PTX_CLASS_BITS,     /* b*: no meaning of its own */
	PTX_CLASS_UNSIGNED,
	PTX_CLASS_SIGNED,
	PTX_CLASS_FLOAT,
	PTX_CLASS_PRED,
};

struct ptx_type_info {
	const char *name;
	uint16_t bits; /* of the whole */
	uint8_t lanes;
	uint8_t class; /* enum ptx_class */
};

extern const struct ptx_type_info ptx_types[PTX_N_TYPES];

/* PTX_NONE if name is no type. */
enum ptx_type ptx_type_find(const char *name);

static inline bool ptx_is_signed(enum ptx_type type)
{
	return ptx_types[type].class == PTX_CLASS_SIGNED;
}

static inline bool ptx_is_float(enum ptx_type type)
{
	return ptx_types[type].class == PTX_CLASS_FLOAT;
}

static inline unsigned ptx_bits(enum ptx_type type)
{
	return ptx_types[type].bits;
}

/* The b type of that many bits. */
enum ptx_type ptx_type_of_bits(unsigned bits);

#endif

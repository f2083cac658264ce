/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_type.c - see ptx_type.h. */
#include "ptx_type.h"

#include <string.h>

const struct ptx_type_info ptx_types[PTX_N_TYPES] = {
	[PTX_NONE] = {"", 0, 0, PTX_CLASS_BITS},
	[PTX_PRED] = {"pred", 1, 1, PTX_CLASS_PRED},
	[PTX_B8] = {"b8", 8, 1, PTX_CLASS_BITS},
	[PTX_B16] = {"b16", 16, 1, PTX_CLASS_BITS},
	[PTX_B32] = {"b32", 32, 1, PTX_CLASS_BITS},
	[PTX_B64] = {"b64", 64, 1, PTX_CLASS_BITS},
	[PTX_B128] = {"b128", 128, 1, PTX_CLASS_BITS},
	[PTX_U8] = {"u8", 8, 1, PTX_CLASS_UNSIGNED},
	[PTX_U16] = {"u16", 16, 1, PTX_CLASS_UNSIGNED},
	[PTX_U32] = {"u32", 32, 1, PTX_CLASS_UNSIGNED},
	[PTX_U64] = {"u64", 64, 1, PTX_CLASS_UNSIGNED},
	[PTX_S8] = {"s8", 8, 1, PTX_CLASS_SIGNED},
	[PTX_S16] = {"s16", 16, 1, PTX_CLASS_SIGNED},
	[PTX_S32] = {"s32", 32, 1, PTX_CLASS_SIGNED},
	[PTX_S64] = {"s64", 64, 1, PTX_CLASS_SIGNED},
	[PTX_F16] = {"f16", 16, 1, PTX_CLASS_FLOAT},
	[PTX_BF16] = {"bf16", 16, 1, PTX_CLASS_FLOAT},
	[PTX_F32] = {"f32", 32, 1, PTX_CLASS_FLOAT},
	[PTX_F64] = {"f64", 64, 1, PTX_CLASS_FLOAT},
	[PTX_TF32] = {"tf32", 32, 1, PTX_CLASS_BITS},
	[PTX_F16X2] = {"f16x2", 32, 2, PTX_CLASS_FLOAT},
	[PTX_BF16X2] = {"bf16x2", 32, 2, PTX_CLASS_FLOAT},
	[PTX_U16X2] = {"u16x2", 32, 2, PTX_CLASS_UNSIGNED},
	[PTX_S16X2] = {"s16x2", 32, 2, PTX_CLASS_SIGNED},
	[PTX_E4M3X2] = {"e4m3x2", 16, 2, PTX_CLASS_BITS},
	[PTX_E5M2X2] = {"e5m2x2", 16, 2, PTX_CLASS_BITS},
	[PTX_E4M3] = {"e4m3", 8, 1, PTX_CLASS_BITS},
	[PTX_E5M2] = {"e5m2", 8, 1, PTX_CLASS_BITS},
	[PTX_B1] = {"b1", 1, 1, PTX_CLASS_BITS},
	[PTX_U4] = {"u4", 4, 1, PTX_CLASS_UNSIGNED},
	[PTX_S4] = {"s4", 4, 1, PTX_CLASS_SIGNED},
	[PTX_U2] = {"u2", 2, 1, PTX_CLASS_UNSIGNED},
	[PTX_S2] = {"s2", 2, 1, PTX_CLASS_SIGNED},
};

enum ptx_type ptx_type_find(const char *name)
{
	for (int type = PTX_PRED; type < PTX_N_TYPES; type++)
		if (!strcmp(ptx_types[type].name, name))
			return (enum ptx_type)type;
	return PTX_NONE;
}

enum ptx_type ptx_type_of_bits(unsigned bits)
{
	switch (bits) {
	case 1:
		return PTX_PRED;
	case 8:
		return PTX_B8;
	case 16:
		return PTX_B16;
	case 32:
		return PTX_B32;
	case 64:
		return PTX_B64;
	case 128:
		return PTX_B128;
	default:
		return PTX_NONE;
	}
}

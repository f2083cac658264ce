/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.h - indices of shared memory that count down by way of unsigned numbers. */
#ifndef CUDASIM_COMPILER_WRAP_H
#define CUDASIM_COMPILER_WRAP_H

#include "device.h"

/* The unsigned 32-bit indices of a module that may stand for negative ones, by number. */
struct wrap {
	LLVMValueRef *indices; /* `zext i32 to i64` instructions */
	unsigned char *uses;   /* enum wrap_use, of the copies that wrap_analyse() saw */
	unsigned n;
};

enum wrap_use {
	WRAP_SHARED = 1, /* of an address in shared memory */
	WRAP_OTHER = 2,  /* of any other, or one that is not known */
};

/* Number the module's indices. */
void wrap_number(struct device_module *dm, struct wrap *wrap);

/* What the indices are used for in a copy of the module made since, in which all is inlined and
 * locals are registers. */
void wrap_analyse(struct device_module *copy, const struct wrap *wrap);

/* Mark those that count in shared memory alone by the metadata cudasim.wraps. */
void wrap_mark(struct device_module *dm, const struct wrap *wrap);

/* Let those that are marked wrap as addresses of shared memory do. */
void wrap_apply(struct device_module *dm);

void wrap_free(struct wrap *wrap);

#endif

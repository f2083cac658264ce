/* SPDX-License-Identifier: Apache-2.0 */
/* stubs.c - every function of libcudart and libcuda that no other file here defines: it says
 * once that it is not supported and returns cudaErrorNotSupported.
 *
 * The stubs are weak, so a definition elsewhere takes their place without
 * anything to be kept in step. They take no arguments because they look at
 * none; this works in every C calling convention. The header with their true
 * signatures must not be included here. */
#include <stdint.h>

/* api.h */
int api_unsupported(const char *what);

#define X(name)                                                                                    \
	__attribute__((weak, visibility("default"))) int name(void);                               \
	int name(void)                                                                             \
	{                                                                                          \
		return api_unsupported(#name);                                                     \
	}
#include "names.def"
#include "driver_names.def"

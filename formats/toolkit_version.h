/* SPDX-License-Identifier: Apache-2.0 */
/* toolkit_version.h - the CUDA version that the program was linked for.
 *
 * `cudasim cc` defines the symbol at the link, unless the version is that which libcudasim is compiled with; its
 * address is the version (13050). An executable's own comes before those of its libraries. */
#ifndef CUDASIM_FORMATS_TOOLKIT_VERSION_H
#define CUDASIM_FORMATS_TOOLKIT_VERSION_H

#include <stdint.h>

extern const char __cudasim_toolkit_version[] __attribute__((weak, visibility("default")));

/* The program's version, if it is of that major, else what is not known better. */
static inline int toolkit_version(int major, int otherwise)
{
	int version = (int)(uintptr_t)__cudasim_toolkit_version;
	return version / 1000 == major ? version : otherwise;
}

#endif

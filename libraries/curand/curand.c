/* SPDX-License-Identifier: Apache-2.0 */
/* curand.c - what libcurand answers without a generator. Its device functions are in the toolkit's
 * headers, and work. */
#include "version.h"

enum { OUT_OF_RANGE = 104 };

static const struct library_version version = {10, 4, 0};

int sim_curandGetVersion(int *ret);
int sim_curandGetVersion(int *ret)
{
	return library_number(version, ret, OUT_OF_RANGE);
}

int sim_curandGetProperty(int property, int *ret);
int sim_curandGetProperty(int property, int *ret)
{
	return library_property(version, property, ret, OUT_OF_RANGE);
}

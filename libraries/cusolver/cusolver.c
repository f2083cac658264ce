/* SPDX-License-Identifier: Apache-2.0 */
/* cusolver.c - what libcusolver answers without a handle. */
#include "version.h"

enum { INVALID_VALUE = 3 };

static const struct library_version version = {12, 0, 4};

int sim_cusolverGetVersion(int *ret);
int sim_cusolverGetVersion(int *ret)
{
	return library_number(version, ret, INVALID_VALUE);
}

int sim_cusolverGetProperty(int property, int *ret);
int sim_cusolverGetProperty(int property, int *ret)
{
	return library_property(version, property, ret, INVALID_VALUE);
}

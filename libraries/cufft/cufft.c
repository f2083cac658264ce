/* SPDX-License-Identifier: Apache-2.0 */
/* cufft.c - what libcufft answers without a plan. */
#include "version.h"

enum { INVALID_TYPE = 3 };

static const struct library_version version = {12, 0, 0};

int sim_cufftGetVersion(int *ret);
int sim_cufftGetVersion(int *ret)
{
	return library_number(version, ret, 0);
}

int sim_cufftGetProperty(int property, int *ret);
int sim_cufftGetProperty(int property, int *ret)
{
	return library_property(version, property, ret, INVALID_TYPE);
}

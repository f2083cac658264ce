/* SPDX-License-Identifier: Apache-2.0 */
/* version.h - the version of a library whose interface is here: that of the toolkit's 13.0. */
#ifndef CUDASIM_LIBRARIES_STANDIN_VERSION_H
#define CUDASIM_LIBRARIES_STANDIN_VERSION_H

struct library_version {
	int major, minor, patch;
};

/* property: the toolkit's libraryPropertyType, 0 for the major version, 1 minor, 2 patch level.
 * Returns 0, or invalid for another property and without ret. */
static inline int library_property(struct library_version v, int property, int *ret, int invalid)
{
	if (!ret || property < 0 || property > 2)
		return invalid;
	*ret = property == 0 ? v.major : property == 1 ? v.minor : v.patch;
	return 0;
}

/* Writes the version as one number, MAJOR * 1000 + MINOR * 100 + PATCH. Returns 0, or invalid without
 * ret. */
static inline int library_number(struct library_version v, int *ret, int invalid)
{
	if (!ret)
		return invalid;
	*ret = v.major * 1000 + v.minor * 100 + v.patch;
	return 0;
}

#endif

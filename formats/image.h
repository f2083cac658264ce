/* SPDX-License-Identifier: Apache-2.0 */
/* image.h - device code that a program loads while it runs, as a file.
 *
 * `cudasim cc -ptx` writes PTX, which a GPU's driver compiles, and in comments behind it the
 * simulator's form of the same code: a shared object (abi.h), in base 64. So one text is good
 * for both, goes through whatever handles PTX as a string, and sits uncompressed in a fat
 * binary's PTX entry.
 *
 *	//cudasim:image OFFSET BYTES HASH	12 and 12 decimal, 16 hexadecimal digits
 *	(PTX)
 *	//TEXT					at OFFSET from the beginning: up to 96 digits
 *	...					of base 64 a line
 *
 * BYTES is the shared object's size, HASH (FNV-1a of 64 bits) that of the PTX and the shared
 * object: PTX that was edited is not what the shared object does. */
#ifndef CUDASIM_FORMATS_IMAGE_H
#define CUDASIM_FORMATS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes the text. ptx: n_ptx bytes without NUL. Returns false where out cannot be written. */
bool image_write(FILE *out, const char *ptx, size_t n_ptx, const void *object, size_t n_object);

enum image_found {
	IMAGE_FOUND,
	IMAGE_NONE,    /* the text does not begin with the line above */
	IMAGE_DAMAGED, /* it does, and the rest is not as it was written */
	IMAGE_NOMEM,
};

/* The shared object in a text that ends with a NUL, or is whole. The caller frees *object. */
enum image_found image_read(const char *text, unsigned char **object, size_t *n_object);

#endif

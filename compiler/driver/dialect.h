/* SPDX-License-Identifier: Apache-2.0 */
/* dialect.h - declarations of __shared__ variables, and pragmas in macros, that
 * nvcc takes and clang does not, mended in the text.
 *
 * clang itself says where: its errors name the spot, and only these spots are
 * looked at, so sources without such declarations are never touched. The driver
 * compiles, mends what can be mended in a copy, and compiles again with an
 * overlay that shows the copy under the file's own name. A mended declaration
 * stays on its line.
 *
 *   __shared__ alignas(16) int s[4];   alignas(16) __shared__ int s[4];
 *   extern __shared__ float4 v;        an array, and a reference to its element
 *   __shared__ cuda::barrier<> b;      raw storage, and a reference to it: nvcc
 *                                      does not run the constructor
 *   #define UNROLL #pragma unroll      _Pragma("unroll")
 *
 * Rejected: doing this on tokens between preprocessing and parsing, which costs
 * every source a second pass and takes macros out of clang's diagnostics. */
#ifndef CUDASIM_DRIVER_DIALECT_H
#define CUDASIM_DRIVER_DIALECT_H

#include <stddef.h>

enum dialect_kind {
	DIALECT_ATTRIBUTE,   /* spot: the attribute that may not stand there */
	DIALECT_EXTERN,      /* spot: the __shared__ of the declaration */
	DIALECT_CONSTRUCTOR, /* spot: the variable's name */
	DIALECT_PRAGMA,      /* spot: where in a macro's definition an error comes from */
};

struct dialect_spot {
	char *path;
	unsigned line, column; /* 1.., in bytes */
	enum dialect_kind kind;
};

/* The spots among clang's errors. Returns their number; *ret and the paths are
 * the caller's to free. */
size_t dialect_find_spots(const char *diagnostics, struct dialect_spot **ret);

/* text with the declaration at the spot mended; NULL if it is none of those
 * above. The caller frees it. */
char *dialect_mend(const char *text, const struct dialect_spot *spot);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* seal.h - bitcode as a section of an object holds it: behind a header with its size and hash,
 * so that what became damaged on the way never reaches LLVM, whose reader trusts much of it.
 *
 * "cudasim" and 1, SIZE (8 bytes, little endian), HASH (the 16 bytes of module_id.h), bitcode */
#ifndef CUDASIM_DRIVER_SEAL_H
#define CUDASIM_DRIVER_SEAL_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/* Writes what the file `from` holds, with the header, to the file `sealed`. */
struct cudasim_error *seal_file(const char *from, const char *sealed);

/* The bitcode inside the n bytes; false if they are not as seal_file() wrote them. */
bool seal_open(const void *bytes, size_t n, const void **bitcode, size_t *n_bitcode);

#endif

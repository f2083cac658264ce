/* SPDX-License-Identifier: Apache-2.0 */
/* cache_digest.h - what tells contents of files apart: XXH3, 128 bits (libxxhash). A precompiled header has 7 MB,
 * and a compilation reads hundreds of headers. */
#ifndef CUDASIM_DRIVER_CACHE_DIGEST_H
#define CUDASIM_DRIVER_CACHE_DIGEST_H

#include <stddef.h>

/* 32 hexadecimal digits and a NUL. */
void cache_digest(const void *bytes, size_t n, char digits[33]);

#endif

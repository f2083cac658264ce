/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_digest.h"

#include <stdio.h>
#include <xxhash.h>

void cache_digest(const void *bytes, size_t n, char digits[33])
{
	XXH128_hash_t hash = XXH3_128bits(bytes, n);
	snprintf(digits, 33, "%016llx%016llx", (unsigned long long)hash.high64,
		 (unsigned long long)hash.low64);
}

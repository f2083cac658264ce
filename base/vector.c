/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "vector.h"

enum { FIRST = 16 };

void *vector_grow(void *at, size_t n, size_t *capacity, size_t size)
{
	if (n < *capacity)
		return at;
	size_t more = *capacity ? 2 * *capacity : FIRST;
	void *bigger = reallocarray(at, more, size);
	if (bigger)
		*capacity = more;
	return bigger;
}

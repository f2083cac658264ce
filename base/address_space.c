/* SPDX-License-Identifier: Apache-2.0 */
#include "address_space.h"

#include <sys/mman.h>
#include <sys/resource.h>

uint64_t address_space_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

uint64_t address_space_share(uint64_t most, unsigned parts)
{
	uint64_t limit = address_space_limit();
	return limit == UINT64_MAX || limit / parts > most ? most : limit / parts;
}

void *address_space_reserve(uint64_t most, uint64_t least, unsigned parts, int prot,
			    uint64_t *bytes)
{
	uint64_t size = address_space_share(most, parts);
	if (size < least)
		size = least;
	for (;;) {
		void *p = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			       0);
		if (p != MAP_FAILED) {
			*bytes = size;
			return p;
		}
		/* Strict overcommit, a container's limit: something less may do. */
		if (size == least)
			return NULL;
		size = size / 2 < least ? least : size / 2;
	}
}

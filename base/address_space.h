/* SPDX-License-Identifier: Apache-2.0 */
/* address_space.h - address space as this process may have it: `ulimit -v` (RLIMIT_AS) bounds what
 * is reserved, though nothing is in it. */
#ifndef CUDASIM_BASE_ADDRESS_SPACE_H
#define CUDASIM_BASE_ADDRESS_SPACE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of address space that the process may have, UINT64_MAX where nothing limits it. */
uint64_t address_space_limit(void);

/* A share of that: limit / parts, and `most` where that is less or nothing limits it. */
uint64_t address_space_share(uint64_t most, unsigned parts);

/* Private memory whose pages come when they are touched: as much of `most` bytes as can be had, at
 * least `least`, no more than the parts'th part of a limited address space. prot as of mmap().
 * *bytes is what it is; NULL where there is not even the least. */
void *address_space_reserve(uint64_t most, uint64_t least, unsigned parts, int prot,
			    uint64_t *bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* hang_outside.c - what may change memory beside the threads of kernels, for hang.c. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "gate.h"
#include "hang.h"
#include "memory.h"
#include "operation.h"

enum { PAGE = 4096, PIECE_PAGES = 256 };

/* Pages that were never touched are zero, and are not read: they would become the process's. */
static uint64_t mix_piece(uint64_t digest, unsigned char *at, uint64_t n_pages)
{
	static unsigned char copy[PIECE_PAGES * PAGE];
	unsigned char resident[PIECE_PAGES];
	if (mincore(at, n_pages * PAGE, resident))
		return digest;
	for (uint64_t i = 0, n; i < n_pages; i += n) {
		for (n = 1; i + n < n_pages && (resident[i + n] & 1) == (resident[i] & 1); n++)
			;
		if (!(resident[i] & 1))
			continue;
		struct iovec to = {copy, n * PAGE}, from = {at + i * PAGE, n * PAGE};
		/* Where it cannot be read (a context that is switched off) nobody writes. */
		if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)(n * PAGE))
			digest = hang_mix(digest, copy, n * PAGE);
	}
	return digest;
}

static void mix_allocation(const struct allocation *a, void *digest)
{
	uint64_t *to = digest, at = a->range.start & ~(uint64_t)(PAGE - 1);
	while (at < a->range.end) {
		uint64_t n = (a->range.end - at + PAGE - 1) / PAGE;
		n = n < PIECE_PAGES ? n : PIECE_PAGES;
		*to = mix_piece(*to, (unsigned char *)(uintptr_t)at, n);
		at += n * PAGE;
	}
}

uint64_t hang_memory(void)
{
	uint64_t digest = 1;
	memory_each(mix_allocation, &digest);
	return digest;
}

bool hang_waiters(uint32_t *hosts, uint32_t *others)
{
	uint32_t of_engines, of_gate;
	if (!work_engines_rest(&of_engines) || !gate_rests(&of_gate))
		return false;
	*hosts = operation_n_waiting();
	*others = of_engines + of_gate;
	return true;
}

static void find_shared(const struct allocation *a, void *shared)
{
	*(bool *)shared |= a->imported || a->kind == CUDASIM_MEMORY_REGISTERED;
}

bool hang_is_shared(void)
{
	bool shared = memory_was_exported();
	memory_each(find_shared, &shared);
	return shared;
}

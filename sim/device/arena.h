/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h - address space that behaves as a GPU's memory does.
 *
 * An arena is reserved address space. Memory is mapped in pieces
 * of 2 MiB: allocations above 1 MiB have pieces of their own, smaller ones
 * share them, at multiples of 512 bytes. So an access a little past a buffer
 * meets a neighbour or nothing, as on the device, and an access to memory that
 * was never allocated or whose pieces were freed faults.
 *
 * Fresh memory is zero, memory used before holds what it held. No locking. */
#ifndef CUDASIM_SIM_ARENA_H
#define CUDASIM_SIM_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudasim/error.h"

#define ARENA_PIECE (2ull << 20)  /* bytes mapped at once */
#define ARENA_SMALL (1ull << 20)  /* largest allocation that shares a piece */
#define ARENA_UNIT 512ull         /* alignment of every allocation */

struct arena;

/* An arena that maps `limit` bytes at most. Address space may turn out to be missing when it is
 * allocated from. */
struct cudasim_error *arena_new(uint64_t limit, struct arena **ret);

/* size bytes (1..), or NULL where the limit or the machine's memory is
 * reached. */
void *arena_alloc(struct arena *arena, uint64_t size);
/* address and size as they were allocated. */
void arena_free(struct arena *arena, void *address, uint64_t size);

/* Give back address space that nothing is allocated in, where there is a limit to it. */
void arena_trim(struct arena *arena);

/* Let other processes map the pieces that an allocation lies in: their content moves to a file in
 * memory (memfd) that is mapped in their place, until they are freed. Nothing may access them
 * meanwhile. *fd stays the arena's; the allocation begins *offset bytes from its start, and the
 * file has *length bytes. CUDASIM_E_SYSTEM. */
struct cudasim_error *arena_export(struct arena *arena, void *address, uint64_t size, int *fd,
				   uint64_t *offset, uint64_t *length);

/* Memory of the process has got a mapping that others, or copies of it, share: for good. */
void arena_note_shared(void);
bool arena_has_shared(void);

/* Make all that is mapped inaccessible, or accessible again. Between the two nothing may be
 * allocated or freed. */
void arena_close(struct arena *arena, bool closed);

/* Count so many bytes as mapped that lie elsewhere, fewer where negative. False where the limit
 * forbids it. */
int arena_charge(struct arena *arena, int64_t bytes);

/* Whether the address lies in the arena's address space, allocated or not. */
bool arena_holds(const struct arena *arena, uint64_t address);

/* Bytes mapped, and the most that may be. */
uint64_t arena_used(const struct arena *arena);
uint64_t arena_limit(const struct arena *arena);

/* size as whole pieces. */
static inline uint64_t arena_round(uint64_t size)
{
	return (size + ARENA_PIECE - 1) & ~(ARENA_PIECE - 1);
}

#endif

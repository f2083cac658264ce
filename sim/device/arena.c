/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c - pieces of 2 MiB, first fit by address; within a shared piece a
 * bitmap of 512-byte units.
 *
 * Freed pieces are made inaccessible at once, so that a stale pointer faults as
 * on the device; their pages are given back to the system only beyond
 * KEEP_BYTES, because programs that allocate and free in a loop would otherwise
 * pay for fresh pages each time.
 *
 * Where the process may have as much address space as it likes all of it is reserved
 * at once. Otherwise (`ulimit -v`, containers) the arena grows when it has to, and what
 * is freed goes back: the program's own memory comes out of the same limit. */
#define _GNU_SOURCE
#include "arena.h"

#include <errno.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "address_space.h"
#include "error.h"
#include "rangemap.h"

enum {
	UNITS = ARENA_PIECE / ARENA_UNIT,
	WORDS = UNITS / 64,
};
#define KEEP_BYTES (512ull << 20)
/* Of an arena that grows. */
#define KEEP_GROWING (64ull << 20)
#define STEP_BYTES (64ull << 20)
/* All is reserved at once where it is no more than this part of the limit. */
enum { PART = 8 };

/* A piece that small allocations share. */
struct shared_piece {
	struct range range;
	struct shared_piece *next, *previous;
	uint64_t used[WORDS]; /* bit i: unit i is taken */
	uint32_t n_free;      /* units */
	uint32_t longest;     /* no free run is longer than this; may be too high */
};

/* Pieces that are not mapped. */
struct gap {
	struct range range;
};

/* Address space that is the arena's. */
struct reserved {
	struct range range;
};

/* Pieces that are a file's. */
struct exported {
	struct range range;
	int fd;
};

struct arena {
	struct rangemap reserved;      /* struct reserved; what is no gap in it is mapped */
	struct rangemap gaps;
	struct rangemap exported;      /* struct exported */
	struct rangemap shared;        /* struct shared_piece */
	struct shared_piece *pieces;   /* the same, last used first */
	uint64_t limit, used;
	uint64_t kept;                 /* bytes of freed pieces that still have pages */
	bool grows;
};

/* ---- address space ------------------------------------------------------- */

/* The pieces from start to end are nobody's any more, beside other gaps or not. */
static void add_gap(struct arena *arena, uint64_t start, uint64_t end)
{
	struct range *before = rangemap_below(&arena->gaps, start);
	struct range *after = rangemap_find(&arena->gaps, end);
	struct gap *gap = NULL;
	if (before && before->end == start) {
		rangemap_remove(&arena->gaps, before);
		start = before->start;
		gap = (struct gap *)before;
	}
	if (after) {
		rangemap_remove(&arena->gaps, after);
		end = after->end;
		if (gap)
			free(after);
		else
			gap = (struct gap *)after;
	}
	if (!gap)
		gap = calloc(1, sizeof *gap);
	if (!gap) /* the address space is lost, the memory is not */
		return;
	gap->range.start = start;
	gap->range.end = end;
	rangemap_insert(&arena->gaps, &gap->range);
}

/* size bytes more, as a gap. False where they cannot be had. */
static bool reserve(struct arena *arena, uint64_t size)
{
	struct reserved *r = calloc(1, sizeof *r);
	char *base = r ? mmap(NULL, size + ARENA_PIECE, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
		       : MAP_FAILED;
	if (base == MAP_FAILED) {
		free(r);
		return false;
	}
	uint64_t before = -(uint64_t)(uintptr_t)base % ARENA_PIECE;
	if (before)
		munmap(base, before);
	munmap(base + before + size, ARENA_PIECE - before);
	r->range.start = (uint64_t)(uintptr_t)base + before;
	r->range.end = r->range.start + size;
	rangemap_insert(&arena->reserved, &r->range);
	add_gap(arena, r->range.start, r->range.end);
	return true;
}

/* The pieces, which are in no gap, are no longer the arena's. */
static void release(struct arena *arena, uint64_t start, uint64_t end)
{
	struct range *r;
	munmap((void *)(uintptr_t)start, end - start);
	while ((r = rangemap_overlap(&arena->reserved, start, end))) {
		uint64_t first = r->start, last = r->end;
		rangemap_remove(&arena->reserved, r);
		struct reserved *rest = last > end ? calloc(1, sizeof *rest) : NULL;
		if (rest) {
			rest->range.start = end;
			rest->range.end = last;
			rangemap_insert(&arena->reserved, &rest->range);
		}
		if (first < start) {
			r->start = first;
			r->end = start;
			rangemap_insert(&arena->reserved, r);
		} else {
			free(r);
		}
	}
}

void arena_trim(struct arena *arena)
{
	struct range *r;
	while (arena->grows && (r = rangemap_overlap(&arena->gaps, 0, UINT64_MAX))) {
		rangemap_remove(&arena->gaps, r);
		release(arena, r->start, r->end);
		free(r);
	}
	if (arena->grows)
		arena->kept = 0;
}

/* A gap of size bytes, by more than is asked for, as there will be other allocations. */
static bool grow(struct arena *arena, uint64_t size)
{
	if (!arena->grows)
		return false;
	if (size < STEP_BYTES && reserve(arena, STEP_BYTES))
		return true;
	if (reserve(arena, size))
		return true;
	arena_trim(arena);
	return reserve(arena, size);
}

struct cudasim_error *arena_new(uint64_t limit, struct arena **ret)
{
	struct arena *arena = calloc(1, sizeof *arena);
	if (!arena)
		return &cudasim_error_nomem;
	arena->limit = limit & ~(ARENA_PIECE - 1);
	/* Twice the limit, because a GPU's virtual addresses do not run out when
	 * its memory is in pieces. */
	uint64_t span = 2 * arena->limit;
	arena->grows = span > address_space_share(UINT64_MAX, PART) || !reserve(arena, span);
	*ret = arena;
	return NULL;
}

int arena_charge(struct arena *arena, int64_t bytes)
{
	if (bytes > 0 && (uint64_t)bytes > arena->limit - arena->used)
		return 0;
	arena->used += (uint64_t)bytes;
	return 1;
}

bool arena_holds(const struct arena *arena, uint64_t address)
{
	return rangemap_find(&arena->reserved, address);
}

uint64_t arena_used(const struct arena *arena)
{
	return arena->used;
}

uint64_t arena_limit(const struct arena *arena)
{
	return arena->limit;
}

/* ---- whole pieces -------------------------------------------------------- */

/* The lowest gap of at least size bytes. */
static struct gap *first_fit(struct arena *arena, uint64_t size)
{
	RANGEMAP_FOR_EACH(&arena->gaps, r)
	if (r->end - r->start >= size)
		return (struct gap *)r;
	return NULL;
}

static uint64_t map_pieces(struct arena *arena, uint64_t size)
{
	if (size > arena->limit - arena->used)
		return 0;
	struct gap *gap = first_fit(arena, size);
	if (!gap && grow(arena, size))
		gap = first_fit(arena, size);
	if (!gap)
		return 0;
	uint64_t start = gap->range.start, end = gap->range.end;
	if (mprotect((void *)(uintptr_t)start, size, PROT_READ | PROT_WRITE))
		return 0;
	if (size >= 2 * ARENA_PIECE)
		madvise((void *)(uintptr_t)start, size, MADV_HUGEPAGE);
	rangemap_remove(&arena->gaps, &gap->range);
	gap->range.start = start + size;
	if (start + size == end)
		free(gap);
	else
		rangemap_insert(&arena->gaps, &gap->range);
	arena->used += size;
	arena->kept -= arena->kept < size ? arena->kept : size;
	return start;
}

/* The pieces are no longer anybody else's. */
static bool forget_exported(struct arena *arena, uint64_t start, uint64_t size)
{
	struct range *r = rangemap_overlap(&arena->exported, start, start + size);
	if (!r)
		return false;
	rangemap_remove(&arena->exported, r);
	close(((struct exported *)r)->fd);
	free(r);
	return true;
}

static void unmap_pieces(struct arena *arena, uint64_t start, uint64_t size)
{
	void *address = (void *)(uintptr_t)start;
	bool drop = forget_exported(arena, start, size) ||
		    arena->kept + size > (arena->grows ? KEEP_GROWING : KEEP_BYTES);
	arena->used -= size;
	if (drop && arena->grows) {
		release(arena, start, start + size);
		return;
	}
	if (drop) {
		/* A new mapping in the same place drops the pages and the
		 * permissions in one step. */
		mmap(address, size, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	} else {
		mprotect(address, size, PROT_NONE);
		arena->kept += size;
	}
	add_gap(arena, start, start + size);
}

/* ---- shared pieces ------------------------------------------------------- */

static void to_front(struct arena *arena, struct shared_piece *piece)
{
	if (arena->pieces == piece)
		return;
	if (piece->previous)
		piece->previous->next = piece->next;
	if (piece->next)
		piece->next->previous = piece->previous;
	piece->previous = NULL;
	piece->next = arena->pieces;
	if (piece->next)
		piece->next->previous = piece;
	arena->pieces = piece;
}

static struct shared_piece *shared_new(struct arena *arena)
{
	struct shared_piece *piece = calloc(1, sizeof *piece);
	uint64_t start = piece ? map_pieces(arena, ARENA_PIECE) : 0;
	if (!start) {
		free(piece);
		return NULL;
	}
	piece->range.start = start;
	piece->range.end = start + ARENA_PIECE;
	piece->n_free = piece->longest = UNITS;
	rangemap_insert(&arena->shared, &piece->range);
	to_front(arena, piece);
	return piece;
}

static void shared_free(struct arena *arena, struct shared_piece *piece)
{
	if (piece->previous)
		piece->previous->next = piece->next;
	else
		arena->pieces = piece->next;
	if (piece->next)
		piece->next->previous = piece->previous;
	rangemap_remove(&arena->shared, &piece->range);
	unmap_pieces(arena, piece->range.start, ARENA_PIECE);
	free(piece);
}

static int is_used(const struct shared_piece *piece, uint32_t unit)
{
	return piece->used[unit / 64] >> (unit % 64) & 1;
}

static void set_used(struct shared_piece *piece, uint32_t first, uint32_t n, int used)
{
	for (uint32_t i = first; i < first + n; i++) {
		if (used)
			piece->used[i / 64] |= 1ull << (i % 64);
		else
			piece->used[i / 64] &= ~(1ull << (i % 64));
	}
}

/* First unit of the lowest free run of n units, UNITS if there is none. */
static uint32_t find_run(struct shared_piece *piece, uint32_t n)
{
	uint32_t run = 0, longest = 0;
	for (uint32_t i = 0; i < UNITS; i++) {
		if (!run && !(i % 64) && piece->used[i / 64] == UINT64_MAX) {
			i += 63;
			continue;
		}
		run = is_used(piece, i) ? 0 : run + 1;
		if (run == n)
			return i + 1 - n;
		if (run > longest)
			longest = run;
	}
	piece->longest = longest;
	return UNITS;
}

static void *shared_alloc(struct arena *arena, uint32_t n)
{
	struct shared_piece *piece = arena->pieces;
	uint32_t at = UNITS;
	for (; piece; piece = piece->next) {
		if (piece->n_free < n || piece->longest < n)
			continue;
		at = find_run(piece, n);
		if (at != UNITS)
			break;
	}
	if (!piece) {
		piece = shared_new(arena);
		if (!piece)
			return NULL;
		at = 0;
	}
	to_front(arena, piece);
	set_used(piece, at, n, 1);
	piece->n_free -= n;
	return (void *)(uintptr_t)(piece->range.start + at * ARENA_UNIT);
}

/* ---- the two together ---------------------------------------------------- */

static uint32_t units(uint64_t size)
{
	return (uint32_t)((size + ARENA_UNIT - 1) / ARENA_UNIT);
}

void *arena_alloc(struct arena *arena, uint64_t size)
{
	if (!size || size > arena->limit)
		return NULL;
	if (size <= ARENA_SMALL)
		return shared_alloc(arena, units(size));
	return (void *)(uintptr_t)map_pieces(arena, arena_round(size));
}

void arena_free(struct arena *arena, void *address, uint64_t size)
{
	uint64_t start = (uint64_t)(uintptr_t)address;
	if (size > ARENA_SMALL) {
		unmap_pieces(arena, start, arena_round(size));
		return;
	}
	struct shared_piece *piece = (struct shared_piece *)rangemap_find(&arena->shared, start);
	uint32_t n = units(size);
	set_used(piece, (uint32_t)((start - piece->range.start) / ARENA_UNIT), n, 0);
	piece->n_free += n;
	piece->longest = piece->n_free;
	if (piece->n_free == UNITS)
		shared_free(arena, piece);
}

void arena_close(struct arena *arena, bool closed)
{
	const int how = closed ? PROT_NONE : PROT_READ | PROT_WRITE;
	RANGEMAP_FOR_EACH(&arena->reserved, r)
	{
		uint64_t at = r->start;
		while (at < r->end) {
			struct range *gap = rangemap_overlap(&arena->gaps, at, r->end);
			uint64_t end = gap ? gap->start : r->end;
			if (end > at)
				mprotect((void *)(uintptr_t)at, end - at, how);
			at = gap ? gap->end : r->end;
		}
	}
}

/* ---- for other processes ------------------------------------------------- */

/* Copy what is not zero: pages that were never touched stay holes. */
static bool copy_pages(int fd, uint64_t start, uint64_t size)
{
	enum { PAGE = 4096 };
	static const unsigned char zero[PAGE];
	for (uint64_t at = 0; at < size; at += PAGE) {
		const void *page = (void *)(uintptr_t)(start + at);
		if (memcmp(page, zero, PAGE) && pwrite(fd, page, PAGE, (off_t)at) != PAGE)
			return false;
	}
	return true;
}

static atomic_bool has_shared;

void arena_note_shared(void)
{
	atomic_store(&has_shared, true);
}

bool arena_has_shared(void)
{
	return atomic_load(&has_shared);
}

static struct cudasim_error *export_pieces(struct arena *arena, uint64_t start, uint64_t size,
					   struct exported **ret)
{
	struct exported *e = calloc(1, sizeof *e);
	if (!e)
		return &cudasim_error_nomem;
	e->range.start = start;
	e->range.end = start + size;
	e->fd = memfd_create("cudasim", MFD_CLOEXEC);
	if (e->fd < 0 || ftruncate(e->fd, (off_t)size) || !copy_pages(e->fd, start, size) ||
	    mmap((void *)(uintptr_t)start, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 e->fd, 0) == MAP_FAILED) {
		struct cudasim_error *error = cudasim_error_errno(
			errno, "cannot share device memory with other processes");
		if (e->fd >= 0)
			close(e->fd);
		free(e);
		return error;
	}
	arena_note_shared();
	rangemap_insert(&arena->exported, &e->range);
	*ret = e;
	return NULL;
}

struct cudasim_error *arena_export(struct arena *arena, void *address, uint64_t size, int *fd,
				   uint64_t *offset, uint64_t *length)
{
	uint64_t first = (uint64_t)(uintptr_t)address, start = first & ~(ARENA_PIECE - 1);
	uint64_t end = arena_round(first + size);
	struct exported *e = (struct exported *)rangemap_find(&arena->exported, first);
	struct cudasim_error *error = e ? NULL : export_pieces(arena, start, end - start, &e);
	if (error)
		return error;
	*fd = e->fd;
	*offset = first - e->range.start;
	*length = e->range.end - e->range.start;
	return NULL;
}

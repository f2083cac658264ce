/* SPDX-License-Identifier: Apache-2.0 */
/* initcheck.c - reads of memory that nobody wrote.
 *
 * A byte of shadow for each byte of device memory that the program allocates and of each
 * block's shared memory: 0 until something writes there. Memory that the host can write
 * without being seen (managed, pinned, registered) and variables, which have initial
 * values, count as written. Copies carry the state along; copies to the host of bytes that
 * nobody wrote are a class of their own. A thread's own variables are not looked at:
 * compilers warn of those. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "checkers/finding.h"

enum { PAGE_BITS = 16, LEVEL_BITS = 16, TOP_BITS = 47 - PAGE_BITS - LEVEL_BITS };
#define PAGE ((uint64_t)1 << PAGE_BITS)

static const struct cudasim_observer observer;

static _Noreturn void out_of_memory(void)
{
	fputs("cudasim: the initialisation checker is out of memory\n", stderr);
	abort();
}

static void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		out_of_memory();
	return p;
}

/* ---- global memory's shadow ------------------------------------------------ */

/* Pages of shadow; where there is none, nothing is known and all counts as written. */
static _Atomic(uint8_t *) *_Atomic tops[1 << TOP_BITS];
static pthread_mutex_t pages_lock = PTHREAD_MUTEX_INITIALIZER;

static _Atomic(uint8_t *) *slot_of(uint64_t address, bool make)
{
	uint64_t number = address >> PAGE_BITS;
	if (number >> (TOP_BITS + LEVEL_BITS))
		return NULL;
	_Atomic(uint8_t *) *level = atomic_load_explicit(&tops[number >> LEVEL_BITS],
							 memory_order_acquire);
	if (!level) {
		if (!make)
			return NULL;
		level = map(sizeof *level << LEVEL_BITS);
		atomic_store_explicit(&tops[number >> LEVEL_BITS], level, memory_order_release);
	}
	return &level[number & ((1u << LEVEL_BITS) - 1)];
}

static uint8_t *shadow_of(uint64_t address)
{
	static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
		uint64_t number;
		uint8_t *page;
	} last;
	uint64_t number = address >> PAGE_BITS;
	if (!last.page || last.number != number) {
		_Atomic(uint8_t *) *slot = slot_of(address, false);
		uint8_t *page = slot ? atomic_load_explicit(slot, memory_order_acquire) : NULL;
		if (!page)
			return NULL;
		last.number = number;
		last.page = page;
	}
	return last.page + (address & (PAGE - 1));
}

/* Bytes from address to the end of its page, n at most. */
static uint64_t piece(uint64_t address, uint64_t n)
{
	uint64_t left = PAGE - (address & (PAGE - 1));
	return left < n ? left : n;
}

static void set(uint64_t address, uint64_t n, uint8_t value)
{
	while (n) {
		uint64_t k = piece(address, n);
		uint8_t *shadow = shadow_of(address);
		if (shadow)
			memset(shadow, value, k);
		address += k;
		n -= k;
	}
}

/* The memory begins to be known, and nobody has written it. Pages that it touches for the
 * first time hold 0, and what else lies in them is nobody's yet; whole pages that were
 * known before are given back to the system, which makes them 0 again. */
static void watch(uint64_t address, uint64_t n)
{
	uint64_t first = address & ~(PAGE - 1), end = address + n;
	pthread_mutex_lock(&pages_lock);
	uint8_t *fresh = NULL;
	for (uint64_t at = first; at < end; at += PAGE) {
		_Atomic(uint8_t *) *slot = slot_of(at, true);
		uint8_t *old = slot ? atomic_load(slot) : NULL;
		if (old) {
			uint64_t from = at < address ? address - at : 0;
			uint64_t to = end - at < PAGE ? end - at : PAGE;
			if (from || to < PAGE || madvise(old, PAGE, MADV_DONTNEED))
				memset(old + from, 0, to - from);
		}
		if (!slot || old)
			continue;
		if (!fresh)
			fresh = (uint8_t *)map(((end - first + PAGE - 1) & ~(PAGE - 1))) - first;
		atomic_store_explicit(slot, fresh + at, memory_order_release);
	}
	pthread_mutex_unlock(&pages_lock);
}

/* The first of n bytes that was never written; n where all were. `all`: none was. */
static uint64_t unwritten(uint64_t address, uint64_t n, bool *all)
{
	uint64_t first = n, done = 0;
	*all = true;
	while (done < n) {
		uint64_t k = piece(address + done, n - done);
		const uint8_t *shadow = shadow_of(address + done);
		for (uint64_t i = 0; i < k; i++) {
			bool written = !shadow || shadow[i];
			*all = *all && !written;
			if (!written && first == n)
				first = done + i;
		}
		done += k;
	}
	return first;
}

/* ---- blocks ---------------------------------------------------------------- */

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	/* Launches that are not to be checked write, too. */
	(void)launch;
	return CUDASIM_WANT_ACCESS | CUDASIM_WANT_BLOCK;
}

static _Atomic int slot_number = -1;

static void block_begin(void *tool, struct cudasim_block *block)
{
	(void)tool;
	void **slot = cudasim_block_data(block, &observer);
	if (!slot)
		return;
	atomic_store_explicit(&slot_number, (int)(slot - block->tool), memory_order_relaxed);
	if (block->shared_bytes && !(*slot = calloc(1, block->shared_bytes)))
		out_of_memory();
}

static void block_end(void *tool, struct cudasim_block *block)
{
	(void)tool;
	void **slot = cudasim_block_data(block, &observer);
	if (slot) {
		free(*slot);
		*slot = NULL;
	}
}

/* ---- reports --------------------------------------------------------------- */

enum { MAX_PLACES = 1 << 12, REPEATS = 64 };

/* Whether one more report from this place of this launch is worth it: the first ones, and
 * those of lower blocks and threads, one of which is the example that is printed. */
static bool again(const struct cudasim_thread *thread, const struct cudasim_site *site)
{
	static struct { uint64_t key, least; uint32_t n; } places[MAX_PLACES];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	uint64_t key = (uint64_t)(uintptr_t)site * 31 + thread->block->launch->id * 0x9e3779b97f4a7c15u;
	uint64_t who = cudasim_block_index(thread->block) * 1024 + thread->linear;
	bool yes = true;
	key |= 1;
	pthread_mutex_lock(&lock);
	for (uint64_t i = key >> 1, n = 0; n < 32; i++, n++) {
		uint64_t k = (i * 0x9e3779b97f4a7c15u >> 40) % MAX_PLACES;
		if (places[k].key && places[k].key != key)
			continue;
		if (!places[k].key) {
			places[k].key = key;
			places[k].least = who;
		}
		yes = ++places[k].n <= REPEATS || who < places[k].least;
		if (who < places[k].least)
			places[k].least = who;
		break;
	}
	pthread_mutex_unlock(&lock);
	return yes;
}

static enum cudasim_verdict report(struct cudasim_thread *thread,
				   const struct cudasim_access *access, uint64_t first)
{
	if (!checker_launch(thread->block->launch) || !again(thread, access->site))
		return CUDASIM_GO;
	bool shared = access->space == CUDASIM_SPACE_SHARED;
	struct finding f = {
		.tool = CHECKER_INITCHECK, .severity = FINDING_ERROR, .kind = "uninitialized",
		.launch = thread->block->launch, .thread = thread,
		.address = shared ? NULL : (const char *)access->address + first,
	};
	snprintf(f.title, sizeof f.title, "Uninitialized __%s__ memory read of size %llu bytes",
		 shared ? "shared" : "global", (unsigned long long)access->size);
	if (shared)
		snprintf(f.detail, sizeof f.detail, "Address 0x%llx",
			 (unsigned long long)((const unsigned char *)access->address + first -
					      thread->block->shared));
	else
		snprintf(f.detail, sizeof f.detail, "Address %p",
			 (const void *)((const char *)access->address + first));
	finding_side_of(&f.side, thread);
	f.side.site = access->site;
	f.side.what = access->what;
	f.side.size = access->size;
	return finding_report(&f);
}

/* ---- accesses -------------------------------------------------------------- */

static enum cudasim_verdict shared_access(struct cudasim_thread *thread,
					  const struct cudasim_access *access, uint8_t *shadow)
{
	uint64_t offset = (uint64_t)((const unsigned char *)access->address - thread->block->shared);
	uint64_t end = offset + access->size;
	enum cudasim_verdict verdict = CUDASIM_GO;
	if (!shadow || offset >= thread->block->shared_bytes)
		return CUDASIM_GO;
	if (end > thread->block->shared_bytes)
		end = thread->block->shared_bytes;
	if (access->what & CUDASIM_ACCESS_LOAD) {
		uint64_t first = offset;
		while (first < end && shadow[first])
			first++;
		/* A copy of a whole structure takes its padding along. */
		bool padding = access->what & CUDASIM_ACCESS_COPY && memchr(shadow + offset, 1, end - offset);
		if (first < end && !padding)
			verdict = report(thread, access, first - offset);
	}
	if (access->what & CUDASIM_ACCESS_STORE)
		memset(shadow + offset, 1, end - offset);
	return verdict;
}

static enum cudasim_verdict on_access(void *tool, struct cudasim_thread *thread,
				      const struct cudasim_access *access)
{
	(void)tool;
	uint64_t address = (uint64_t)(uintptr_t)access->address;
	enum cudasim_verdict verdict = CUDASIM_GO;
	if (access->space == CUDASIM_SPACE_SHARED) {
		int slot = atomic_load_explicit(&slot_number, memory_order_relaxed);
		return slot < 0 ? CUDASIM_GO
				: shared_access(thread, access, thread->block->tool[slot]);
	}
	if (access->space != CUDASIM_SPACE_GLOBAL)
		return CUDASIM_GO;
	uint8_t *shadow = shadow_of(address);
	/* The common sizes first: all bytes written, or all about to be. */
	if (access->size == 4 && !(address & 3)) {
		uint32_t word;
		if (!shadow)
			return CUDASIM_GO;
		memcpy(&word, shadow, sizeof word);
		if (access->what & CUDASIM_ACCESS_LOAD && word != 0x01010101) {
			bool all;
			verdict = report(thread, access, unwritten(address, 4, &all));
		}
		word = 0x01010101;
		if (access->what & CUDASIM_ACCESS_STORE)
			memcpy(shadow, &word, sizeof word);
		return verdict;
	}
	if (access->what & CUDASIM_ACCESS_LOAD) {
		bool all;
		uint64_t first = unwritten(address, access->size, &all);
		if (first < access->size && (all || !(access->what & CUDASIM_ACCESS_COPY)))
			verdict = report(thread, access, first);
	}
	if (access->what & CUDASIM_ACCESS_STORE)
		set(address, access->size, 1);
	return verdict;
}

/* ---- the host -------------------------------------------------------------- */

static void allocated(void *tool, const struct cudasim_memory *memory)
{
	(void)tool;
	uint64_t address = (uint64_t)(uintptr_t)memory->address;
	bool fresh = memory->kind == CUDASIM_MEMORY_DEVICE || memory->kind == CUDASIM_MEMORY_HEAP;
	if (memory->kind == CUDASIM_MEMORY_VARIABLE)
		return;
	if (fresh)
		watch(address, memory->size);
	else
		set(address, memory->size, 1);
}

static void report_copy(const struct cudasim_copy *copy, uint64_t address)
{
	struct finding f = {
		.tool = CHECKER_INITCHECK, .severity = FINDING_WARNING,
		.kind = "uninitialized-copy", .address = (const void *)(uintptr_t)address,
		.side = {.host = true, .function = copy->function, .what = CUDASIM_ACCESS_LOAD},
	};
	snprintf(f.title, sizeof f.title, "Copy to the host of device memory that nobody wrote");
	snprintf(f.detail, sizeof f.detail, "The first such byte is at %p", f.address);
	finding_report(&f);
}

static void copy_row(uint64_t to, uint64_t from, uint64_t n)
{
	while (n) {
		uint64_t k = piece(to, n);
		if (from && piece(from, k) < k)
			k = piece(from, k);
		uint8_t *t = shadow_of(to);
		const uint8_t *f = from ? shadow_of(from) : NULL;
		if (t && f)
			memmove(t, f, k);
		else if (t)
			memset(t, 1, k);
		to += k;
		from += from ? k : 0;
		n -= k;
	}
}

static void copied(void *tool, const struct cudasim_copy *copy)
{
	(void)tool;
	bool told = false;
	for (uint64_t z = 0; z < copy->depth; z++)
		for (uint64_t y = 0; y < copy->height; y++) {
			uint64_t to = (uint64_t)(uintptr_t)copy->to + z * copy->to_slice + y * copy->to_pitch;
			uint64_t from = copy->from ? (uint64_t)(uintptr_t)copy->from +
				z * copy->from_slice + y * copy->from_pitch : 0;
			bool all;
			uint64_t first = from && copy->direction == 2 /* cudaMemcpyDeviceToHost */
				? unwritten(from, copy->width, &all) : copy->width;
			if (first < copy->width && !told) {
				told = true;
				report_copy(copy, from + first);
			}
			copy_row(to, from, copy->width);
		}
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "initcheck",
	.want = want,
	.block_begin = block_begin,
	.block_end = block_end,
	.access = on_access,
	.allocated = allocated,
	.copy = copied,
};

const struct checker initcheck = {
	.tool = CHECKER_INITCHECK,
	.name = "initcheck",
	.observer = &observer,
};

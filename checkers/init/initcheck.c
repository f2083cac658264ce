/* SPDX-License-Identifier: Apache-2.0 */
/* initcheck.c - reads of memory that nobody wrote.
 *
 * A bit for each byte of device memory that the program allocates (shadow.h), and a byte for
 * each of a block's shared memory: 0 until something writes there. Memory that the host can write
 * without being seen (managed, pinned, registered) and variables, which have initial
 * values (init_constant.c), count as written. Copies carry the state along; copies to the host of bytes that
 * nobody wrote are a class of their own. Which parts of a thread's own variables were written
 * the watched body knows by itself (the compiler's unwritten.h), and tells of reads of others. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "initcheck.h"
#include "finding.h"
#include "hash.h"
#include "must.h"
#include "variable.h"

static const struct cudasim_observer observer;

enum { BITS_BYTES = sizeof((struct shadow_body *)NULL)->written };

/* ---- global memory's shadow ------------------------------------------------ */

/* A page where nothing is known yet counts as written. */
static pthread_mutex_t pages_lock = PTHREAD_MUTEX_INITIALIZER;

static struct shadow_page *known_page(uint64_t address)
{
	struct shadow_page *page = shadow_page_find(address, false);
	return page && atomic_load_explicit(&page->known, memory_order_acquire) ? page : NULL;
}

/* Bytes from address to the end of its page, n at most. */
static uint64_t piece(uint64_t address, uint64_t n)
{
	uint64_t left = SHADOW_PAGE_BYTES - (address & (SHADOW_PAGE_BYTES - 1));
	return left < n ? left : n;
}

static void put_bits(uint8_t *byte, uint8_t mask, bool value)
{
	/* The other bits may be somebody else's. */
	if (value)
		__atomic_fetch_or(byte, mask, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(byte, (uint8_t)~mask, __ATOMIC_RELAXED);
}

/* The bits of n bytes of memory of one page. */
static void put(struct shadow_page *page, uint64_t address, uint64_t n, bool value)
{
	uint8_t *bits = page->body->written;
	if (atomic_load_explicit(&page->known, memory_order_relaxed) != SHADOW_MARKED) {
		if (!value)
			return;
		atomic_store_explicit(&page->known, SHADOW_MARKED, memory_order_relaxed);
	}
	uint64_t from = address & (SHADOW_PAGE_BYTES - 1), to = from + n;
	uint64_t first = from / 8, last = to / 8;
	uint8_t head = (uint8_t)(0xff << (from & 7)), tail = (uint8_t)~(0xff << (to & 7));
	if (first == last) {
		put_bits(&bits[first], head & tail, value);
		return;
	}
	if (from & 7)
		put_bits(&bits[first++], head, value);
	memset(bits + first, value ? 0xff : 0, last - first);
	if (tail)
		put_bits(&bits[last], tail, value);
}

static void set(uint64_t address, uint64_t n)
{
	while (n) {
		uint64_t k = piece(address, n);
		struct shadow_page *page = known_page(address);
		if (page)
			put(page, address, k, true);
		address += k;
		n -= k;
	}
}

/* With the lock: what is known of the page from now on begins with all or nothing. */
static void begin_page(struct shadow_page *page, bool written)
{
	if (written)
		memset(page->body->written, 0xff, BITS_BYTES);
	atomic_store_explicit(&page->known, written ? SHADOW_MARKED : SHADOW_CLEAN,
			      memory_order_release);
}

/* The memory begins to be known, and nobody has written it. */
static void watch(uint64_t address, uint64_t n)
{
	pthread_mutex_lock(&pages_lock);
	while (n) {
		uint64_t k = piece(address, n);
		struct shadow_page *page = shadow_page_find(address, true);
		if (page && !atomic_load(&page->known))
			begin_page(page, k < SHADOW_PAGE_BYTES);
		if (page)
			put(page, address, k, false);
		address += k;
		n -= k;
	}
	pthread_mutex_unlock(&pages_lock);
}

/* Nothing is known any more of pages that were the memory's alone. */
static void unwatch(uint64_t address, uint64_t n)
{
	pthread_mutex_lock(&pages_lock);
	while (n) {
		uint64_t k = piece(address, n);
		struct shadow_page *page = k == SHADOW_PAGE_BYTES ? known_page(address) : NULL;
		if (page) {
			if (atomic_exchange(&page->known, SHADOW_UNKNOWN) == SHADOW_MARKED)
				shadow_clear(page->body->written, BITS_BYTES);
		}
		address += k;
		n -= k;
	}
	pthread_mutex_unlock(&pages_lock);
}

/* Device code accesses the page: later accesses need not ask whether it is known. */
static void know(struct shadow_page *page)
{
	pthread_mutex_lock(&pages_lock);
	if (!atomic_load(&page->known))
		begin_page(page, true);
	pthread_mutex_unlock(&pages_lock);
}

static bool bit(const struct shadow_page *page, uint64_t address)
{
	uint64_t at = address & (SHADOW_PAGE_BYTES - 1);
	return page->body->written[at / 8] >> (at & 7) & 1;
}

/* The first of n bytes that was never written; n where all were. `all`: none was. */
static uint64_t unwritten(uint64_t address, uint64_t n, bool *all)
{
	uint64_t first = n, done = 0;
	*all = true;
	while (done < n) {
		uint64_t k = piece(address + done, n - done);
		const struct shadow_page *page = known_page(address + done);
		for (uint64_t i = 0; i < k;) {
			uint64_t at = address + done + i;
			/* Eight at once where all are written. */
			if (!page ||
			    (!(at & 7) && k - i >= 8 &&
			     page->body->written[(at & (SHADOW_PAGE_BYTES - 1)) / 8] == 0xff)) {
				*all = false;
				i += page ? 8 : k;
				continue;
			}
			bool written = bit(page, at);
			*all = *all && !written;
			if (!written && first == n)
				first = done + i;
			i++;
		}
		done += k;
	}
	return first;
}

/* ---- blocks ---------------------------------------------------------------- */

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	/* Launches that are not to be checked write, too: access.c asks for those. */
	(void)launch;
	return 0;
}

uint8_t *initcheck_block(const struct cudasim_block *block)
{
	return block->shared_bytes ? must(calloc(1, block->shared_bytes)) : NULL;
}

/* ---- reports --------------------------------------------------------------- */

enum { MAX_PLACES = 1 << 12, REPEATS = 64 };

bool initcheck_again(const struct cudasim_thread *thread, const struct cudasim_site *site)
{
	static struct place {
		uint64_t least;
		uint32_t n;
	} places[MAX_PLACES];
	static struct hash numbers; /* of a launch and a site, to their place */
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	uint64_t mixed = hash_mix(thread->block->launch->id, (uint64_t)(uintptr_t)site);
	const void *key = hash_number(mixed >> 1); /* never NULL */
	uint64_t who = cudasim_block_index(thread->block) * 1024 + thread->linear;
	bool yes = true;
	pthread_mutex_lock(&lock);
	struct place *place = hash_get(&numbers, key);
	if (!place && numbers.n < MAX_PLACES) {
		place = &places[numbers.n];
		place->least = who;
		if (!hash_put(&numbers, key, place))
			must_fail();
	}
	if (place) {
		yes = ++place->n <= REPEATS || who < place->least;
		if (who < place->least)
			place->least = who;
	}
	pthread_mutex_unlock(&lock);
	return yes;
}

static void describe_shared(struct finding *f, const struct cudasim_block *block, uint64_t offset)
{
	struct variable v;
	int n = snprintf(f->detail, sizeof f->detail, "Address 0x%" PRIx64, offset);
	if (variable_shared(block, offset, &v) && offset - v.begin < v.size)
		snprintf(f->detail + n, sizeof f->detail - (size_t)n,
			 "\nand is %" PRIu64 " bytes into %s at 0x%" PRIx64 " of size %" PRIu64
			 " bytes",
			 offset - v.begin, v.words, v.begin, v.size);
}

static enum cudasim_verdict report(struct cudasim_thread *thread,
				   const struct cudasim_access *access, uint64_t first)
{
	if (!checker_launch(thread->block->launch) || !initcheck_again(thread, access->site))
		return CUDASIM_GO;
	bool shared = access->space == CUDASIM_SPACE_SHARED;
	struct finding f = {
		.tool = CHECKER_INITCHECK,
		.severity = FINDING_ERROR,
		.kind = "uninitialized",
		.launch = thread->block->launch,
		.thread = thread,
		.address = shared ? NULL : (const char *)access->address + first,
	};
	snprintf(f.title, sizeof f.title, "Uninitialized __%s__ memory read of size %llu bytes",
		 shared ? "shared" : "global", (unsigned long long)access->size);
	if (shared)
		describe_shared(&f, thread->block,
				(uint64_t)((const unsigned char *)access->address + first -
					   thread->block->shared));
	else
		snprintf(f.detail, sizeof f.detail, "Address %p",
			 (const void *)((const char *)access->address + first));
	finding_side_at(&f.side, thread, access);
	return finding_report(&f);
}

/* ---- accesses -------------------------------------------------------------- */

/* Headers copy structures in parts, of which one may be all padding: it ends where an
 * aligned word of up to 16 bytes does, and in that word a member lies before it. Returns
 * where the word begins, or begin where what is read is no such part. */
static uint64_t padded_word(const struct cudasim_access *access, uint64_t begin, uint64_t end)
{
	if (access->what & CUDASIM_ACCESS_PART)
		for (uint64_t bytes = 2; bytes <= 16 && !(end % bytes); bytes *= 2)
			if (end - bytes < begin)
				return end - bytes;
	return begin;
}

enum cudasim_verdict initcheck_shared(struct cudasim_thread *thread,
				      const struct cudasim_access *access, uint8_t *shadow)
{
	uint64_t offset =
		(uint64_t)((const unsigned char *)access->address - thread->block->shared);
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
		uint64_t begin = padded_word(access, offset, end);
		bool padding = access->what & CUDASIM_ACCESS_COPY &&
			       memchr(shadow + begin, 1, end - begin);
		if (first < end && !padding)
			verdict = report(thread, access, first - offset);
	}
	if (access->what & CUDASIM_ACCESS_STORE)
		memset(shadow + offset, 1, end - offset);
	return verdict;
}

enum cudasim_verdict initcheck_global(struct cudasim_thread *thread,
				      const struct cudasim_access *access, struct shadow_page *page)
{
	uint64_t address = (uint64_t)(uintptr_t)access->address;
	enum cudasim_verdict verdict = CUDASIM_GO;
	if (!atomic_load_explicit(&page->known, memory_order_acquire))
		know(page);
	if (access->what & CUDASIM_ACCESS_LOAD) {
		bool all;
		uint64_t first = unwritten(address, access->size, &all);
		if (first < access->size && all) {
			uint64_t begin = padded_word(access, address, address + access->size);
			unwritten(begin, address + access->size - begin, &all);
		}
		if (first < access->size && (all || !(access->what & CUDASIM_ACCESS_COPY)))
			verdict = report(thread, access, first);
	}
	if (access->what & CUDASIM_ACCESS_STORE)
		set(address, access->size);
	return verdict;
}

/* ---- a thread's own variables ---------------------------------------------- */

enum cudasim_verdict initcheck_local(struct cudasim_thread *thread,
				     const struct cudasim_unwritten *read)
{
	if (!checker_launch(thread->block->launch) || !initcheck_again(thread, read->site))
		return CUDASIM_GO;
	struct finding f = {
		.tool = CHECKER_INITCHECK,
		.severity = FINDING_ERROR,
		.kind = "uninitialized-local",
		.launch = thread->block->launch,
		.thread = thread,
	};
	snprintf(f.title, sizeof f.title, "Uninitialized local variable %s read", read->name);
	snprintf(f.detail, sizeof f.detail,
		 "Nothing was written to the %" PRIu64
		 " byte%s of %s that %s read, since its scope began",
		 read->size, read->size > 1 ? "s" : "", read->name, read->size > 1 ? "are" : "is");
	finding_side_of(&f.side, thread);
	f.side.site = read->site;
	f.side.what = CUDASIM_ACCESS_LOAD;
	f.side.size = read->size;
	return finding_report(&f);
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
		set(address, memory->size);
}

static void freed(void *tool, const struct cudasim_memory *memory)
{
	(void)tool;
	if (memory->kind == CUDASIM_MEMORY_DEVICE && checker_idle())
		unwatch((uint64_t)(uintptr_t)memory->address, memory->size);
}

static void report_copy(const struct cudasim_copy *copy, uint64_t address)
{
	struct finding f = {
		.tool = CHECKER_INITCHECK,
		.severity = FINDING_WARNING,
		.kind = "uninitialized-copy",
		.address = (const void *)(uintptr_t)address,
		.side = {.host = true, .function = copy->function, .what = CUDASIM_ACCESS_LOAD},
	};
	snprintf(f.title, sizeof f.title, "Copy of uninitialized device memory to the host");
	snprintf(f.detail, sizeof f.detail, "The first such byte is at %p", f.address);
	finding_report(&f);
}

static void copy_row(uint64_t to, uint64_t from, uint64_t n)
{
	bool all;
	/* What is written, or not known, wholly: the usual case. */
	if (!from || unwritten(from, n, &all) == n) {
		set(to, n);
		return;
	}
	while (n) {
		uint64_t k = piece(to, n);
		if (piece(from, k) < k)
			k = piece(from, k);
		struct shadow_page *t = known_page(to);
		const struct shadow_page *f = known_page(from);
		for (uint64_t i = 0; t && i < k; i++)
			put(t, to + i, 1, !f || bit(f, from + i));
		to += k;
		from += k;
		n -= k;
	}
}

static void launch_begin(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	init_constant_launch(launch);
}

static void copied(void *tool, const struct cudasim_copy *copy)
{
	(void)tool;
	init_constant_copied(copy);
	bool told = false;
	for (uint64_t z = 0; z < copy->depth; z++)
		for (uint64_t y = 0; y < copy->height; y++) {
			uint64_t to = (uint64_t)(uintptr_t)copy->to + z * copy->to_slice +
				      y * copy->to_pitch;
			uint64_t from = copy->from ? (uint64_t)(uintptr_t)copy->from +
							     z * copy->from_slice +
							     y * copy->from_pitch
						   : 0;
			bool all;
			uint64_t first = from && copy->direction == 2 /* cudaMemcpyDeviceToHost */
						 ? unwritten(from, copy->width, &all)
						 : copy->width;
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
	.launch_begin = launch_begin,
	.allocated = allocated,
	.freed = freed,
	.copy = copied,
};

const struct checker initcheck = {
	.tool = CHECKER_INITCHECK,
	.name = "initcheck",
	.observer = &observer,
};

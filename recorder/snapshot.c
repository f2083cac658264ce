/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot.c - what has changed in memory since the launch before.
 *
 * All live memory is read after each launch, because a kernel may store wherever a
 * pointer leads it. A GPU's memory is read in large pieces into pinned memory; the
 * simulator's is where the host can read it. Of pinned memory only what changed during
 * the launch counts: the host keeps its own affairs there, the time of day among them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "env.h"
#include "error.h"
#include "hash.h"
#include "recorder.h"

enum { STAGING = 32 << 20, PAGE = 4096 };

struct change {
	struct memory *memory;
	uint32_t chunk;
	uint64_t plain, normal;
};

static struct change *changes;
static size_t n_changes, capacity;
static uint64_t changed_bytes;
static uint64_t round; /* one more for each launch */

/* ---- reading ------------------------------------------------------------------- */

/* Memory that the program has registered and since unmapped or protected must not end it
 * here: such pages count as zeros. */
static const unsigned char *fetch_borrowed(const void *from, uint64_t n)
{
	static unsigned char *copy;
	static uint64_t size;
	if (n > size) {
		free(copy);
		size = n;
		copy = malloc(n);
		if (!copy)
			record_die("out of memory");
	}
	for (uint64_t done = 0; done < n;) {
		struct iovec to = {copy + done, n - done};
		struct iovec at = {(char *)(uintptr_t)from + done, n - done};
		ssize_t more = process_vm_readv(getpid(), &to, 1, &at, 1, 0);
		if (more < 0 && (errno == ENOSYS || errno == EPERM))
			return from;
		if (more <= 0) {
			more = PAGE - ((intptr_t)from + (intptr_t)done) % PAGE;
			if ((uint64_t)more > n - done)
				more = (ssize_t)(n - done);
			memset(copy + done, 0, (size_t)more);
		}
		done += (uint64_t)more;
	}
	return copy;
}

/* n bytes of m, up to STAGING or one chunk where that is more; valid until the next call.
 * NULL where they cannot be read. */
static const unsigned char *fetch(const struct memory *m, uint64_t offset, uint64_t n)
{
	/* Arrays are read as a whole; once for each time that all memory is looked at. */
	static const struct memory *array;
	static const unsigned char *texels;
	static uint64_t seen;
	if (m->kind == RECORD_ARRAY) {
		if (m != array || seen != round)
			texels = array_read(m);
		array = m;
		seen = round;
		return texels ? texels + offset : NULL;
	}
	static unsigned char *staging;
	static uint64_t size;
	const void *from = (const void *)(uintptr_t)(m->address + offset);
	if (m->borrowed)
		return fetch_borrowed(from, n);
	if (record_simulated || m->kind == RECORD_HOST)
		return from;
	if (n > size) {
		void *bigger;
		size = n > STAGING ? n : STAGING;
		/* The old one, if any, stays: it is seldom and small. */
		if (real.malloc_host(&bigger, size))
			record_die("cannot allocate %llu bytes of pinned memory",
				   (unsigned long long)size);
		staging = bigger;
	}
	return real.memcpy(staging, from, n, cudaMemcpyDefault) ? NULL : staging;
}

static void add_change(struct memory *m, uint32_t chunk, uint64_t plain, uint64_t normal)
{
	if (n_changes == capacity) {
		capacity = capacity ? 2 * capacity : 1024;
		changes = realloc(changes, capacity * sizeof *changes);
		if (!changes)
			record_die("out of memory");
	}
	changes[n_changes++] = (struct change){m, chunk, plain, normal};
	changed_bytes += memory_chunk_bytes(m, chunk);
}

/* Without `tell`, only remembers what there is. */
static void look_at(struct memory *m, bool tell)
{
	uint32_t at_once = m->chunk >= STAGING ? 1 : (uint32_t)(STAGING / m->chunk);
	for (uint32_t first = 0; first < m->n_chunks; first += at_once) {
		uint64_t from = first * m->chunk, n = at_once * m->chunk;
		if (n > m->size - from)
			n = m->size - from;
		const unsigned char *bytes = fetch(m, from, n);
		for (uint32_t i = first; bytes && i < m->n_chunks && i - first < at_once; i++) {
			uint64_t plain, normal;
			chunk_hash(bytes + (i - first) * m->chunk, memory_chunk_bytes(m, i), &plain,
				   &normal);
			if (tell && plain != m->hashes[i])
				add_change(m, i, plain, normal);
			m->hashes[i] = plain;
		}
	}
}

/* ---- writing ------------------------------------------------------------------------ */

static void write_data(const struct memory *m, uint64_t offset, uint64_t n)
{
	const unsigned char *bytes = fetch(m, offset, n);
	uint32_t n_pointers = 0;
	uint64_t low, high;
	if (!bytes)
		n = 0;
	memory_bounds(&low, &high);
	write_begin(RECORD_DATA);
	write_u32(m->number);
	write_u64(offset);
	write_u32((uint32_t)n);
	/* The addresses among them, counted first. */
	for (int pass = 0; pass < 2; pass++) {
		for (uint64_t i = -offset & 7; i + 8 <= n; i += 8) {
			uint64_t word;
			memcpy(&word, bytes + i, sizeof word);
			const struct memory *to = word - low < high - low ? memory_find(word)
									  : NULL;
			if (!to)
				continue;
			if (!pass) {
				n_pointers++;
				continue;
			}
			write_u32((uint32_t)i);
			write_u32(to->number);
			write_u64(word - to->address);
		}
		if (!pass) {
			write_u32(n_pointers);
			write_bytes(bytes, n);
		}
	}
	write_end();
}

/* The changes from `from` on that are of one memory. */
static size_t same_memory(size_t from)
{
	size_t to = from;
	while (to < n_changes && changes[to].memory == changes[from].memory)
		to++;
	return to;
}

static void write_changes(bool limited)
{
	for (size_t from = 0, to; from < n_changes; from = to) {
		to = same_memory(from);
		write_begin(RECORD_CHUNKS);
		write_u32(changes[from].memory->number);
		write_u32(limited ? 1 : (uint32_t)(to - from));
		uint64_t plain = 0, normal = 0;
		for (size_t i = from; i < to; i++) {
			const struct change *c = &changes[i];
			plain = record_fold(record_fold(plain, c->chunk), c->plain);
			normal = record_fold(record_fold(normal, c->chunk), c->normal);
			if (limited)
				continue;
			write_u32(c->chunk);
			write_u64(c->plain);
			write_u64(c->normal);
		}
		if (limited) {
			write_u32(RECORD_WHOLE);
			write_u64(plain);
			write_u64(normal);
		}
		write_end();
	}
}

static void write_all_bytes(void)
{
	for (size_t i = 0; i < n_changes; i++) {
		const struct memory *m = changes[i].memory;
		uint64_t n = memory_chunk_bytes(m, changes[i].chunk);
		for (uint64_t at = 0; at < n; at += RECORD_MAX_DATA)
			write_data(m, changes[i].chunk * m->chunk + at,
				   n - at < RECORD_MAX_DATA ? n - at : RECORD_MAX_DATA);
	}
}

/* Evenly among the changed bytes, the first and the last included. */
static void write_samples(void)
{
	uint64_t before = 0; /* bytes of the chunks before this one */
	uint64_t step = changed_bytes / RECORD_MAX_SAMPLES, next = 0;
	for (size_t i = 0; i < n_changes; i++) {
		const struct memory *m = changes[i].memory;
		uint64_t n = memory_chunk_bytes(m, changes[i].chunk);
		for (; next < before + n; next += step) {
			uint64_t at = (next - before) & ~(uint64_t)(RECORD_SAMPLE_BYTES - 1);
			write_data(m, changes[i].chunk * m->chunk + at,
				   n - at < RECORD_SAMPLE_BYTES ? n - at : RECORD_SAMPLE_BYTES);
		}
		before += n;
	}
}

static void answer(void)
{
	for (;;) {
		struct record_request r = write_wait();
		const struct memory *m = memory_get(r.memory);
		if (r.kind != RECORD_READ)
			return;
		if (!m || m->freed || r.offset > m->size || r.n > m->size - r.offset ||
		    r.n > RECORD_MAX_DATA)
			record_die("the reader of the recording asks for what is not there");
		write_data(m, r.offset, r.n);
	}
}

/* ---- launches ---------------------------------------------------------------------- */

struct parameters {
	size_t n;
	uint32_t size[];
};

/* Sizes of a kernel's parameters; NULL where they are not known. */
static const struct parameters *parameters_of(const void *stub)
{
	static struct hash known;
	enum { MAX = 4096 }; /* more than 32764 bytes of parameters can hold in practice */
	struct parameters *p = stub ? hash_get(&known, stub) : NULL;
	size_t offset, size;
	if (p || !stub || !real.func_get_param_info)
		return p;
	p = calloc(1, sizeof *p + MAX * sizeof *p->size);
	if (!p || !hash_put(&known, stub, p))
		record_die("out of memory");
	bool clean = !real.peek_at_last_error();
	while (p->n < MAX && !real.func_get_param_info(stub, p->n, &offset, &size))
		p->size[p->n++] = (uint32_t)size;
	/* That ended with an error that the program must not see. */
	if (clean)
		real.get_last_error();
	return p;
}

static void write_pointers(const struct launch *launch)
{
	const struct parameters *p = launch->arguments ? parameters_of(launch->stub) : NULL;
	uint32_t n = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; p && i < p->n; i++)
			for (uint32_t at = 0; at + 8 <= p->size[i]; at += 8) {
				uint64_t word;
				memcpy(&word, (const char *)launch->arguments[i] + at, sizeof word);
				const struct memory *m = memory_find(word);
				if (!m)
					continue;
				n += !pass;
				if (!pass)
					continue;
				write_u32((uint32_t)i);
				write_u32(at);
				write_u32(m->number);
			}
		if (!pass)
			write_u32(n);
	}
}

static void write_dim(dim3 d)
{
	write_u32(d.x);
	write_u32(d.y);
	write_u32(d.z);
}

static void write_launch(const struct launch *launch, uint64_t index, uint32_t stream, bool watched)
{
	write_begin(RECORD_LAUNCH);
	write_u64(index);
	write_u32(stream);
	write_dim(launch->grid);
	write_dim(launch->block);
	write_u64(launch->shared);
	write_u32(watched);
	write_text(launch->kernel);
	write_pointers(launch);
	write_end();
}

static uint64_t limit(void)
{
	static uint64_t bytes;
	struct cudasim_error *error = NULL;
	if (!bytes)
		error = env_bytes("CUDASIM_RECORD_LIMIT", 256 << 20, &bytes);
	if (error)
		record_die("%s", error->message);
	return bytes;
}

void snapshot_host(void)
{
	size_t n;
	struct memory *const *all = memory_all(&n);
	bool any = false;
	for (size_t i = 0; i < n && !any; i++)
		any = all[i]->kind == RECORD_HOST;
	/* Copies to it that are on their way are not the launch's, either. */
	if (!any || real.device_synchronize())
		return;
	for (size_t i = 0; i < n; i++)
		if (all[i]->kind == RECORD_HOST)
			look_at(all[i], false);
}

static void look_at_all(void)
{
	size_t n;
	struct memory *const *all = memory_all(&n);
	for (size_t i = 0; i < n; i++)
		look_at(all[i], true);
	all = memory_arrays(&n);
	for (size_t i = 0; i < n; i++)
		look_at(all[i], true);
}

void snapshot_launch(const struct launch *launch, uint64_t index, uint32_t stream, bool watched,
		     int error)
{
	bool live = write_is_live(), limited = !live && write_total() >= limit();

	round++;
	write_launch(launch, index, stream, watched && !error);
	n_changes = 0;
	changed_bytes = 0;
	if (watched && !error)
		look_at_all();
	write_changes(limited);
	if (!live && !limited) {
		if (changed_bytes <= RECORD_FULL_BYTES)
			write_all_bytes();
		else
			write_samples();
	}
	write_begin(RECORD_LAUNCH_END);
	write_u32((uint32_t)error);
	write_u32((limited ? RECORD_LIMITED : 0) | (owner_saw_heap() ? RECORD_HEAP : 0));
	write_end();
	if (live)
		answer();
	else
		write_flush();
}

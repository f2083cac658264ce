/* SPDX-License-Identifier: Apache-2.0 */
/* stall.c - the table of who waits where.
 *
 * Threads of a block that stand at the same place for the same reason are one
 * row; the threads of a row are told as ranges of linear indices. Blocks with the
 * same rows are told once. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "cudasim/inspect.h"
#include "device.h"
#include "fault.h"
#include "hang_writers.h"
#include "stall.h"
#include "symbolize.h"
#include "worker.h"

enum { MOST_BLOCKS = 4, MOST_COMPARED = 256, MOST_ROWS = 16, MOST_RANGES = 8 };

static bool is_held(const struct thread *t)
{
	return block_of(t)->held[t->pub.warp] >> t->pub.lane & 1;
}

/* A loop that asks an mbarrier may have a reconvergence point: the threads there are in the loop, too. */
static enum thread_state state_of(const struct thread *t)
{
	return t->state == THREAD_CONVERGE && t->polls ? THREAD_YIELDED : t->state;
}

/* It stands in a loop whose address is known, or would be. */
static bool gives_way(const struct thread *t)
{
	return state_of(t) == THREAD_YIELDED || t->state == THREAD_SLEEPING;
}

/* Where they stand: anywhere in its loop for one that polls. */
static bool same_site(const struct thread *a, const struct thread *b)
{
	return a->state == THREAD_FRESH || a->state == THREAD_EXITED || a->state != b->state ||
	       a->pub.site == b->pub.site;
}

static bool same_row(const struct thread *a, const struct thread *b)
{
	return state_of(a) == state_of(b) && is_held(a) == is_held(b) && same_site(a, b) &&
	       (a->state != THREAD_BARRIER || a->barrier == b->barrier) &&
	       (!gives_way(a) || (a->wait_address == b->wait_address && a->wait == b->wait)) &&
	       (a->state != THREAD_MEET ||
		(a->mask == b->mask && a->warp_kind == b->warp_kind && a->pub.warp == b->pub.warp));
}

/* The threads of the block that belongs() names, seen from the thread `of`. */
static void write_ranges(FILE *out, const struct block *b, const struct thread *of,
			 bool (*belongs)(const struct thread *t, const struct thread *of))
{
	uint32_t ranges = 0;
	for (uint32_t i = 0; i < b->n_threads; i++) {
		uint32_t first = i;
		if (!belongs(&b->threads[i], of))
			continue;
		while (i + 1 < b->n_threads && belongs(&b->threads[i + 1], of))
			i++;
		if (ranges++ == MOST_RANGES) {
			fputs(",...", out);
			return;
		}
		fprintf(out, first == i ? "%s%u" : "%s%u-%u", ranges > 1 ? "," : "", first, i);
	}
}

static const char *warp_name(const struct thread *t)
{
	static const char *const names[] = {
		[CUDASIM_WARP_SYNC] = "__syncwarp",
		[CUDASIM_WARP_SHFL] = "__shfl_sync",
		[CUDASIM_WARP_VOTE] = "a vote",
		[CUDASIM_WARP_MATCH_ANY] = "__match_any_sync",
		[CUDASIM_WARP_MATCH_ALL] = "__match_all_sync",
		[CUDASIM_WARP_REDUX] = "__reduce_sync",
		[CUDASIM_WARP_ELECT] = "elect.sync",
		[CUDASIM_WARP_ACTIVEMASK] = "__activemask",
		[CUDASIM_WARP_CONVERGE] = "a reconvergence point",
		[CUDASIM_WARP_MMA] = "a matrix product (mma)",
	};
	return names[t->warp_kind];
}

static void write_state(FILE *out, const struct block *b, const struct thread *t)
{
	struct cudasim_barrier bar;
	if (is_held(t)) {
		fputs("held by a tool", out);
		return;
	}
	switch (state_of(t)) {
	case THREAD_FRESH:
		fputs("not begun", out);
		return;
	case THREAD_READY:
		fputs("running", out);
		return;
	case THREAD_YIELDED:
		fputs("in a loop", out);
		return;
	case THREAD_SLEEPING:
		fputs("in __nanosleep", out);
		return;
	case THREAD_BARRIER:
		barrier_describe(b, t->barrier, &bar);
		if (t->barrier)
			fprintf(out, "at barrier %u", t->barrier);
		else
			fputs("at __syncthreads", out);
		fprintf(out, " (%u of %u threads)", bar.n_arrived, bar.n_expected);
		return;
	case THREAD_CLUSTER:
		fputs("at the cluster's barrier", out);
		return;
	case THREAD_MEET:
		fprintf(out, "in %s of warp %u for lanes 0x%08x", warp_name(t), t->pub.warp,
			t->mask);
		return;
	case THREAD_MET:
		fputs("kept by a tool", out);
		return;
	case THREAD_POST_BARRIER:
		fputs("after a barrier", out);
		return;
	case THREAD_CONVERGE:
		fprintf(out, "in %s", warp_name(t));
		return;
	case THREAD_EXITED:
		fputs("ended", out);
		return;
	case THREAD_FAULTED:
		fputs("faulted", out);
		return;
	}
}

/* ---- who is missing, and what is waited for --------------------------------- */

static bool misses_barrier(const struct thread *t, const struct thread *of)
{
	return t->state != THREAD_EXITED &&
	       !(t->state == THREAD_BARRIER && t->barrier == of->barrier);
}

static bool misses_cluster(const struct thread *t, const struct thread *of)
{
	(void)of;
	return t->state != THREAD_EXITED && t->state != THREAD_CLUSTER &&
	       !block_cluster_arrived(block_of(t), t);
}

static bool misses_meeting(const struct thread *t, const struct thread *of)
{
	return t->pub.warp == of->pub.warp && of->mask >> t->pub.lane & 1 &&
	       t->state != THREAD_EXITED && !same_row(t, of);
}

static void write_missing(FILE *out, const struct block *b, const struct thread *t)
{
	bool (*misses)(const struct thread *,
		       const struct thread *) = t->state == THREAD_BARRIER   ? misses_barrier
						: t->state == THREAD_CLUSTER ? misses_cluster
						: t->state == THREAD_MEET    ? misses_meeting
									     : NULL;
	bool any = false;
	for (uint32_t i = 0; misses && i < b->n_threads && !any; i++)
		any = misses(&b->threads[i], t);
	if (!any)
		return;
	fputs("; missing: threads ", out);
	write_ranges(out, b, t, misses);
}

/* See cudasim/abi.h. */
static void write_mbarrier(FILE *out, uint64_t state)
{
	enum { COUNT_BITS = CUDASIM_MBARRIER_COUNT_BITS, COUNT = (1 << COUNT_BITS) - 1 };
	unsigned pending = state & COUNT, expected = state >> COUNT_BITS & COUNT;
	int64_t bytes = (int64_t)(state << 1) >> (2 * COUNT_BITS + 1);
	fprintf(out, ": %u of %u arrivals", expected - pending, expected);
	if (bytes)
		fprintf(out, ", %lld bytes still to come", (long long)bytes);
}

static void write_place(FILE *out, const struct block *b, const unsigned char *at)
{
	struct cudasim_memory m;
	bool inside, freed;
	if ((uintptr_t)at - (uintptr_t)b->pub.shared < b->pub.shared_bytes)
		fprintf(out, "shared memory at 0x%x", (unsigned)(at - b->pub.shared));
	else if (!cudasim_memory_find(at, &m, &inside, &freed) || !inside)
		fprintf(out, "%p", (const void *)at);
	else if (m.kind == CUDASIM_MEMORY_VARIABLE && m.function)
		fprintf(out, at == m.address ? "%s" : "%s, %llu bytes into it,", m.function,
			(unsigned long long)(at - (const unsigned char *)m.address));
	else if (at == m.address)
		fprintf(out, "%p, where allocation %llu begins,", (const void *)at,
			(unsigned long long)m.id);
	else
		fprintf(out, "%p, %llu bytes into allocation %llu,", (const void *)at,
			(unsigned long long)(at - (const unsigned char *)m.address),
			(unsigned long long)m.id);
}

static void write_writer(FILE *out, const struct block *b, const void *address, uint32_t bytes)
{
	struct hang_writer by;
	const struct cudasim_launch *launch = b->pub.launch;
	enum hang_written known = hang_writers_find(launch, address, bytes, &by);
	if (known == HANG_NOBODY)
		fputs(", written by no thread of this launch", out);
	if (known != HANG_KNOWN)
		return;
	fprintf(out, ", last written by thread %u of block (%u,%u,%u)", by.thread, by.block[0],
		by.block[1], by.block[2]);
	if (by.launch != launch->id)
		fprintf(out, " of launch %llu", (unsigned long long)by.launch);
	if (by.perhaps)
		fputs(" or one that came at the same time", out);
	if (by.site)
		fprintf(out, " (%s:%u)", by.site->file, by.site->line);
}

/* The thread has looked there when it gave way, so it can be read. */
static void write_address(FILE *out, const struct block *b, const struct thread *t)
{
	uint64_t value = 0;
	uint32_t bytes = t->wait & CUDASIM_WAIT_BYTES;
	if (!gives_way(t) || !t->wait_address)
		return;
	fputs(t->wait & CUDASIM_WAIT_MBARRIER ? ", waits for the mbarrier in " : ", waits for ",
	      out);
	write_place(out, b, t->wait_address);
	if (!bytes || bytes > sizeof value)
		return;
	memcpy(&value, t->wait_address, bytes);
	if (t->wait & CUDASIM_WAIT_MBARRIER)
		write_mbarrier(out, value);
	else
		fprintf(out, " which is %llu (0x%llx)", (unsigned long long)value,
			(unsigned long long)value);
	write_writer(out, b, t->wait_address, bytes);
}

/* ---- rows and blocks --------------------------------------------------------- */

static void write_row(FILE *out, const struct block *b, const struct thread *t)
{
	const struct cudasim_site *site = t->pub.site;
	fputs("threads ", out);
	write_ranges(out, b, t, same_row);
	fputs(": ", out);
	write_state(out, b, t);
	if (site && t->state != THREAD_FRESH && t->state != THREAD_EXITED &&
	    t->state != THREAD_READY)
		fprintf(out, ", %s (%s:%u)", site->function, site->file, site->line);
	write_missing(out, b, t);
	write_address(out, b, t);
	/* The watchdog's signal has told where it was. */
	char place[512];
	if (t->state == THREAD_READY && t->fault_pc && symbolize(t->fault_pc, place, sizeof place))
		fprintf(out, ", %s", place);
}

static bool is_first_of_row(const struct block *b, uint32_t i)
{
	for (uint32_t j = 0; j < i; j++)
		if (same_row(&b->threads[j], &b->threads[i]))
			return false;
	return true;
}

/* All threads in one call: each is anywhere between two barriers. */
static void write_loop(FILE *out, const struct block *b)
{
	char place[512];
	fprintf(out, "cudasim:     threads 0-%u: running as one loop", b->n_threads - 1);
	for (uint32_t i = 0; i < b->n_threads; i++) {
		const struct thread *t = &b->threads[i];
		if (t->fiber && t->fault_pc && symbolize(t->fault_pc, place, sizeof place))
			fprintf(out, ", %s", place);
	}
	fputc('\n', out);
}

static void write_rows(FILE *out, const struct block *b)
{
	uint32_t rows = 0;
	if (b->loop) {
		write_loop(out, b);
		return;
	}
	for (uint32_t i = 0; i < b->n_threads; i++) {
		if (!is_first_of_row(b, i))
			continue;
		if (rows++ == MOST_ROWS) {
			fputs("cudasim:     ...\n", out);
			return;
		}
		fputs("cudasim:     ", out);
		write_row(out, b, &b->threads[i]);
		fputc('\n', out);
	}
}

static char *rows_of(const struct block *b)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	write_rows(out, b);
	fclose(out);
	return text;
}

static bool waits_elsewhere(const struct thread *t, const struct thread *of)
{
	return t->state != THREAD_EXITED && !(gives_way(t) && t->wait_address == of->wait_address);
}

char *stall_waits(const struct block *b)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	for (uint32_t i = 0; out && !b->loop && i < b->n_threads; i++) {
		const struct thread *t = &b->threads[i];
		bool looks = gives_way(t) && t->wait_address;
		if (!looks && t->state != THREAD_BARRIER && t->state != THREAD_CLUSTER &&
		    t->state != THREAD_MEET)
			continue;
		if (!is_first_of_row(b, i))
			continue;
		write_row(out, b, t);
		bool others = false;
		for (uint32_t k = 0; looks && t->wait & CUDASIM_WAIT_MBARRIER && k < b->n_threads;
		     k++)
			others |= waits_elsewhere(&b->threads[k], t);
		if (others) {
			fputs("; not there: threads ", out);
			write_ranges(out, b, t, waits_elsewhere);
		}
		fputc('\n', out);
	}
	if (out)
		fclose(out);
	return text;
}

/* Blocks with the same rows: the first, and how many more. */
struct alike {
	const struct block *first;
	char *rows;
	uint32_t more;
};

struct table {
	struct alike alike[MOST_BLOCKS];
	uint32_t n, n_compared, n_others;
	bool waits; /* somebody does for what lies at an address */
};

static void add_block(struct table *table, const struct block *b)
{
	char *rows = table->n_compared++ < MOST_COMPARED ? rows_of(b) : NULL;
	table->waits |= rows && strstr(rows, ", waits for ");
	for (uint32_t i = 0; rows && i < table->n; i++)
		if (!strcmp(table->alike[i].rows, rows)) {
			table->alike[i].more++;
			free(rows);
			return;
		}
	if (rows && table->n < MOST_BLOCKS) {
		table->alike[table->n++] = (struct alike){.first = b, .rows = rows};
	} else {
		table->n_others++;
		free(rows);
	}
}

static void write_alike(FILE *out, const struct alike *a)
{
	const uint32_t *at = a->first->pub.ctaid;
	fprintf(out, "cudasim:   block (%u,%u,%u)", at[0], at[1], at[2]);
	if (a->more)
		fprintf(out, " and %u more in the same state", a->more);
	fprintf(out, ", %u threads:\n%s", a->first->n_threads, a->rows);
}

static void add_worker(struct table *table, const struct worker *worker, const struct run *run)
{
	for (uint32_t i = 0; i < worker->n_ring; i++)
		if (worker->ring[i]->run == run)
			add_block(table, worker->ring[i]);
}

static char *write_table(struct table *table, uint64_t n_fresh)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	for (uint32_t i = 0; i < table->n; i++) {
		if (out)
			write_alike(out, &table->alike[i]);
		free(table->alike[i].rows);
	}
	if (!out)
		return NULL;
	if (table->n_others)
		fprintf(out, "cudasim:   and %u more blocks\n", table->n_others);
	if (n_fresh)
		fprintf(out,
			"cudasim:   %llu blocks have not started: the device can run no more at "
			"a time\n",
			(unsigned long long)n_fresh);
	if (table->waits && !hang_writers_record())
		fputs("cudasim:   with CUDASIM_BODY=watched, or under cudasim check, this also "
		      "reports who wrote there last\n",
		      out);
	fclose(out);
	return text;
}

char *stall_table(const struct worker *worker, const struct run *run)
{
	struct table table = {.n = 0};
	add_worker(&table, worker, run);
	return write_table(&table, 0);
}

char *stall_table_of_all(const struct run *run)
{
	struct table table = {.n = 0};
	uint32_t n;
	const struct worker *workers = scheduler_workers(&n);
	for (uint32_t i = 0; i < n; i++)
		add_worker(&table, &workers[i], run);
	return write_table(&table, (run->n_units - run->taken) * run->unit_blocks);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* stall.c - the table of who waits where.
 *
 * Threads of a block that stand at the same place for the same reason are one
 * row; the threads of a row are told as ranges of linear indices. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "fault.h"
#include "scheduler.h"
#include "symbolize.h"
#include "worker.h"

enum { MOST_BLOCKS = 4, MOST_ROWS = 16, MOST_RANGES = 8 };

static bool is_held(const struct thread *t)
{
	return block_of(t)->held[t->pub.warp] >> t->pub.lane & 1;
}

static bool same_row(const struct thread *a, const struct thread *b)
{
	return a->state == b->state && is_held(a) == is_held(b) &&
	       (a->state == THREAD_FRESH || a->state == THREAD_EXITED ||
		a->pub.site == b->pub.site) &&
	       (a->state != THREAD_BARRIER || a->barrier == b->barrier) &&
	       (a->state != THREAD_MEET ||
		(a->mask == b->mask && a->warp_kind == b->warp_kind && a->pub.warp == b->pub.warp));
}

static void write_ranges(FILE *out, const struct block *b, const struct thread *of)
{
	uint32_t ranges = 0;
	for (uint32_t i = 0; i < b->n_threads; i++) {
		uint32_t first = i;
		if (!same_row(&b->threads[i], of))
			continue;
		while (i + 1 < b->n_threads && same_row(&b->threads[i + 1], of))
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
		[CUDASIM_WARP_SYNC] = "__syncwarp", [CUDASIM_WARP_SHFL] = "__shfl_sync",
		[CUDASIM_WARP_VOTE] = "a vote", [CUDASIM_WARP_MATCH_ANY] = "__match_any_sync",
		[CUDASIM_WARP_MATCH_ALL] = "__match_all_sync",
		[CUDASIM_WARP_REDUX] = "__reduce_sync", [CUDASIM_WARP_ELECT] = "elect.sync",
		[CUDASIM_WARP_ACTIVEMASK] = "__activemask",
		[CUDASIM_WARP_CONVERGE] = "a lockstep point",
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
	switch ((enum thread_state)t->state) {
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
	case THREAD_LINGER:
		fputs("behind a barrier", out);
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

static void write_row(FILE *out, const struct block *b, const struct thread *t)
{
	const struct cudasim_site *site = t->pub.site;
	fputs("cudasim:     threads ", out);
	write_ranges(out, b, t);
	fputs(": ", out);
	write_state(out, b, t);
	if (site && t->state != THREAD_FRESH && t->state != THREAD_EXITED &&
	    t->state != THREAD_READY)
		fprintf(out, ", %s (%s:%u)", site->function, site->file, site->line);
	/* The watchdog's signal has told where it was. */
	char place[512];
	if (t->state == THREAD_READY && t->fault_pc && symbolize(t->fault_pc, place, sizeof place))
		fprintf(out, ", %s", place);
	fputc('\n', out);
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

static void write_block(FILE *out, const struct block *b)
{
	uint32_t rows = 0;
	fprintf(out, "cudasim:   block (%u,%u,%u), %u threads:\n", b->pub.ctaid[0],
		b->pub.ctaid[1], b->pub.ctaid[2], b->n_threads);
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
		write_row(out, b, &b->threads[i]);
	}
}

char *stall_table(const struct worker *worker, const struct run *run)
{
	char *text = NULL;
	size_t size;
	uint32_t n = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	for (uint32_t i = 0; i < worker->n_ring; i++)
		if (worker->ring[i]->run == run && n++ < MOST_BLOCKS)
			write_block(out, worker->ring[i]);
	if (n > MOST_BLOCKS)
		fprintf(out, "cudasim:   and %u more blocks\n", n - MOST_BLOCKS);
	fclose(out);
	return text;
}

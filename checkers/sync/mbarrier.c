/* SPDX-License-Identifier: Apache-2.0 */
/* mbarrier.c - which arrivals an mbarrier counts for which phase.
 *
 * An mbarrier takes each arrival for the current phase (PTX ISA, "mbarrier"). One that
 * comes too many is therefore the next phase's, and the program goes on, with phases that
 * end too early. What tells it from an arrival that is meant for the next phase: that one
 * comes after the end of the phase before, because its thread has waited for it, or has
 * met somebody since who did. So each thread has a row that says how many phases of each
 * mbarrier it knows to be over. Rows are joined where threads wait: at mbarriers (what the
 * arriving threads knew), the block's barriers and the warps' operations. Who goes on
 * because of what it reads from other memory is not seen to know more.
 *
 * Blocks of a cluster arrive at each other's mbarriers: their arrivals are not judged so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mbarrier.h"

#include "must.h"

enum { N_BARRIERS = 16 };

struct object {
	uint64_t address;
	bool live;
	uint32_t first; /* phases that were over when it was set up */
	uint32_t over;  /* ... and are now; never set back */
};

struct mbarriers {
	uint32_t n_threads;
	struct object *objects;
	uint32_t n, max;
	/* Rows of max numbers: the threads', then those of the block's barriers, then two for
	 * each object: what was known to who arrived, and to who did before its last phase's end. */
	uint32_t *rows;
	uint32_t waiting[N_BARRIERS][32]; /* threads at a barrier of the block, as bits */
};

/* ---- rows ------------------------------------------------------------------ */

static uint32_t *row(const struct mbarriers *all, uint32_t i)
{
	return all->rows + (size_t)i * all->max;
}

static uint32_t *of_barrier(const struct mbarriers *all, uint32_t id)
{
	return row(all, all->n_threads + id);
}

static uint32_t *of_arrivals(const struct mbarriers *all, uint32_t object)
{
	return row(all, all->n_threads + N_BARRIERS + 2 * object);
}

static uint32_t *of_phases(const struct mbarriers *all, uint32_t object)
{
	return row(all, all->n_threads + N_BARRIERS + 2 * object + 1);
}

static void join(const struct mbarriers *all, uint32_t *to, const uint32_t *from)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (to[i] < from[i])
			to[i] = from[i];
}

static void grow(struct mbarriers *all)
{
	uint32_t before = all->max, n_rows = all->n_threads + N_BARRIERS + 2 * before;
	uint32_t *old = all->rows;
	all->max = before ? before * 2 : 4;
	all->objects = must(realloc(all->objects, all->max * sizeof *all->objects));
	all->rows = must(calloc((size_t)(all->n_threads + N_BARRIERS + 2 * all->max) * all->max,
				sizeof *all->rows));
	for (uint32_t i = 0; before && i < n_rows; i++)
		memcpy(row(all, i), old + (size_t)i * before, before * sizeof *old);
	free(old);
}

/* ---- objects --------------------------------------------------------------- */

static uint32_t find(struct mbarriers *all, uint64_t address)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (all->objects[i].address == address)
			return i;
	if (all->n == all->max)
		grow(all);
	all->objects[all->n] = (struct object){.address = address};
	return all->n++;
}

static bool alone(const struct cudasim_block *block)
{
	const uint32_t *n = block->cluster_nctaid;
	return (uint64_t)n[0] * n[1] * n[2] == 1;
}

static enum mbarrier_fault arrived(struct mbarriers *all, uint32_t object, uint32_t *knows,
				   const struct cudasim_mbarrier *event, bool judged)
{
	struct object *o = &all->objects[object];
	enum mbarrier_fault fault = MBARRIER_RIGHT;
	if (event->kind == CUDASIM_MBARRIER_ARRIVE && judged && o->over > o->first &&
	    knows[object] < o->over)
		fault = MBARRIER_LATER;
	join(all, of_arrivals(all, object), knows);
	if (event->ends) {
		of_arrivals(all, object)[object] = knows[object] = ++o->over;
		join(all, of_phases(all, object), of_arrivals(all, object));
	}
	return fault;
}

enum mbarrier_fault mbarriers_event(struct mbarriers **ret, const struct cudasim_thread *thread,
				    const struct cudasim_mbarrier *event)
{
	const struct cudasim_block *block = thread->block;
	uint64_t address = (uint64_t)(uintptr_t)event->address;
	if (address - (uint64_t)(uintptr_t)block->shared >= block->shared_bytes)
		return MBARRIER_RIGHT; /* another block's */
	if (!*ret) {
		*ret = must(calloc(1, sizeof **ret));
		(*ret)->n_threads = cudasim_block_size(block);
	}
	struct mbarriers *all = *ret;
	uint32_t i = find(all, address);
	struct object *o = &all->objects[i];
	uint32_t *knows = row(all, thread->linear);
	switch (event->kind) {
	case CUDASIM_MBARRIER_INIT:
		o->live = true;
		o->first = o->over;
		return MBARRIER_RIGHT;
	case CUDASIM_MBARRIER_INVALIDATE:
		o->live = false;
		return MBARRIER_RIGHT;
	case CUDASIM_MBARRIER_ARRIVE:
	case CUDASIM_MBARRIER_COPIED:
		return o->live ? arrived(all, i, knows, event, alone(block)) : MBARRIER_NONE;
	case CUDASIM_MBARRIER_WAITED:
		if (!o->live && !event->count)
			return MBARRIER_NONE;
		join(all, knows, of_phases(all, i));
		knows[i] = o->over;
		return MBARRIER_RIGHT;
	}
	return MBARRIER_RIGHT;
}

/* ---- other ways to know ---------------------------------------------------- */

void mbarriers_arrive(struct mbarriers *all, const struct cudasim_thread *thread, uint32_t id,
		      bool waits)
{
	if (!all)
		return;
	join(all, of_barrier(all, id), row(all, thread->linear));
	if (waits)
		all->waiting[id][thread->linear / 32] |= 1u << thread->linear % 32;
}

void mbarriers_open(struct mbarriers *all, uint32_t id)
{
	if (!all)
		return;
	for (uint32_t i = 0; i < all->n_threads; i++)
		if (all->waiting[id][i / 32] >> i % 32 & 1)
			join(all, row(all, i), of_barrier(all, id));
	memset(all->waiting[id], 0, sizeof all->waiting[id]);
}

void mbarriers_meet(struct mbarriers *all, uint32_t warp, uint32_t lanes)
{
	if (!all)
		return;
	uint32_t *first = NULL;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t linear = warp * 32 + (uint32_t)__builtin_ctz(rest);
		if (linear >= all->n_threads)
			break;
		if (first)
			join(all, first, row(all, linear));
		else
			first = row(all, linear);
	}
	for (uint32_t rest = lanes; first && rest; rest &= rest - 1) {
		uint32_t linear = warp * 32 + (uint32_t)__builtin_ctz(rest);
		if (linear < all->n_threads)
			join(all, row(all, linear), first);
	}
}

void mbarriers_free(struct mbarriers *all)
{
	if (!all)
		return;
	free(all->objects);
	free(all->rows);
	free(all);
}

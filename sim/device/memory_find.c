/* SPDX-License-Identifier: Apache-2.0 */
/* memory_find.c - the allocation of an address, also one that was freed and is not in use again. */
#include "memory_state.h"

#include <stdlib.h>

#include "cudasim/inspect.h"
#include "device.h"

enum {
	REMEMBERED = 8192, /* freed ranges */
	NEAR = 1 << 20, /* bytes: how far a fault may be from what it names */
};

static struct allocation *oldest[REMEMBERED]; /* ring of what counts as freed */
static unsigned next_old;

/* ---- freed ranges -------------------------------------------------------- */

static void drop_freed(struct allocation *a)
{
	rangemap_remove(&allocations.freed, &a->range);
	oldest[a->slot] = NULL;
	free(a);
}

void freed_forget(uint64_t start, uint64_t end)
{
	struct range *r;
	while ((r = rangemap_overlap(&allocations.freed, start, end)))
		drop_freed((struct allocation *)r);
}

void freed_remember(struct allocation *a)
{
	freed_forget(a->range.start, a->range.end);
	if (oldest[next_old]) {
		rangemap_remove(&allocations.freed, &oldest[next_old]->range);
		free(oldest[next_old]);
	}
	oldest[next_old] = a;
	a->slot = next_old;
	next_old = (next_old + 1) % REMEMBERED;
	rangemap_insert(&allocations.freed, &a->range);
}

/* ---- finding ------------------------------------------------------------- */

bool memory_lookup(const void *address, struct allocation *ret)
{
	pthread_mutex_lock(&allocations.lock);
	struct range *r = rangemap_find(&allocations.live, (uint64_t)(uintptr_t)address);
	if (r)
		*ret = *(struct allocation *)r;
	pthread_mutex_unlock(&allocations.lock);
	return r;
}

void memory_each(void (*look)(const struct allocation *allocation, void *arg), void *arg)
{
	pthread_mutex_lock(&allocations.lock);
	RANGEMAP_FOR_EACH(&allocations.live, r)
	look((const struct allocation *)r, arg);
	pthread_mutex_unlock(&allocations.lock);
}

/* The range of the map that is nearest to address, *distance bytes away. */
static struct range *nearest(const struct rangemap *map, uint64_t address, uint64_t *distance)
{
	struct range *below = rangemap_below(map, address), *above = rangemap_above(map, address);
	uint64_t to_below = UINT64_MAX, to_above = UINT64_MAX;
	if (below)
		to_below = address < below->end ? 0 : address - below->end + 1;
	if (above)
		to_above = above->start - address;
	*distance = to_below < to_above ? to_below : to_above;
	return to_below < to_above ? below : above;
}

enum cudaMemoryType memory_type(enum cudasim_memory_kind kind)
{
	switch (kind) {
	case CUDASIM_MEMORY_HOST:
	case CUDASIM_MEMORY_REGISTERED:
		return cudaMemoryTypeHost;
	case CUDASIM_MEMORY_MANAGED:
		return cudaMemoryTypeManaged;
	default:
		return cudaMemoryTypeDevice;
	}
}

/* The variable of a module's instance that lies at offset, or else the last one
 * before it. */
static const struct cudasim_variable *variable_at(const struct cudasim_module *module,
						  uint64_t offset)
{
	const struct cudasim_variable *best = NULL;
	for (uint64_t i = 0; i < module->n_variables; i++) {
		const struct cudasim_variable *v = &module->variables[i];
		if (v->offset <= offset && (!best || v->offset > best->offset))
			best = v;
	}
	return best;
}

/* Of a variable the description is its own, not that of its module's block. */
static struct cudasim_memory describe(const struct allocation *a, uint64_t address, bool freed)
{
	struct allocation copy = *a;
	if (freed)
		copy.pool = NULL; /* it may be gone */
	struct cudasim_memory ret = memory_describe(&copy, a->function);
	const struct cudasim_variable *v = a->kind == CUDASIM_MEMORY_VARIABLE && a->module
						   ? variable_at(a->module,
								 address - a->range.start)
						   : NULL;
	if (v) {
		ret.function = v->display;
		ret.address = (char *)allocation_address(a) + v->offset;
		ret.size = v->size;
	}
	return ret;
}

bool cudasim_memory_find(const void *at, struct cudasim_memory *ret, bool *inside, bool *freed)
{
	uint64_t address = (uint64_t)(uintptr_t)at, to_live, to_freed;
	pthread_mutex_lock(&allocations.lock);
	struct range *l = nearest(&allocations.live, address, &to_live);
	struct range *f = nearest(&allocations.freed, address, &to_freed);
	bool is_freed = f && to_live > 0 && to_freed == 0;
	const struct allocation *a = (const struct allocation *)(is_freed ? f : l);
	uint64_t distance = is_freed ? 0 : to_live;
	bool found = a && distance <= NEAR;
	if (found) {
		/* A graph's memory keeps its range between the graph's launches. */
		is_freed = is_freed || (a->held && !a->out);
		*freed = is_freed;
		*ret = describe(a, address, is_freed);
		*inside = distance == 0 && address - (uint64_t)(uintptr_t)ret->address < ret->size;
	}
	pthread_mutex_unlock(&allocations.lock);
	return found;
}

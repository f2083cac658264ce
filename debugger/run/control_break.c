/* SPDX-License-Identifier: Apache-2.0 */
/* control_break.c - who wants to stop at which site.
 *
 * A table by site; a site's breakers stand in the order in which they were added, and their
 * numbers there are the bits of struct lane's `yes`. */
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "error.h"
#include "hash.h"
#include "run_state.h"

enum { MOST_BREAKERS = 16 }; /* of one site, told apart; the rest share the last bit */

struct armed {
	struct breaker **breakers;
	uint32_t n; /* 0: no more */
};

static struct armed *find(const struct cudasim_site *site)
{
	return hash_get(&run_state()->armed, site);
}

/* Where breakers are added now. */
static struct hash *table(void)
{
	return run_state()->search.searcher ? &run_state()->search.armed : &run_state()->armed;
}

static const struct cudasim_observer *listener(void)
{
	const struct cudasim_observer *searcher = run_state()->search.searcher;
	return searcher ? searcher : &debugger_observer;
}

/* Its place, for good: a breaker that is asked may take itself or others away. NULL where memory
 * is out. */
static struct armed *make(const struct cudasim_site *site)
{
	struct armed *a = hash_get(table(), site);
	if (!a && (a = calloc(1, sizeof *a)) && !hash_put(table(), site, a)) {
		free(a);
		a = NULL;
	}
	return a;
}

struct cudasim_error *breaker_add(struct breaker *breaker, const struct cudasim_site *site)
{
	struct armed *a = make(site);
	struct breaker **list = a ? realloc(a->breakers, (a->n + 1) * sizeof *list) : NULL;
	if (!list)
		return &cudasim_error_nomem;
	a->breakers = list;
	if (!a->n) {
		struct cudasim_error *error = cudasim_site_arm(listener(), site, true);
		if (error)
			return error;
	}
	a->breakers[a->n++] = breaker;
	return NULL;
}

/* The bit of the breaker at this place of the site's list. */
static uint32_t bit_of(uint32_t i)
{
	return 1u << (i < MOST_BREAKERS ? i : MOST_BREAKERS - 1);
}

/* The breaker at place i is no more, n are left: whoever said yes to those behind it has said
 * so to the place before. */
static void forget_bit(const struct cudasim_site *site, uint32_t i, uint32_t n)
{
	struct cudasim_block *const *blocks;
	size_t n_blocks = n && i < MOST_BREAKERS - 1 ? grid_blocks(&blocks) : 0;
	uint32_t below = (1u << i) - 1, shared = n >= MOST_BREAKERS ? bit_of(n) : 0;
	for (size_t b = 0; b < n_blocks; b++) {
		struct grid_block *g = grid_of(blocks[b]);
		for (uint32_t k = 0; g && k < g->n; k++)
			if (g->lanes[k].yes && g->lanes[k].site == site)
				g->lanes[k].yes = (uint16_t)((g->lanes[k].yes & (below | shared)) |
							     (g->lanes[k].yes >> 1 & ~below));
	}
}

void breaker_remove(struct breaker *breaker, const struct cudasim_site *site)
{
	struct armed *a = hash_get(table(), site);
	if (!a)
		return;
	for (uint32_t i = 0; i < a->n; i++) {
		if (a->breakers[i] != breaker)
			continue;
		memmove(&a->breakers[i], &a->breakers[i + 1], (--a->n - i) * sizeof *a->breakers);
		if (table() == &run_state()->armed)
			forget_bit(site, i, a->n);
		break;
	}
	if (!a->n)
		cudasim_error_free(cudasim_site_arm(listener(), site, false));
}

static bool comes(struct breaker *breaker, struct cudasim_thread *thread,
		  const struct cudasim_site *site)
{
	return breaker->hit(breaker, thread, site) &&
	       (!breaker->counts || breaker->counts(breaker, thread));
}

bool breakers_ask(struct cudasim_thread *thread, const struct cudasim_site *site, uint16_t *yes)
{
	const struct armed *a = find(site);
	uint32_t bits = 0;
	for (uint32_t i = 0; a && i < a->n; i++)
		if (comes(a->breakers[i], thread, site))
			bits |= bit_of(i);
	*yes = (uint16_t)bits;
	return a && a->n;
}

void search_begin(const struct cudasim_observer *searcher)
{
	run_state()->search.searcher = searcher;
}

bool breakers_find(struct cudasim_thread *thread, const struct cudasim_site *site)
{
	const struct armed *a = hash_get(&run_state()->search.armed, site);
	for (uint32_t i = 0; a && i < a->n; i++)
		if (a->breakers[i]->hit(a->breakers[i], thread, site))
			return true;
	return false;
}

bool breakers_found(struct cudasim_thread *thread, const struct cudasim_site *site,
		    struct stop *stop)
{
	const struct armed *a = hash_get(&run_state()->search.armed, site);
	bool stops = false;
	for (uint32_t i = 0; a && i < a->n; i++)
		if (a->breakers[i]->hit(a->breakers[i], thread, site))
			stops |= a->breakers[i]->stopped(a->breakers[i], thread, stop);
	return stops;
}

uint16_t breakers_ask_again(struct cudasim_thread *thread, const struct cudasim_site *site,
			    uint16_t yes)
{
	const struct armed *a = find(site);
	uint32_t bits = 0;
	for (uint32_t i = 0; a && i < a->n; i++)
		if (yes & bit_of(i) && a->breakers[i]->hit(a->breakers[i], thread, site))
			bits |= bit_of(i);
	return (uint16_t)bits;
}

bool breakers_stopped(struct cudasim_thread *thread, const struct cudasim_site *site, uint32_t bits,
		      struct stop *stop)
{
	const struct armed *a = find(site);
	struct breaker *asked[64];
	uint32_t n = 0;
	bool stops = false;
	/* A breaker that was temporary takes itself away. */
	for (uint32_t i = 0; a && i < a->n && n < 64; i++)
		if (bits & bit_of(i))
			asked[n++] = a->breakers[i];
	for (uint32_t i = 0; i < n; i++)
		stops |= asked[i]->stopped(asked[i], thread, stop);
	return stops;
}

/* ---- until, advance ------------------------------------------------------------------ */

bool breaker_any(struct breaker *breaker, struct cudasim_thread *thread,
		 const struct cudasim_site *site)
{
	(void)breaker, (void)thread, (void)site;
	return true;
}

bool breaker_as_step(struct breaker *breaker, struct cudasim_thread *thread, struct stop *stop)
{
	(void)breaker, (void)thread;
	/* A breakpoint at the same place is what is told. */
	if (!stop->numbers[0])
		stop->kind = STOP_STEP;
	return true;
}

static struct breaker at_location = {.hit = breaker_any, .stopped = breaker_as_step};

bool location_returns(const struct cudasim_thread *thread, uint64_t frame)
{
	struct run_location *until = &run_state()->location;
	return until->frame && frame == until->frame && thread_is(thread, until->thread);
}

bool location_has_frame(void)
{
	return run_state()->location.frame;
}

void location_end(void)
{
	struct run_location *until = &run_state()->location;
	until->frame = 0;
	for (size_t i = 0; i < until->n; i++)
		breaker_remove(&at_location, until->sites[i]);
	free(until->sites);
	until->sites = NULL;
	until->n = 0;
}

struct cudasim_error *location_begin(const struct resume *how)
{
	struct run_location *until = &run_state()->location;
	location_end();
	until->sites = calloc(how->n_sites + 1, sizeof *until->sites);
	if (!until->sites)
		return &cudasim_error_nomem;
	until->frame = run_state()->focused_before.launch ? how->frame : 0;
	until->thread = run_state()->focused_before;
	for (size_t i = 0; i < how->n_sites; i++) {
		struct cudasim_error *error = breaker_add(&at_location, how->sites[i]);
		if (error)
			return error;
		until->sites[until->n++] = how->sites[i];
	}
	return NULL;
}

/* ---- break_on_launch -------------------------------------------------------------------- */

static void launch_break_end(void);

static bool launch_stopped(struct breaker *breaker, struct cudasim_thread *thread,
			   struct stop *stop)
{
	(void)breaker, (void)thread;
	launch_break_end();
	if (!stop->numbers[0])
		stop->kind = STOP_LAUNCH;
	return true;
}

static struct breaker at_launch = {.hit = breaker_any, .stopped = launch_stopped};

static void launch_break_end(void)
{
	struct run_launch *own = &run_state()->launch;
	if (own->site)
		breaker_remove(&at_launch, own->site);
	own->site = NULL;
}

void launch_break(struct cudasim_launch *launch)
{
	struct run_launch *own = &run_state()->launch;
	const struct cudasim_module *m = launch->module;
	const struct cudasim_site *entry = launch->kernel->site;
	launch_break_end();
	if (run_settings()->break_on_launch == BREAK_ON_LAUNCH_NONE || !entry)
		return;
	for (uint64_t i = 0; i < m->n_sites && !own->site; i++) {
		const struct cudasim_site *site = &m->sites[i];
		if (site->kind == CUDASIM_SITE_LINE && !strcmp(site->function, entry->function))
			own->site = site;
	}
	if (own->site)
		cudasim_error_free(breaker_add(&at_launch, own->site));
}

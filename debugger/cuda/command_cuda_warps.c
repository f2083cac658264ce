/* SPDX-License-Identifier: Apache-2.0 */
/* command_cuda_warps.c - info cuda warps, lanes, barriers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command_cuda.h"
#include "console.h"
#include "error.h"
#include "stop_report.h"
#include "table.h"

static struct cudasim_error *no_focus(const char *what)
{
	fprintf(console(), "No CUDA %s.\n", what);
	return NULL;
}

static uint32_t n_warps_of(const struct cudasim_block *block)
{
	return (cudasim_block_size(block) + CUDASIM_WARP_SIZE - 1) / CUDASIM_WARP_SIZE;
}

/* ---- one warp as it stands ------------------------------------------------------------- */

struct warp_view {
	struct cudasim_thread *threads[CUDASIM_WARP_SIZE]; /* NULL beyond the block's end */
	uint64_t pc[CUDASIM_WARP_SIZE];
	uint32_t seen;      /* lanes that can be looked at */
	uint32_t active;    /* ... that stand where the first one (the focused) does */
	uint64_t active_pc;
	unsigned first;     /* lowest active lane */
};

static void warp_look(struct cudasim_block *block, uint32_t warp, struct warp_view *ret)
{
	const struct focus *focus = focus_get();
	memset(ret, 0, sizeof *ret);
	for (uint32_t i = 0; i < CUDASIM_WARP_SIZE; i++) {
		const struct cudasim_site *site;
		struct cudasim_thread *thread = cudasim_block_thread(block,
								     warp * CUDASIM_WARP_SIZE + i);
		ret->threads[i] = thread;
		if (!thread || !focus_can_see(thread))
			continue;
		ret->seen |= 1u << i;
		ret->pc[i] = thread_pc(thread, &site);
	}
	if (!ret->seen)
		return;
	unsigned leader = (unsigned)__builtin_ctz(ret->seen);
	if (focus->is_device && focus->block == block && focus->thread->warp == warp &&
	    ret->seen >> focus->thread->lane & 1)
		leader = focus->thread->lane;
	ret->active_pc = ret->pc[leader];
	for (unsigned i = 0; i < CUDASIM_WARP_SIZE; i++)
		if (ret->seen >> i & 1 && ret->pc[i] == ret->active_pc)
			ret->active |= 1u << i;
	ret->first = (unsigned)__builtin_ctz(ret->active);
}

/* ---- warps --------------------------------------------------------------------------------- */

static const struct column warp_columns[] = {
	{"Wp", COLUMN_RIGHT, 0},
	{"Active Lanes Mask", COLUMN_RIGHT, 0},
	{"Divergent Lanes Mask", COLUMN_RIGHT, 0},
	{"Active PC", COLUMN_RIGHT, 18},
	{"Kernel", COLUMN_RIGHT, 0},
	{"BlockIdx", COLUMN_RIGHT, 0},
	{"First Active ThreadIdx", COLUMN_RIGHT, 0},
	{NULL, 0, 0},
};

static void warp_row(struct table *table, struct cudasim_block *block, uint32_t warp)
{
	const struct focus *focus = focus_get();
	struct warp_view view;
	warp_look(block, warp, &view);
	if (!view.seen)
		return;
	const uint32_t *b = block->ctaid, *t = view.threads[view.first]->tid;
	table_row(table, focus->is_device && focus->block == block && focus->thread->warp == warp);
	table_cell(table, "%u", warp);
	table_cell(table, "0x%08x", view.active);
	table_cell(table, "0x%08x", view.seen & ~view.active);
	table_cell(table, "0x%016" PRIx64, view.active_pc);
	table_cell(table, "%" PRIu64, focus_kernel_number(block->launch));
	table_cell(table, "(%u,%u,%u)", b[0], b[1], b[2]);
	table_cell(table, "(%u,%u,%u)", t[0], t[1], t[2]);
}

static int by_sm(const void *a, const void *b)
{
	const struct cudasim_block *x = *(struct cudasim_block *const *)a;
	const struct cudasim_block *y = *(struct cudasim_block *const *)b;
	if (x->launch->device != y->launch->device)
		return x->launch->device < y->launch->device ? -1 : 1;
	if (x->smid != y->smid)
		return x->smid < y->smid ? -1 : 1;
	if (x->launch->id != y->launch->id)
		return x->launch->id < y->launch->id ? -1 : 1;
	return cudasim_block_index(x) < cudasim_block_index(y) ? -1 : 1;
}

struct cudasim_error *info_warps(const char *argument)
{
	struct coordinates c;
	struct cudasim_block **blocks = NULL;
	struct cudasim_error *error = coordinates_parse(argument, "info cuda warps", &c);
	if (error)
		return error;
	coordinates_default(&c, COORDINATE_DEVICE);
	if (!c.has_value[COORDINATE_BLOCK])
		coordinates_default(&c, COORDINATE_SM);
	size_t n = program_is_running() ? coordinates_blocks(&c, &blocks) : 0;
	struct table *table = table_new(warp_columns);
	if (n)
		qsort(blocks, n, sizeof *blocks, by_sm);
	for (size_t i = 0; i < n; i++) {
		struct cudasim_block *b = blocks[i];
		if (!i || b->smid != blocks[i - 1]->smid ||
		    b->launch->device != blocks[i - 1]->launch->device)
			table_section(table, "Device %u SM %u", b->launch->device, b->smid);
		for (uint32_t w = 0; w < n_warps_of(b); w++)
			if (!c.has_value[COORDINATE_WARP] || c.any[COORDINATE_WARP] ||
			    c.value[COORDINATE_WARP][0] == w)
				warp_row(table, b, w);
	}
	if (table_is_empty(table))
		fputs("No CUDA warps.\n", console());
	else
		table_print(console(), table);
	table_free(table);
	free(blocks);
	return NULL;
}

/* ---- lanes ------------------------------------------------------------------------------------ */

static const struct column lane_columns[] = {
	{"Ln", COLUMN_RIGHT, 0},        {"State", COLUMN_RIGHT, 6},      {"PC", COLUMN_CENTRE, 18},
	{"ThreadIdx", COLUMN_RIGHT, 0}, {"Exception", COLUMN_CENTRE, 0}, {NULL, 0, 0},
};

static const char *lane_state(const struct warp_view *view, unsigned lane)
{
	struct cudasim_thread_status status;
	if (view->active >> lane & 1)
		return "active";
	if (view->seen >> lane & 1)
		return "divergent";
	cudasim_thread_status(view->threads[lane], &status);
	return status.state == CUDASIM_THREAD_EXITED ? "exited" : "not begun";
}

/* The thread whose block and warp are meant: the focus's, or what the argument names,
 * which is *c. */
static struct cudasim_error *warp_of(const char *argument, const char *command,
				     struct coordinates *c, struct cudasim_thread **ret)
{
	struct cudasim_error *error = coordinates_parse(argument, command, c);
	*ret = NULL;
	if (error || !program_is_running())
		return error;
	*ret = coordinates_find(c);
	if (!*ret && c->n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid coordinates requested.");
	return NULL;
}

struct cudasim_error *info_lanes(const char *argument)
{
	struct cudasim_thread *thread;
	struct coordinates c;
	struct warp_view view;
	struct cudasim_error *error = warp_of(argument, "info cuda lanes", &c, &thread);
	if (error)
		return error;
	if (!thread)
		return no_focus("lanes");
	struct cudasim_block *block = thread->block;
	struct table *table = table_new(lane_columns);
	warp_look(block, thread->warp, &view);
	table_section(table, "Device %u SM %u Warp %u", block->launch->device, block->smid,
		      thread->warp);
	for (unsigned i = 0; i < CUDASIM_WARP_SIZE && view.threads[i]; i++) {
		const uint32_t *t = view.threads[i]->tid;
		if (!coordinates_match_thread(&c, view.threads[i]))
			continue;
		bool faulted = stop_current()->kind == STOP_FAULT &&
			       stop_current()->thread == view.threads[i];
		table_row(table, focus_get()->is_device && view.threads[i] == focus_get()->thread);
		table_cell(table, "%u", i);
		table_cell(table, "%s", lane_state(&view, i));
		if (view.seen >> i & 1)
			table_cell(table, "0x%016" PRIx64, view.pc[i]);
		else
			table_cell(table, "-");
		table_cell(table, "(%u,%u,%u)", t[0], t[1], t[2]);
		table_cell(table, "%s", faulted ? fault_name(stop_current()) : "None");
	}
	table_print(console(), table);
	table_free(table);
	return NULL;
}

/* ---- barriers ------------------------------------------------------------------------------------ */

static const char *waits_for(struct cudasim_thread *thread)
{
	struct cudasim_thread_status status;
	cudasim_thread_status(thread, &status);
	switch (status.state) {
	case CUDASIM_THREAD_WAITING:
		return "Not begun";
	case CUDASIM_THREAD_READY:
	case CUDASIM_THREAD_RUNNING:
		return "Ready";
	case CUDASIM_THREAD_BARRIER:
		return status.barrier.kind == CUDASIM_BARRIER_CLUSTER ? "Cluster barrier"
								      : "Block barrier";
	case CUDASIM_THREAD_WARP:
		return "Warp operation";
	case CUDASIM_THREAD_SLEEPING:
		return "Sleeping";
	case CUDASIM_THREAD_EXITED:
		return "Exited";
	case CUDASIM_THREAD_FAULTED:
		return "Faulted";
	}
	return "";
}

static const struct column wait_columns[] = {
	{"Ln(s)", COLUMN_LEFT, 7},  {"Thread State", COLUMN_LEFT, 15}, {"Active", COLUMN_LEFT, 0},
	{"Exited", COLUMN_LEFT, 0}, {"Waits at", COLUMN_LEFT, 0},      {NULL, 0, 0},
};

/* Lanes of a warp that wait for the same thing, in runs. */
static void print_waits(const struct cudasim_thread *of)
{
	struct warp_view view;
	struct table *table = table_new(wait_columns);
	warp_look(of->block, of->warp, &view);
	fprintf(console(), "Device %u SM %u Wp %u\n", of->block->launch->device, of->block->smid,
		of->warp);
	for (unsigned i = 0, end; i < CUDASIM_WARP_SIZE && view.threads[i]; i = end) {
		struct cudasim_thread_status status, other;
		const char *state = waits_for(view.threads[i]);
		cudasim_thread_status(view.threads[i], &status);
		for (end = i + 1; end < CUDASIM_WARP_SIZE && view.threads[end]; end++) {
			cudasim_thread_status(view.threads[end], &other);
			if (strcmp(waits_for(view.threads[end]), state) ||
			    other.site != status.site)
				break;
		}
		table_row(table, of->lane >= i && of->lane < end);
		if (end == i + 1)
			table_cell(table, "(%u)", i);
		else
			table_cell(table, "(%u-%u)", i, end - 1);
		table_cell(table, "%s", state);
		table_cell(table, "%s", view.active >> i & 1 ? "yes" : "no");
		table_cell(table, "%s", !strcmp(state, "Exited") ? "yes" : "no");
		if (status.site &&
		    (status.state == CUDASIM_THREAD_BARRIER || status.state == CUDASIM_THREAD_WARP))
			table_cell(table, "%s:%u", file_base_name(status.site->file),
				   status.site->line);
		else
			table_cell(table, "-");
	}
	table_print(console(), table);
	table_free(table);
}

static const struct column barrier_columns[] = {
	{"BlockIdx", COLUMN_RIGHT, 0}, {"Barrier", COLUMN_RIGHT, 0},
	{"Arrived", COLUMN_RIGHT, 0},  {"Expected", COLUMN_RIGHT, 0},
	{"Opened", COLUMN_RIGHT, 0},   {"Filename", COLUMN_RIGHT, 0},
	{"Line", COLUMN_RIGHT, 5},     {NULL, 0, 0},
};

/* Where the first of those that wait at the barrier does. */
static const struct cudasim_site *barrier_site(struct cudasim_block *block, uint32_t id)
{
	for (uint32_t i = 0; i < cudasim_block_size(block); i++) {
		struct cudasim_thread_status status;
		cudasim_thread_status(cudasim_block_thread(block, i), &status);
		if (status.state == CUDASIM_THREAD_BARRIER && status.barrier.id == id &&
		    status.barrier.kind == CUDASIM_BARRIER_BLOCK && status.site)
			return status.site;
	}
	return NULL;
}

/* The block barriers that somebody waits at. */
static void print_barriers(const struct coordinates *c)
{
	struct cudasim_block **blocks;
	struct table *table = table_new(barrier_columns);
	size_t n = coordinates_blocks(c, &blocks);
	for (size_t i = 0; i < n; i++) {
		for (uint32_t id = 0; id < 16; id++) {
			struct cudasim_barrier barrier;
			const uint32_t *b = blocks[i]->ctaid;
			if (!cudasim_block_barrier(blocks[i], id, &barrier))
				continue;
			const struct cudasim_site *site = barrier_site(blocks[i], id);
			table_row(table, blocks[i] == focus_get()->block);
			table_cell(table, "(%u,%u,%u)", b[0], b[1], b[2]);
			table_cell(table, "%u", id);
			table_cell(table, "%u", barrier.n_arrived);
			table_cell(table, "%u", barrier.n_expected);
			table_cell(table, "%" PRIu64, barrier.epoch);
			table_cell(table, "%s", site ? file_base_name(site->file) : "");
			table_cell(table, "%u", site ? site->line : 0);
		}
	}
	if (!table_is_empty(table))
		table_print(console(), table);
	table_free(table);
	free(blocks);
}

/* Who is missing, in the focused block. */
static void print_missing(const struct cudasim_block *block)
{
	char *text = cudasim_block_waits(block);
	if (text && *text)
		fprintf(console(), "Block (%u,%u,%u)\n", block->ctaid[0], block->ctaid[1],
			block->ctaid[2]);
	for (char *line = text, *rest; line && *line; line = rest) {
		size_t n = strcspn(line, "\n");
		rest = line + n + (line[n] == '\n');
		fprintf(console(), "  %.*s\n", (int)n, line);
	}
	free(text);
}

struct cudasim_error *info_barriers(const char *argument)
{
	struct cudasim_thread *thread;
	struct coordinates c;
	struct cudasim_error *error = warp_of(argument, "info cuda barriers", &c, &thread);
	if (error)
		return error;
	if (!thread)
		return no_focus("barriers");
	coordinates_default(&c, COORDINATE_KERNEL);
	print_waits(thread);
	print_barriers(&c);
	print_missing(thread->block);
	return NULL;
}

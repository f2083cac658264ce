/* SPDX-License-Identifier: Apache-2.0 */
/* command_cuda_threads.c - info cuda blocks, clusters, threads: what is in flight,
 * folded into ranges of neighbours. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "command_cuda.h"
#include "console.h"
#include "cuda_state.h"
#include "error.h"
#include "stack.h"
#include "table.h"

/* ---- where a thread stands ---------------------------------------------------------- */

uint64_t thread_pc(struct cudasim_thread *thread, const struct cudasim_site **ret)
{
	struct cudasim_frame frames[2];
	bool at_start = false;
	const struct cudasim_site *site = thread_view()->place(thread, &at_start);
	size_t first = thread_view()->has_returned(thread);
	size_t n = cudasim_thread_frames(thread, frames, 2);
	*ret = at_start ? site : NULL;
	return n > first ? frames[first].pc : 0;
}

const char *file_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Looking at frames costs much more than looking at a pc, and thousands of threads stand
 * at few places. pcs of code never change their meaning, so what was found stays. */
void thread_line(struct cudasim_thread *thread, uint64_t pc, const struct cudasim_site *site,
		 const char **ret_file, uint32_t *ret_line)
{
	static struct {
		uint64_t pc;
		const struct cudasim_site *last;
		const char *file;
		uint32_t line;
	} known[256];
	struct cudasim_thread_status status;
	if (site) {
		*ret_file = file_base_name(site->file);
		*ret_line = site->line;
		return;
	}
	cudasim_thread_status(thread, &status);
	size_t slot = (pc ^ pc >> 8 ^ (uintptr_t)status.site >> 4) % (sizeof known / sizeof *known);
	if (known[slot].pc != pc || known[slot].last != status.site || !known[slot].file) {
		struct frame *frames = NULL;
		size_t n = 0;
		cudasim_error_free(frames_of_thread(thread, &frames, &n));
		known[slot].pc = pc;
		known[slot].last = status.site;
		known[slot].file = n && frames[0].file ? file_base_name(frames[0].file) : "";
		known[slot].line = n ? frames[0].line : 0;
		free(frames);
	}
	*ret_file = known[slot].file;
	*ret_line = known[slot].line;
}

/* ---- threads -------------------------------------------------------------------------- */

static const struct column thread_columns[] = {
	{"BlockIdx", COLUMN_RIGHT, 0},
	{"ThreadIdx", COLUMN_RIGHT, 0},
	{"To BlockIdx", COLUMN_RIGHT, 0},
	{"ThreadIdx", COLUMN_RIGHT, 0},
	{"Count", COLUMN_RIGHT, 0},
	{"PC", COLUMN_RIGHT, 18},
	{"Filename", COLUMN_RIGHT, 0},
	{"Line", COLUMN_RIGHT, 5},
	{NULL, 0, 0},
};

struct range {
	struct table *table;
	struct cudasim_thread *first, *last;
	uint64_t n, pc;
	const struct cudasim_site *site;
	const char *file;
	uint32_t line;
	uint64_t kernel; /* whose rows are printed now, or UINT64_MAX */
	bool is_focused;
};

static void cell_index(struct table *table, const uint32_t index[3])
{
	table_cell(table, "(%u,%u,%u)", index[0], index[1], index[2]);
}

static void range_end(struct range *r)
{
	if (!r->n)
		return;
	uint64_t kernel = focus_kernel_number(r->first->block->launch);
	if (kernel != r->kernel)
		table_section(r->table, "Kernel %" PRIu64, kernel);
	r->kernel = kernel;
	table_row(r->table, r->is_focused);
	cell_index(r->table, r->first->block->ctaid);
	cell_index(r->table, r->first->tid);
	cell_index(r->table, r->last->block->ctaid);
	cell_index(r->table, r->last->tid);
	table_cell(r->table, "%" PRIu64, r->n);
	table_cell(r->table, "0x%016" PRIx64, r->pc);
	table_cell(r->table, "%s", r->file);
	table_cell(r->table, "%u", r->line);
	r->n = 0;
}

/* Does b follow a, with nobody between? */
static bool follows(const struct cudasim_thread *a, const struct cudasim_thread *b)
{
	if (a->block == b->block)
		return b->linear == a->linear + 1;
	return a->block->launch == b->block->launch &&
	       cudasim_block_index(b->block) == cudasim_block_index(a->block) + 1 &&
	       a->linear + 1 == cudasim_block_size(a->block) && b->linear == 0;
}

static bool range_add(void *user, struct cudasim_thread *thread)
{
	struct range *r = user;
	const struct cudasim_site *site;
	const char *file;
	uint32_t line;
	uint64_t pc = thread_pc(thread, &site);
	thread_line(thread, pc, site, &file, &line);
	if (r->n && (!cuda_state()->coalescing || pc != r->pc || site != r->site ||
		     line != r->line || strcmp(file, r->file) || !follows(r->last, thread)))
		range_end(r);
	if (!r->n) {
		r->first = thread;
		r->pc = pc;
		r->site = site;
		r->file = file;
		r->line = line;
		r->is_focused = false;
	}
	r->last = thread;
	r->n++;
	r->is_focused |= focus_get()->is_device && thread == focus_get()->thread;
	return true;
}

struct cudasim_error *info_threads(const char *argument)
{
	struct coordinates c;
	struct cudasim_error *error = coordinates_parse(argument, "info cuda threads", &c);
	if (error)
		return error;
	struct range range = {.table = table_new(thread_columns), .kernel = UINT64_MAX};
	coordinates_default(&c, COORDINATE_KERNEL);
	if (program_is_running())
		coordinates_each_thread(&c, range_add, &range);
	range_end(&range);
	if (table_is_empty(range.table))
		fputs("No CUDA threads.\n", console());
	else
		table_print(console(), range.table);
	table_free(range.table);
	return NULL;
}

/* ---- blocks ------------------------------------------------------------------------------ */

static const struct column block_columns[] = {
	{"BlockIdx", COLUMN_RIGHT, 0},
	{"To BlockIdx", COLUMN_RIGHT, 0},
	{"Count", COLUMN_RIGHT, 0},
	{"State", COLUMN_RIGHT, 7},
	{NULL, 0, 0},
};

/* A block in its grid. */
struct place_in_grid {
	const struct cudasim_block *block;
	const struct cudasim_launch *launch;
	uint64_t linear;
	bool is_focused;
};

static void print_blocks(const struct place_in_grid *at, size_t n)
{
	struct table *table = table_new(block_columns);
	for (size_t i = 0, end; i < n; i = end) {
		bool is_focused = at[i].is_focused;
		if (i == 0 || at[i].launch != at[i - 1].launch)
			table_section(table, "Kernel %" PRIu64, focus_kernel_number(at[i].launch));
		for (end = i + 1;
		     end < n && cuda_state()->coalescing && at[end].launch == at[i].launch &&
		     at[end].linear == at[end - 1].linear + 1;
		     end++)
			is_focused |= at[end].is_focused;
		table_row(table, is_focused);
		cell_index(table, at[i].block->ctaid);
		cell_index(table, at[end - 1].block->ctaid);
		table_cell(table, "%zu", end - i);
		table_cell(table, "running");
	}
	if (n)
		table_print(console(), table);
	else
		fputs("No CUDA blocks.\n", console());
	table_free(table);
}

static int by_place(const void *a, const void *b)
{
	const struct place_in_grid *x = a, *y = b;
	if (x->launch != y->launch)
		return x->launch->id < y->launch->id ? -1 : 1;
	return x->linear < y->linear ? -1 : x->linear > y->linear;
}

/* The blocks in flight that the argument allows, in the order of *before; *ret is the
 * caller's to free. */
static struct cudasim_error *blocks_in_order(const char *argument, const char *command,
					     int (*before)(const void *, const void *),
					     struct place_in_grid **ret, size_t *n)
{
	struct coordinates c;
	struct cudasim_block **blocks = NULL;
	struct cudasim_error *error = coordinates_parse(argument, command, &c);
	if (error)
		return error;
	coordinates_default(&c, COORDINATE_KERNEL);
	*n = program_is_running() ? coordinates_blocks(&c, &blocks) : 0;
	*ret = calloc(*n + 1, sizeof **ret);
	for (size_t i = 0; *ret && i < *n; i++)
		(*ret)[i] = (struct place_in_grid){.block = blocks[i],
						   .launch = blocks[i]->launch,
						   .linear = cudasim_block_index(blocks[i]),
						   .is_focused = focus_get()->is_device &&
								 blocks[i] == focus_get()->block};
	free(blocks);
	if (!*ret)
		return &cudasim_error_nomem;
	qsort(*ret, *n, sizeof **ret, before);
	return NULL;
}

struct cudasim_error *info_blocks(const char *argument)
{
	struct place_in_grid *at;
	size_t n;
	struct cudasim_error *error = blocks_in_order(argument, "info cuda blocks", by_place, &at,
						      &n);
	if (error)
		return error;
	print_blocks(at, n);
	free(at);
	return NULL;
}

/* ---- clusters ---------------------------------------------------------------------------- */

static const struct column cluster_columns[] = {
	{"ClusterIdx", COLUMN_RIGHT, 0},
	{"BlockIdx", COLUMN_RIGHT, 0},
	{"To BlockIdx", COLUMN_RIGHT, 0},
	{"Count", COLUMN_RIGHT, 0},
	{NULL, 0, 0},
};

static void cluster_index(const struct cudasim_block *block, uint32_t ret[3])
{
	for (int i = 0; i < 3; i++)
		ret[i] = block->ctaid[i] / block->cluster_nctaid[i];
}

static int by_index(const uint32_t a[3], const uint32_t b[3])
{
	for (int i = 2; i >= 0; i--)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int by_cluster(const void *a, const void *b)
{
	const struct place_in_grid *x = a, *y = b;
	uint32_t of_x[3], of_y[3];
	if (x->launch != y->launch)
		return by_place(a, b);
	cluster_index(x->block, of_x);
	cluster_index(y->block, of_y);
	int order = by_index(of_x, of_y);
	return order ? order : by_place(a, b);
}

static void cluster_row(struct table *table, const struct place_in_grid *at, size_t n)
{
	uint32_t index[3];
	bool is_focused = false;
	for (size_t i = 0; i < n; i++)
		is_focused |= at[i].is_focused;
	cluster_index(at->block, index);
	table_row(table, is_focused);
	cell_index(table, index);
	cell_index(table, at[0].block->ctaid);
	cell_index(table, at[n - 1].block->ctaid);
	table_cell(table, "%zu", n);
}

static bool has_clusters(const struct cudasim_block *block)
{
	const uint32_t *n = block->cluster_nctaid;
	return n[0] * n[1] * n[2] > 1;
}

static void print_clusters(const struct place_in_grid *at, size_t n)
{
	struct table *table = table_new(cluster_columns);
	const struct cudasim_launch *launch = NULL;
	for (size_t i = 0, end; i < n; i = end) {
		uint32_t index[3], next[3];
		const uint32_t *dim = at[i].block->cluster_nctaid;
		end = i + 1;
		if (!has_clusters(at[i].block))
			continue;
		if (at[i].launch != launch) {
			launch = at[i].launch;
			table_section(table, "Kernel %" PRIu64, focus_kernel_number(launch));
			table_section(table, "ClusterDim (%u,%u,%u)", dim[0], dim[1], dim[2]);
		}
		cluster_index(at[i].block, index);
		for (; end < n && at[end].launch == launch; end++) {
			cluster_index(at[end].block, next);
			if (by_index(index, next))
				break;
		}
		cluster_row(table, &at[i], end - i);
	}
	if (table_is_empty(table))
		fputs("No CUDA clusters.\n", console());
	else
		table_print(console(), table);
	table_free(table);
}

struct cudasim_error *info_clusters(const char *argument)
{
	struct place_in_grid *at;
	size_t n;
	struct cudasim_error *error = blocks_in_order(argument, "info cuda clusters", by_cluster,
						      &at, &n);
	if (error)
		return error;
	print_clusters(at, n);
	free(at);
	return NULL;
}

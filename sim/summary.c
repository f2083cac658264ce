/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - one row per kernel, per kind of copy and per API function, in one
 * table keyed by an address that stands for the thing. */
#include "summary.h"

#include <driver_types.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "hash.h"

enum section { KERNELS, COPIES, CALLS, N_SECTIONS };

struct row {
	enum section section;
	const char *name;
	uint64_t n, ns, min_ns, max_ns, bytes;
};

bool summary_enabled;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hash rows;

static void add(enum section section, const void *key, const char *name, uint64_t ns,
		uint64_t bytes)
{
	pthread_mutex_lock(&lock);
	struct row *row = hash_get(&rows, key);
	if (!row) {
		row = calloc(1, sizeof *row);
		if (row && !hash_put(&rows, key, row)) {
			free(row);
			row = NULL;
		}
		if (row)
			*row = (struct row){.section = section, .name = name, .min_ns = ns};
	}
	if (row) {
		row->n++;
		row->ns += ns;
		row->bytes += bytes;
		if (ns < row->min_ns)
			row->min_ns = ns;
		if (ns > row->max_ns)
			row->max_ns = ns;
	}
	pthread_mutex_unlock(&lock);
}

void summary_launch(const struct launch *launch)
{
	if (summary_enabled)
		add(KERNELS, launch->kernel, launch->kernel->display,
		    launch->end_ns - launch->start_ns, 0);
}

void summary_copy(const struct cudasim_copy *what, uint64_t ns)
{
	/* In the order of enum cudaMemcpyKind. */
	static const char *const names[] = {
		"[memcpy HtoH]", "[memcpy HtoD]", "[memcpy DtoH]", "[memcpy DtoD]", "[memset]",
	};
	unsigned i = what->kind == CUDASIM_SET ? 4 : (unsigned)what->direction;
	if (summary_enabled && i <= 4)
		add(COPIES, &names[i], names[i], ns, what->width * what->height * what->depth);
}

void summary_api(const char *name, uint64_t ns)
{
	if (summary_enabled)
		add(CALLS, name, name, ns, 0);
}

/* ---- printing ---------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : 0;
}

/* 1.23us, 4.56ms, 7.89s: width 9. */
static const char *duration(double ns, char *to)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	int i = 0;
	for (; i < 3 && ns >= 1000; i++)
		ns /= 1000;
	sprintf(to, "%.*f%s", i ? 2 : 0, ns, units[i]);
	return to;
}

static void print_row(const struct row *row, uint64_t total)
{
	char time[32], average[32], min[32], max[32];
	double share = total ? 100.0 * (double)row->ns / (double)total : 0;
	fprintf(stderr, "%7.2f%% %9s %9llu %9s %9s %9s", share, duration((double)row->ns, time),
		(unsigned long long)row->n, duration((double)row->ns / (double)row->n, average),
		duration((double)row->min_ns, min), duration((double)row->max_ns, max));
	if (row->section == COPIES)
		fprintf(stderr, " %14llu", (unsigned long long)row->bytes);
	fprintf(stderr, "  %s\n", row->name);
}

static void print_section(struct row **sorted, size_t n, enum section section)
{
	static const char *const titles[] = {"kernels", "copies", "CUDA API calls"};
	uint64_t total = 0;
	bool any = false;
	for (size_t i = 0; i < n; i++)
		if (sorted[i]->section == section)
			total += sorted[i]->ns;
	for (size_t i = 0; i < n; i++) {
		if (sorted[i]->section != section)
			continue;
		if (!any)
			fprintf(stderr, "cudasim: %s (times are the simulator's)\n"
				"%8s %9s %9s %9s %9s %9s%s  %s\n", titles[section], "time(%)",
				"time", "calls", "avg", "min", "max",
				section == COPIES ? "          bytes" : "", "name");
		any = true;
		print_row(sorted[i], total);
	}
}

void summary_print(void)
{
	if (!summary_enabled)
		return;
	pthread_mutex_lock(&lock);
	struct row **sorted = rows.n ? malloc(rows.n * sizeof *sorted) : NULL;
	size_t n = 0;
	for (size_t i = 0; sorted && i < rows.n_slots; i++)
		if (rows.slots[i].value)
			sorted[n++] = rows.slots[i].value;
	if (sorted)
		qsort(sorted, n, sizeof *sorted, by_time);
	for (int section = KERNELS; section < N_SECTIONS; section++)
		print_section(sorted, n, (enum section)section);
	free(sorted);
	summary_enabled = false;
	pthread_mutex_unlock(&lock);
}

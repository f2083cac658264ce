/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - one row per kernel, per kind of copy and per API function, in one
 * table keyed by an address that stands for the thing. */
#include "summary.h"

#include <driver_types.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "error.h"
#include "hash.h"
#include "log.h"

enum section { KERNELS, COPIES, CALLS, RANGES, N_SECTIONS };

struct row {
	enum section section;
	const char *name;
	const char *kind; /* of ranges: push/pop, start/end, mark */
	struct row *other; /* of ranges: the same name of another kind */
	uint64_t n, ns, min_ns, max_ns, bytes;
};

bool summary_enabled;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hash rows;
static const char *json_path; /* NULL: tables on stderr */

static void count(struct row *row, uint64_t ns, uint64_t bytes)
{
	row->n++;
	row->ns += ns;
	row->bytes += bytes;
	if (ns < row->min_ns)
		row->min_ns = ns;
	if (ns > row->max_ns)
		row->max_ns = ns;
}

/* kind is NULL but for ranges. With the lock. */
static struct row *row_of(enum section section, const void *key, const char *name, const char *kind)
{
	struct row *first = hash_get(&rows, key), *row = first;
	while (row && row->kind != kind)
		row = row->other;
	if (row)
		return row;
	row = calloc(1, sizeof *row);
	if (!row)
		return NULL;
	*row = (struct row){.section = section, .name = name, .kind = kind, .min_ns = UINT64_MAX};
	if (first) {
		row->other = first->other;
		first->other = row;
	} else if (!hash_put(&rows, key, row)) {
		free(row);
		return NULL;
	}
	return row;
}

static void add(enum section section, const void *key, const char *name, const char *kind,
		uint64_t ns, uint64_t bytes)
{
	pthread_mutex_lock(&lock);
	struct row *row = row_of(section, key, name, kind);
	if (row)
		count(row, ns, bytes);
	pthread_mutex_unlock(&lock);
}

void summary_launch(const struct launch *launch)
{
	if (summary_enabled)
		add(KERNELS, launch->pub.kernel, launch->pub.kernel->display, NULL,
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
		add(COPIES, &names[i], names[i], NULL, ns,
		    what->width * what->height * what->depth);
}

void summary_api(const char *name, uint64_t ns)
{
	if (summary_enabled)
		add(CALLS, name, name, NULL, ns, 0);
}

void summary_range(const char *kind, const char *name, uint64_t ns)
{
	if (summary_enabled)
		add(RANGES, name, name, kind, ns, 0);
}

struct cudasim_error *summary_start(void)
{
	const char *value = env_get("CUDASIM_SUMMARY");
	size_t n = value ? strlen(value) : 0;
	if (!n || !strcmp(value, "0"))
		return NULL;
	if (strcmp(value, "1")) {
		if (n < 6 || strcmp(value + n - 5, ".json"))
			return cudasim_error_new(
				CUDASIM_E_ARGUMENT,
				"CUDASIM_SUMMARY=%s is neither 0 nor 1 nor a path that ends in .json",
				value);
		json_path = value;
	}
	summary_enabled = true;
	return NULL;
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
	fprintf(stderr, "  %s%s%s%s\n", row->name, row->kind ? " (" : "",
		row->kind ? row->kind : "", row->kind ? ")" : "");
}

static void print_section(struct row **sorted, size_t n, enum section section)
{
	static const char *const titles[] = {"kernels", "copies", "CUDA API calls", "NVTX ranges"};
	uint64_t total = 0;
	bool any = false;
	for (size_t i = 0; i < n; i++)
		if (sorted[i]->section == section)
			total += sorted[i]->ns;
	for (size_t i = 0; i < n; i++) {
		if (sorted[i]->section != section)
			continue;
		if (!any)
			fprintf(stderr,
				"cudasim: %s (times are the simulator's)\n"
				"%8s %9s %9s %9s %9s %9s%s  %s\n",
				titles[section], "time(%)", "time", "calls", "avg", "min", "max",
				section == COPIES ? "          bytes" : "", "name");
		any = true;
		print_row(sorted[i], total);
	}
}

/* ---- JSON --------------------------------------------------------------------- */

/* By hand: libcudasim lies in programs of others, which may have a jansson of another version,
 * so it needs no library but libc. */

static void print_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text < 32)
			fprintf(out, "\\u%04x", (unsigned char)*text);
		else
			fputc(*text, out);
	}
	fputc('"', out);
}

static void print_json_section(FILE *out, struct row **sorted, size_t n, enum section section)
{
	static const char *const keys[] = {"kernels", "copies", "calls", "ranges"};
	const char *before = "";
	fprintf(out, "  \"%s\": [", keys[section]);
	for (size_t i = 0; i < n; i++) {
		const struct row *row = sorted[i];
		if (row->section != section)
			continue;
		fprintf(out, "%s\n    {\"name\": ", before);
		print_string(out, row->name);
		if (row->kind)
			fprintf(out, ", \"kind\": \"%s\"", row->kind);
		fprintf(out,
			", \"count\": %llu, \"total_ns\": %llu, \"min_ns\": %llu, "
			"\"max_ns\": %llu",
			(unsigned long long)row->n, (unsigned long long)row->ns,
			(unsigned long long)row->min_ns, (unsigned long long)row->max_ns);
		if (section == COPIES)
			fprintf(out, ", \"bytes\": %llu", (unsigned long long)row->bytes);
		fputc('}', out);
		before = ",";
	}
	fprintf(out, "%s]%s\n", *before ? "\n  " : "", section + 1 < N_SECTIONS ? "," : "");
}

static void print_json(struct row **sorted, size_t n)
{
	FILE *out = fopen(json_path, "we");
	if (!out) {
		log_line("cannot write the summary to %s: %s", json_path, strerror(errno));
		return;
	}
	fputs("{\n", out);
	for (int section = KERNELS; section < N_SECTIONS; section++)
		print_json_section(out, sorted, n, (enum section)section);
	fputs("}\n", out);
	if (fclose(out))
		log_line("cannot write the summary to %s: %s", json_path, strerror(errno));
}

/* All rows, in the order in which they are told; *n of them. With the lock. */
static struct row **sort_rows(size_t *n)
{
	size_t room = 0;
	*n = 0;
	for (size_t i = 0; i < rows.n_slots; i++)
		for (struct row *row = rows.slots[i].value; row; row = row->other)
			room++;
	struct row **sorted = room ? malloc(room * sizeof *sorted) : NULL;
	for (size_t i = 0; sorted && i < rows.n_slots; i++)
		for (struct row *row = rows.slots[i].value; row; row = row->other)
			sorted[(*n)++] = row;
	if (sorted)
		qsort(sorted, *n, sizeof *sorted, by_time);
	return sorted;
}

void summary_print(void)
{
	size_t n;
	if (!summary_enabled)
		return;
	pthread_mutex_lock(&lock);
	struct row **sorted = sort_rows(&n);
	if (json_path)
		print_json(sorted, n);
	for (int section = KERNELS; !json_path && section < N_SECTIONS; section++)
		print_section(sorted, n, (enum section)section);
	free(sorted);
	summary_enabled = false;
	pthread_mutex_unlock(&lock);
}

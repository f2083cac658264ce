/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - runs the rows on the machine that it was linked with.
 *
 *     peer [--small | --tiny] [--seconds S] [--only ROW]...
 *     peer --rows | --about
 *
 * --rows prints the rows' names, --about the machine's. Each row's result is compared with the reference's before it is timed; one that differs
 * is reported and ends the run with status 1 after the other rows. Prints a line a row:
 *
 *     name <TAB> threads <TAB> repetitions <TAB> least <TAB> median <TAB> CPU least <TAB> CPU median
 *
 * in ns of wall time and of processor time (of all threads of this process) a CUDA thread. */
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEWEST = 5, MOST = 200 };

static double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static size_t bytes_of(const struct array *a)
{
	return a->n * (a->element == ELEMENT_DOUBLE ? 8 : 4);
}

static double element(const struct array *a, const void *values, size_t i)
{
	switch (a->element) {
	case ELEMENT_INT:
		return ((const int *)values)[i];
	case ELEMENT_FLOAT:
		return ((const float *)values)[i];
	default:
		return ((const double *)values)[i];
	}
}

static void memory_make(const struct machine *m, const struct problem *p, void **memory)
{
	for (int i = 0; i < p->n_arrays; i++) {
		memory[i] = m->memory_new(bytes_of(&p->arrays[i]));
		if (!memory[i]) {
			fputs("out of memory\n", stderr);
			exit(1);
		}
		m->write(memory[i], p->arrays[i].initial, bytes_of(&p->arrays[i]));
	}
}

static void memory_drop(const struct machine *m, const struct problem *p, void **memory)
{
	for (int i = 0; i < p->n_arrays; i++)
		m->memory_free(memory[i]);
}

/* The row's result on machine, which the caller frees. */
static void *result(const struct machine *m, const struct row *row, const struct problem *p,
		    void **memory)
{
	void *values = malloc(bytes_of(&p->arrays[p->out]));
	if (!values)
		exit(1);
	row->launch(m, p, memory);
	m->wait();
	m->read(memory[p->out], values, bytes_of(&p->arrays[p->out]));
	return values;
}

/* Whether two results agree; otherwise says where they do not. */
static int same(const struct row *row, const struct array *a, const void *got, const void *want)
{
	size_t n_strays = 0;
	for (size_t i = 0; i < a->n; i++) {
		double g = element(a, got, i), w = element(a, want, i);
		if (g == w || fabs(g - w) <= row->tolerance * (1 + fabs(w)))
			continue;
		if (++n_strays > row->strays * (double)a->n) {
			fprintf(stderr, "%s: element %zu is %.9g, not %.9g\n", row->name, i, g, w);
			return 0;
		}
	}
	return 1;
}

static int check(const struct machine *m, const struct row *row, const struct problem *p,
		 void **memory)
{
	void *right[MOST_ARRAYS];
	memory_make(&reference_machine, p, right);
	void *want = result(&reference_machine, row, p, right), *got = result(m, row, p, memory);
	int is_same = same(row, &p->arrays[p->out], got, want);
	free(want);
	free(got);
	memory_drop(&reference_machine, p, right);
	return is_same;
}

static void measure(const struct machine *m, const struct row *row, const struct problem *p,
		    void **memory, double seconds)
{
	double wall[MOST], cpu[MOST], spent = 0;
	int n = 0;
	/* Slow peers are not made to repeat what takes seconds. */
	while (n < MOST && (spent < seconds || (n < FEWEST && spent < 3 * seconds))) {
		if (row->again)
			row->again(m, p, memory);
		m->wait();
		double cpu_start = now(CLOCK_PROCESS_CPUTIME_ID), start = now(CLOCK_MONOTONIC);
		row->launch(m, p, memory);
		m->wait();
		wall[n] = now(CLOCK_MONOTONIC) - start;
		cpu[n] = now(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
		spent += wall[n++];
	}
	qsort(wall, n, sizeof *wall, ascending);
	qsort(cpu, n, sizeof *cpu, ascending);
	double to_ns = 1e9 / p->n_threads;
	printf("%s\t%.0f\t%d\t%.6g\t%.6g\t%.6g\t%.6g\n", row->name, p->n_threads, n,
	       wall[0] * to_ns, wall[n / 2] * to_ns, cpu[0] * to_ns, cpu[n / 2] * to_ns);
	fflush(stdout);
}

/* Returns whether the result was right. */
static int run(const struct machine *m, const struct row *row, enum size size, double seconds)
{
	struct problem p = {0};
	void *memory[MOST_ARRAYS];
	row->make(&p, size);
	memory_make(m, &p, memory);
	int is_right = row->is_empty || check(m, row, &p, memory);
	if (is_right)
		measure(m, row, &p, memory, seconds);
	memory_drop(m, &p, memory);
	for (int i = 0; i < p.n_arrays; i++)
		free(p.arrays[i].initial);
	return is_right;
}

int main(int argc, char **argv)
{
	enum size size = SIZE_FULL;
	int n_only = 0, status = 0;
	double seconds = 0.3;
	const char *only[32];
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--small")) {
			size = SIZE_SMALL;
		} else if (!strcmp(argv[i], "--tiny")) {
			size = SIZE_TINY;
		} else if (!strcmp(argv[i], "--rows")) {
			for (const struct row *row = rows; row->name; row++)
				puts(row->name);
			return 0;
		} else if (!strcmp(argv[i], "--about")) {
			puts(machine_open()->name);
			return 0;
		} else if (!strcmp(argv[i], "--seconds") && i + 1 < argc) {
			seconds = atof(argv[++i]);
		} else if (!strcmp(argv[i], "--only") && i + 1 < argc && n_only < 32) {
			only[n_only++] = argv[++i];
		} else {
			fprintf(stderr, "%s: %s is not an option\n", argv[0], argv[i]);
			return 2;
		}
	}
	const struct machine *m = machine_open();
	for (const struct row *row = rows; row->name; row++) {
		int is_wanted = !n_only;
		for (int i = 0; i < n_only; i++)
			is_wanted |= !strcmp(only[i], row->name);
		if (is_wanted && !(m->is_plain && row->is_empty) && !run(m, row, size, seconds))
			status = 1;
	}
	return status;
}

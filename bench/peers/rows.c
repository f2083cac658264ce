/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - the rows of the table: sizes, data and launches. What one thread does is the same
 * in all sizes. */
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t size_of(enum element element)
{
	return element == ELEMENT_DOUBLE ? 8 : 4;
}

static int pick(enum size size, int full, int small, int tiny)
{
	return size == SIZE_FULL ? full : size == SIZE_SMALL ? small : tiny;
}

/* ---- data ---------------------------------------------------------------------------- */

static double zero(size_t i)
{
	(void)i;
	return 0;
}
static size_t mixed(size_t i)
{
	return i * 2654435761u % 1000003;
}
static double unit(size_t i)
{
	return mixed(i) / 1000003.;
}
/* Small integers: sums of them are exact in any order. */
static double small(size_t i)
{
	return (double)(mixed(i) % 64);
}
static double digit(size_t i)
{
	return (double)(mixed(i) % 8);
}
static double byte(size_t i)
{
	return (double)(mixed(i) % 251);
}
static double any(size_t i)
{
	return (double)mixed(i);
}
static double latitude(size_t i)
{
	return (unit(i) - .5) * 3.1;
}
static double longitude(size_t i)
{
	return (unit(i + 77) - .5) * 6.2;
}
static double instant(size_t i)
{
	return (double)i * .1 + unit(i) * .1;
}
static double signal(size_t i)
{
	return unit(i * 31) - .5;
}
static double price(size_t i)
{
	return 5 + 25 * unit(i);
}
static double strike(size_t i)
{
	return 1 + 99 * unit(i + 9);
}
static double years(size_t i)
{
	return .25 + 9 * unit(i + 5);
}
static double unreached(size_t i)
{
	return i ? -1 : 0;
}

static void array(struct problem *p, enum element element, size_t n, double (*value)(size_t))
{
	struct array *a = &p->arrays[p->n_arrays++];
	a->element = element;
	a->n = n;
	a->initial = malloc(n * size_of(element));
	if (!a->initial) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	for (size_t i = 0; i < n; i++) {
		if (element == ELEMENT_INT)
			((int *)a->initial)[i] = (int)value(i);
		else if (element == ELEMENT_FLOAT)
			((float *)a->initial)[i] = (float)value(i);
		else
			((double *)a->initial)[i] = value(i);
	}
	p->out = p->n_arrays - 1; /* the last one, unless make() says otherwise */
}

static void restore(const struct machine *m, const struct problem *p, void **memory, int which)
{
	const struct array *a = &p->arrays[which];
	m->write(memory[which], a->initial, a->n * size_of(a->element));
}

/* ---- launching ------------------------------------------------------------------------- */

static struct argument mem(void *memory)
{
	return (struct argument){.kind = MEMORY, .memory = memory};
}

static struct argument num(int i)
{
	return (struct argument){.kind = INT, .i = i};
}

#define LAUNCH(kernel, gx, gy, gz, bx, by, bz, ...)                                                \
	do {                                                                                       \
		const struct argument arguments_[] = {__VA_ARGS__};                                \
		m->launch(KERNEL_##kernel, (unsigned[]){gx, gy, gz}, (unsigned[]){bx, by, bz},     \
			  arguments_, sizeof arguments_ / sizeof arguments_[0]);                   \
	} while (0)
#define FLAT(kernel, n, ...)                                                                       \
	LAUNCH(kernel, ((n) + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, __VA_ARGS__)
/* A thread for each of n, which may be fewer than a block. */
#define EXACT(kernel, n, ...)                                                                      \
	LAUNCH(kernel, (n) < BLOCK ? 1 : (n) / BLOCK, 1, 1, (n) < BLOCK ? (n) : BLOCK, 1, 1,       \
	       __VA_ARGS__)

/* ---- memory and shared memory ------------------------------------------------------------ */

static void make_add(struct problem *p, enum size size)
{
	p->n_threads = p->n = pick(size, 1 << 20, 1 << 12, 256);
	array(p, ELEMENT_FLOAT, p->n, small);
	array(p, ELEMENT_FLOAT, p->n, digit);
	array(p, ELEMENT_FLOAT, p->n, zero);
}

static void launch_add(const struct machine *m, const struct problem *p, void **a)
{
	FLAT(add, p->n, mem(a[0]), mem(a[1]), mem(a[2]), num(p->n));
}

static void make_saxpy(struct problem *p, enum size size)
{
	p->n = pick(size, 1 << 22, 1 << 14, 1 << 12);
	p->n_threads = p->n / 16;
	array(p, ELEMENT_FLOAT, p->n, small);
	array(p, ELEMENT_FLOAT, p->n, digit);
}

static void launch_saxpy(const struct machine *m, const struct problem *p, void **a)
{
	struct argument factor = {.kind = FLOAT, .f = 2};
	FLAT(saxpy, p->n / 16, num(p->n), factor, mem(a[0]), mem(a[1]));
}

static void again_saxpy(const struct machine *m, const struct problem *p, void **a)
{
	restore(m, p, a, 1);
}

static void make_sums(struct problem *p, enum size size, int width)
{
	p->n_threads = p->n = pick(size, 1 << 20, 1 << 12, 256);
	array(p, ELEMENT_FLOAT, p->n, small);
	array(p, ELEMENT_FLOAT, p->n / width, zero);
}

static void make_reduce(struct problem *p, enum size size)
{
	make_sums(p, size, BLOCK);
}
static void make_warp_sum(struct problem *p, enum size size)
{
	make_sums(p, size, WARP);
}

static void launch_reduce(const struct machine *m, const struct problem *p, void **a)
{
	FLAT(reduce, p->n, mem(a[0]), mem(a[1]));
}

static void launch_warp_sum(const struct machine *m, const struct problem *p, void **a)
{
	FLAT(warp_sum, p->n, mem(a[0]), mem(a[1]));
}

/* Each result is a sum of 512 products, however few there are. */
static void make_product(struct problem *p, enum size size)
{
	p->width = pick(size, 512, 32, 16);
	p->depth = 512;
	p->n_threads = (double)p->width * p->width;
	array(p, ELEMENT_FLOAT, (size_t)p->width * p->depth, digit);
	array(p, ELEMENT_FLOAT, (size_t)p->width * p->depth, digit);
	array(p, ELEMENT_FLOAT, (size_t)p->width * p->width, zero);
}

static void launch_product(const struct machine *m, const struct problem *p, void **a)
{
	LAUNCH(product, p->width / TILE, p->width / TILE, 1, TILE, TILE, 1, mem(a[0]), mem(a[1]),
	       mem(a[2]), num(p->width), num(p->depth));
}

static void make_plane(struct problem *p, enum size size)
{
	p->width = pick(size, 1024, 64, 32);
	p->n_threads = (double)p->width * p->width;
	array(p, ELEMENT_FLOAT, (size_t)p->width * p->width, small);
	array(p, ELEMENT_FLOAT, (size_t)p->width * p->width, zero);
}

static void make_transpose(struct problem *p, enum size size)
{
	make_plane(p, size);
	p->n_threads /= 4;
}

static void launch_transpose(const struct machine *m, const struct problem *p, void **a)
{
	LAUNCH(transpose, p->width / 32, p->width / 32, 1, 32, 8, 1, mem(a[0]), mem(a[1]),
	       num(p->width));
}

static void launch_stencil5(const struct machine *m, const struct problem *p, void **a)
{
	LAUNCH(stencil5, p->width / 32, p->width / 8, 1, 32, 8, 1, mem(a[0]), mem(a[1]),
	       num(p->width));
}

static void make_volume(struct problem *p, enum size size)
{
	p->width = pick(size, 128, 32, 32);
	p->depth = pick(size, 128, 32, 4);
	p->n_threads = (double)p->width * p->width * p->depth;
	array(p, ELEMENT_FLOAT, (size_t)p->n_threads, small);
	array(p, ELEMENT_FLOAT, (size_t)p->n_threads, zero);
}

static void launch_stencil7(const struct machine *m, const struct problem *p, void **a)
{
	LAUNCH(stencil7, p->width / 32, p->width / 4, p->depth / 2, 32, 4, 2, mem(a[0]), mem(a[1]),
	       num(p->width), num(p->depth));
}

static void make_histogram(struct problem *p, enum size size)
{
	p->n = pick(size, 1 << 22, 1 << 14, 1 << 12);
	p->n_threads = p->n / 16;
	array(p, ELEMENT_INT, p->n, byte);
	array(p, ELEMENT_INT, BINS, zero);
}

static void launch_histogram(const struct machine *m, const struct problem *p, void **a)
{
	FLAT(histogram, p->n / 16, mem(a[0]), mem(a[1]), num(p->n));
}

static void again_histogram(const struct machine *m, const struct problem *p, void **a)
{
	restore(m, p, a, 1);
}

/* Arrays: elements, their sums, and the blocks' totals of three levels. */
static void make_scan(struct problem *p, enum size size)
{
	p->n_threads = p->n = pick(size, 1 << 20, 1 << 12, 1 << 10);
	array(p, ELEMENT_INT, p->n, digit);
	array(p, ELEMENT_INT, p->n, zero);
	array(p, ELEMENT_INT, p->n / BLOCK, zero);
	array(p, ELEMENT_INT, p->n / BLOCK / BLOCK + 1, zero);
	array(p, ELEMENT_INT, 1, zero);
	p->out = 1;
}

static void launch_scan(const struct machine *m, const struct problem *p, void **a)
{
	const int totals = p->n / BLOCK, groups = (totals + BLOCK - 1) / BLOCK;
	FLAT(scan, p->n, mem(a[0]), mem(a[1]), mem(a[2]), num(p->n));
	if (m->is_plain)
		return;
	FLAT(scan, totals, mem(a[2]), mem(a[2]), mem(a[3]), num(totals));
	if (groups > 1) {
		FLAT(scan, groups, mem(a[3]), mem(a[3]), mem(a[4]), num(groups));
		FLAT(scan_add, totals, mem(a[2]), mem(a[3]), num(totals));
	}
	FLAT(scan_add, p->n, mem(a[1]), mem(a[2]), num(p->n));
}

static void make_sort(struct problem *p, enum size size)
{
	p->n = pick(size, 1 << 19, 1 << 12, SORTED);
	p->n_threads = p->n / 2;
	array(p, ELEMENT_INT, p->n, any);
	array(p, ELEMENT_INT, p->n, zero);
}

static void launch_sort(const struct machine *m, const struct problem *p, void **a)
{
	LAUNCH(sort, p->n / SORTED, 1, 1, SORTED / 2, 1, 1, mem(a[0]), mem(a[1]));
}

/* ---- arithmetic --------------------------------------------------------------------------- */

static void make_circles(struct problem *p, enum size size)
{
	p->n_threads = p->n = pick(size, 1000000, 1 << 12, 256);
	array(p, ELEMENT_DOUBLE, p->n, latitude);
	array(p, ELEMENT_DOUBLE, p->n, longitude);
	array(p, ELEMENT_DOUBLE, p->n, zero);
}

static void launch_circles(const struct machine *m, const struct problem *p, void **a)
{
	FLAT(circles, p->n, num(p->n), mem(a[0]), mem(a[1]), mem(a[2]));
}

static void make_periodogram(struct problem *p, enum size size, enum element element)
{
	p->n_threads = p->n = pick(size, 16384, 256, 32);
	p->depth = 1024;
	array(p, element, p->depth, instant);
	array(p, element, p->depth, signal);
	array(p, element, p->n, zero);
}

static void make_floats(struct problem *p, enum size size)
{
	make_periodogram(p, size, ELEMENT_FLOAT);
}

static void make_doubles(struct problem *p, enum size size)
{
	make_periodogram(p, size, ELEMENT_DOUBLE);
}

static void launch_floats(const struct machine *m, const struct problem *p, void **a)
{
	EXACT(periodogram, p->n, mem(a[0]), mem(a[1]), mem(a[2]), num(p->depth));
}

static void launch_doubles(const struct machine *m, const struct problem *p, void **a)
{
	EXACT(periodogram_double, p->n, mem(a[0]), mem(a[1]), mem(a[2]), num(p->depth));
}

/* Each body is pulled by 4096, however few are pulled. */
static void make_bodies(struct problem *p, enum size size)
{
	p->depth = 4096;
	p->n_threads = p->n = pick(size, p->depth, 256, 16);
	array(p, ELEMENT_FLOAT, 4 * (size_t)p->depth, unit);
	array(p, ELEMENT_FLOAT, 4 * (size_t)p->n, zero);
}

static void launch_bodies(const struct machine *m, const struct problem *p, void **a)
{
	EXACT(bodies, p->n, mem(a[0]), mem(a[1]), num(p->depth));
}

static void make_options(struct problem *p, enum size size)
{
	p->n_threads = p->n = pick(size, 1 << 20, 1 << 12, 256);
	array(p, ELEMENT_FLOAT, p->n, price);
	array(p, ELEMENT_FLOAT, p->n, strike);
	array(p, ELEMENT_FLOAT, p->n, years);
	array(p, ELEMENT_FLOAT, p->n, zero);
	array(p, ELEMENT_FLOAT, p->n, zero);
}

static void launch_options(const struct machine *m, const struct problem *p, void **a)
{
	FLAT(options, p->n, num(p->n), mem(a[0]), mem(a[1]), mem(a[2]), mem(a[3]), mem(a[4]));
}

/* ---- divergence --------------------------------------------------------------------------- */

static void make_mandelbrot(struct problem *p, enum size size)
{
	p->width = pick(size, 512, 64, 32);
	p->depth = 256;
	p->n_threads = (double)p->width * p->width;
	array(p, ELEMENT_INT, (size_t)p->width * p->width, zero);
}

static void launch_mandelbrot(const struct machine *m, const struct problem *p, void **a)
{
	LAUNCH(mandelbrot, p->width / 32, p->width / 8, 1, 32, 8, 1, mem(a[0]), num(p->width),
	       num(p->depth));
}

enum { DEGREE = 8 };
static int n_nodes; /* what end_of() wraps at */
static double first_of(size_t i)
{
	return (double)(i * DEGREE);
}
static double end_of(size_t i)
{
	return (double)(mixed(i * 7 + 3) * 131 % (size_t)n_nodes);
}

static void make_search(struct problem *p, enum size size)
{
	p->n_threads = p->n = n_nodes = pick(size, 1 << 17, 1 << 12, 256);
	array(p, ELEMENT_INT, (size_t)p->n + 1, first_of);
	array(p, ELEMENT_INT, (size_t)p->n * DEGREE, end_of);
	array(p, ELEMENT_INT, p->n, unreached);
	array(p, ELEMENT_INT, 1, zero);
	p->out = 2;
}

/* All levels; the host asks after each whether there is another. */
static void launch_search(const struct machine *m, const struct problem *p, void **a)
{
	for (int at = 0, more = 1; more; at++) {
		more = 0;
		m->write(a[3], &more, sizeof more);
		FLAT(level, p->n, mem(a[0]), mem(a[1]), mem(a[2]), num(p->n), num(at), mem(a[3]));
		m->read(a[3], &more, sizeof more);
	}
}

static void again_search(const struct machine *m, const struct problem *p, void **a)
{
	restore(m, p, a, 2);
}

/* ---- nothing ------------------------------------------------------------------------------ */

static void make_empty(struct problem *p, enum size size)
{
	p->n_threads = p->n = pick(size, 1 << 20, 1 << 12, 256);
	array(p, ELEMENT_INT, 1, zero);
}

static void launch_ones(const struct machine *m, const struct problem *p, void **a)
{
	(void)a;
	m->launch(KERNEL_empty, (unsigned[]){p->n, 1, 1}, (unsigned[]){1, 1, 1}, NULL, 0);
}

static void launch_blocks(const struct machine *m, const struct problem *p, void **a)
{
	(void)a;
	m->launch(KERNEL_empty, (unsigned[]){p->n / BLOCK, 1, 1}, (unsigned[]){BLOCK, 1, 1}, NULL,
		  0);
}

const struct row rows[] = {
	{"vector add", make_add, launch_add, NULL, 0, 0, 0},
	{"saxpy", make_saxpy, launch_saxpy, again_saxpy, 0, 0, 0},
	{"block reduction", make_reduce, launch_reduce, NULL, 0, 0, 0},
	{"warp reduction", make_warp_sum, launch_warp_sum, NULL, 0, 0, 0},
	{"tiled product", make_product, launch_product, NULL, 0, 0, 0},
	{"transpose", make_transpose, launch_transpose, NULL, 0, 0, 0},
	{"5-point stencil", make_plane, launch_stencil5, NULL, 0, 0, 0},
	{"7-point stencil", make_volume, launch_stencil7, NULL, 0, 0, 0},
	{"histogram", make_histogram, launch_histogram, again_histogram, 0, 0, 0},
	{"inclusive scan", make_scan, launch_scan, NULL, 0, 0, 0},
	{"great-circle mesh", make_circles, launch_circles, NULL, 1e-12, 0, 0},
	{"Lomb-Scargle float", make_floats, launch_floats, NULL, 1e-2, 0, 0},
	{"Lomb-Scargle double", make_doubles, launch_doubles, NULL, 1e-9, 0, 0},
	{"N-body", make_bodies, launch_bodies, NULL, 1e-3, 0, 0},
	{"Black-Scholes", make_options, launch_options, NULL, 1e-4, 0, 0},
	/* Fused products round otherwise: an orbit on the edge may leave a step sooner. */
	{"Mandelbrot", make_mandelbrot, launch_mandelbrot, NULL, 0, 0.005, 0},
	{"breadth-first search", make_search, launch_search, again_search, 0, 0, 0},
	{"bitonic sort", make_sort, launch_sort, NULL, 0, 0, 0},
	{"empty, blocks of 1", make_empty, launch_ones, NULL, 0, 0, 1},
	{"empty, blocks of 256", make_empty, launch_blocks, NULL, 0, 0, 1},
	{0},
};

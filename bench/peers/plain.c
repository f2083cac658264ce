/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c - a machine of plain C (loops.h). Compiled three times: as the reference (-O2
 * -ffp-contract=off -DREFERENCE), as plain C (-O3 -march=native) and with OpenMP (-fopenmp
 * besides). */
#include "loops.h"

#include <stdlib.h>

/* What kernels are called with is what rows.c passes; the grid says how much. */
static void plain_launch(enum kernel kernel, const unsigned grid[3], const unsigned block[3],
			 const struct argument *a, int n_arguments)
{
	const int threads = grid[0] * block[0];
	(void)n_arguments;
	switch (kernel) {
	case KERNEL_add:
		add(a[0].memory, a[1].memory, a[2].memory, a[3].i);
		break;
	case KERNEL_saxpy:
		saxpy(a[0].i, a[1].f, a[2].memory, a[3].memory);
		break;
	case KERNEL_reduce:
		sums(a[0].memory, a[1].memory, threads, BLOCK);
		break;
	case KERNEL_warp_sum:
		sums(a[0].memory, a[1].memory, threads, WARP);
		break;
	case KERNEL_product:
		product(a[0].memory, a[1].memory, a[2].memory, grid[1] * TILE, a[3].i, a[4].i);
		break;
	case KERNEL_transpose:
		transpose(a[0].memory, a[1].memory, a[2].i);
		break;
	case KERNEL_stencil5:
		stencil5(a[0].memory, a[1].memory, a[2].i);
		break;
	case KERNEL_stencil7:
		stencil7(a[0].memory, a[1].memory, a[2].i, a[3].i);
		break;
	case KERNEL_histogram:
		histogram(a[0].memory, a[1].memory, a[2].i);
		break;
	case KERNEL_scan:
		scan(a[0].memory, a[1].memory, a[3].i);
		break;
	case KERNEL_circles:
		circles(a[0].i, a[1].memory, a[2].memory, a[3].memory);
		break;
	case KERNEL_periodogram:
		periodogram(a[0].memory, a[1].memory, a[2].memory, a[3].i, threads);
		break;
	case KERNEL_periodogram_double:
		periodogram_double(a[0].memory, a[1].memory, a[2].memory, a[3].i, threads);
		break;
	case KERNEL_bodies:
		bodies(a[0].memory, a[1].memory, threads, a[2].i);
		break;
	case KERNEL_options:
		options(a[0].i, a[1].memory, a[2].memory, a[3].memory, a[4].memory, a[5].memory);
		break;
	case KERNEL_mandelbrot:
		mandelbrot(a[0].memory, a[1].i, a[2].i);
		break;
	case KERNEL_level:
		level(a[0].memory, a[1].memory, a[2].memory, a[3].i, a[4].i, a[5].memory);
		break;
	case KERNEL_sort:
		sort(a[0].memory, a[1].memory, 2 * threads);
		break;
	case KERNEL_empty:
		break;
	default:
		abort(); /* scan_add: a plain machine scans in one go */
	}
}

static void plain_write(void *memory, const void *from, size_t bytes)
{
	memcpy(memory, from, bytes);
}

static void plain_read(const void *memory, void *to, size_t bytes)
{
	memcpy(to, memory, bytes);
}

static void plain_wait(void)
{
}

#define MACHINE(text) {text, 1, malloc, free, plain_write, plain_read, plain_launch, plain_wait}
#ifdef REFERENCE
const struct machine reference_machine = MACHINE("reference");
#else
const struct machine *machine_open(void)
{
	static const struct machine plain = MACHINE("plain C");
	return &plain;
}
#endif

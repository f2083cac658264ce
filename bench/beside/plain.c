/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c - plain C for beside.cu: the loops of both benchmarks, and what only this one
 * measures. */
#include "beside.h"

#include "../peers/loops.h"

const struct plain_loops plain = {
	add,    saxpy,   stencil5,   stencil7, transpose, circles, periodogram, periodogram_double,
	bodies, options, mandelbrot, level,
};

/* The empty statement keeps the loop. */
void plain_look(unsigned n, int *out, unsigned last)
{
	for (unsigned i = 0; i < n; i++) {
		if (i > last)
			out[0] = 1;
		__asm__ volatile("");
	}
}

/* Kept apart, for a C compiler would see that the loop is a memset(). */
void plain_tiny(int n, int *out)
{
	for (int i = 0; i < n; i++)
		out[i] = i;
}

#define FLOAT(name, value)                                                                         \
	static void float_##name(int n, const float *xs, const float *ys, float *out)              \
	{                                                                                          \
		(void)ys;                                                                          \
		for (int i = 0; i < n; i++) {                                                      \
			float x = xs[i];                                                           \
			out[i] = value;                                                            \
		}                                                                                  \
	}
#define DOUBLE(name, value)                                                                        \
	static void double_##name(int n, const double *xs, const double *ys, double *out)          \
	{                                                                                          \
		(void)ys;                                                                          \
		for (int i = 0; i < n; i++) {                                                      \
			double x = xs[i];                                                          \
			out[i] = value;                                                            \
		}                                                                                  \
	}
#include "functions.h"
#undef FLOAT
#undef DOUBLE

#define FLOAT(name, value) {#name, float_##name},
#define DOUBLE(name, value)
const struct plain_float_row plain_floats[] = {
#include "functions.h"
	{0, 0}};
#undef FLOAT
#undef DOUBLE
#define FLOAT(name, value)
#define DOUBLE(name, value) {#name, double_##name},
const struct plain_double_row plain_doubles[] = {
#include "functions.h"
	{0, 0}};

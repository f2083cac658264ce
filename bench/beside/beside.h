/* SPDX-License-Identifier: Apache-2.0 */
/* beside.h - kernels beside the same work in plain C. The C side is compiled by the
 * system's C compiler with -O3 -march=native; what both sides agree on stands here. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum {
	N = 1 << 20,      /* elements of the flat kernels */
	SIDE = 1024,      /* of the plane */
	CUBE = 96,        /* of the volume */
	BODIES = 2048,
	SAMPLES = 1024,
	FREQUENCIES = 2048, /* of Lomb-Scargle */
	DEEPEST = 256,    /* iterations of Mandelbrot */
	NODES = 1 << 17,
	DEGREE = 8,
};

/* One function of math.h over n elements. */
typedef void plain_float(int n, const float *x, const float *y, float *out);
typedef void plain_double(int n, const double *x, const double *y, double *out);

struct plain_float_row {
	const char *name;
	plain_float *run;
};
struct plain_double_row {
	const char *name;
	plain_double *run;
};
extern const struct plain_float_row plain_floats[];   /* ends with a name of NULL */
extern const struct plain_double_row plain_doubles[]; /* likewise */

/* The loops of ../peers/loops.h, as this folder's plain.c compiles them. */
struct plain_loops {
	void (*add)(const float *a, const float *b, float *c, int n);
	void (*saxpy)(int n, float a, const float *x, float *y);
	void (*stencil5)(const float *in, float *out, int side);
	void (*stencil7)(const float *in, float *out, int side, int n_planes);
	void (*transpose)(const float *in, float *out, int side);
	void (*circles)(int n, const double *latitude, const double *longitude, double *out);
	void (*periodogram)(const float *t, const float *y, float *out, int n_samples,
			    int n_frequencies);
	void (*periodogram_double)(const double *t, const double *y, double *out, int n_samples,
				   int n_frequencies);
	void (*bodies)(const float *p, float *a, int n_pulled, int n);
	void (*options)(int n, const float *price, const float *strike, const float *years,
			float *call, float *put);
	void (*mandelbrot)(int *out, int side, int deepest);
	void (*level)(const int *first, const int *to, int *depth, int n, int at, int *more);
};
extern const struct plain_loops plain;

void plain_tiny(int n, int *out);
void plain_look(unsigned n, int *out, unsigned last);

#ifdef __cplusplus
}
#endif

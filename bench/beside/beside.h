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
	SAMPLES = 1024, FREQUENCIES = 2048, /* of Lomb-Scargle */
	DEEPEST = 256,    /* iterations of Mandelbrot */
	NODES = 1 << 17, DEGREE = 8,
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

void plain_add(int n, const float *a, const float *b, float *c);
void plain_saxpy(int n, float a, const float *x, float *y);
void plain_stencil5(const float *in, float *out);
void plain_stencil7(const float *in, float *out);
void plain_transpose(const float *in, float *out);
void plain_circles(int n, const double *latitude, const double *longitude, double *out);
void plain_periodogram(const float *t, const float *y, float *out);
void plain_periodogram_double(const double *t, const double *y, double *out);
void plain_bodies(const float *p, float *a);
void plain_options(int n, const float *price, const float *strike, const float *years, float *call,
		   float *put);
void plain_mandelbrot(int *out);
void plain_level(const int *first, const int *to, int *depth, int level, int *more);
void plain_tiny(int n, int *out);
void plain_look(unsigned n, int *out, unsigned last);

#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* loops.h - the kernels' work as one would write it in C, for plain.c here and the one of
 * ../beside: the same loops with the same sizes, which only the caller knows. */
#pragma once

#include <math.h>
#include <string.h>

#include "machine.h"

static void add(const float *a, const float *b, float *c, int n)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		c[i] = a[i] + b[i];
}

static void saxpy(int n, float a, const float *x, float *y)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		y[i] = a * x[i] + y[i];
}

/* Sums of each `width` elements. */
static void sums(const float *in, float *out, int n, int width)
{
#pragma omp parallel for
	for (int i = 0; i < n / width; i++) {
		float sum = 0;
		for (int j = 0; j < width; j++)
			sum += in[i * width + j];
		out[i] = sum;
	}
}

static void product(const float *a, const float *b, float *c, int rows, int columns, int depth)
{
#pragma omp parallel for
	for (int i = 0; i < rows; i++) {
		memset(c + i * columns, 0, columns * sizeof(float));
		for (int k = 0; k < depth; k++)
			for (int j = 0; j < columns; j++)
				c[i * columns + j] += a[i * depth + k] * b[k * columns + j];
	}
}

static void transpose(const float *in, float *out, int side)
{
#pragma omp parallel for
	for (int y = 0; y < side; y++)
		for (int x = 0; x < side; x++)
			out[x * side + y] = in[y * side + x];
}

static void stencil5(const float *in, float *out, int side)
{
#pragma omp parallel for
	for (int y = 1; y < side - 1; y++)
		for (int x = 1; x < side - 1; x++) {
			int i = y * side + x;
			out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - side] + in[i + side]) -
				 in[i];
		}
}

static void stencil7(const float *in, float *out, int side, int n_planes)
{
	const int plane = side * side;
#pragma omp parallel for
	for (int z = 1; z < n_planes - 1; z++)
		for (int y = 1; y < side - 1; y++)
			for (int x = 1; x < side - 1; x++) {
				int i = z * plane + y * side + x;
				out[i] = in[i - 1] + in[i + 1] + in[i - side] + in[i + side] +
					 in[i - plane] + in[i + plane] - 6.f * in[i];
			}
}

static void histogram(const int *in, unsigned *out, int n)
{
#pragma omp parallel for reduction(+ : out[ : BINS])
	for (int i = 0; i < n; i++)
		out[in[i] & (BINS - 1)]++;
}

/* The whole scan. With OpenMP each thread sums its part, then scans it. */
static void scan(const int *in, int *out, int n)
{
	enum { PARTS = 64 };
	int starts[PARTS + 1] = {0}, n_parts = 1;
#ifdef _OPENMP
	n_parts = PARTS;
#pragma omp parallel for
	for (int p = 0; p < n_parts - 1; p++) {
		int sum = 0;
		for (int i = (long)n * p / n_parts; i < (long)n * (p + 1) / n_parts; i++)
			sum += in[i];
		starts[p + 1] = sum;
	}
	for (int p = 1; p < n_parts; p++)
		starts[p] += starts[p - 1];
#endif
#pragma omp parallel for
	for (int p = 0; p < n_parts; p++) {
		int sum = starts[p];
		for (int i = (long)n * p / n_parts; i < (long)n * (p + 1) / n_parts; i++)
			out[i] = sum += in[i];
	}
}

static void circles(int n, const double *latitude, const double *longitude, double *out)
{
	const double a0 = 0.9, o0 = 0.3;
#pragma omp parallel for
	for (int i = 0; i < n; i++) {
		double s1 = sin((latitude[i] - a0) / 2), s2 = sin((longitude[i] - o0) / 2);
		double h = s1 * s1 + cos(a0) * cos(latitude[i]) * s2 * s2;
		out[i] = 2 * 6371.0 * asin(sqrt(h));
	}
}

/* Lomb and Scargle's normalised periodogram (Scargle 1982, equation 10). */
#define PERIODOGRAM(name, real, sin_, cos_, atan2_)                                                \
	static void name(const real *t, const real *y, real *out, int n_samples,                   \
			 int n_frequencies)                                                        \
	{                                                                                          \
		_Pragma("omp parallel for schedule(dynamic, 16)") for (int f = 0;                  \
								       f < n_frequencies; f++)     \
		{                                                                                  \
			real w = (real)0.01 * (real)(f + 1), xc = 0, xs = 0, cc = 0, cs = 0;       \
			for (int i = 0; i < n_samples; i++) {                                      \
				real c = cos_(w * t[i]), s = sin_(w * t[i]);                       \
				xc += y[i] * c;                                                    \
				xs += y[i] * s;                                                    \
				cc += c * c;                                                       \
				cs += c * s;                                                       \
			}                                                                          \
			real ss = (real)n_samples - cc, tau = atan2_(2 * cs, cc - ss) / (2 * w);   \
			real ct = cos_(w * tau), st = sin_(w * tau);                               \
			real p = ct * xc + st * xs, q = ct * xs - st * xc;                         \
			out[f] = (real)0.5 *                                                       \
				 (p * p / (ct * ct * cc + 2 * ct * st * cs + st * st * ss) +       \
				  q * q / (ct * ct * ss - 2 * ct * st * cs + st * st * cc));       \
		}                                                                                  \
	}
PERIODOGRAM(periodogram, float, sinf, cosf, atan2f)
PERIODOGRAM(periodogram_double, double, sin, cos, atan2)

static void bodies(const float *p, float *a, int n_pulled, int n)
{
#pragma omp parallel for
	for (int i = 0; i < n_pulled; i++) {
		float ax = 0, ay = 0, az = 0;
		for (int j = 0; j < n; j++) {
			float dx = p[4 * j] - p[4 * i], dy = p[4 * j + 1] - p[4 * i + 1];
			float dz = p[4 * j + 2] - p[4 * i + 2];
			float d = dx * dx + dy * dy + dz * dz + 1e-3f;
			float inverse = 1.f / sqrtf(d),
			      s = p[4 * j + 3] * inverse * inverse * inverse;
			ax += dx * s;
			ay += dy * s;
			az += dz * s;
		}
		a[4 * i] = ax;
		a[4 * i + 1] = ay;
		a[4 * i + 2] = az;
		a[4 * i + 3] = 0;
	}
}

/* The normal distribution function by Abramowitz and Stegun's 26.2.17. */
static float normal(float d)
{
	const float k = 1.f / (1.f + 0.2316419f * fabsf(d));
	float c = 0.39894228f * expf(-0.5f * d * d) *
		  (k * (0.31938153f +
			k * (-0.356563782f +
			     k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
	return d > 0 ? 1.f - c : c;
}

static void options(int n, const float *price, const float *strike, const float *years, float *call,
		    float *put)
{
	const float rate = 0.02f, volatility = 0.3f;
#pragma omp parallel for
	for (int i = 0; i < n; i++) {
		float root = sqrtf(years[i]);
		float d1 = (logf(price[i] / strike[i]) +
			    (rate + 0.5f * volatility * volatility) * years[i]) /
			   (volatility * root);
		float d2 = d1 - volatility * root;
		float c1 = normal(d1), c2 = normal(d2), discount = expf(-rate * years[i]);
		call[i] = price[i] * c1 - strike[i] * discount * c2;
		put[i] = strike[i] * discount * (1.f - c2) - price[i] * (1.f - c1);
	}
}

static void mandelbrot(int *out, int side, int deepest)
{
#pragma omp parallel for schedule(dynamic, 4)
	for (int y = 0; y < side; y++)
		for (int x = 0; x < side; x++) {
			float cr = -2.f + 3.f * x / side, ci = -1.5f + 3.f * y / side;
			float r = 0, i = 0;
			int n = 0;
			while (n < deepest && r * r + i * i < 4.f) {
				float next = r * r - i * i + cr;
				i = 2 * r * i + ci;
				r = next;
				n++;
			}
			out[y * side + x] = n;
		}
}

static void level(const int *first, const int *to, int *depth, int n, int at, int *more)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++) {
		if (depth[i] != at)
			continue;
		for (int e = first[i]; e < first[i + 1]; e++)
			if (depth[to[e]] < 0) {
				depth[to[e]] = at + 1;
				*more = 1;
			}
	}
}

/* Batcher's bitonic network on each SORTED elements. */
static void sort(const int *in, int *out, int n)
{
#pragma omp parallel for
	for (int begin = 0; begin < n; begin += SORTED) {
		int *s = out + begin;
		memcpy(s, in + begin, SORTED * sizeof(int));
		for (int size = 2; size <= SORTED; size *= 2)
			for (int stride = size / 2; stride; stride /= 2)
				for (int low = 0; low < SORTED; low += 2 * stride)
					for (int j = low; j < low + stride; j++) {
						int a = s[j], b = s[j + stride],
						    swap = (a > b) == !(j & size);
						s[j] = swap ? b : a;
						s[j + stride] = swap ? a : b;
					}
	}
}

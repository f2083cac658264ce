/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c - the work of flat.cu and deep.cu in plain C, as one would write it. */
#include "beside.h"

#include <math.h>

void plain_add(int n, const float *a, const float *b, float *c)
{
	for (int i = 0; i < n; i++)
		c[i] = a[i] + b[i];
}

void plain_saxpy(int n, float a, const float *x, float *y)
{
	for (int i = 0; i < n; i++)
		y[i] = a * x[i] + y[i];
}

void plain_stencil5(const float *in, float *out)
{
	for (int y = 1; y < SIDE - 1; y++)
		for (int x = 1; x < SIDE - 1; x++)
			out[y * SIDE + x] = 0.25f * (in[y * SIDE + x - 1] + in[y * SIDE + x + 1] +
						     in[(y - 1) * SIDE + x] + in[(y + 1) * SIDE + x]) -
					    in[y * SIDE + x];
}

void plain_stencil7(const float *in, float *out)
{
	const int line = CUBE, plane = CUBE * CUBE;
	for (int z = 1; z < CUBE - 1; z++)
		for (int y = 1; y < CUBE - 1; y++)
			for (int x = 1; x < CUBE - 1; x++) {
				int i = z * plane + y * line + x;
				out[i] = in[i - 1] + in[i + 1] + in[i - line] + in[i + line] +
					 in[i - plane] + in[i + plane] - 6.f * in[i];
			}
}

void plain_transpose(const float *in, float *out)
{
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			out[x * SIDE + y] = in[y * SIDE + x];
}

void plain_circles(int n, const double *latitude, const double *longitude, double *out)
{
	const double a0 = 0.9, o0 = 0.3;
	for (int i = 0; i < n; i++) {
		double s1 = sin((latitude[i] - a0) / 2), s2 = sin((longitude[i] - o0) / 2);
		double h = s1 * s1 + cos(a0) * cos(latitude[i]) * s2 * s2;
		out[i] = 2 * 6371.0 * asin(sqrt(h));
	}
}

void plain_periodogram(const float *t, const float *y, float *out)
{
	for (int f = 0; f < FREQUENCIES; f++) {
		float w = 0.01f * (float)(f + 1), xc = 0, xs = 0, cc = 0, cs = 0;
		for (int i = 0; i < SAMPLES; i++) {
			float c = cosf(w * t[i]), s = sinf(w * t[i]);
			xc += y[i] * c;
			xs += y[i] * s;
			cc += c * c;
			cs += c * s;
		}
		float ss = (float)SAMPLES - cc, tau = atan2f(2 * cs, cc - ss) / (2 * w);
		float ct = cosf(w * tau), st = sinf(w * tau);
		float p = ct * xc + st * xs, q = ct * xs - st * xc;
		out[f] = 0.5f * (p * p / (ct * ct * cc + 2 * ct * st * cs + st * st * ss) +
				 q * q / (ct * ct * ss - 2 * ct * st * cs + st * st * cc));
	}
}

void plain_periodogram_double(const double *t, const double *y, double *out)
{
	for (int f = 0; f < FREQUENCIES; f++) {
		double w = 0.01 * (f + 1), xc = 0, xs = 0, cc = 0, cs = 0;
		for (int i = 0; i < SAMPLES; i++) {
			double c = cos(w * t[i]), s = sin(w * t[i]);
			xc += y[i] * c;
			xs += y[i] * s;
			cc += c * c;
			cs += c * s;
		}
		double ss = SAMPLES - cc, tau = atan2(2 * cs, cc - ss) / (2 * w);
		double ct = cos(w * tau), st = sin(w * tau);
		double p = ct * xc + st * xs, q = ct * xs - st * xc;
		out[f] = 0.5 * (p * p / (ct * ct * cc + 2 * ct * st * cs + st * st * ss) +
				q * q / (ct * ct * ss - 2 * ct * st * cs + st * st * cc));
	}
}

void plain_bodies(const float *p, float *a)
{
	for (int i = 0; i < BODIES; i++) {
		float ax = 0, ay = 0, az = 0;
		for (int j = 0; j < BODIES; j++) {
			float dx = p[4 * j] - p[4 * i], dy = p[4 * j + 1] - p[4 * i + 1];
			float dz = p[4 * j + 2] - p[4 * i + 2];
			float d = dx * dx + dy * dy + dz * dz + 1e-3f;
			float inverse = 1.f / sqrtf(d), s = p[4 * j + 3] * inverse * inverse * inverse;
			ax += dx * s;
			ay += dy * s;
			az += dz * s;
		}
		a[4 * i] = ax;
		a[4 * i + 1] = ay;
		a[4 * i + 2] = az;
	}
}

static float normal(float d)
{
	const float k = 1.f / (1.f + 0.2316419f * fabsf(d));
	float c = 0.39894228f * expf(-0.5f * d * d) *
		  (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f +
		   k * (-1.821255978f + k * 1.330274429f)))));
	return d > 0 ? 1.f - c : c;
}

void plain_options(int n, const float *price, const float *strike, const float *years, float *call,
		   float *put)
{
	const float rate = 0.02f, volatility = 0.3f;
	for (int i = 0; i < n; i++) {
		float root = sqrtf(years[i]);
		float d1 = (logf(price[i] / strike[i]) +
			    (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
		float d2 = d1 - volatility * root;
		float c1 = normal(d1), c2 = normal(d2), discount = expf(-rate * years[i]);
		call[i] = price[i] * c1 - strike[i] * discount * c2;
		put[i] = strike[i] * discount * (1.f - c2) - price[i] * (1.f - c1);
	}
}

void plain_mandelbrot(int *out)
{
	for (int y = 0; y < SIDE / 2; y++)
		for (int x = 0; x < SIDE / 2; x++) {
			float cr = -2.f + 3.f * x / (SIDE / 2), ci = -1.5f + 3.f * y / (SIDE / 2);
			float r = 0, i = 0;
			int n = 0;
			while (n < DEEPEST && r * r + i * i < 4.f) {
				float next = r * r - i * i + cr;
				i = 2 * r * i + ci;
				r = next;
				n++;
			}
			out[y * (SIDE / 2) + x] = n;
		}
}

void plain_level(const int *first, const int *to, int *depth, int level, int *more)
{
	for (int i = 0; i < NODES; i++) {
		if (depth[i] != level)
			continue;
		for (int e = first[i]; e < first[i + 1]; e++)
			if (depth[to[e]] < 0) {
				depth[to[e]] = level + 1;
				*more = 1;
			}
	}
}

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

#define FLOAT(name, value) \
	static void float_##name(int n, const float *xs, const float *ys, float *out) \
	{ \
		(void)ys; \
		for (int i = 0; i < n; i++) { \
			float x = xs[i]; \
			out[i] = value; \
		} \
	}
#define DOUBLE(name, value) \
	static void double_##name(int n, const double *xs, const double *ys, double *out) \
	{ \
		(void)ys; \
		for (int i = 0; i < n; i++) { \
			double x = xs[i]; \
			out[i] = value; \
		} \
	}
#include "functions.h"
#undef FLOAT
#undef DOUBLE

#define FLOAT(name, value) {#name, float_##name},
#define DOUBLE(name, value)
const struct plain_float_row plain_floats[] = {
#include "functions.h"
	{0, 0}
};
#undef FLOAT
#undef DOUBLE
#define FLOAT(name, value)
#define DOUBLE(name, value) {#name, double_##name},
const struct plain_double_row plain_doubles[] = {
#include "functions.h"
	{0, 0}
};

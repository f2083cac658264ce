/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.cuh - the kernels in CUDA C++, for cuda.cu and (where SHUFFLE_DOWN is HIP's)
 * hip.cpp. kernels.cl has their twins. */
#pragma once

#include "machine.h"

__global__ void add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

__global__ void saxpy(int n, float a, const float *x, float *y)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		y[i] = a * x[i] + y[i];
}

__global__ void reduce(const float *in, float *sums)
{
	__shared__ float s[BLOCK];
	int t = threadIdx.x;
	s[t] = in[blockIdx.x * BLOCK + t];
	__syncthreads();
	for (int half = BLOCK / 2; half > 0; half /= 2) {
		if (t < half)
			s[t] += s[t + half];
		__syncthreads();
	}
	if (t == 0)
		sums[blockIdx.x] = s[0];
}

__global__ void warp_sum(const float *in, float *sums)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float value = in[i];
	for (int delta = WARP / 2; delta > 0; delta /= 2)
		value += SHUFFLE_DOWN(value, delta);
	if (threadIdx.x % WARP == 0)
		sums[i / WARP] = value;
}

__global__ void product(const float *a, const float *b, float *c, int columns, int depth)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
	float sum = 0;
	for (int t = 0; t < depth; t += TILE) {
		ta[y][x] = a[row * depth + t + x];
		tb[y][x] = b[(t + y) * columns + column];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += ta[y][k] * tb[k][x];
		__syncthreads();
	}
	c[row * columns + column] = sum;
}

/* Blocks of 32x8 turn tiles of 32x32. */
__global__ void transpose(const float *in, float *out, int side)
{
	__shared__ float tile[32][33];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * side + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x;
	y = blockIdx.x * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		out[(y + j) * side + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void stencil5(const float *in, float *out, int side)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	int i = y * side + x;
	if (x > 0 && y > 0 && x < side - 1 && y < side - 1)
		out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - side] + in[i + side]) - in[i];
}

__global__ void stencil7(const float *in, float *out, int side, int n_planes)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	int z = blockIdx.z * blockDim.z + threadIdx.z, plane = side * side;
	int i = z * plane + y * side + x;
	if (x > 0 && y > 0 && z > 0 && x < side - 1 && y < side - 1 && z < n_planes - 1)
		out[i] = in[i - 1] + in[i + 1] + in[i - side] + in[i + side] + in[i - plane] +
			 in[i + plane] - 6.f * in[i];
}

__global__ void histogram(const int *in, unsigned *out, int n)
{
	__shared__ unsigned counts[BINS];
	counts[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&counts[in[i] & (BINS - 1)], 1u);
	__syncthreads();
	atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

/* Inclusive sums of each block (Hillis and Steele), and the blocks' totals. */
__global__ void scan(const int *in, int *out, int *totals, int n)
{
	__shared__ int s[2][BLOCK];
	int t = threadIdx.x, i = blockIdx.x * BLOCK + t, from = 0;
	s[0][t] = i < n ? in[i] : 0;
	__syncthreads();
	for (int stride = 1; stride < BLOCK; stride *= 2) {
		s[1 - from][t] = t >= stride ? s[from][t] + s[from][t - stride] : s[from][t];
		from = 1 - from;
		__syncthreads();
	}
	if (i < n)
		out[i] = s[from][t];
	if (t == BLOCK - 1)
		totals[blockIdx.x] = s[from][t];
}

__global__ void scan_add(int *out, const int *totals, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (blockIdx.x > 0 && i < n)
		out[i] += totals[blockIdx.x - 1];
}

__global__ void circles(int n, const double *latitude, const double *longitude, double *out)
{
	const double a0 = 0.9, o0 = 0.3;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	double s1 = sin((latitude[i] - a0) / 2), s2 = sin((longitude[i] - o0) / 2);
	double h = s1 * s1 + cos(a0) * cos(latitude[i]) * s2 * s2;
	out[i] = 2 * 6371.0 * asin(sqrt(h));
}

template <typename T> __device__ void lomb_scargle(const T *t, const T *y, T *out, int n_samples)
{
	int f = blockIdx.x * blockDim.x + threadIdx.x;
	T w = (T)0.01 * (T)(f + 1), xc = 0, xs = 0, cc = 0, cs = 0;
	for (int i = 0; i < n_samples; i++) {
		T c = cos(w * t[i]), s = sin(w * t[i]);
		xc += y[i] * c;
		xs += y[i] * s;
		cc += c * c;
		cs += c * s;
	}
	T ss = (T)n_samples - cc, tau = atan2(2 * cs, cc - ss) / (2 * w);
	T ct = cos(w * tau), st = sin(w * tau);
	T p = ct * xc + st * xs, q = ct * xs - st * xc;
	out[f] = (T)0.5 * (p * p / (ct * ct * cc + 2 * ct * st * cs + st * st * ss) +
			   q * q / (ct * ct * ss - 2 * ct * st * cs + st * st * cc));
}

__global__ void periodogram(const float *t, const float *y, float *out, int n_samples)
{
	lomb_scargle(t, y, out, n_samples);
}

__global__ void periodogram_double(const double *t, const double *y, double *out, int n_samples)
{
	lomb_scargle(t, y, out, n_samples);
}

__global__ void bodies(const float4 *p, float4 *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 me = p[i];
	float ax = 0, ay = 0, az = 0;
	for (int j = 0; j < n; j++) {
		float4 other = p[j];
		float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
		float d = dx * dx + dy * dy + dz * dz + 1e-3f;
		float inverse = rsqrtf(d), s = other.w * inverse * inverse * inverse;
		ax += dx * s;
		ay += dy * s;
		az += dz * s;
	}
	a[i] = make_float4(ax, ay, az, 0);
}

__device__ float normal(float d)
{
	const float k = 1.f / (1.f + 0.2316419f * fabsf(d));
	float c = 0.39894228f * expf(-0.5f * d * d) *
		  (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f +
		   k * (-1.821255978f + k * 1.330274429f)))));
	return d > 0 ? 1.f - c : c;
}

__global__ void options(int n, const float *price, const float *strike, const float *years,
			float *call, float *put)
{
	const float rate = 0.02f, volatility = 0.3f;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float root = sqrtf(years[i]);
	float d1 = (logf(price[i] / strike[i]) +
		    (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
	float d2 = d1 - volatility * root;
	float c1 = normal(d1), c2 = normal(d2), discount = expf(-rate * years[i]);
	call[i] = price[i] * c1 - strike[i] * discount * c2;
	put[i] = strike[i] * discount * (1.f - c2) - price[i] * (1.f - c1);
}

__global__ void mandelbrot(int *out, int side, int deepest)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
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

__global__ void level(const int *first, const int *to, int *depth, int n, int at, int *more)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n || depth[i] != at)
		return;
	for (int e = first[i]; e < first[i + 1]; e++)
		if (depth[to[e]] < 0) {
			depth[to[e]] = at + 1;
			*more = 1;
		}
}

/* A block of SORTED / 2 threads sorts SORTED elements: Batcher's bitonic network. */
__global__ void sort(const int *in, int *out)
{
	__shared__ int s[SORTED];
	int t = threadIdx.x, begin = blockIdx.x * SORTED;
	s[t] = in[begin + t];
	s[t + SORTED / 2] = in[begin + t + SORTED / 2];
	for (int size = 2; size <= SORTED; size *= 2)
		for (int stride = size / 2; stride > 0; stride /= 2) {
			__syncthreads();
			int j = 2 * t - (t & (stride - 1));
			int a = s[j], b = s[j + stride];
			if ((a > b) == !(j & size)) {
				s[j] = b;
				s[j + stride] = a;
			}
		}
	__syncthreads();
	out[begin + t] = s[t];
	out[begin + t + SORTED / 2] = s[t + SORTED / 2];
}

__global__ void empty() {}

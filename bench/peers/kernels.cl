/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.cl - twins in OpenCL C 1.2 of kernels.cuh, line by line. OpenCL 1.2 has no
 * shuffles, and neither peer has subgroups: warp_sum trades values through local memory,
 * as code for OpenCL does. The sizes come from machine.h by -D. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define FENCE barrier(CLK_LOCAL_MEM_FENCE)

kernel void add(global const float *a, global const float *b, global float *c, int n)
{
	int i = get_global_id(0);
	if (i < n)
		c[i] = a[i] + b[i];
}

kernel void saxpy(int n, float a, global const float *x, global float *y)
{
	for (int i = get_global_id(0); i < n; i += get_global_size(0))
		y[i] = a * x[i] + y[i];
}

kernel void reduce(global const float *in, global float *sums)
{
	local float s[BLOCK];
	int t = get_local_id(0);
	s[t] = in[get_group_id(0) * BLOCK + t];
	FENCE;
	for (int half_ = BLOCK / 2; half_ > 0; half_ /= 2) {
		if (t < half_)
			s[t] += s[t + half_];
		FENCE;
	}
	if (t == 0)
		sums[get_group_id(0)] = s[0];
}

kernel void warp_sum(global const float *in, global float *sums)
{
	local float s[BLOCK + WARP];
	int t = get_local_id(0), i = get_global_id(0);
	float value = in[i];
	if (t < WARP)
		s[BLOCK + t] = 0;
	for (int delta = WARP / 2; delta > 0; delta /= 2) {
		s[t] = value;
		FENCE;
		value += s[t + delta];
		FENCE;
	}
	if (t % WARP == 0)
		sums[i / WARP] = value;
}

kernel void product(global const float *a, global const float *b, global float *c, int columns,
		    int depth)
{
	local float ta[TILE][TILE], tb[TILE][TILE];
	int x = get_local_id(0), y = get_local_id(1);
	int column = get_group_id(0) * TILE + x, row = get_group_id(1) * TILE + y;
	float sum = 0;
	for (int t = 0; t < depth; t += TILE) {
		ta[y][x] = a[row * depth + t + x];
		tb[y][x] = b[(t + y) * columns + column];
		FENCE;
		for (int k = 0; k < TILE; k++)
			sum += ta[y][k] * tb[k][x];
		FENCE;
	}
	c[row * columns + column] = sum;
}

kernel void transpose(global const float *in, global float *out, int side)
{
	local float tile[32][33];
	int tx = get_local_id(0), ty = get_local_id(1);
	int x = get_group_id(0) * 32 + tx, y = get_group_id(1) * 32 + ty;
	for (int j = 0; j < 32; j += 8)
		tile[ty + j][tx] = in[(y + j) * side + x];
	FENCE;
	x = get_group_id(1) * 32 + tx;
	y = get_group_id(0) * 32 + ty;
	for (int j = 0; j < 32; j += 8)
		out[(y + j) * side + x] = tile[tx][ty + j];
}

kernel void stencil5(global const float *in, global float *out, int side)
{
	int x = get_global_id(0), y = get_global_id(1), i = y * side + x;
	if (x > 0 && y > 0 && x < side - 1 && y < side - 1)
		out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - side] + in[i + side]) - in[i];
}

kernel void stencil7(global const float *in, global float *out, int side, int n_planes)
{
	int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), plane = side * side;
	int i = z * plane + y * side + x;
	if (x > 0 && y > 0 && z > 0 && x < side - 1 && y < side - 1 && z < n_planes - 1)
		out[i] = in[i - 1] + in[i + 1] + in[i - side] + in[i + side] + in[i - plane] +
			 in[i + plane] - 6.f * in[i];
}

kernel void histogram(global const int *in, global unsigned *out, int n)
{
	local unsigned counts[BINS];
	counts[get_local_id(0)] = 0;
	FENCE;
	for (int i = get_global_id(0); i < n; i += get_global_size(0))
		atomic_inc(&counts[in[i] & (BINS - 1)]);
	FENCE;
	atomic_add(&out[get_local_id(0)], counts[get_local_id(0)]);
}

kernel void scan(global const int *in, global int *out, global int *totals, int n)
{
	local int s[2][BLOCK];
	int t = get_local_id(0), i = get_group_id(0) * BLOCK + t, from = 0;
	s[0][t] = i < n ? in[i] : 0;
	FENCE;
	for (int stride = 1; stride < BLOCK; stride *= 2) {
		s[1 - from][t] = t >= stride ? s[from][t] + s[from][t - stride] : s[from][t];
		from = 1 - from;
		FENCE;
	}
	if (i < n)
		out[i] = s[from][t];
	if (t == BLOCK - 1)
		totals[get_group_id(0)] = s[from][t];
}

kernel void scan_add(global int *out, global const int *totals, int n)
{
	int i = get_group_id(0) * BLOCK + get_local_id(0);
	if (get_group_id(0) > 0 && i < n)
		out[i] += totals[get_group_id(0) - 1];
}

kernel void circles(int n, global const double *latitude, global const double *longitude,
		    global double *out)
{
	const double a0 = 0.9, o0 = 0.3;
	int i = get_global_id(0);
	if (i >= n)
		return;
	double s1 = sin((latitude[i] - a0) / 2), s2 = sin((longitude[i] - o0) / 2);
	double h = s1 * s1 + cos(a0) * cos(latitude[i]) * s2 * s2;
	out[i] = 2 * 6371.0 * asin(sqrt(h));
}

#define PERIODOGRAM(name, real) \
	kernel void name(global const real *t, global const real *y, global real *out, int n_samples) \
	{ \
		int f = get_global_id(0); \
		real w = (real)0.01 * (real)(f + 1), xc = 0, xs = 0, cc = 0, cs = 0; \
		for (int i = 0; i < n_samples; i++) { \
			real c = cos(w * t[i]), s = sin(w * t[i]); \
			xc += y[i] * c; \
			xs += y[i] * s; \
			cc += c * c; \
			cs += c * s; \
		} \
		real ss = (real)n_samples - cc, tau = atan2(2 * cs, cc - ss) / (2 * w); \
		real ct = cos(w * tau), st = sin(w * tau); \
		real p = ct * xc + st * xs, q = ct * xs - st * xc; \
		out[f] = (real)0.5 * (p * p / (ct * ct * cc + 2 * ct * st * cs + st * st * ss) + \
				      q * q / (ct * ct * ss - 2 * ct * st * cs + st * st * cc)); \
	}
PERIODOGRAM(periodogram, float)
PERIODOGRAM(periodogram_double, double)

kernel void bodies(global const float4 *p, global float4 *a, int n)
{
	int i = get_global_id(0);
	float4 me = p[i];
	float ax = 0, ay = 0, az = 0;
	for (int j = 0; j < n; j++) {
		float4 other = p[j];
		float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
		float d = dx * dx + dy * dy + dz * dz + 1e-3f;
		float inverse = rsqrt(d), s = other.w * inverse * inverse * inverse;
		ax += dx * s;
		ay += dy * s;
		az += dz * s;
	}
	a[i] = (float4)(ax, ay, az, 0);
}

float normal(float d)
{
	const float k = 1.f / (1.f + 0.2316419f * fabs(d));
	float c = 0.39894228f * exp(-0.5f * d * d) *
		  (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f +
		   k * (-1.821255978f + k * 1.330274429f)))));
	return d > 0 ? 1.f - c : c;
}

kernel void options(int n, global const float *price, global const float *strike,
		    global const float *years, global float *call, global float *put)
{
	const float rate = 0.02f, volatility = 0.3f;
	int i = get_global_id(0);
	if (i >= n)
		return;
	float root = sqrt(years[i]);
	float d1 = (log(price[i] / strike[i]) +
		    (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
	float d2 = d1 - volatility * root;
	float c1 = normal(d1), c2 = normal(d2), discount = exp(-rate * years[i]);
	call[i] = price[i] * c1 - strike[i] * discount * c2;
	put[i] = strike[i] * discount * (1.f - c2) - price[i] * (1.f - c1);
}

kernel void mandelbrot(global int *out, int side, int deepest)
{
	int x = get_global_id(0), y = get_global_id(1);
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

kernel void level(global const int *first, global const int *to, global int *depth, int n, int at,
		  global int *more)
{
	int i = get_global_id(0);
	if (i >= n || depth[i] != at)
		return;
	for (int e = first[i]; e < first[i + 1]; e++)
		if (depth[to[e]] < 0) {
			depth[to[e]] = at + 1;
			*more = 1;
		}
}

kernel void sort(global const int *in, global int *out)
{
	local int s[SORTED];
	int t = get_local_id(0), begin = get_group_id(0) * SORTED;
	s[t] = in[begin + t];
	s[t + SORTED / 2] = in[begin + t + SORTED / 2];
	for (int size = 2; size <= SORTED; size *= 2)
		for (int stride = size / 2; stride > 0; stride /= 2) {
			FENCE;
			int j = 2 * t - (t & (stride - 1));
			int a = s[j], b = s[j + stride];
			if ((a > b) == !(j & size)) {
				s[j] = b;
				s[j + stride] = a;
			}
		}
	FENCE;
	out[begin + t] = s[t];
	out[begin + t + SORTED / 2] = s[t + SORTED / 2];
}

kernel void empty() {}

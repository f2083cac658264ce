/* SPDX-License-Identifier: Apache-2.0 */
/* beside.cu - kernels without barriers (those of ../peers, and some of its own) beside plain
 * C (plain.c) on one core. Results are
 * compared before anything is timed: exactly where no rounding may differ, within a few
 * units in the last place where the GPU's math functions are not libm's.
 *
 *     beside [WORD]    only rows whose names hold WORD
 *
 * Prints lines "name<TAB>ns a thread<TAB>ns of plain C for as much". With BESIDE_CLOCK=cpu
 * that is processor time, of all threads together: what a busy machine spoils least, and
 * what tells with several workers whether their number makes more work. */
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <time.h>
#include <vector>

#include "beside.h"

#define SHUFFLE_DOWN(value, delta) __shfl_down_sync(~0u, value, delta)
#include "../peers/kernels.cuh"

enum { REPEATS = 7 };
static const double LEAST_SECONDS = 4e-3, LONG_SECONDS = 0.2;
static const char *only;
static clockid_t clock_id = CLOCK_MONOTONIC;

/* ---- measuring --------------------------------------------------------------------- */

static double seconds()
{
	struct timespec now;
	clock_gettime(clock_id, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of one of n times in a row. */
static double once(const std::function<void()> &work, int n)
{
	double start = seconds();
	for (int i = 0; i < n; i++)
		work();
	cudaDeviceSynchronize();
	return (seconds() - start) / n;
}

static void die(const char *name, const char *what)
{
	fprintf(stderr, "%s: %s\n", name, what);
	exit(1);
}

/* Both sides take turns, so that a busy machine troubles both. What takes less than a few
 * milliseconds is done several times in a row: starting is measured by rows of its own. */
static void time_row(const char *name, double threads, const std::function<void()> &kernel,
		     const std::function<void()> &c)
{
	double simulated = 1e30, plain = 1e30;
	double first = once(c, 1);
	int n = (int)std::min(1000., 1 + LEAST_SECONDS / first);
	for (int i = 0; i < (first < LONG_SECONDS ? REPEATS : 2); i++) {
		simulated = std::min(simulated, once(kernel, n));
		plain = std::min(plain, once(c, n));
	}
	printf("%s\t%g\t%g\n", name, simulated * 1e9 / threads, plain * 1e9 / threads);
	fflush(stdout);
}

template <typename T> static bool near(T got, T want, double tolerance)
{
	if (got == want || (std::isnan((double)got) && std::isnan((double)want)))
		return true;
	return std::fabs((double)got - (double)want) <= tolerance * (1 + std::fabs((double)want));
}

/* Device memory, with a host array of the same contents. */
template <typename T> struct array {
	std::vector<T> host;
	T *device;
	array(size_t n, const std::function<T(size_t)> &value) : host(n)
	{
		for (size_t i = 0; i < n; i++)
			host[i] = value(i);
		if (cudaMalloc(&device, n * sizeof(T)) ||
		    cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyDefault))
			die("cudaMalloc", "failed");
	}
	~array() { cudaFree(device); }
	/* Whether the device's contents are the host's. */
	bool same(double tolerance) const
	{
		std::vector<T> got(host.size());
		if (cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDefault))
			return false;
		for (size_t i = 0; i < got.size(); i++)
			if (!near(got[i], host[i], tolerance)) {
				fprintf(stderr, "[%zu] is %g, not %g\n", i, (double)got[i], (double)host[i]);
				return false;
			}
		return true;
	}
};

static bool wanted(const char *name)
{
	return !only || strstr(name, only);
}

template <typename T>
static void row(const char *name, double threads, const array<T> &out, double tolerance,
		const std::function<void()> &kernel, const std::function<void()> &c)
{
	kernel();
	c();
	if (cudaDeviceSynchronize() != cudaSuccess)
		die(name, "the kernel failed");
	if (!out.same(tolerance))
		die(name, "the results differ from plain C's");
	time_row(name, threads, kernel, c);
}

static size_t mixed(size_t i)
{
	return i * 2654435761u % 1000003;
}

static float small(size_t i)
{
	return (float)(mixed(i) % 64);
}

/* ---- memory ------------------------------------------------------------------------ */

static void run_add(int n, const char *name)
{
	if (!wanted(name))
		return;
	array<float> a(n, small), b(n, small), c(n, small);
	row(name, n, c, 0, [&] { add<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(a.device, b.device, c.device, n); },
	    [&] { plain.add(a.host.data(), b.host.data(), c.host.data(), n); });
}

static void run_saxpy()
{
	const char *name = "saxpy, 16 elements a thread";
	if (!wanted(name))
		return;
	const int n = 4 * N;
	array<float> x(n, small), y(n, small);
	/* Checked after one time; later ones add x again. */
	row(name, n / 16, y, 0, [&] { saxpy<<<n / 16 / BLOCK, BLOCK>>>(n, 1.f, x.device, y.device); },
	    [&] { plain.saxpy(n, 1.f, x.host.data(), y.host.data()); });
}

__global__ void transpose_naive(const float *in, float *out, int side)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < side && y < side)
		out[x * side + y] = in[y * side + x];
}

static void run_planes()
{
	array<float> in(SIDE * SIDE, small), out(SIDE * SIDE, [](size_t) { return 0.f; });
	float *i = in.host.data(), *o = out.host.data();
	dim3 tall(32, 8), wide(256, 1);
	if (wanted("stencil of 5 points, blocks of 32x8"))
		row("stencil of 5 points, blocks of 32x8", SIDE * SIDE, out, 0,
		    [&] { stencil5<<<dim3(SIDE / 32, SIDE / 8), tall>>>(in.device, out.device, SIDE); },
		    [&] { plain.stencil5(i, o, SIDE); });
	if (wanted("stencil of 5 points, blocks of 256"))
		row("stencil of 5 points, blocks of 256", SIDE * SIDE, out, 0,
		    [&] { stencil5<<<dim3(SIDE / 256, SIDE), wide>>>(in.device, out.device, SIDE); },
		    [&] { plain.stencil5(i, o, SIDE); });
	if (wanted("transpose, naive"))
		row("transpose, naive", SIDE * SIDE, out, 0,
		    [&] { transpose_naive<<<dim3(SIDE / 32, SIDE / 8), tall>>>(in.device, out.device, SIDE); },
		    [&] { plain.transpose(i, o, SIDE); });
}

static void run_volume()
{
	const char *name = "stencil of 7 points, blocks of 32x4x2";
	if (!wanted(name))
		return;
	array<float> in(CUBE * CUBE * CUBE, small), out(CUBE * CUBE * CUBE, [](size_t) { return 0.f; });
	row(name, CUBE * CUBE * CUBE, out, 0,
	    [&] { stencil7<<<dim3(CUBE / 32, CUBE / 4, CUBE / 2), dim3(32, 4, 2)>>>(in.device, out.device, CUBE, CUBE); },
	    [&] { plain.stencil7(in.host.data(), out.host.data(), CUBE, CUBE); });
}

/* All levels of a breadth-first search; the host asks after each. */
static void run_search()
{
	const char *name = "breadth-first search";
	if (!wanted(name))
		return;
	array<int> first(NODES + 1, [](size_t i) { return (int)i * DEGREE; });
	array<int> to(NODES * DEGREE, [](size_t i) { return (int)(mixed(i * 7 + 3) * 131 % NODES); });
	array<int> depth(NODES, [](size_t i) { return i ? -1 : 0; });
	array<int> more(1, [](size_t) { return 0; });
	std::vector<int> start = depth.host;
	row(name, NODES, depth, 0, [&] {
		int zero = 0, again = 1;
		cudaMemcpy(depth.device, start.data(), NODES * sizeof(int), cudaMemcpyDefault);
		for (int l = 0; again; l++) {
			cudaMemcpy(more.device, &zero, sizeof zero, cudaMemcpyDefault);
			level<<<NODES / BLOCK, BLOCK>>>(first.device, to.device, depth.device, NODES, l,
							more.device);
			cudaMemcpy(&again, more.device, sizeof again, cudaMemcpyDefault);
		}
	}, [&] {
		int again = 1;
		depth.host = start;
		for (int l = 0; again; l++) {
			again = 0;
			plain.level(first.host.data(), to.host.data(), depth.host.data(), NODES, l, &again);
		}
	});
}

/* ---- arithmetic -------------------------------------------------------------------- */

static void run_circles()
{
	const char *name = "great-circle mesh, double";
	if (!wanted(name))
		return;
	array<double> a(N, [](size_t i) { return (mixed(i) / 1000003. - .5) * 3.1; });
	array<double> o(N, [](size_t i) { return (mixed(i + 77) / 1000003. - .5) * 6.2; });
	array<double> out(N, [](size_t) { return 0.; });
	row(name, N, out, 1e-12, [&] { circles<<<N / BLOCK, BLOCK>>>(N, a.device, o.device, out.device); },
	    [&] { plain.circles(N, a.host.data(), o.host.data(), out.host.data()); });
}

template <typename T, typename K, typename F>
static void run_periodogram(const char *name, double tolerance, K kernel, F loop)
{
	if (!wanted(name))
		return;
	array<T> t(SAMPLES, [](size_t i) { return (T)(i * .1 + mixed(i) / 1e7); });
	array<T> y(SAMPLES, [](size_t i) { return (T)(mixed(i * 31) / 1000003. - .5); });
	array<T> out(FREQUENCIES, [](size_t) { return (T)0; });
	row<T>(name, FREQUENCIES, out, tolerance,
	    [&] { kernel<<<FREQUENCIES / BLOCK, BLOCK>>>(t.device, y.device, out.device, SAMPLES); },
	    [&] { loop(t.host.data(), y.host.data(), out.host.data(), SAMPLES, FREQUENCIES); });
}

static void run_bodies()
{
	const char *name = "N-body";
	if (!wanted(name))
		return;
	array<float> p(4 * BODIES, [](size_t i) { return (float)(mixed(i) / 1000003.); });
	array<float> a(4 * BODIES, [](size_t) { return 0.f; });
	row(name, BODIES, a, 1e-3,
	    [&] { bodies<<<BODIES / BLOCK, BLOCK>>>((float4 *)p.device, (float4 *)a.device, BODIES); },
	    [&] { plain.bodies(p.host.data(), a.host.data(), BODIES, BODIES); });
}

static void run_options()
{
	const char *name = "Black-Scholes";
	if (!wanted(name))
		return;
	array<float> price(N, [](size_t i) { return 5 + (float)(mixed(i) / 40000.); });
	array<float> strike(N, [](size_t i) { return 1 + (float)(mixed(i + 9) / 10000.); });
	array<float> years(N, [](size_t i) { return .25f + (float)(mixed(i + 5) / 100000.); });
	array<float> call(N, [](size_t) { return 0.f; }), put(N, [](size_t) { return 0.f; });
	row(name, N, put, 1e-3, [&] {
		options<<<N / BLOCK, BLOCK>>>(N, price.device, strike.device, years.device, call.device,
					      put.device);
	}, [&] {
		plain.options(N, price.host.data(), strike.host.data(), years.host.data(),
			      call.host.data(), put.host.data());
	});
}

static void run_mandelbrot()
{
	const char *name = "Mandelbrot";
	if (!wanted(name))
		return;
	array<int> out(SIDE * SIDE / 4, [](size_t) { return 0; });
	/* A point whose orbit is chaotic may leave one step sooner or later: fused
	 * products round otherwise. Most do not. */
	row(name, SIDE * SIDE / 4, out, 300,
	    [&] { mandelbrot<<<dim3(SIDE / 64, SIDE / 16), dim3(32, 8)>>>(out.device, SIDE / 2, DEEPEST); },
	    [&] { plain.mandelbrot(out.host.data(), SIDE / 2, DEEPEST); });
}

/* ---- functions --------------------------------------------------------------------- */

#define RSQRTF(x) rsqrtf(x)
#define FLOAT(name, value) \
	__global__ void float_##name(int n, const float *xs, const float *ys, float *out) \
	{ \
		int i = blockIdx.x * blockDim.x + threadIdx.x; \
		if (i < n) { \
			float x = xs[i]; \
			out[i] = value; \
		} \
	}
#define DOUBLE(name, value) \
	__global__ void double_##name(int n, const double *xs, const double *ys, double *out) \
	{ \
		int i = blockIdx.x * blockDim.x + threadIdx.x; \
		if (i < n) { \
			double x = xs[i]; \
			out[i] = value; \
		} \
	}
#include "functions.h"
#undef FLOAT
#undef DOUBLE

#define FLOAT(name, value) float_##name,
#define DOUBLE(name, value)
static void (*const float_kernels[])(int, const float *, const float *, float *) = {
#include "functions.h"
};
#undef FLOAT
#undef DOUBLE
#define FLOAT(name, value)
#define DOUBLE(name, value) double_##name,
static void (*const double_kernels[])(int, const double *, const double *, double *) = {
#include "functions.h"
};

template <typename T, typename R, typename K> static void run_functions(const R *rows, const K *kernels, double tolerance)
{
	const int n = N / 8; /* stays in the cache */
	array<T> x(n, [](size_t i) { return (T)(mixed(i) / 1000003. * 8 + 1e-3); });
	array<T> y(n, [](size_t i) { return (T)(mixed(i * 5 + 1) / 1000003. * 4 + .5); });
	array<T> out(n, [](size_t) { return (T)0; });
	for (int f = 0; rows[f].name; f++) {
		if (wanted(rows[f].name))
			row<T>(rows[f].name, n, out, tolerance,
			       [&] { kernels[f]<<<n / BLOCK, BLOCK>>>(n, x.device, y.device, out.device); },
			       [&] { rows[f].run(n, x.host.data(), y.host.data(), out.host.data()); });
	}
}

/* ---- starting ---------------------------------------------------------------------- */

__global__ void tiny(int *out)
{
	out[blockIdx.x] = blockIdx.x;
}

/* Nothing happens, but only the argument says so. */
__global__ void look(int *out, unsigned last)
{
	if (blockIdx.x > last)
		out[0] = 1;
}

/* As many blocks as a grid can have in x. */
static void run_most()
{
	const char *name = "2^31 - 1 empty blocks of one thread";
	const char *other = "2^31 - 1 blocks of one thread that compare";
	array<int> out(1, [](size_t) { return 0; });
	auto c = [&] { plain_look(INT_MAX, out.host.data(), INT_MAX); };
	if (wanted(name))
		time_row(name, INT_MAX, [] { empty<<<INT_MAX, 1>>>(); }, c);
	if (wanted(other))
		row(other, INT_MAX, out, 0, [&] { look<<<INT_MAX, 1>>>(out.device, INT_MAX); }, c);
}

static void run_tiny()
{
	const char *name = "2^20 blocks of one thread that stores";
	if (wanted(name)) {
		array<int> out(N, [](size_t) { return 0; });
		row(name, N, out, 0, [&] { tiny<<<N, 1>>>(out.device); },
		    [&] { plain_tiny(N, out.host.data()); });
	}
	array<int> out(1, [](size_t) { return 0; });
	auto wait = [&] { for (int i = 0; i < 1000; i++) { tiny<<<1, 1>>>(out.device); cudaDeviceSynchronize(); } };
	auto queue = [&] { for (int i = 0; i < 1000; i++) tiny<<<1, 1>>>(out.device); };
	auto nothing = [&] { for (int i = 0; i < 1000; i++) empty<<<1, 1>>>(); };
	auto c = [&] { for (int i = 0; i < 1000; i++) plain_tiny(1, out.host.data()); };
	if (wanted("launch of an empty kernel"))
		time_row("launch of an empty kernel", 1000, nothing, c);
	if (wanted("launch of one thread, waited for"))
		time_row("launch of one thread, waited for", 1000, wait, c);
	if (wanted("launch of one thread, in a row"))
		time_row("launch of one thread, in a row", 1000, queue, c);
}

int main(int argc, char **argv)
{
	const char *clock = getenv("BESIDE_CLOCK");
	only = argc > 1 ? argv[1] : NULL;
	if (clock && !strcmp(clock, "cpu"))
		clock_id = CLOCK_PROCESS_CPUTIME_ID;
	run_add(N / 16, "vector add, in the cache");
	run_add(N, "vector add, 2^20");
	run_add(16 * N - 5, "vector add, 2^24 - 5");
	run_saxpy();
	run_planes();
	run_volume();
	run_search();
	run_circles();
	run_periodogram<float>("Lomb-Scargle, float", 1e-2, periodogram, plain.periodogram);
	run_periodogram<double>("Lomb-Scargle, double", 1e-9, periodogram_double,
				plain.periodogram_double);
	run_bodies();
	run_options();
	run_mandelbrot();
	run_functions<float>(plain_floats, float_kernels, 1e-5);
	run_functions<double>(plain_doubles, double_kernels, 1e-14);
	run_tiny();
	run_most();
	return 0;
}

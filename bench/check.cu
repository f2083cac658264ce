/* SPDX-License-Identifier: Apache-2.0 */
/* What checkers cost. Prints a line for each kernel, with tabs between: its name, the least
 * ns of the process's CPU time per access of several launches, and the bytes by which the
 * process has grown during the launches for each byte of global memory that the kernel
 * touches. Accesses are counted by hand, those to shared memory too. One argument: only
 * that kernel, launched once, with the wall time in ms instead (for several workers). */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>

#include "blocks.cuh"

__global__ void stencil(const float *from, float *to, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
		return;
	int i = y * width + x;
	to[i] = 0.2f * (from[i] + from[i - 1] + from[i + 1] + from[i - width] + from[i + width]);
}

__global__ void invert(const unsigned char *from, unsigned char *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	to[i] = 255 - from[i];
}

__global__ void grey(const unsigned char *rgb, unsigned char *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	to[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) / 256;
}

__global__ void blur(const unsigned char *from, unsigned char *to, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
		return;
	const unsigned char *p = from + (y - 1) * width + x - 1;
	int sum = p[0] + p[1] + p[2];
	p += width;
	sum += p[0] + p[1] + p[2];
	p += width;
	sum += p[0] + p[1] + p[2];
	to[y * width + x] = sum / 9;
}

__global__ void halve(const short *from, short *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	to[i] = from[i] / 2;
}

__global__ void histogram(const unsigned char *p, unsigned *bins)
{
	__shared__ unsigned s[256];
	s[threadIdx.x] = 0;
	__syncthreads();
	for (int k = 0; k < 16; k++)
		atomicAdd(&s[p[(blockIdx.x * 16 + k) * 256 + threadIdx.x]], 1);
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void scatter(const int *p, int *to, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	atomicAdd(&to[(p[i] + i * 17) & (n - 1)], 1);
}

__global__ void warp_sum(const float *p, float *sums)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float v = p[i];
	for (int d = 16; d; d /= 2)
		v += __shfl_down_sync(0xffffffff, v, d);
	if (threadIdx.x % 32 == 0)
		sums[i / 32] = v;
}

/* Of 256 threads; in the last step eight lanes of a warp meet. */
__global__ void block_sum(const float *p, float *sums)
{
	__shared__ float s[8];
	int t = threadIdx.x;
	float v = p[blockIdx.x * blockDim.x + t];
	for (int d = 16; d; d /= 2)
		v += __shfl_down_sync(0xffffffff, v, d);
	if (t % 32 == 0)
		s[t / 32] = v;
	__syncthreads();
	if (t < 8) {
		v = s[t];
		for (int d = 4; d; d /= 2)
			v += __shfl_down_sync(0xff, v, d);
		if (t == 0)
			sums[blockIdx.x] = v;
	}
}

/* A histogram of its own for each thread. */
__global__ void own_histogram(const int *p, int *to)
{
	int bins[8] = {}, n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int k = 0; k < 16; k++)
		bins[p[k * n + i] & 7]++;
	to[i] = bins[p[i] & 7];
}

static void check(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s\n", cudaGetErrorString(error));
	exit(1);
}

static long resident()
{
	long pages = 0, shared = 0, size;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%ld %ld %ld", &size, &pages, &shared) != 3)
		exit(1);
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

static double seconds(clockid_t which)
{
	timespec t;
	clock_gettime(which, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static const char *only;

static long before; /* resident, when the kernel's memory was not yet there */
static double held;  /* bytes of it since */

template <typename F>
static void time_it(const char *name, double accesses, F launch)
{
	enum { REPEAT = 4 };
	double best = 1e30;
	if (only && strcmp(only, name))
		return;
	for (int i = 0; i < REPEAT; i++) {
		/* The process's CPU time, which other programs disturb least. */
		double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
		launch();
		check(cudaDeviceSynchronize());
		cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		wall = seconds(CLOCK_MONOTONIC) - wall;
		if (cpu < best)
			best = cpu;
		if (only)
			printf("%s\t%.1f ms\t%.1f ms of CPU\n", name, wall * 1e3, cpu * 1e3);
	}
	if (!only)
		printf("%s\t%.4g\t%.2f\n", name, best * 1e9 / accesses, (resident() - before - held) / held);
}

template <typename T> static T *zeroes(size_t n)
{
	T *p;
	check(cudaMalloc(&p, n * sizeof *p));
	check(cudaMemset(p, 0, n * sizeof *p));
	check(cudaDeviceSynchronize());
	held += n * sizeof *p;
	return p;
}

static void begin()
{
	before = resident();
	held = 0;
}

template <typename T> static void forget(T *p)
{
	check(cudaFree(p));
}

__global__ void touch(int *p)
{
	__shared__ int s[2048];
	s[threadIdx.x] = p[blockIdx.x * blockDim.x + threadIdx.x] + 1;
	__syncthreads();
	p[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}

int main(int argc, char **argv)
{
	const int n = 1 << 19, side = 160, width = 1 << 10, height = n / width;
	only = argc > 1 ? argv[1] : nullptr;
	int *warm = zeroes<int>(64 * 1024); /* stacks, tables */
	touch<<<64, 1024>>>(warm);
	check(cudaDeviceSynchronize());
	begin();
	{
		float *p = zeroes<float>(3 * n);
		time_it("vector add", 3.0 * n,
			[&] { add<<<n / 256, 256>>>(p, p + n, p + 2 * n); });
		forget(p);
	}
	begin();
	{
		float *p = zeroes<float>(n), *out = zeroes<float>(n / 256);
		time_it("reduction of 256", n * (2 + 3 * 255 / 256.0) + n / 128,
			[&] { reduce<<<n / 256, 256>>>(p, out); });
		forget(p), forget(out);
	}
	begin();
	{
		float *p = zeroes<float>(3 * side * side);
		double steps = side / 16;
		time_it("tiled matrix product", side * side * (steps * (4 + 32) + 1), [&] {
			product<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(
				p, p + side * side, p + 2 * side * side, side);
		});
		forget(p);
	}
	begin();
	{
		float *p = zeroes<float>(2 * n);
		time_it("stencil of 5 points", 6.0 * (width - 2) * (height - 2), [&] {
			stencil<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(p, p + n, width, height);
		});
		forget(p);
	}
	begin();
	{
		unsigned char *p = zeroes<unsigned char>(2 * n);
		time_it("bytes inverted", 2.0 * n,
			[&] { invert<<<n / 256, 256>>>(p, p + n); });
		forget(p);
	}
	begin();
	{
		unsigned char *p = zeroes<unsigned char>(4 * n);
		time_it("colours to grey", 4.0 * n,
			[&] { grey<<<n / 256, 256>>>(p, p + 3 * n); });
		forget(p);
	}
	begin();
	{
		unsigned char *p = zeroes<unsigned char>(2 * n);
		time_it("bytes blurred", 10.0 * (width - 2) * (height - 2), [&] {
			blur<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(p, p + n, width, height);
		});
		forget(p);
	}
	begin();
	{
		short *p = zeroes<short>(2 * n);
		time_it("16-bit values halved", 2.0 * n,
			[&] { halve<<<n / 256, 256>>>(p, p + n); });
		forget(p);
	}
	begin();
	{
		unsigned char *p = zeroes<unsigned char>(n);
		unsigned *bins = zeroes<unsigned>(256);
		time_it("histogram of bytes", 2.0 * n + 3.0 * (n / 16),
			[&] { histogram<<<n / 4096, 256>>>(p, bins); });
		forget(p), forget(bins);
	}
	begin();
	{
		int *p = zeroes<int>(2 * n);
		time_it("scattered atomics", 2.0 * n,
			[&] { scatter<<<n / 256, 256>>>(p, p + n, n); });
		forget(p);
	}
	begin();
	{
		float *p = zeroes<float>(n), *sums = zeroes<float>(n / 32);
		time_it("sums of warps", n * (1 + 1 / 32.0),
			[&] { warp_sum<<<n / 256, 256>>>(p, sums); });
		time_it("sums of blocks, eight lanes at last", n * (1 + 17 / 256.0),
			[&] { block_sum<<<n / 256, 256>>>(p, sums); });
		forget(p), forget(sums);
	}
	begin();
	{
		int *p = zeroes<int>(n), *to = zeroes<int>(n / 16);
		time_it("histograms of threads", n * (1 + 2 / 16.0),
			[&] { own_histogram<<<n / 4096, 256>>>(p, to); });
		forget(p), forget(to);
	}
	forget(warm);
}

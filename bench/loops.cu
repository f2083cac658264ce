/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as loops over a block's threads and on fibers (CUDASIM_ENGINE), beside the
 * same work in plain C on one core. Each kernel's results are compared with C's before
 * it is timed. Prints lines "name<TAB>ns a thread<TAB>ns of plain C for as much". */
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

constexpr int N = 1 << 20, SIDE = 1024, BLOCK = 256, TILE = 16, PRODUCT = 256, REPEATS = 5;

#include "waits.cuh"

__global__ void add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

__global__ void stencil(const float *in, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x > 0 && y > 0 && x < SIDE - 1 && y < SIDE - 1)
		out[y * SIDE + x] = in[y * SIDE + x - 1] + in[y * SIDE + x + 1] +
				    in[(y - 1) * SIDE + x] + in[(y + 1) * SIDE + x];
}

__global__ void transpose(const float *in, float *out)
{
	__shared__ float tile[32][33];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * SIDE + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x;
	y = blockIdx.x * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		out[(y + j) * SIDE + x] = tile[threadIdx.x][threadIdx.y + j];
}

/* The values are small integers, so that every order of the sum is exact. */
__global__ void reduce(const float *in, float *sums)
{
	__shared__ float s[BLOCK];
	int t = threadIdx.x;
	s[t] = in[blockIdx.x * BLOCK + t];
	__syncthreads();
	for (int half = BLOCK / 2; half; half /= 2) {
		if (t < half)
			s[t] += s[t + half];
		__syncthreads();
	}
	if (t == 0)
		sums[blockIdx.x] = s[0];
}

__global__ void product(const float *a, const float *b, float *c)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
	float sum = 0;
	for (int t = 0; t < PRODUCT; t += TILE) {
		ta[y][x] = a[row * PRODUCT + t + x];
		tb[y][x] = b[(t + y) * PRODUCT + column];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += ta[y][k] * tb[k][x];
		__syncthreads();
	}
	c[row * PRODUCT + column] = sum;
}

__global__ void histogram(const float *in, unsigned *out)
{
	__shared__ unsigned counts[BLOCK];
	counts[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK)
		atomicAdd(&counts[(int)in[i] & 255], 1u);
	__syncthreads();
	atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

/* ---- a barrier after each step, in blocks of several warps ------------------------ */

__global__ void scan(const float *in, float *out)
{
	__shared__ float s[BLOCK];
	int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
	s[t] = in[i];
	__syncthreads();
	for (int step = 1; step < BLOCK; step *= 2) {
		float before = t >= step ? s[t - step] : 0;
		__syncthreads();
		s[t] += before;
		__syncthreads();
	}
	out[i] = s[t];
}

__global__ void sort(const float *in, float *out)
{
	__shared__ float s[BLOCK];
	int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
	s[t] = in[i];
	__syncthreads();
	for (int length = 2; length <= BLOCK; length *= 2)
		for (int step = length / 2; step; step /= 2) {
			int other = t ^ step;
			if (other > t && ((t & length) == 0) == (s[t] > s[other])) {
				float one = s[t];
				s[t] = s[other];
				s[other] = one;
			}
			__syncthreads();
		}
	out[i] = s[t];
}

__global__ void reduce_rows(const float *in, float *sums)
{
	__shared__ float s[TILE * TILE];
	int t = threadIdx.y * blockDim.x + threadIdx.x;
	s[t] = in[blockIdx.x * TILE * TILE + t];
	__syncthreads();
	for (int half = TILE * TILE / 2; half; half /= 2) {
		if (t < half)
			s[t] += s[t + half];
		__syncthreads();
	}
	if (t == 0)
		sums[blockIdx.x] = s[0];
}

/* Floyd and Warshall's shortest ways between 16 places. */
__global__ void ways(const float *in, float *out)
{
	__shared__ float s[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y, i = (blockIdx.x * TILE + y) * TILE + x;
	s[y][x] = fabsf(in[i]);
	__syncthreads();
	for (int k = 0; k < TILE; k++) {
		float through = s[y][k] + s[k][x];
		__syncthreads();
		if (through < s[y][x])
			s[y][x] = through;
		__syncthreads();
	}
	out[i] = s[y][x];
}

/* Needleman and Wunsch's scores by diagonals. */
__global__ void align(const float *in, float *out)
{
	__shared__ float s[TILE + 1][TILE + 1];
	int t = threadIdx.x;
	in += blockIdx.x * TILE * TILE;
	out += blockIdx.x * TILE * TILE;
	s[t + 1][0] = s[0][t + 1] = -t - 1;
	if (t == 0)
		s[0][0] = 0;
	for (int m = 0; m < 2 * TILE - 1; m++) {
		__syncthreads();
		int y = m - t;
		if (y >= 0 && y < TILE)
			s[y + 1][t + 1] = fmaxf(s[y][t] + in[y * TILE + t],
						fmaxf(s[y][t + 1], s[y + 1][t]) - 1);
	}
	__syncthreads();
	for (int y = 0; y < TILE; y++)
		out[y * TILE + t] = s[y + 1][t + 1];
}

__global__ void halo(const float *in, float *out)
{
	__shared__ float s[TILE + 2][TILE + 2];
	int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
	int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty, i = y * (SIDE + 2) + x;
	s[ty][tx] = in[i];
	if (tx == 1)
		s[ty][0] = in[i - 1];
	if (tx == TILE)
		s[ty][TILE + 1] = in[i + 1];
	if (ty == 1)
		s[0][tx] = in[i - SIDE - 2];
	if (ty == TILE)
		s[TILE + 1][tx] = in[i + SIDE + 2];
	__syncthreads();
	out[(y - 1) * SIDE + x - 1] = s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx];
}

/* Operations of some lanes of a warp. */
__global__ void sum_by_shuffles(const float *in, float *sums)
{
	__shared__ float s[32];
	int t = threadIdx.x;
	unsigned mask = __activemask();
	float v = in[blockIdx.x * blockDim.x + t];
	for (int d = 16; d; d /= 2) {
		float other = __shfl_down_sync(mask, v, d);
		if (t % 32 + d < 32 && t + d < blockDim.x)
			v += other;
	}
	if (t % 32 == 0)
		s[t / 32] = v;
	__syncthreads();
	if (t < 8) {
		v = t < (blockDim.x + 31) / 32 ? s[t] : 0;
		for (int d = 4; d; d /= 2)
			v += __shfl_down_sync(0xff, v, d);
		if (t == 0)
			sums[blockIdx.x] = v;
	}
}

/* The sum of the odd values of each warp. */
__global__ void sum_of_some(const float *in, float *sums)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, v = (int)in[i];
	if (v & 1) {
		cooperative_groups::coalesced_group g = cooperative_groups::coalesced_threads();
		v = cooperative_groups::reduce(g, v, cooperative_groups::plus<int>());
		if (g.thread_rank() == 0)
			sums[i / 32] = v;
	}
}

/* Steps of Collatz's sequence, each of the lanes that are left told how many these are. */
__global__ void leave(const float *in, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
	unsigned v = (unsigned)in[i] + 1, mask = __activemask();
	while ((mask = __ballot_sync(mask, v > 1)), v > 1) {
		v = v & 1 ? 3 * v + 1 : v / 2;
		n += __popc(mask);
	}
	out[i] = n;
}

__global__ void empty() {}

static double seconds()
{
	using namespace std::chrono;
	return duration<double>(steady_clock::now().time_since_epoch()).count();
}

static double least(const std::function<void()> &work)
{
	double best = 1e30;
	for (int i = 0; i < REPEATS; i++) {
		double start = seconds();
		work();
		best = std::min(best, seconds() - start);
	}
	return best;
}

static void row(const char *name, double threads, const float *got, const std::vector<float> &want,
		const std::function<void()> &kernel, const std::function<void()> &c)
{
	kernel();
	c();
	if (cudaDeviceSynchronize() != cudaSuccess ||
	    memcmp(got, want.data(), want.size() * sizeof(float))) {
		fprintf(stderr, "%s: the results differ from plain C's\n", name);
		exit(1);
	}
	double simulated = least([&] { kernel(); cudaDeviceSynchronize(); });
	printf("%s\t%g\t%g\n", name, simulated * 1e9 / threads, least(c) * 1e9 / threads);
}

static void steps(const float *a, float *out)
{
	constexpr int N = ::N / 8; /* fibers take microseconds a thread */
	std::vector<float> want(N);
	float *w = want.data();
	row("inclusive scan of 256", N, out, want, [&] { scan<<<N / BLOCK, BLOCK>>>(a, out); }, [&] {
		for (int i = 0; i < N; i += BLOCK) {
			float sum = 0;
			for (int j = i; j < i + BLOCK; j++)
				w[j] = sum += a[j];
		}
	});
	row("bitonic sort of 256", N, out, want, [&] { sort<<<N / BLOCK, BLOCK>>>(a, out); }, [&] {
		memcpy(w, a, N * sizeof *w);
		for (int i = 0; i < N; i += BLOCK)
			std::sort(w + i, w + i + BLOCK);
	});
	row("shortest ways, 16 places", N, out, want,
	    [&] { ways<<<N / TILE / TILE, dim3(TILE, TILE)>>>(a, out); }, [&] {
		for (int i = 0; i < N; i++)
			w[i] = std::fabs(a[i]);
		for (float *s = w; s < w + N; s += TILE * TILE)
			for (int k = 0; k < TILE; k++)
				for (int y = 0; y < TILE; y++)
					for (int x = 0; x < TILE; x++)
						s[y * TILE + x] = std::min(s[y * TILE + x],
									   s[y * TILE + k] + s[k * TILE + x]);
	});
	row("alignment by diagonals, 16 x 16", N / TILE, out, want,
	    [&] { align<<<N / TILE / TILE, TILE>>>(a, out); }, [&] {
		for (int i = 0; i < N; i += TILE * TILE)
			for (int y = 0; y < TILE; y++)
				for (int x = 0; x < TILE; x++) {
					float *s = w + i + y * TILE + x;
					float up = y ? s[-TILE] : -x - 1, left = x ? s[-1] : -y - 1;
					float both = y && x ? s[-TILE - 1] : -y - x;
					*s = std::max(both + a[s - w], std::max(up, left) - 1);
				}
	});
	want.resize(N / TILE / TILE);
	w = want.data();
	row("reduction of 16 x 16", N, out, want,
	    [&] { reduce_rows<<<N / TILE / TILE, dim3(TILE, TILE)>>>(a, out); }, [&] {
		for (int i = 0; i < N / TILE / TILE; i++) {
			float sum = 0;
			for (int j = 0; j < TILE * TILE; j++)
				sum += a[i * TILE * TILE + j];
			w[i] = sum;
		}
	});
	float *frame;
	cudaMallocManaged(&frame, (SIDE + 2) * (SIDE + 2) * sizeof *frame);
	for (int i = 0; i < (SIDE + 2) * (SIDE + 2); i++)
		frame[i] = (float)(i % 8191 * 7919 % 8);
	want.resize(SIDE * SIDE);
	w = want.data();
	row("stencil with a tile and its halo", SIDE * SIDE, out, want,
	    [&] { halo<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE)>>>(frame, out); }, [&] {
		for (int y = 0; y < SIDE; y++)
			for (int x = 0; x < SIDE; x++) {
				const float *at = frame + (y + 1) * (SIDE + 2) + x + 1;
				w[y * SIDE + x] = at[-1] + at[1] + at[-SIDE - 2] + at[SIDE + 2];
			}
	});
	cudaFree(frame);
}

static void some_lanes(const float *a, float *out)
{
	constexpr int N = ::N / 8;
	std::vector<float> want(N);
	float *w = want.data();
	for (int block : {BLOCK, 100}) {
		want.resize(N / block);
		row(block == 100 ? "sum of 100 by shuffles" : "sum of 256 by shuffles, 8 lanes last", N, out,
		    want, [&] { sum_by_shuffles<<<N / block, block>>>(a, out); }, [&] {
			for (int i = 0; i < N / block; i++) {
				float sum = 0;
				for (int j = 0; j < block; j++)
					sum += a[i * block + j];
				w[i] = sum;
			}
		});
	}
	want.assign(N / 32, 0.f);
	row("sum of a coalesced group", N, out, want, [&] { sum_of_some<<<N / BLOCK, BLOCK>>>(a, out); }, [&] {
		for (int i = 0; i < N / 32; i++) {
			int sum = 0;
			for (int j = 0; j < 32; j++)
				sum += (int)a[i * 32 + j] & 1 ? (int)a[i * 32 + j] : 0;
			w[i] = sum;
		}
	});
	want.resize(N);
	w = want.data();
	row("lanes that leave a loop", N, out, want, [&] { leave<<<N / BLOCK, BLOCK>>>(a, out); }, [&] {
		for (int i = 0; i < N; i += 32) {
			unsigned v[32], left = 32;
			int n[32] = {0};
			for (int j = 0; j < 32; j++)
				v[j] = (unsigned)a[i + j] + 1;
			while (left) {
				left = 0;
				for (int j = 0; j < 32; j++)
					left += v[j] > 1;
				for (int j = 0; j < 32; j++) {
					n[j] += v[j] > 1 ? left : 0;
					v[j] = v[j] <= 1 ? v[j] : v[j] & 1 ? 3 * v[j] + 1 : v[j] / 2;
				}
			}
			for (int j = 0; j < 32; j++)
				w[i + j] = n[j];
		}
	});
}

/* Warps and blocks that wait for each other, and additions in shared memory. */
static void waits(const float *a, float *out)
{
	constexpr int N = ::N / 8, ROUNDS = 32, HALF = BLOCK / 2, ROWS = 128;
	static int *lock;
	cudaMallocManaged(&lock, N / BLOCK * sizeof *lock);
	std::vector<float> want(N / ROUNDS);
	float *w = want.data();
	row("pipeline of 4 and 4 warps by mbarriers", N, out, want,
	    [&] { pipeline<<<N / HALF / ROUNDS, BLOCK>>>(a, out, ROUNDS); }, [&] {
		for (int block = 0; block < N / HALF / ROUNDS; block++)
			for (int t = 0; t < HALF; t++)
				w[block * HALF + t] = 0;
		for (int i = 0; i < N / HALF; i++)
			for (int t = 0; t < HALF; t++) {
				float *mixed = &w[i / ROUNDS * HALF + t];
				*mixed = *mixed * 0.5f + a[i * HALF + t] + a[i * HALF + (t + 1) % HALF];
			}
	});
	want.assign(1, 0.f);
	w = want.data();
	*lock = 0;
	row("a lock for each block", N, out, want, [&] {
		cudaMemset(out, 0, sizeof *out);
		add_locked<<<N / BLOCK, BLOCK>>>(a, out, lock);
	}, [&] {
		float sum = 0;
		for (int i = 0; i < N; i++)
			sum += a[i];
		*w = sum;
	});
	want.assign(N, 0.f);
	w = want.data();
	row("look-back from block to block", N, out, want, [&] {
		cudaMemset(lock, 0, N / BLOCK * sizeof *lock);
		look_back<<<N / BLOCK, BLOCK>>>(a, out, (volatile unsigned *)lock);
	}, [&] {
		int before = 0;
		for (int i = 0; i < N; i += BLOCK) {
			int sum = 0;
			for (int j = 0; j < BLOCK; j++) {
				w[i + j] = before;
				sum += (int)a[i + j] & 1;
			}
			before += sum;
		}
	});
	want.assign(N / ROWS, 0.f);
	w = want.data();
	row("sums of 32 columns by atomics", N, out, want,
	    [&] { sum_columns<<<N / ROWS / 32, BLOCK>>>(a, out, ROWS); }, [&] {
		for (int i = 0; i < N / ROWS / 32; i++) {
			float sums[32] = {0};
			for (int j = 0; j < ROWS * 32; j++)
				sums[j % 32] += a[i * ROWS * 32 + j];
			memcpy(w + i * 32, sums, sizeof sums);
		}
	});
	cudaFree(lock);
}

int main()
{
	float *a, *b, *out;
	cudaMallocManaged(&a, N * sizeof(float));
	cudaMallocManaged(&b, N * sizeof(float));
	cudaMallocManaged(&out, N * sizeof(float));
	for (int i = 0; i < N; i++) {
		a[i] = (float)(i * 7919 % 8);
		b[i] = (float)(i * 104729 % 8);
	}
	std::vector<float> want(N);
	float *w = want.data();
	row("vector add", N, out, want, [&] { add<<<N / BLOCK, BLOCK>>>(a, b, out, N); }, [&] {
		for (int i = 0; i < N; i++)
			w[i] = a[i] + b[i];
	});
	memset(out, 0, N * sizeof(float));
	std::fill(want.begin(), want.end(), 0.f);
	row("stencil of 5 points", N, out, want,
	    [&] { stencil<<<dim3(SIDE / 32, SIDE / 8), dim3(32, 8)>>>(a, out); }, [&] {
		for (int y = 1; y < SIDE - 1; y++)
			for (int x = 1; x < SIDE - 1; x++)
				w[y * SIDE + x] = a[y * SIDE + x - 1] + a[y * SIDE + x + 1] +
						  a[(y - 1) * SIDE + x] + a[(y + 1) * SIDE + x];
	});
	row("transpose", N / 4, out, want,
	    [&] { transpose<<<dim3(SIDE / 32, SIDE / 32), dim3(32, 8)>>>(a, out); }, [&] {
		for (int y = 0; y < SIDE; y++)
			for (int x = 0; x < SIDE; x++)
				w[x * SIDE + y] = a[y * SIDE + x];
	});
	want.resize(N / BLOCK);
	row("reduction of 256", N, out, want, [&] { reduce<<<N / BLOCK, BLOCK>>>(a, out); }, [&] {
		for (int i = 0; i < N / BLOCK; i++) {
			float sum = 0;
			for (int j = 0; j < BLOCK; j++)
				sum += a[i * BLOCK + j];
			w[i] = sum;
		}
	});
	want.assign(PRODUCT * PRODUCT, 0.f);
	w = want.data();
	row("tiled matrix product of 256", PRODUCT * PRODUCT, out, want,
	    [&] { product<<<dim3(PRODUCT / TILE, PRODUCT / TILE), dim3(TILE, TILE)>>>(a, b, out); }, [&] {
		std::fill(want.begin(), want.end(), 0.f);
		for (int i = 0; i < PRODUCT; i++)
			for (int k = 0; k < PRODUCT; k++)
				for (int j = 0; j < PRODUCT; j++)
					w[i * PRODUCT + j] += a[i * PRODUCT + k] * b[k * PRODUCT + j];
	});
	want.assign(BLOCK, 0.f);
	w = want.data();
	row("histogram of 4 values a thread", N / 4, out, want, [&] {
		cudaMemset(out, 0, BLOCK * sizeof(float));
		histogram<<<N / 4 / BLOCK, BLOCK>>>(a, (unsigned *)out);
	}, [&] {
		unsigned counts[BLOCK] = {0};
		for (int i = 0; i < N; i++)
			counts[(int)a[i] & 255]++;
		memcpy(w, counts, sizeof counts);
	});
	steps(a, out);
	some_lanes(a, out);
	waits(a, out);
	double blocks = least([] { empty<<<N, 1>>>(); cudaDeviceSynchronize(); });
	printf("2^20 empty blocks of one thread, ms\t%g\t\n", blocks * 1e3);
	double launches = least([] {
		for (int i = 0; i < 1000; i++)
			empty<<<1, 1>>>();
		cudaDeviceSynchronize();
	});
	printf("a launch of an empty kernel, us\t%g\t\n", launches * 1e3);
	return 0;
}

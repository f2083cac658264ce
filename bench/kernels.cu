/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled kernels, timed by events, beside the same work in plain C on one core.
 * Prints lines "name<TAB>ns<TAB>unit". Arguments: none. bench/run runs it with
 * CUDASIM_BODY=auto and =watched and with one worker, and writes the table. */
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) \
	do { \
		cudaError_t e_ = (call); \
		if (e_ != cudaSuccess) { \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_)); \
			exit(1); \
		} \
	} while (0)

constexpr int N = 1 << 21, BLOCK = 256, SIDE = 128, TILE = 16, REPEATS = 5;

__global__ void add(const float *a, const float *b, float *c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	c[i] = a[i] + b[i];
}

__global__ void reduce(const float *a, float *sums)
{
	__shared__ float s[BLOCK];
	s[threadIdx.x] = a[blockIdx.x * BLOCK + threadIdx.x];
	__syncthreads();
	for (int half = BLOCK / 2; half; half /= 2) {
		if (threadIdx.x < half)
			s[threadIdx.x] += s[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		sums[blockIdx.x] = s[0];
}

__global__ void product(const float *a, const float *b, float *c)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, line = blockIdx.y * TILE + y;
	float sum = 0;
	for (int t = 0; t < SIDE; t += TILE) {
		ta[y][x] = a[line * SIDE + t + x];
		tb[y][x] = b[(t + y) * SIDE + column];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += ta[y][k] * tb[k][x];
		__syncthreads();
	}
	c[line * SIDE + column] = sum;
}

template <typename F> static double host_ns(F f)
{
	double best = 1e30;
	for (int i = 0; i < REPEATS; i++) {
		auto start = std::chrono::steady_clock::now();
		f();
		std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
		best = took.count() < best ? took.count() : best;
	}
	return best;
}

template <typename F> static double device_ns(F launch)
{
	cudaEvent_t begin, end;
	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	float best = 1e30f;
	for (int i = 0; i < REPEATS; i++) {
		float ms;
		CHECK(cudaEventRecord(begin));
		launch();
		CHECK(cudaEventRecord(end));
		CHECK(cudaEventSynchronize(end));
		CHECK(cudaEventElapsedTime(&ms, begin, end));
		best = ms < best ? ms : best;
	}
	return best * 1e6;
}

static void row(const char *name, double ns, const char *unit)
{
	printf("%s\t%.3f\t%s\n", name, ns, unit);
}

int main()
{
	float *a, *b, *c;
	CHECK(cudaMallocManaged(&a, N * sizeof *a));
	CHECK(cudaMallocManaged(&b, N * sizeof *b));
	CHECK(cudaMallocManaged(&c, N * sizeof *c));
	for (int i = 0; i < N; i++) {
		a[i] = i % 7;
		b[i] = 1;
		c[i] = 0;
	}
	row("plain C: vector add", host_ns([&] { for (int i = 0; i < N; i++) c[i] = a[i] + b[i]; }) / N,
	    "ns an element");
	row("vector add", device_ns([&] { add<<<N / BLOCK, BLOCK>>>(a, b, c); }) / N, "ns a thread");
	for (int i = 0; i < N; i++)
		if (c[i] != a[i] + b[i])
			return 1;
	row("plain C: sums of 256", host_ns([&] {
		for (int i = 0; i < N / BLOCK; i++) {
			float sum = 0;
			for (int k = 0; k < BLOCK; k++)
				sum += a[i * BLOCK + k];
			c[i] = sum;
		}
	}) / N, "ns an element");
	float first = c[0];
	row("reduction of 256", device_ns([&] { reduce<<<N / BLOCK, BLOCK>>>(a, c); }) / N / 9,
	    "ns a thread and barrier");
	if (c[0] != first)
		return 1;
	dim3 tile(TILE, TILE), grid(SIDE / TILE, SIDE / TILE);
	row("plain C: matrix product of 128", host_ns([&] {
		for (int y = 0; y < SIDE; y++)
			for (int x = 0; x < SIDE; x++) {
				float sum = 0;
				for (int k = 0; k < SIDE; k++)
					sum += a[y * SIDE + k] * b[k * SIDE + x];
				c[y * SIDE + x] = sum;
			}
	}) / SIDE / SIDE / SIDE, "ns a multiplication");
	first = c[5];
	row("tiled matrix product of 128", device_ns([&] { product<<<grid, tile>>>(a, b, c); }) / SIDE / SIDE / SIDE,
	    "ns a multiplication");
	if (c[5] != first)
		return 1;
	return 0;
}

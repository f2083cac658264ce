/* SPDX-License-Identifier: Apache-2.0 */
/* What stands between barriers: threads that work up to a bound, from one on or alone,
 * that part and end there; values that all threads share; blocks of odd shapes. Each
 * result is compared with a loop on the host. */
#include <functional>

#include "case.cuh"

constexpr int MOST = 1024, BLOCKS = 3;

/* The index of a thread in its block, from the left, the top and the front. */
__device__ static int linear()
{
	return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ static int size()
{
	return blockDim.x * blockDim.y * blockDim.z;
}

__global__ void tree(const int *in, int *out, int)
{
	__shared__ int s[MOST];
	int t = linear(), n = size();
	s[t] = in[blockIdx.x * n + t];
	__syncthreads();
	for (int half = (n + 1) / 2, left = n; left > 1; left = half, half = (half + 1) / 2) {
		if (t < half && t + half < left)
			s[t] += s[t + half];
		__syncthreads();
	}
	out[blockIdx.x * n + t] = s[0];
}

static int sum(const std::vector<int> &v, int, int)
{
	int s = 0;
	for (int one : v)
		s += one;
	return s;
}

__global__ void scan(const int *in, int *out, int)
{
	__shared__ int s[MOST];
	int t = linear(), n = size();
	s[t] = in[blockIdx.x * n + t];
	__syncthreads();
	for (int d = 1; d < n; d *= 2) {
		bool has = t >= d;
		int v = 0;
		if (has)
			v = s[t - d];
		__syncthreads();
		if (has)
			s[t] += v;
		__syncthreads();
	}
	out[blockIdx.x * n + t] = s[t];
}

static int sum_to(const std::vector<int> &v, int t, int)
{
	int s = 0;
	for (int i = 0; i <= t; i++)
		s += v[i];
	return s;
}

/* Bounds of every kind, some outside of the block's range; each thread counts what it is. */
__global__ void bounds(const int *, int *out, int p)
{
	__shared__ int s[MOST];
	int t = threadIdx.x, n = size();
	unsigned u = threadIdx.x;
	s[linear()] = 0;
	__syncthreads();
	for (int k = p - 2; k < p + 3; k++) {
		if (t < k)
			s[linear()] += 1;
		__syncthreads();
		if (t <= k)
			s[linear()] += 1 << 3;
		__syncthreads();
		if (t > k)
			s[linear()] += 1 << 6;
		__syncthreads();
		if (t >= k)
			s[linear()] += 1 << 9;
		__syncthreads();
		if (t == k)
			s[linear()] += 1 << 12;
		__syncthreads();
		if (t != k)
			s[linear()] += 1 << 15;
		__syncthreads();
		if (u < (unsigned)k)
			s[linear()] += 1 << 18;
		__syncthreads();
		if (u >= (unsigned)k)
			s[linear()] += 1 << 21;
		__syncthreads();
		if (t > k - 3 && t < k + 2 && t != k)
			s[linear()] += 1 << 24;
		__syncthreads();
		if (t < k - 1 || t > k + 1)
			s[linear()] += 1 << 27;
		__syncthreads();
	}
	out[blockIdx.x * n + linear()] = s[linear()];
}

static int count_bounds(int t, int p)
{
	int s = 0;
	for (int k = p - 2; k < p + 3; k++) {
		s += (t < k) + ((t <= k) << 3) + ((t > k) << 6) + ((t >= k) << 9) + ((t == k) << 12) +
		     ((t != k) << 15) + (((unsigned)t < (unsigned)k) << 18) +
		     (((unsigned)t >= (unsigned)k) << 21) +
		     ((t > k - 3 && t < k + 2 && t != k) << 24) + ((t < k - 1 || t > k + 1) << 27);
	}
	return s;
}

/* The same with the linear index, by which rows are cut in the middle. */
__global__ void linear_bounds(const int *, int *out, int p)
{
	__shared__ int s[MOST];
	int t = threadIdx.x + blockDim.x * threadIdx.y, n = size();
	s[t] = 0;
	__syncthreads();
	if (t < p)
		s[t] += 1;
	__syncthreads();
	if (t >= p)
		s[t] += 10;
	__syncthreads();
	if (t == p)
		s[t] += 100;
	__syncthreads();
	if (t > p - 20 && t <= p + 20)
		s[t] += 1000;
	__syncthreads();
	out[blockIdx.x * n + t] = s[t];
}

/* Threads end here and there; the others go on, and what all share goes on with them. */
__global__ void ends(const int *in, int *out, int p)
{
	__shared__ int s[MOST];
	int t = linear(), n = size();
	if (t % 7 == p)
		return;
	s[t] = in[blockIdx.x * n + t];
	int left = 0;
	__syncthreads();
	for (int round = 0; round < 6; round++) {
		left += round * p;
		if (t % 5 == 4 && round == t % 6) {
			out[blockIdx.x * n + t] = left + 1000 * round;
			return;
		}
		s[t] += round;
		__syncthreads();
	}
	out[blockIdx.x * n + t] = s[t] + left;
}

static int end_of(const std::vector<int> &v, int t, int p)
{
	int left = 0, s = v[t];
	if (t % 7 == p)
		return -1;
	for (int round = 0; round < 6; round++) {
		left += round * p;
		if (t % 5 == 4 && round == t % 6)
			return left + 1000 * round;
		s += round;
	}
	return s + left;
}

/* All threads of a block end, and what follows would never end for them. */
__global__ void nobody_left(const int *, int *out, int p)
{
	__shared__ int s[MOST];
	int t = linear(), n = size();
	if (t >= p)
		return;
	for (int i = p; i < 100; i *= 2) {
		s[t] = i;
		__syncthreads();
	}
	out[blockIdx.x * n + t] = p < 100 ? s[t] : 0;
}

static int last_power(int t, int p)
{
	int last = 0;
	if (t >= p)
		return -1;
	for (int i = p; i < 100; i *= 2)
		last = i;
	return last;
}

/* A value of a loop that threads leave at different times is not the same for all,
 * though it is made alike. */
__global__ void counted(const int *in, int *out, int p)
{
	__shared__ int s[MOST];
	int t = linear(), n = size(), steps = 0;
	int rest = in[blockIdx.x * n + t] & 15;
	while (rest > 0) {
		rest -= p;
		steps++;
	}
	s[t] = steps;
	__syncthreads();
	int other = s[n - 1 - t];
	__syncthreads();
	s[t] = other * 100 + steps;
	__syncthreads();
	out[blockIdx.x * n + t] = s[t];
}

static int steps_of(int v, int p)
{
	int steps = 0;
	for (int rest = v & 15; rest > 0; rest -= p)
		steps++;
	return steps;
}

/* The way from barrier to barrier forks by what all share, in loops and out of them. */
__global__ void forks(const int *in, int *out, int p)
{
	__shared__ int s[MOST];
	int t = linear(), n = size(), a = 1, b = p;
	float scale = p * 0.5f;
	s[t] = in[blockIdx.x * n + t];
	__syncthreads();
	for (int i = 0; i < p; i++) {
		switch ((i + a) % 4) {
		case 0:
			s[t] += a;
			__syncthreads();
			a += 3;
			break;
		case 1:
			for (int k = 0; k < b % 3; k++) {
				int v = s[(t + 1) % n];
				__syncthreads();
				s[t] = v + k;
				__syncthreads();
			}
			b++;
			break;
		case 2:
			if (t & 1)
				s[t] ^= b;
			scale *= 1.5f;
			break;
		default:
			if (i & 1)
				__syncthreads();
			else
				a ^= 1;
		}
		a++;
	}
	__syncthreads();
	out[blockIdx.x * n + t] = s[t] + a * 7 + b * 11 + (int)scale;
}

static void fork_block(std::vector<int> &s, int p)
{
	int n = (int)s.size(), a = 1, b = p;
	float scale = p * 0.5f;
	for (int i = 0; i < p; i++) {
		switch ((i + a) % 4) {
		case 0:
			for (int &one : s)
				one += a;
			a += 3;
			break;
		case 1:
			for (int k = 0; k < b % 3; k++) {
				std::vector<int> before = s;
				for (int t = 0; t < n; t++)
					s[t] = before[(t + 1) % n] + k;
			}
			b++;
			break;
		case 2:
			for (int t = 1; t < n; t += 2)
				s[t] ^= b;
			scale *= 1.5f;
			break;
		default:
			if (!(i & 1))
				a ^= 1;
		}
		a++;
	}
	for (int &one : s)
		one += a * 7 + b * 11 + (int)scale;
}

/* Exchanges at a distance, as sorting does: stores to places of other threads. */
__global__ void sort(const int *in, int *out, int)
{
	__shared__ int s[MOST];
	int t = linear(), n = size();
	s[t] = in[blockIdx.x * n + t];
	__syncthreads();
	for (int k = 0; k < n; k++) {
		int o = t + 1;
		if (t % 2 == k % 2 && o < n && s[t] > s[o]) {
			int a = s[t];
			s[t] = s[o];
			s[o] = a;
		}
		__syncthreads();
	}
	out[blockIdx.x * n + t] = s[t];
}

/* Sums that live across barriers, some with a NaN whose bits tell who made it. */
__global__ void sums(const int *in, int *out, int p)
{
	__shared__ float s[MOST];
	int t = linear(), n = size();
	float sum = t == 3 ? __int_as_float(0xffc12345) : 0;
	for (int i = 0; i < p; i++) {
		s[t] = (float)(in[blockIdx.x * n + t] & 7);
		__syncthreads();
		for (int k = 0; k < 4; k++)
			sum += s[(t + k) % n] * 0.5f;
		__syncthreads();
	}
	out[blockIdx.x * n + t] = __float_as_int(sum);
}

/* Warps of rows of any length: sums of all lanes, votes by threadIdx, and some of the
 * lanes among themselves. */
__global__ void warps(const int *in, int *out, int p)
{
	int t = linear(), n = size(), v = in[blockIdx.x * n + t];
	for (int o = 16; o; o /= 2)
		v += __shfl_xor_sync(~0u, v, o);
	v += 1000 * threadIdx.x + 100 * threadIdx.y + 10 * threadIdx.z;
	unsigned some = __ballot_sync(~0u, (threadIdx.x + threadIdx.y) % p == 0);
	v += 7 * __popc(some);
	if ((threadIdx.x + threadIdx.y) % p == 0)
		v -= __shfl_sync(some, v, __ffs(some) - 1) / 3;
	__syncthreads();
	out[blockIdx.x * n + t] = v + __shfl_up_sync(~0u, v, 3);
}

static void warp_block(std::vector<int> &v, dim3 s, int p)
{
	for (size_t w = 0; w < v.size(); w += 32) {
		int sum = 0, votes = 0, first = -1, lane[32];
		bool votes_for[32];
		for (size_t i = 0; i < 32; i++)
			sum += v[w + i];
		for (size_t i = 0; i < 32; i++) {
			size_t x = (w + i) % s.x, y = (w + i) / s.x % s.y, z = (w + i) / s.x / s.y;
			lane[i] = sum + (int)(1000 * x + 100 * y + 10 * z);
			votes_for[i] = (x + y) % p == 0;
			votes += votes_for[i];
			if (first < 0 && votes_for[i])
				first = (int)i;
		}
		int of_first = first < 0 ? 0 : lane[first] + 7 * votes;
		for (size_t i = 0; i < 32; i++)
			lane[i] += 7 * votes - (votes_for[i] ? of_first / 3 : 0);
		for (size_t i = 0; i < 32; i++)
			v[w + i] = lane[i] + lane[i < 3 ? i : i - 3];
	}
}

using Block = std::function<void(std::vector<int> &, dim3, int)>;

/* Of each thread by itself. */
static Block each(int (*one)(const std::vector<int> &, int, int))
{
	return [one](std::vector<int> &v, dim3, int p) {
		std::vector<int> before = v;
		for (size_t t = 0; t < v.size(); t++)
			v[t] = one(before, (int)t, p);
	};
}

static void check(const char *name, void (*kernel)(const int *, int *, int), dim3 shape, int p,
		  const Block &host)
{
	int n = shape.x * shape.y * shape.z, wrong = 0, *in, *out;
	CHECK(cudaMallocManaged(&in, BLOCKS * n * sizeof(int)));
	CHECK(cudaMallocManaged(&out, BLOCKS * n * sizeof(int)));
	for (int i = 0; i < BLOCKS * n; i++) {
		in[i] = (int)(i * 2654435761u >> 7) % 1000;
		out[i] = -1;
	}
	kernel<<<BLOCKS, shape>>>(in, out, p);
	CHECK(cudaDeviceSynchronize());
	for (int b = 0; b < BLOCKS; b++) {
		std::vector<int> v(in + b * n, in + (b + 1) * n);
		host(v, shape, p);
		for (int t = 0; t < n; t++)
			wrong += v[t] != out[b * n + t];
	}
	char title[100];
	snprintf(title, sizeof title, "%s %dx%dx%d %d", name, shape.x, shape.y, shape.z, p);
	say(title, "%d wrong of %d", wrong, BLOCKS * n);
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));
}

int main()
{
	const dim3 shapes[] = {dim3(256), dim3(16, 16), dim3(1), dim3(37), dim3(8, 4, 3), dim3(5, 50),
			       dim3(1, 1, 40), dim3(32, 8)};
	for (const dim3 &shape : {dim3(64), dim3(16, 16), dim3(24, 4), dim3(8, 4, 3), dim3(5, 32),
				  dim3(1, 64), dim3(32, 8), dim3(3, 2, 16)})
		for (int p : {1, 2, 3})
			check("warps", warps, shape, p, warp_block);
	for (const dim3 &shape : shapes) {
		int n = shape.x * shape.y * shape.z;
		check("tree", tree, shape, 0, each(sum));
		check("scan", scan, shape, 0, each(sum_to));
		for (int p : {-4, 0, 9, 300}) {
			check("bounds", bounds, shape, p, [](std::vector<int> &v, dim3 s, int q) {
				for (size_t t = 0; t < v.size(); t++)
					v[t] = count_bounds((int)t % (int)s.x, q);
			});
			if (shape.z == 1)
				check("linear bounds", linear_bounds, shape, p,
				      each([](const std::vector<int> &, int t, int q) {
					      return (t < q) + 10 * (t >= q) + 100 * (t == q) +
						     1000 * (t > q - 20 && t <= q + 20);
				      }));
		}
		for (int p : {0, 3, 6})
			check("ends", ends, shape, p, each(end_of));
		for (int p : {-1, 0, 20, 100})
			check("nobody left", nobody_left, shape, p,
			      each([](const std::vector<int> &, int t, int q) {
				      return last_power(t, q);
			      }));
		check("counted", counted, shape, 3, each([](const std::vector<int> &v, int t, int q) {
			      return 100 * steps_of(v[v.size() - 1 - t], q) + steps_of(v[t], q);
		      }));
		for (int p : {0, 1, 12})
			check("forks", forks, shape, p, [](std::vector<int> &v, dim3, int q) {
				fork_block(v, q);
			});
		check("sort", sort, shape, 0, each([](const std::vector<int> &v, int t, int) {
			      int below = 0;
			      std::vector<int> sorted(v.size());
			      for (size_t i = 0; i < v.size(); i++, below = 0) {
				      for (size_t k = 0; k < v.size(); k++)
					      below += v[k] < v[i] || (v[k] == v[i] && k < i);
				      sorted[below] = v[i];
			      }
			      return sorted[t];
		      }));
		check("sums", sums, shape, n > 3 ? 5 : 2, each([](const std::vector<int> &v, int t, int q) {
			      float s = 0;
			      for (int i = 0; i < q; i++)
				      for (int k = 0; k < 4; k++)
					      s += (float)(v[(t + k) % v.size()] & 7) * 0.5f;
			      int bits;
			      memcpy(&bits, &s, sizeof bits);
			      return t == 3 ? 0x7fffffff : bits;
		      }));
		check("sums", sums, shape, 0, each([](const std::vector<int> &, int t, int) {
			      return t == 3 ? (int)0xffc12345 : 0;
		      }));
	}
	return 0;
}

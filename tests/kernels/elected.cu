// SPDX-License-Identifier: Apache-2.0
/* One thread of a block, or of a warp, that goes through shared memory alone, between threads that
 * do not: what it has stored itself it finds again without a meeting; what others have stored in
 * lockstep with it, and what they load of it, needs one. */
#include "case.cuh"

enum { N = 64, BINS = 16, ROUNDS = 4 };

/* Between barriers. */
__global__ void sums(int *out, const int *in, int rounds)
{
	__shared__ int bins[BINS], total;
	int t = threadIdx.x, own[BINS];
	if (t < BINS)
		bins[t] = t;
	__syncthreads();
	for (int k = 0; k < BINS; k++)
		own[k] = in[(t * BINS + k) % N];
	for (int r = 0; r < rounds; r++) {
		if (t == (int)blockDim.x - 1)
			for (int k = 0; k < BINS; k++)
				bins[k] += own[k];
		__syncthreads();
		if (t == 0) {
			int sum = 0;
			for (int k = 1; k < BINS; k++) {
				bins[k] += bins[k - 1];
				sum += bins[k] ^ k;
			}
			total = sum;
		}
		__syncthreads();
		own[r] += total % 100 + bins[(t + r) % BINS];
		__syncthreads();
	}
	int sum = 0;
	for (int k = 0; k < BINS; k++)
		sum = sum * 3 + own[k];
	out[t] = sum;
}

/* Lane 0 sorts what its warp has stored just before, and all look at it just behind. */
__global__ void sorts(int *out, const int *in)
{
	__shared__ volatile int s[N];
	int t = threadIdx.x, first = t & ~31;
	s[t] = in[t];
	if (t == first) {
		for (int i = 1; i < 32; i++)
			for (int k = i; k > 0; k--) {
				int a = s[first + k - 1], b = s[first + k];
				if (a <= b)
					break;
				s[first + k - 1] = b;
				s[first + k] = a;
			}
	}
	__syncwarp();
	out[t] = s[t];
}

/* Another lane each time. */
__global__ void relay(int *out)
{
	__shared__ int s[33];
	int t = threadIdx.x;
	s[t] = t + 1;
	if (t == 0)
		s[32] = 100;
	__syncwarp();
	for (int i = 0; i < 32; i++) {
		if (t == i)
			s[(i + 1) % 32] += s[i] + s[32];
		__syncwarp();
		if (t == 31 - i) {
			s[32]++;
			s[i] ^= 5;
		}
		__syncwarp();
	}
	out[t] = s[t] + s[32];
}

/* Two conditions that choose one lane each, the second by another expression. */
__global__ void two(int *out, const int *in, int which)
{
	__shared__ int s[BINS];
	int t = threadIdx.x + threadIdx.y * blockDim.x;
	if (t < BINS)
		s[t] = in[t];
	__syncthreads();
	if (threadIdx.x == 0 && threadIdx.y == 0)
		for (int k = 1; k < BINS; k++)
			s[k] += s[k - 1];
	__syncthreads();
	if (t == which)
		for (int k = 0; k < BINS - 1; k++)
			s[k] -= s[k + 1] * 2;
	__syncthreads();
	if (threadIdx.x == 0 && threadIdx.y == 0)
		for (int k = 0; k < BINS; k++)
			s[k] = s[k] * 2 + s[BINS - 1 - k];
	__syncthreads();
	out[t] = s[t % BINS];
}

/* One lane of some rows, and all rows in one warp: they store before any of them loads. */
template <int ROWS> __global__ void rows(int *out, int rounds)
{
	__shared__ int s[4];
	int x = threadIdx.x, y = threadIdx.y, sum = 0;
	bool chosen = ROWS == 4 || (ROWS == 2 && y % 2 == 0) || (ROWS == 3 && y != 0);
	int next = ROWS == 3 ? y % 3 + 1 : (y + 4 / ROWS) % 4;
	if (x == 0 && chosen)
		for (int k = 0; k < rounds; k++) {
			s[y] = y * 10 + k;
			sum = sum * 3 + s[next];
		}
	out[y * 8 + x] = sum;
}

int main()
{
	int *in, *out;
	CHECK(cudaMallocManaged(&in, N * sizeof *in));
	CHECK(cudaMallocManaged(&out, N * sizeof *out));
	for (int i = 0; i < N; i++)
		in[i] = i * 37 % 101 - 20;
	auto print = [&](const char *name, int n) {
		CHECK(cudaDeviceSynchronize());
		show(name, out, n);
	};
	for (int n : {32, 64, 45}) {
		sums<<<1, n>>>(out, in, ROUNDS);
		char name[20];
		snprintf(name, sizeof name, "sums of %d", n);
		print(name, n);
	}
	sorts<<<1, N>>>(out, in);
	print("sorts", N);
	relay<<<1, 32>>>(out);
	print("relay", 32);
	for (int which : {0, 5, 40}) {
		two<<<1, dim3(16, 4)>>>(out, in, which);
		char name[20];
		snprintf(name, sizeof name, "two, %d", which);
		print(name, N);
	}
	rows<4><<<1, dim3(8, 4)>>>(out, 6);
	print("rows", 32);
	rows<2><<<1, dim3(8, 4)>>>(out, 6);
	print("rows, every other", 32);
	rows<3><<<1, dim3(8, 4)>>>(out, 6);
	print("rows, not the first", 32);
	return 0;
}

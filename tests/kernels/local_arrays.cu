/* SPDX-License-Identifier: Apache-2.0 */
/* local_arrays.cu - arrays that each thread has for itself: indices that are the same for all threads
 * and indices of their own, initial values, copies of parts and of the whole, elements of one size and
 * of several, parts that other functions are given, loops that threads leave one after the other. */
#include "case.cuh"
#include "drawn.cuh"

enum { N = 24, THREADS = 72, BLOCKS = 2, ALL = THREADS * BLOCKS };

static __device__ int thread()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

/* All threads go through it in step. */
template <typename T> __global__ void in_step(T *out, int n, int rounds)
{
	T a[N];
	for (int k = 0; k < n; k++)
		a[k] = (T)(drawn(thread() * N + k) % 100);
	T sum = 0;
	for (int r = 0; r < rounds; r++)
		for (int k = 1; k < n; k++) {
			a[k] = (T)(a[k] + a[k - 1] + r);
			if (k % 3 == (int)threadIdx.x % 3)
				a[n - k] = (T)(a[k] - sum);
			sum = (T)(sum + a[k]);
		}
	out[thread()] = sum;
}

template <typename T> __global__ void counts(T *out, int n)
{
	T c[16] = {0}, first[16] = {1, 2, 3, 5, 8};
	for (int k = 0; k < n; k++) {
		int at = drawn(thread() + k * 7) % 16;
		c[at]++;
		first[(at * 3 + k) % 16] ^= c[at];
	}
	T sum = 0;
	for (int k = 0; k < 16; k++)
		sum = (T)(sum * 5 + c[k] + first[k]);
	out[thread()] = sum;
}

/* Insertion: threads leave the inner loop at different times. */
__global__ void sorted(int *out, int n)
{
	int a[N];
	for (int k = 0; k < n; k++)
		a[k] = drawn(thread() * 31 + k) % 50;
	for (int k = 1; k < n; k++) {
		int x = a[k], j = k - 1;
		while (j >= 0 && a[j] > x) {
			a[j + 1] = a[j];
			j--;
		}
		a[j + 1] = x;
	}
	int sum = 0;
	for (int k = 0; k < n; k++)
		sum = sum * 3 + a[k];
	out[thread()] = sum + a[n / 2] + a[threadIdx.x % n];
}

__global__ void stacks(int *out)
{
	int stack[32], top = 0, sum = 0;
	stack[top++] = drawn(thread()) & 1023;
	while (top) {
		int x = stack[--top];
		sum = sum * 2 + x;
		if (x > 3) {
			stack[top++] = x / 3;
			if (x & 1)
				stack[top++] = x / 5;
		}
	}
	out[thread()] = sum;
}

/* Whole arrays and parts of them, by assignment and by functions. */
struct table {
	int a[12];
};
static __constant__ int constants[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};

__global__ void copies(int *out, const struct table *tables, int which)
{
	struct table own = tables[thread() % 3], other;
	int c[12];
	memcpy(c, constants, sizeof c);
	for (int k = 0; k < 12; k++)
		if ((k + threadIdx.x) % 4 == 0)
			own.a[k] += c[(k * which) % 12];
	other = own;
	memset(&other.a[4], 0xff, 3 * sizeof other.a[0]);
	memcpy(&own.a[which % 6], &other.a[5], 4 * sizeof own.a[0]);
	int sum = 0;
	for (int k = 0; k < 12; k++)
		sum = sum * 7 + own.a[k] - other.a[(k + which) % 12];
	out[thread()] = sum;
}

/* Rows, and elements read in another size. */
__global__ void rows(int *out, int n)
{
	int m[5][6];
	union {
		unsigned long long whole[4];
		unsigned short part[16];
	} u;
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 6; j++)
			m[i][j] = (i + 1) * (j + 2) + drawn(thread() + i * 6 + j) % 9;
	for (int k = 0; k < 4; k++)
		u.whole[k] = (unsigned long long)m[k][k] * 0x1234567ull;
	for (int k = 0; k < n; k++) {
		int *row = m[(k + threadIdx.x) % 5];
		row[k % 6] += m[k % 5][(k * 2) % 6];
		u.part[k % 16] ^= (unsigned short)row[(k + 1) % 6];
	}
	int sum = 0;
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 6; j++)
			sum = sum * 3 + m[i][j];
	out[thread()] = sum + (int)(u.whole[n % 4] >> 13) + u.part[threadIdx.x % 16];
}

static __device__ __noinline__ int reversed(int *p, int n)
{
	for (int k = 0; k < n / 2; k++) {
		int t = p[k];
		p[k] = p[n - 1 - k];
		p[n - 1 - k] = t;
	}
	return p[n / 3];
}

__global__ void given(int *out, int n)
{
	int a[N], b[N];
	for (int k = 0; k < n; k++) {
		a[k] = drawn(thread() + k) % 1000;
		b[k] = a[k] * 3 - k;
	}
	int sum = reversed(a, n) + reversed(&b[2], n - 2);
	int *chosen = threadIdx.x & 1 ? a : b;
	for (int k = 0; k < n; k++)
		sum = sum * 5 + chosen[k] - a[n - 1 - k] * b[k / 2];
	out[thread()] = sum;
}

/* Behind a barrier, and a part whose address was made long before. */
__global__ void kept(int *out, int n)
{
	__shared__ int s[THREADS];
	int a[N], *middle = &a[n / 2];
	for (int k = 0; k < n; k++)
		a[k] = drawn(thread() * 3 + k) % 100;
	for (int r = 0; r < 3; r++) {
		s[threadIdx.x] = middle[r - 1];
		__syncthreads();
		for (int k = 0; k < n; k++)
			a[k] += s[(threadIdx.x + k) % THREADS];
		__syncthreads();
	}
	int sum = 0;
	for (int k = 0; k < n; k++)
		sum = sum * 3 + a[k];
	out[thread()] = sum + *middle;
}

template <typename T, typename F> static void run(const char *name, F launch)
{
	T *out;
	CHECK(cudaMallocManaged(&out, ALL * sizeof *out));
	launch(out);
	CHECK(cudaDeviceSynchronize());
	char line[60];
	for (int block = 0; block < BLOCKS; block++) {
		snprintf(line, sizeof line, "%s, block %d", name, block);
		show(line, out + block * THREADS, THREADS);
	}
	CHECK(cudaFree(out));
}

int main()
{
	struct table *tables;
	CHECK(cudaMallocManaged(&tables, 3 * sizeof *tables));
	for (int i = 0; i < 36; i++)
		tables[i / 12].a[i % 12] = i * i % 23;
	run<int>("in step, int", [](int *p) { in_step<<<BLOCKS, THREADS>>>(p, N, 4); });
	run<short>("in step, short", [](short *p) { in_step<<<BLOCKS, THREADS>>>(p, N - 1, 3); });
	run<unsigned char>("in step, unsigned char",
			   [](unsigned char *p) { in_step<<<BLOCKS, THREADS>>>(p, N, 5); });
	run<long long>("in step, long long", [](long long *p) { in_step<<<BLOCKS, THREADS>>>(p, 7, 9); });
	run<float>("in step, float", [](float *p) { in_step<<<BLOCKS, THREADS>>>(p, N, 2); });
	run<double>("in step, double", [](double *p) { in_step<<<BLOCKS, THREADS>>>(p, N, 2); });
	run<int>("counts, int", [](int *p) { counts<<<BLOCKS, THREADS>>>(p, 40); });
	run<unsigned char>("counts, unsigned char",
			   [](unsigned char *p) { counts<<<BLOCKS, THREADS>>>(p, 25); });
	run<int>("sorted", [](int *p) { sorted<<<BLOCKS, THREADS>>>(p, N); });
	run<int>("sorted, 5", [](int *p) { sorted<<<BLOCKS, THREADS>>>(p, 5); });
	run<int>("stacks", [](int *p) { stacks<<<BLOCKS, THREADS>>>(p); });
	run<int>("copies", [&](int *p) { copies<<<BLOCKS, THREADS>>>(p, tables, 5); });
	run<int>("rows", [](int *p) { rows<<<BLOCKS, THREADS>>>(p, 50); });
	run<int>("given", [](int *p) { given<<<BLOCKS, THREADS>>>(p, N); });
	run<int>("kept", [](int *p) { kept<<<BLOCKS, THREADS>>>(p, N); });
	CHECK(cudaFree(tables));
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Thirty programs with a bug each: a kernel ends with a wrong value in *bad. The line that causes it
// says "cause N". Each is run by its number; "look" is where one stops.
#include <cmath>
#include <cstdio>
#include <cstdlib>

enum { N = 64 };
__device__ int table[N], scratch[N];
__device__ float real[N];
__device__ double total;
__managed__ int shared_with_host[N];

__global__ void look(const void *bad)
{
	if (!bad)
		table[0] = 0;
}

__device__ int half(int x)
{
	return x / 2;
}

__global__ void fill(int *a, int factor)
{
	a[threadIdx.x] = threadIdx.x * factor; // cause 1 2
}

__global__ void copy(const int *a, int *b)
{
	b[threadIdx.x] = a[threadIdx.x];
}

__global__ void reverse_in_place(int *a)
{
	int t = threadIdx.x;
	a[N - 1 - t] = a[t]; // cause 3
}

__global__ void shifted(const int *a, int *b)
{
	b[threadIdx.x + 1] = a[threadIdx.x]; // cause 4
}

__global__ void tile(const int *a, int *b)
{
	__shared__ int s[N];
	int t = threadIdx.x;
	s[t] = a[t];
	if (t == 9)
		s[8] = 7; // cause 5
	__syncthreads();
	b[t] = s[t];
}

__global__ void stale(const int *a, int *b, int n)
{
	__shared__ int s[N];
	int t = threadIdx.x;
	s[t] = -1; // cause 6
	__syncthreads();
	if (t < n)
		s[t] = a[t];
	__syncthreads();
	b[t] = s[t];
}

__global__ void scale(float *x, float by)
{
	x[threadIdx.x] *= by; // cause 7
}

__global__ void roots(float *x)
{
	x[threadIdx.x] = sqrtf(x[threadIdx.x] - 3); // cause 8
}

__global__ void inverse(float *x)
{
	x[threadIdx.x] = 1 / x[threadIdx.x]; // cause 9
}

__global__ void sum(const float *x)
{
	double s = 0;
	for (int k = 0; k < N; k++)
		s += x[k];
	total = s;
}

__global__ void counts(int *a)
{
	atomicAdd(&a[threadIdx.x % 4], 1);
	if (threadIdx.x == 61)
		a[1] = 0; // cause 10
}

__global__ void lost(int *a)
{
	a[0] = a[0] + 1; // cause 11
}

__global__ void overlapping(int *a)
{
	int *b = a + 32;
	a[threadIdx.x] = 1; // cause 12
	b[threadIdx.x] = 2;
}

__global__ void halves(int *a)
{
	a[threadIdx.x] = half(a[threadIdx.x]); // cause 13
}

struct Pair {
	int key, value;
};
__global__ void pairs(Pair *p)
{
	p[threadIdx.x].key = threadIdx.x;
	p[threadIdx.x].value = threadIdx.x * 2;
	if (threadIdx.x == 5)
		p[threadIdx.x - 1] = p[threadIdx.x]; // cause 14
}

__global__ void narrow(char *c)
{
	c[threadIdx.x] = (char)(threadIdx.x * 5); // cause 15
}

__global__ void widen(const char *c, int *a)
{
	a[threadIdx.x] = c[threadIdx.x];
}

__global__ void table_of(int by)
{
	table[threadIdx.x] = threadIdx.x + by; // cause 16
}

__global__ void through_table(int *a)
{
	a[threadIdx.x] = table[threadIdx.x];
}

__global__ void by_pointer(int **where, int *a)
{
	where[threadIdx.x] = &a[threadIdx.x / 2]; // cause 17
}

__global__ void store_there(int **where)
{
	*where[threadIdx.x] = threadIdx.x;
}

__global__ void last_wins(int *a)
{
	for (int k = 0; k < 3; k++)
		a[threadIdx.x] = k; // cause 18
}

__global__ void shuffle_sum(int *a)
{
	int v = threadIdx.x;
	for (int d = 16; d; d >>= 1)
		v += __shfl_down_sync(~0u, v, d);
	if (threadIdx.x == 1)
		a[0] = v; // cause 19
}

__global__ void two_blocks(int *a)
{
	a[threadIdx.x] = blockIdx.x; // cause 20
}

__global__ void clear(int *a)
{
	a[threadIdx.x] = 0; // cause 21
}

__global__ void managed()
{
	shared_with_host[threadIdx.x] = threadIdx.x; // cause 22
}

__global__ void doubled(const int *index, int *a)
{
	a[index[threadIdx.x]] *= 2;
}

__global__ void indices(int *index)
{
	index[threadIdx.x] = threadIdx.x & 62; // cause 23
}

__global__ void prefix(int *a)
{
	for (int k = 1; k < N; k++)
		a[k] = a[k] + a[k - 1]; // cause 24
}

__global__ void sorted(int *a)
{
	for (int k = 0; k + 1 < N; k++)
		if (a[k] < a[k + 1]) {
			int x = a[k];
			a[k] = a[k + 1];
			a[k + 1] = x; // cause 25
		}
}

__global__ void quarter(int *a)
{
	int4 *q = (int4 *)a;
	if (threadIdx.x < 16)
		q[threadIdx.x] = make_int4(1, 2, 3, threadIdx.x); // cause 26
}

__global__ void extremes(int *a)
{
	atomicMax(&a[0], (int)threadIdx.x); // cause 27
}

__global__ void bits(unsigned *a)
{
	atomicXor(&a[0], 1u << (threadIdx.x % 31)); // cause 28
}

__global__ void matrix(int *a)
{
	int row = threadIdx.x / 8, column = threadIdx.x % 8;
	a[column * 8 + row] = row * 8 + column; // cause 29
}

__global__ void heap(int **where)
{
	*where = new int[4];
	(*where)[2] = 5; // cause 30
}

template <class T> static T *made(size_t n)
{
	T *ret;
	cudaMalloc(&ret, n * sizeof *ret);
	cudaMemset(ret, 0, n * sizeof *ret);
	return ret;
}

int main(int argc, char **argv)
{
	int which = argc > 1 ? atoi(argv[1]) : 0;
	int *a = made<int>(2 * N), *b = made<int>(2 * N);
	float *x = made<float>(N);
	Pair *p = made<Pair>(N);
	char *c = made<char>(N);
	int **where = made<int *>(N);
	float ones[N];
	for (int i = 0; i < N; i++)
		ones[i] = (float)i;
	cudaMemcpy(x, ones, sizeof ones, cudaMemcpyHostToDevice);
	switch (which) {
	case 1: fill<<<1, N>>>(a, 3); break;
	case 2: fill<<<1, N>>>(a, 2), copy<<<1, N>>>(a, b); break;
	case 3: fill<<<1, N>>>(a, 1), reverse_in_place<<<1, N>>>(a), copy<<<1, N>>>(a, b); break;
	case 4: fill<<<1, N>>>(a, 1), shifted<<<1, N>>>(a, b); break;
	case 5: fill<<<1, N>>>(a, 1), tile<<<1, N>>>(a, b); break;
	case 6: fill<<<1, N>>>(a, 1), stale<<<1, N>>>(a, b, 40); break;
	case 7: scale<<<1, N>>>(x, NAN), inverse<<<1, N>>>(x), sum<<<1, 1>>>(x); break;
	case 8: roots<<<1, N>>>(x), sum<<<1, 1>>>(x); break;
	case 9: inverse<<<1, N>>>(x), scale<<<1, N>>>(x, 2), sum<<<1, 1>>>(x); break;
	case 10: counts<<<1, N>>>(a); break;
	case 11: lost<<<1, N>>>(a), copy<<<1, N>>>(a, b); break;
	case 12: overlapping<<<1, N>>>(a), copy<<<1, N>>>(a, b); break;
	case 13: fill<<<1, N>>>(a, 1), halves<<<1, N>>>(a), copy<<<1, N>>>(a, b); break;
	case 14: pairs<<<1, N>>>(p); break;
	case 15: narrow<<<1, N>>>(c), widen<<<1, N>>>(c, a), copy<<<1, N>>>(a, b); break;
	case 16: table_of<<<1, N>>>(2), through_table<<<1, N>>>(a), copy<<<1, N>>>(a, b); break;
	case 17: by_pointer<<<1, N>>>(where, a), store_there<<<1, N>>>(where); break;
	case 18: last_wins<<<1, N>>>(a), copy<<<1, N>>>(a, b); break;
	case 19: shuffle_sum<<<1, 32>>>(a), copy<<<1, N>>>(a, b); break;
	case 20: two_blocks<<<2, N>>>(a), copy<<<1, N>>>(a, b); break;
	case 21: fill<<<1, N>>>(a, 1), clear<<<1, N>>>(a), copy<<<1, N>>>(a, b); break;
	case 22: managed<<<1, N>>>(), copy<<<1, N>>>(shared_with_host, b); break;
	case 23: fill<<<1, N>>>(a, 1), indices<<<1, N>>>(b), doubled<<<1, N>>>(b, a); break;
	case 24: fill<<<1, N>>>(a, 1), prefix<<<1, 1>>>(a), copy<<<1, N>>>(a, b); break;
	case 25: fill<<<1, N>>>(a, 1), sorted<<<1, 1>>>(a), copy<<<1, N>>>(a, b); break;
	case 26: quarter<<<1, N>>>(a), copy<<<1, N>>>(a, b); break;
	case 27: extremes<<<1, N>>>(a), copy<<<1, N>>>(a, b); break;
	case 28: bits<<<1, N>>>((unsigned *)a), copy<<<1, N>>>(a, b); break;
	case 29: matrix<<<1, N>>>(a), copy<<<1, N>>>(a, b); break;
	case 30: heap<<<1, 1>>>(where); break;
	}
	look<<<1, 1>>>(b);
	printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
	return 0;
}

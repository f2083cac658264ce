/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of what nobody wrote. */
#include <cuda/std/tuple>
#include <cuda/std/utility>

#include "../cases.h"

#include <cuda.h>

template <typename T> struct raw_array {
	T *p = nullptr;
	explicit raw_array(size_t n) { cudaMalloc(&p, n * sizeof(T)); }
	~raw_array() { cudaFree(p); }
	operator T *() const { return p; }
};

/* ---- global memory -------------------------------------------------------- */

__global__ void add_one(int *data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; } /* FINDS(bytes_set_guilty): uninitialized */
/* cudaMemset() counts bytes, not elements. */
CASE(bytes_set_guilty) { raw_array<int> a(128); cudaMemset(a, 0, 128); add_one<<<2, 64>>>(a); }
CASE(bytes_set_innocent) { raw_array<int> a(128); cudaMemset(a, 0, 128 * sizeof(int)); add_one<<<2, 64>>>(a); }

__global__ void sum(const float *x, float *out, int n)
{
	float s = 0;
	for (int i = 0; i < n; i++)
		s += x[i];                                       /* FINDS(short_copy_guilty): uninitialized */
	*out = s;
}
CASE(short_copy_guilty)
{
	float host[32] = {};
	raw_array<float> a(32), out(1);
	cudaMemcpy(a, host, sizeof host - 4, cudaMemcpyHostToDevice);
	sum<<<1, 1>>>(a, out, 32);
}
CASE(short_copy_innocent)
{
	float host[32] = {};
	raw_array<float> a(32), out(1);
	cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
	sum<<<1, 1>>>(a, out, 32);
}

/* An accumulator nobody sets to zero. */
__global__ void accumulate(float *total) { atomicAdd(total, 1.0f); } /* FINDS(total_guilty): uninitialized */
CASE(total_guilty) { raw_array<float> a(1); accumulate<<<1, 32>>>(a); }
CASE(total_innocent) { raw_array<float> a(1); cudaMemsetAsync(a, 0, 4); accumulate<<<1, 32>>>(a); }

/* The last elements are left out by a rounding of the grid. */
__global__ void fill(int *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		data[i] = i;
}
__global__ void use(const int *data, int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = data[i];                                /* FINDS(rest_guilty): uninitialized */
}
CASE(rest_guilty) { raw_array<int> a(100), b(100); fill<<<100 / 32, 32>>>(a, 100); use<<<4, 32>>>(a, b, 100); }
CASE(rest_innocent) { raw_array<int> a(100), b(100); fill<<<(100 + 31) / 32, 32>>>(a, 100); use<<<4, 32>>>(a, b, 100); }

/* What is copied on the device is as written as its source. */
CASE(handed_on_guilty)                                           /* FINDS(handed_on_guilty): uninitialized anywhere */
{
	raw_array<int> a(64), b(64), c(64);
	fill<<<1, 32>>>(a, 32);
	cudaMemcpy(b, a, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
	use<<<2, 32>>>(b, c, 64);
}
CASE(handed_on_innocent)
{
	raw_array<int> a(64), b(64), c(64);
	fill<<<2, 32>>>(a, 64);
	cudaMemcpy(b, a, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
	use<<<2, 32>>>(b, c, 64);
}

/* Memory that is freed and taken again holds nothing. */
CASE(again_guilty)                                               /* FINDS(again_guilty): uninitialized anywhere */
{
	int *a, *b;
	raw_array<int> out(64);
	cudaMalloc(&a, 256);
	fill<<<2, 32>>>(a, 64);
	cudaFree(a);
	cudaMalloc(&b, 256);
	use<<<2, 32>>>(b, out, 64);
	cudaDeviceSynchronize();
	cudaFree(b);
}
CASE(again_innocent)
{
	raw_array<int> a(64), out(64);
	fill<<<2, 32>>>(a, 64);
	use<<<2, 32>>>(a, out, 64);
}

/* Single bytes. */
__global__ void byte_of(unsigned char *p, int i) { p[3] = 0; p[i] += 1; } /* FINDS(byte_guilty): uninitialized */
CASE(byte_guilty) { raw_array<unsigned char> a(8); byte_of<<<1, 1>>>(a, 2); }
CASE(byte_innocent) { raw_array<unsigned char> a(8); byte_of<<<1, 1>>>(a, 3); }

/* Padding that a structure's copy takes along is not read. */
struct padded {
	char c;
	double d;
};
__global__ void structures(padded *p, bool all)
{
	if (all) {
		p[0].c = 1;
		p[0].d = 2;
	}
	p[1] = p[0];                                             /* FINDS(structure_guilty): uninitialized */
}
CASE(structure_guilty) { raw_array<padded> a(2); structures<<<1, 1>>>(a, false); }
CASE(structure_innocent) { raw_array<padded> a(2); structures<<<1, 1>>>(a, true); }

/* The device's heap. */
__global__ void heap(int *out, bool set)
{
	int *p = (int *)malloc(16);
	if (set)
		p[1] = 1;
	*out = p[1];                                             /* FINDS(heap_guilty): uninitialized */
	free(p);
}
CASE(heap_guilty) { raw_array<int> a(1); heap<<<1, 1>>>(a, false); }
CASE(heap_innocent) { raw_array<int> a(1); heap<<<1, 1>>>(a, true); }

/* ---- constants ------------------------------------------------------------ */

__constant__ float weights[8], copied_weights[8], part[8];
__constant__ float given[2] = {1, 2};

template <bool COPIED> __global__ void weigh(float *out, int i)
{
	if (COPIED)
		*out = copied_weights[i] + part[i] + given[i & 1];
	else
		*out = weights[i];                               /* FINDS(constant_guilty): constant-not-copied */
}
/* SAYS(constant_guilty): In the __constant__ variable weights of size 32 bytes, which contains only zeros */
CASE(constant_guilty)
{
	raw_array<float> out(1);
	float zeros[8] = {0};
	cudaMemcpyToSymbol(part, zeros, sizeof zeros);
	weigh<false><<<1, 1>>>(out, 3);
}
CASE(constant_innocent) /* zeros, too, are a value; and who copies a part may mean the rest */
{
	raw_array<float> out(1);
	float zeros[8] = {0};
	cudaMemcpyToSymbol(copied_weights, zeros, sizeof zeros);
	cudaMemcpyToSymbol(part, zeros, sizeof zeros[0]);
	weigh<true><<<1, 1>>>(out, 3);
}

/* ---- shared memory -------------------------------------------------------- */

template <int FILL> __global__ void window(int *out)
{
	__shared__ int s[64];
	if (threadIdx.x < FILL)
		s[threadIdx.x] = 1;
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x];                       /* FINDS(window_guilty): uninitialized */
}
/* SAYS(window_guilty): and is 252 bytes into the __shared__ variable s at */
CASE(window_guilty) { raw_array<int> a(64); window<63><<<1, 64>>>(a); }
CASE(window_innocent) { raw_array<int> a(64); window<64><<<1, 64>>>(a); }

/* What a block left there is not the next one's. */
__global__ void later(int *out)
{
	extern __shared__ int d[];
	if (blockIdx.x == 0)
		d[threadIdx.x] = 7;
	out[blockIdx.x * blockDim.x + threadIdx.x] = d[threadIdx.x]; /* FINDS(later_guilty): uninitialized */
}
CASE(later_guilty) { raw_array<int> a(64); later<<<2, 32, 128>>>(a); }
CASE(later_innocent) { raw_array<int> a(64); later<<<1, 32, 128>>>(a); }

/* A halo that nobody loads. */
template <bool HALO> __global__ void halo(const int *in, int *out)
{
	__shared__ int s[34];
	int t = threadIdx.x;
	s[t + 1] = in[t];
	if (HALO && t == 0)
		s[0] = s[33] = 0;
	__syncthreads();
	out[t] = s[t] + s[t + 2];                                /* FINDS(halo_guilty): uninitialized */
}
CASE(halo_guilty) { device_array<int> a(32), b(32); halo<false><<<1, 32>>>(a, b); }
CASE(halo_innocent) { device_array<int> a(32), b(32); halo<true><<<1, 32>>>(a, b); }

/* ---- structures that the toolkit's headers copy ---------------------------- */

/* In parts, of which one is the padding between the members. */
template <typename T, bool fixed> __global__ void latest(T *out)
{
	__shared__ T s[64];
	int t = threadIdx.x;
	T mine(t, 2 * t);
	if (fixed || t != 5)
		s[t] = mine;
	__syncthreads();
	out[t] = cuda::std::exchange(s[t ^ 1], mine);            /* FINDS(pair_guilty): uninitialized */
}
template <typename T, bool fixed> static void run_latest()
{
	raw_array<T> out(64);
	latest<T, fixed><<<1, 64>>>(out);
	cudaDeviceSynchronize();
}
CASE(pair_guilty) { run_latest<cuda::std::pair<int, long long>, false>(); }
CASE(pair_innocent)
{
	run_latest<cuda::std::pair<int, long long>, true>();
	run_latest<cuda::std::tuple<bool, long long>, true>();
	run_latest<cuda::std::tuple<char, short, double>, true>();
}

/* ---- copies to the host --------------------------------------------------- */

/* FINDS(home_guilty): uninitialized-copy anywhere */
CASE(home_guilty)
{
	int host[64];
	raw_array<int> a(64);
	fill<<<1, 32>>>(a, 64);
	cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
}
CASE(home_innocent)
{
	int host[64];
	raw_array<int> a(64);
	fill<<<2, 32>>>(a, 64);
	cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
}

/* ---- what is written without being seen ----------------------------------- */

__device__ int variable[32];
__global__ void variables(int *out) { out[threadIdx.x] = variable[threadIdx.x]; }
CASE(variables_innocent) { raw_array<int> a(32); variables<<<1, 32>>>(a); }
CASE(managed_innocent)
{
	int *m;
	raw_array<int> out(32);
	cudaMallocManaged(&m, 128);
	for (int i = 0; i < 32; i++)
		m[i] = i;
	use<<<1, 32>>>(m, out, 32);
	cudaDeviceSynchronize();
	cudaFree(m);
}

/* ---- words that streams write ----------------------------------------------- */

__global__ void next_word(const unsigned *word, unsigned *out) { *out = *word + 1; } /* FINDS(word_guilty): uninitialized */
CASE(word_innocent)
{
	raw_array<unsigned> w(4), out(1);
	cuStreamWriteValue32(0, (CUdeviceptr)(unsigned *)w, 5, 0);
	cuStreamWriteValue64(0, (CUdeviceptr)(w + 2), 6, 0);
	next_word<<<1, 1>>>(w, out);
	next_word<<<1, 1>>>(w + 3, out);
}
CASE(word_guilty)
{
	raw_array<unsigned> w(4), out(1);
	cuStreamWriteValue32(0, (CUdeviceptr)(unsigned *)w, 5, 0);
	next_word<<<1, 1>>>(w + 1, out);
}

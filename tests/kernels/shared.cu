/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory: static, dynamic, both; structs with alignment; two-dimensional;
 * device functions with shared variables of their own that several kernels call. */
#include "case.cuh"

__global__ void statically(int *out)
{
	__shared__ int tile[64];
	tile[threadIdx.x] = threadIdx.x * threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void dynamically(int *out)
{
	extern __shared__ int tile[];
	tile[threadIdx.x] = threadIdx.x + 100 * blockIdx.x;
	__syncthreads();
	out[blockIdx.x * blockDim.x + threadIdx.x] = tile[(threadIdx.x + 1) % blockDim.x];
}

/* Addresses of shared variables as initial values: of an array, of a structure's members, in a
 * loop, and handed to a function. */
struct element {
	int v;
};
struct ends {
	element *first[2];
	int offset;
	element *last;
};

__device__ __noinline__ int third_of(element *const *tables, int which)
{
	return tables[which][3].v;
}

__global__ void initial(int *out)
{
	__shared__ element upper[32];
	__shared__ element lower[32];
	element *halves[2] = {upper, lower};
	const ends both = {{upper + 1, &lower[2]}, 7, lower + 31};
	int i = threadIdx.x, sum = 0;
	upper[i].v = i + 32 * blockIdx.x;
	lower[i].v = 1000 + i;
	__syncthreads();
	for (int n = 0; n < 3; n++) {
		element *turned[2] = {lower, upper};
		sum += turned[n & 1][n].v;
		turned[0] = turned[1];
	}
	out[64 * blockIdx.x + i] = halves[i & 1][31 - i].v;
	out[64 * blockIdx.x + 32 + i] = sum + both.first[i & 1]->v + both.offset + both.last->v +
					third_of(halves, i & 1);
	__syncthreads();
}

/* Two extern arrays are one memory. */
__global__ void aliased(uint32_t *out)
{
	extern __shared__ int as_int[];
	extern __shared__ float as_float[];
	extern __shared__ double as_double[];
	as_int[threadIdx.x] = 0x3f800000 + threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = __float_as_uint(as_float[threadIdx.x]);
	if (threadIdx.x == 0)
		out[blockDim.x] = (void *)as_int == (void *)as_double;
}

__global__ void partitioned(double *out, int n)
{
	extern __shared__ unsigned char raw[];
	double *d = (double *)raw;
	float *f = (float *)(d + n);
	short *s = (short *)(f + n);
	int i = threadIdx.x;
	d[i] = 1.5 * i;
	f[i] = 0.25f * i;
	s[i] = -i;
	__syncthreads();
	int j = (i + 5) % n;
	out[i] = d[j] + f[j] + s[j];
}

struct __align__(16) cell {
	float4 v;
	char tag;
};
struct odd {
	char c[3];
	short s;
	double d;
};

__global__ void structured(uint64_t *out)
{
	__shared__ cell cells[8];
	__shared__ odd odds[8];
	__shared__ char loose[3];
	__shared__ __align__(128) int aligned[8];
	int i = threadIdx.x;
	cells[i].v = make_float4(i, i + 1, i + 2, i + 3);
	cells[i].tag = 'a' + i;
	odds[i].c[1] = i;
	odds[i].s = 300 * i;
	odds[i].d = 0.5 * i;
	aligned[i] = i;
	loose[i % 3] = 7;
	__syncthreads();
	int j = 7 - i;
	out[4 * i] = __double_as_longlong(cells[j].v.x + cells[j].v.w * odds[j].d);
	out[4 * i + 1] = cells[j].tag + odds[j].c[1] + odds[j].s + loose[0] + aligned[j];
	out[4 * i + 2] = ((uintptr_t)&cells[i] % 16) + ((uintptr_t)&odds[i] % 8) + ((uintptr_t)aligned % 128);
	out[4 * i + 3] = sizeof(cell) << 16 | sizeof(odd);
}

template <typename T, int N> __global__ void transpose(T *out, const T *in)
{
	__shared__ T tile[N][N + 1];
	int x = threadIdx.x, y = threadIdx.y;
	tile[y][x] = in[y * N + x];
	__syncthreads();
	out[y * N + x] = tile[x][y];
}

/* Called by two kernels; its shared variable belongs to the block of each. */
__device__ int running(int value)
{
	__shared__ int buffer[32];
	__shared__ int calls;
	if (threadIdx.x == 0)
		calls = 0;
	__syncthreads();
	buffer[threadIdx.x] = value;
	atomicAdd(&calls, 1);
	__syncthreads();
	int sum = calls * 1000;
	for (int i = 0; i <= threadIdx.x; i++)
		sum += buffer[i];
	__syncthreads();
	return sum;
}

__global__ void user_one(int *out)
{
	__shared__ int own[32];
	own[threadIdx.x] = 5;
	out[threadIdx.x] = running(threadIdx.x) + own[31 - threadIdx.x];
}

__global__ void user_two(int *out)
{
	__shared__ double own[32];
	own[threadIdx.x] = 0.5;
	int first = running(1);
	int second = running(2);
	out[threadIdx.x] = first + second + (int)(2 * own[threadIdx.x ^ 1]);
}

/* A shared variable of a template's instances is one for each instance. */
template <int N> __device__ int *slot()
{
	__shared__ int s;
	return &s;
}

__global__ void instances(int *out)
{
	if (threadIdx.x == 0) {
		*slot<1>() = 10;
		*slot<2>() = 20;
	}
	__syncthreads();
	out[threadIdx.x] = *slot<1>() + 100 * *slot<2>() + (slot<1>() == slot<2>());
}

/* Each block has its own. */
__global__ void separate(int *out)
{
	__shared__ int mine;
	if (threadIdx.x == 0)
		mine = blockIdx.x;
	__syncthreads();
	atomicAdd(&mine, 10);
	__syncthreads();
	if (threadIdx.x == 1)
		out[blockIdx.x] = mine;
}

/* A generic pointer to shared memory through a function that does not know. */
__device__ __noinline__ void add_to(int *where, int value)
{
	*where += value;
}

__global__ void generic(int *out)
{
	__shared__ int s[32];
	int local[2] = {(int)threadIdx.x, 3};
	s[threadIdx.x] = 1;
	add_to(&s[threadIdx.x], 5);
	add_to(&local[threadIdx.x & 1], 7);
	add_to(&out[threadIdx.x], 11);
	__syncthreads();
	int *p = threadIdx.x % 2 ? &s[threadIdx.x - 1] : &local[0];
	add_to(p, 1);
	__syncthreads();
	out[threadIdx.x] += 100 * s[threadIdx.x] + 10000 * local[0];
}

__global__ void vectors(float *out)
{
	__shared__ float4 v[16];
	__shared__ double2 d[16];
	int i = threadIdx.x;
	v[i] = make_float4(i, 2 * i, 3 * i, 4 * i);
	d[i] = make_double2(0.5 * i, -i);
	__syncthreads();
	float *flat = (float *)v;
	out[i] = flat[4 * i + 3] + flat[63 - i] + (float)d[15 - i].x;
}

/* The dynamic part after the static one, as large as allowed. */
__global__ void large(uint32_t *out, int words)
{
	extern __shared__ uint32_t words_there[];
	for (int i = threadIdx.x; i < words; i += blockDim.x)
		words_there[i] = i * 2654435761u;
	__syncthreads();
	uint32_t sum = 0;
	for (int i = threadIdx.x; i < words; i += blockDim.x)
		sum ^= words_there[words - 1 - i];
	out[threadIdx.x] = sum;
}

/* Addresses of shared memory have 32 bits: an unsigned index counts down from one of them as
 * a negative one does. Of words that hold their own number, thread t finds 127 - t, 63 - t
 * and 126 - t: 316 - 3 * t in all. */
__device__ __forceinline__ uint32_t apart(const uint32_t *p, uint32_t a, uint32_t b)
{
	return p[a - b];
}

__global__ void downwards(uint32_t *out)
{
	__shared__ uint32_t words_down[192];
	for (uint32_t i = threadIdx.x; i < 192; i += blockDim.x)
		words_down[i] = i;
	__syncthreads();
	uint32_t t = threadIdx.x;
	const uint32_t *high = words_down + 64, *higher = high + 64;
	out[t] = higher[~t] + high[-1 - t] + apart(higher, 62, t + 64);
}

int main()
{
	run("static", 64, 1, 64, statically);
	{
		memory<int> out(60);
		dynamically<<<3, 20, 20 * sizeof(int)>>>(out.there);
		out.show("dynamic");
	}
	{
		memory<uint32_t> out(17);
		aliased<<<1, 16, 128>>>(out.there);
		out.show("extern arrays are one memory");
	}
	{
		memory<double> out(24);
		partitioned<<<1, 24, 24 * 14>>>(out.there, 24);
		out.show("partitioned");
	}
	run("structs with alignment", 32, 1, 8, structured);
	std::vector<float> f(256);
	std::vector<char> c(64);
	for (int i = 0; i < 256; i++)
		f[i] = i * 0.5f;
	for (int i = 0; i < 64; i++)
		c[i] = i;
	memory<float> df(f);
	memory<char> dc(c);
	run("transpose float", 256, 1, dim3(16, 16), transpose<float, 16>, (const float *)df.there);
	run("transpose char", 64, 1, dim3(8, 8), transpose<char, 8>, (const char *)dc.there);
	run("shared variable of a function, first kernel", 32, 1, 32, user_one);
	run("shared variable of a function, second kernel", 32, 1, 32, user_two);
	run("shared variable of a template", 32, 1, 32, instances);
	run("one for each block", 40, 40, 33, separate);
	run("generic pointers", 32, 1, 32, generic);
	run("vectors", 16, 1, 16, vectors);
	{
		memory<uint32_t> out(64);
		downwards<<<1, 64>>>(out.there);
		out.show("downwards");
	}
	CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
	memory<uint32_t> out(64);
	large<<<2, 64, 232448>>>(out.there, 232448 / 4);
	CHECK(cudaDeviceSynchronize());
	out.show("227 KiB");
	run("addresses as initial values", 64, 1, 32, initial);
	return 0;
}

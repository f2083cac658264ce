/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to global and constant memory. */
#include "../case.cuh"

/* ---- off the end -------------------------------------------------------------- */

/* The guard of the tail is one too far. */
__global__ void scale(float *a, int n, int bound)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i <= bound)
		a[i] *= 2.0f; // EXPECT off_by_one: out-of-bounds read, EXPECT off_by_one: out-of-bounds write
}
static void run_scale(int bound)
{
	float *a;
	cudaMalloc(&a, 100 * sizeof *a);
	cudaMemset(a, 0, 100 * sizeof *a);
	scale<<<1, 128>>>(a, 100, bound);
	cudaFree(a);
}
CASE(off_by_one) { run_scale(100); }
CASE(off_by_one_fixed) { run_scale(99); }

/* The grid is rounded up, the guard is missing. */
__global__ void fill(int *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		a[i] = i; // EXPECT no_guard: out-of-bounds write
}
static void run_fill(int n)
{
	int *a;
	cudaMalloc(&a, 1000 * sizeof *a);
	fill<<<4, 256>>>(a, n);
	cudaFree(a);
}
CASE(no_guard) { run_fill(1024); }
CASE(no_guard_fixed) { run_fill(1000); }

/* The left neighbour of the first element. */
__global__ void difference(const int *a, int *d, int first)
{
	int i = threadIdx.x + first;
	d[i] = a[i] - a[i - 1]; // EXPECT before_begin: out-of-bounds read
}
static void run_difference(int first)
{
	int *a, *d;
	cudaMalloc(&a, 64 * sizeof *a);
	cudaMalloc(&d, 64 * sizeof *d);
	cudaMemset(a, 0, 64 * sizeof *a);
	difference<<<1, 63>>>(a, d, first);
	cudaFree(a);
	cudaFree(d);
}
CASE(before_begin) { run_difference(0); }
CASE(before_begin_fixed) { run_difference(1); }

/* Two small allocations that lie side by side on a GPU. */
__global__ void put_at(int *a, int i)
{
	a[i] = 7; // EXPECT into_neighbour: out-of-bounds write
}
static void run_neighbour(int i)
{
	int *a, *b;
	cudaMalloc(&a, 512);
	cudaMalloc(&b, 512);
	put_at<<<1, 1>>>(a, i);
	cudaFree(a);
	cudaFree(b);
}
CASE(into_neighbour) { run_neighbour(128 + 5); }
CASE(into_neighbour_fixed) { run_neighbour(127); }

/* The last vector reaches over the end. */
__global__ void sum4(const float4 *a, float *s)
{
	float4 v = a[threadIdx.x]; // EXPECT vector_tail: out-of-bounds read
	s[threadIdx.x] = v.x + v.y + v.z + v.w;
}
static void run_sum4(int n)
{
	float *a, *s;
	cudaMalloc(&a, n * sizeof *a);
	cudaMemset(a, 0, n * sizeof *a);
	cudaMalloc(&s, 8 * sizeof *s);
	sum4<<<1, 8>>>((const float4 *)a, s);
	cudaFree(a);
	cudaFree(s);
}
CASE(vector_tail) { run_sum4(30); }
CASE(vector_tail_fixed) { run_sum4(32); }

/* Rows and columns are mixed up. */
__global__ void transpose(const int *a, int *t, int w, int h, int pitch)
{
	int x = threadIdx.x, y = threadIdx.y;
	t[x * pitch + y] = a[y * w + x]; // EXPECT transposed: out-of-bounds write
}
static void run_transpose(int pitch)
{
	int *a, *t;
	cudaMalloc(&a, 16 * 4 * sizeof *a);
	cudaMemset(a, 0, 16 * 4 * sizeof *a);
	cudaMalloc(&t, 16 * 4 * sizeof *t);
	transpose<<<1, dim3(16, 4)>>>(a, t, 16, 4, pitch);
	cudaFree(a);
	cudaFree(t);
}
CASE(transposed) { run_transpose(16); }
CASE(transposed_fixed) { run_transpose(4); }

/* Bins that nobody has made. */
__global__ void histogram(const unsigned char *a, unsigned *bins)
{
	atomicAdd(&bins[a[threadIdx.x]], 1u); // EXPECT histogram_bin: out-of-bounds atomic
}
static void run_histogram(int value)
{
	unsigned char *a;
	unsigned *bins;
	cudaMalloc(&a, 32);
	cudaMalloc(&bins, 16 * sizeof *bins);
	cudaMemset(a, value, 32);
	cudaMemset(bins, 0, 16 * sizeof *bins);
	histogram<<<1, 32>>>(a, bins);
	cudaFree(a);
	cudaFree(bins);
}
CASE(histogram_bin) { run_histogram(16); }
CASE(histogram_bin_fixed) { run_histogram(15); }

/* An index that was never set, far away. */
__global__ void gather(const int *index, int *a)
{
	int i = index[threadIdx.x];
	a[i] = 1; // EXPECT wild_index: out-of-bounds write
}
static void run_gather(int value)
{
	int *index, *a;
	cudaMalloc(&index, sizeof *index);
	cudaMemcpy(index, &value, sizeof value, cudaMemcpyHostToDevice);
	cudaMalloc(&a, 256 * sizeof *a);
	gather<<<1, 1>>>(index, a);
	cudaFree(index);
	cudaFree(a);
}
CASE(wild_index) { run_gather(200000); }
CASE(wild_index_fixed) { run_gather(200); }

/* In a function that the kernel calls. */
__device__ void store(int *p, int v)
{
	*p = v; // EXPECT in_callee: out-of-bounds write
}
__global__ void calls(int *a, int i)
{
	store(a + i, 1);
}
static void run_calls(int i)
{
	int *a;
	cudaMalloc(&a, 16 * sizeof *a);
	calls<<<1, 1>>>(a, i);
	cudaFree(a);
}
CASE(in_callee) { run_calls(16); }
CASE(in_callee_fixed) { run_calls(15); }

/* memcpy() in a kernel. */
__global__ void copies(char *to, const char *from, int n)
{
	memcpy(to, from, n); // EXPECT device_memcpy: out-of-bounds write
}
static void run_copies(int n)
{
	char *a, *b;
	cudaMalloc(&a, 100);
	cudaMalloc(&b, 200);
	cudaMemset(b, 0, 200);
	copies<<<1, 1>>>(a, b, n);
	cudaFree(a);
	cudaFree(b);
}
CASE(device_memcpy) { run_copies(101); }
CASE(device_memcpy_fixed) { run_copies(100); }

/* ---- freed, null, of the host --------------------------------------------------- */

__global__ void touch(int *a)
{
	a[threadIdx.x] = 1; // EXPECT freed: use-after-free write, EXPECT freed_and_new: use-after-free write, EXPECT async_freed: use-after-free write
}
CASE(freed)
{
	int *a;
	cudaMalloc(&a, 32 * sizeof *a);
	cudaFree(a);
	touch<<<1, 32>>>(a);
}
CASE(freed_fixed)
{
	int *a;
	cudaMalloc(&a, 32 * sizeof *a);
	touch<<<1, 32>>>(a);
	cudaFree(a);
}
/* A new allocation of the same size would have the same place. */
CASE(freed_and_new)
{
	int *a, *b;
	cudaMalloc(&a, 32 * sizeof *a);
	cudaFree(a);
	cudaMalloc(&b, 32 * sizeof *b);
	touch<<<1, 32>>>(a);
	cudaFree(b);
}
CASE(freed_and_new_fixed)
{
	int *a, *b;
	cudaMalloc(&a, 32 * sizeof *a);
	cudaFree(a);
	cudaMalloc(&b, 32 * sizeof *b);
	touch<<<1, 32>>>(b);
	cudaFree(b);
}
CASE(async_freed)
{
	int *a;
	cudaMallocAsync(&a, 32 * sizeof *a, 0);
	cudaFreeAsync(a, 0);
	cudaStreamSynchronize(0);
	touch<<<1, 32>>>(a);
}
CASE(async_freed_fixed)
{
	int *a;
	cudaMallocAsync(&a, 32 * sizeof *a, 0);
	touch<<<1, 32>>>(a);
	cudaFreeAsync(a, 0);
}

struct node {
	int value;
	node *next;
};
__global__ void walk(node *n, int steps)
{
	for (int i = 0; i < steps; i++)
		n = n->next; // EXPECT null_pointer: null-pointer read
	n->value = 1;
}
static void run_walk(int steps)
{
	node *n;
	cudaMalloc(&n, 2 * sizeof *n);
	node host[2] = {{0, n + 1}, {0, nullptr}};
	cudaMemcpy(n, host, sizeof host, cudaMemcpyHostToDevice);
	walk<<<1, 1>>>(n, steps);
	cudaFree(n);
}
CASE(null_pointer) { run_walk(3); }
CASE(null_pointer_fixed) { run_walk(1); }

__global__ void increment(int *a)
{
	++*a; // EXPECT host_pointer: host-pointer read, EXPECT host_pointer: host-pointer write
}
CASE(host_pointer)
{
	int *a = new int(0);
	increment<<<1, 1>>>(a);
	cudaDeviceSynchronize();
	delete a;
}
CASE(host_pointer_fixed)
{
	int *a;
	cudaMallocHost(&a, sizeof *a);
	*a = 0;
	increment<<<1, 1>>>(a);
	cudaDeviceSynchronize();
	cudaFreeHost(a);
}
/* The host's heap lives on, or the report would be lost. */
__global__ void overwrite(char *p)
{
	for (int i = -16; i < 4096; i++)
		p[i] = -1; // EXPECT host_heap: host-pointer write
}
CASE(host_heap)
{
	char *p = new char[64], *q = new char[64];
	overwrite<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	delete[] q;
	delete[] p;
	delete[] new char[100000];
}
/* Managed and registered memory is the device's, too. */
CASE(registered_fixed)
{
	static int a[64];
	int *m;
	cudaHostRegister(a, sizeof a, cudaHostRegisterDefault);
	increment<<<1, 1>>>(a);
	cudaMallocManaged(&m, sizeof *m);
	*m = 0;
	increment<<<1, 1>>>(m);
	cudaDeviceSynchronize();
	cudaHostUnregister(a);
	cudaFree(m);
}

/* ---- misaligned ------------------------------------------------------------------ */

__global__ void read_header(const char *packet, int *out, int offset)
{
	*out = *(const int *)(packet + offset); // EXPECT misaligned: misaligned read
}
static void run_header(int offset)
{
	char *packet;
	int *out;
	cudaMalloc(&packet, 64);
	cudaMemset(packet, 0, 64);
	cudaMalloc(&out, sizeof *out);
	read_header<<<1, 1>>>(packet, out, offset);
	cudaDeviceSynchronize();
	cudaFree(packet);
	cudaFree(out);
}
/* The fault that ends the launch is that of the access, also where threads are pthreads:
 * WAYS(misaligned): pthreads. */
CASE(misaligned) { run_header(2); }
CASE(misaligned_fixed) { run_header(4); }

/* ---- indices ----------------------------------------------------------------------- */

/* Row 54 begins 2,160,000,000 bytes from p, which is more than an int holds. Nothing but one
 * byte of each row is touched. */
template <class INDEX> __global__ void rows(char *p, INDEX columns)
{
	p[INDEX(threadIdx.x) * columns] = 1; // EXPECT overflow: out-of-bounds write
	// SAYS(overflow): An index of 32 bits may have overflowed
}
template <class INDEX> static void run_rows()
{
	char *p;
	cudaMalloc(&p, 64 * 40000000ull);
	rows<INDEX><<<1, 64>>>(p, 40000000);
	cudaDeviceSynchronize();
	cudaFree(p);
}
CASE(overflow) { run_rows<int>(); }
CASE(overflow_fixed) { run_rows<long>(); }

/* ---- variables -------------------------------------------------------------------- */

__device__ int table[16];
__device__ int behind[16];
__global__ void set_table(int i)
{
	table[i] = 1; // EXPECT device_array: out-of-bounds write
}
CASE(device_array) { set_table<<<1, 1>>>(18); }
CASE(device_array_fixed) { set_table<<<1, 1>>>(15); }

__constant__ float weights[8];
__global__ void weigh(float *out, int n)
{
	float s = 0;
	for (int i = 0; i < n; i++)
		s += weights[i]; // EXPECT constant_array: out-of-bounds read
	*out = s + behind[threadIdx.x];
}
static void run_weigh(int n)
{
	float *out;
	cudaMalloc(&out, sizeof *out);
	weigh<<<1, 1>>>(out, n);
	cudaFree(out);
}
CASE(constant_array) { run_weigh(9); }
CASE(constant_array_fixed) { run_weigh(8); }

__global__ void set_through(int *p, int i)
{
	p[i] = 3; // EXPECT variable_pointer: out-of-bounds write
}
static void run_through(int i)
{
	int *p;
	cudaGetSymbolAddress((void **)&p, table);
	set_through<<<1, 1>>>(p, i);
}
/* Farther from the executable than the system may put the host's heap, which is 1 GiB. */
CASE(variable_pointer) { run_through(600000000); }
CASE(variable_pointer_fixed) { run_through(3); }

/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to shared and local memory, the device heap, and what ends a launch. */
#include <cassert>

#include "../case.cuh"

/* ---- shared memory ---------------------------------------------------------------- */

__global__ void shift(int *out, int by)
{
	__shared__ int s[32];
	s[threadIdx.x + by] = threadIdx.x; // EXPECT shared_end: out-of-bounds write
	// SAYS(shared_end): bytes after the __shared__ variable s at
	out[threadIdx.x] = by;
}
static void run_shift(int by)
{
	int *out;
	cudaMalloc(&out, 32 * sizeof *out);
	shift<<<1, 32>>>(out, by);
	cudaDeviceSynchronize();
	cudaFree(out);
}
CASE(shared_end) { run_shift(1); }
CASE(shared_end_fixed) { run_shift(0); }

/* One array runs into the next. */
__global__ void two_arrays(int *out, int i)
{
	__shared__ int a[16];
	__shared__ int b[16];
	a[threadIdx.x] = b[threadIdx.x] = threadIdx.x;
	__syncthreads();
	if (threadIdx.x == 0)
		a[i] = b[i % 16] = 1; // EXPECT shared_next: out-of-bounds write
	__syncthreads();
	out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
static void run_two(int i)
{
	int *out;
	cudaMalloc(&out, 16 * sizeof *out);
	two_arrays<<<1, 16>>>(out, i);
	cudaDeviceSynchronize();
	cudaFree(out);
}
CASE(shared_next) { run_two(-3); }
CASE(shared_next_fixed) { run_two(3); }

/* More dynamic memory than the launch gave. */
__global__ void dynamic(int *out)
{
	extern __shared__ int d[];
	d[threadIdx.x] = threadIdx.x; // EXPECT dynamic_shared: out-of-bounds write
	__syncthreads();
	out[threadIdx.x] = d[blockDim.x - 1 - threadIdx.x]; // EXPECT dynamic_shared: out-of-bounds read
}
static void run_dynamic(size_t bytes)
{
	int *out;
	cudaMalloc(&out, 64 * sizeof *out);
	dynamic<<<1, 64, bytes>>>(out);
	cudaDeviceSynchronize();
	cudaFree(out);
}
CASE(dynamic_shared) { run_dynamic(63 * sizeof(int)); }
CASE(dynamic_shared_fixed) { run_dynamic(64 * sizeof(int)); }

__global__ void shared_double(double *out, int offset)
{
	__shared__ __align__(8) char s[64];
	double *d = (double *)(s + offset);
	*d = 1.0; // EXPECT shared_misaligned: misaligned write
	*out = offset;
}
static void run_double(int offset)
{
	double *out;
	cudaMalloc(&out, sizeof *out);
	shared_double<<<1, 1>>>(out, offset);
	cudaDeviceSynchronize();
	cudaFree(out);
}
CASE(shared_misaligned) { run_double(4); }
CASE(shared_misaligned_fixed) { run_double(8); }

/* ---- local memory ------------------------------------------------------------------ */

__global__ void local_array(int *out, int n)
{
	int other[4] = {1, 2, 3, 4};
	int a[4] = {0, 0, 0, 0};
	for (int i = 0; i < n; i++)
		a[i] += i; // EXPECT local_array: out-of-bounds read, EXPECT local_array: out-of-bounds write
	*out = a[0] + a[3] + other[threadIdx.x];
}
static void run_local(int n)
{
	int *out;
	cudaMalloc(&out, sizeof *out);
	local_array<<<1, 1>>>(out, n);
	cudaDeviceSynchronize();
	cudaFree(out);
}
CASE(local_array) { run_local(5); }
CASE(local_array_fixed) { run_local(4); }

/* Variables of a thread that are read as vectors: where the frame lies makes none of
 * them misaligned, where the vector begins does. */
__device__ __noinline__ float4 quarter(const float *values, int i)
{
	return *(const float4 *)(values + i); // EXPECT local_vector: misaligned read
}
__device__ __noinline__ float deeper(int depth, int i)
{
	char letters[3] = {1, 2, 3};
	float values[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
	if (depth > 0)
		return deeper(depth - 1, i) + letters[depth % 3];
	return quarter(values[0], i).x + quarter(values[1], 0).w;
}
__global__ void local_vectors(float *out, int i)
{
	float odd[3] = {0, 1, 2};
	out[threadIdx.x] = deeper(threadIdx.x, i) + odd[threadIdx.x % 3];
}
static void run_local_vectors(int n_threads, int i)
{
	float *out;
	cudaMalloc(&out, 8 * sizeof *out);
	local_vectors<<<1, n_threads>>>(out, i);
	cudaDeviceSynchronize();
	cudaFree(out);
}
CASE(local_vector) { run_local_vectors(1, 1); }
CASE(local_vector_fixed) { run_local_vectors(8, 4); }

__device__ __noinline__ int *local_of_callee(int v)
{
	int a[2] = {v, v + 1};
	int *p = a;
	asm volatile("" : "+l"(p));
	return p;
}
__device__ __noinline__ int *of_caller(int *p)
{
	*p = 5;
	return p;
}
__global__ void dangling(int *out, bool returned)
{
	int mine = 3;
	int *p = returned ? local_of_callee(1) : of_caller(&mine);
	*out = *p; // EXPECT after_return: use-after-return read
}
static void run_dangling(bool returned)
{
	int *out;
	cudaMalloc(&out, sizeof *out);
	dangling<<<1, 1>>>(out, returned);
	cudaDeviceSynchronize();
	cudaFree(out);
}
CASE(after_return) { run_dangling(true); }
CASE(after_return_fixed) { run_dangling(false); }

__device__ __noinline__ int deep(int n)
{ // EXPECT stack_overflow: stack-overflow (its variables are filled here)
	volatile int a[64];
	a[n & 63] = n;
	return n ? deep(n - 1) + a[n & 63] : 0;
}
__global__ void recurse(int *out, int n)
{
	*out = deep(n);
}
static void run_recurse(int n)
{
	int *out;
	cudaMalloc(&out, sizeof *out);
	recurse<<<1, 1>>>(out, n);
	cudaDeviceSynchronize();
	cudaFree(out);
}
CASE(stack_overflow) { run_recurse(1 << 22); }
CASE(stack_overflow_fixed) { run_recurse(2); }

/* ---- the device heap ------------------------------------------------------------------ */

__global__ void heap_end(int n)
{
	char *p = (char *)malloc(64);
	for (int i = 0; i < n; i++)
		p[i] = 1; // EXPECT heap_end: out-of-bounds write
	free(p);
}
CASE(heap_end) { heap_end<<<1, 1>>>(65); }
CASE(heap_end_fixed) { heap_end<<<1, 1>>>(64); }

__global__ void heap_freed(bool early)
{
	int *p = new int[4];
	if (early)
		delete[] p;
	p[1] = 2; // EXPECT heap_freed: use-after-free write
	if (!early)
		delete[] p;
}
CASE(heap_freed) { heap_freed<<<1, 1>>>(true); }
CASE(heap_freed_fixed) { heap_freed<<<1, 1>>>(false); }

__global__ void heap_twice(int n)
{
	void *p = malloc(16);
	for (int i = 0; i < n; i++)
		free(p); // EXPECT heap_twice: double-free
}
CASE(heap_twice) { heap_twice<<<1, 1>>>(2); }
CASE(heap_twice_fixed) { heap_twice<<<1, 1>>>(1); }

__global__ void heap_foreign(int *p, bool wrong)
{
	int *mine = (int *)malloc(16);
	free(wrong ? p : mine); // EXPECT heap_foreign: invalid-free
}
static void run_foreign(bool wrong)
{
	int *p;
	cudaMalloc(&p, 16);
	heap_foreign<<<1, 1>>>(p, wrong);
	cudaDeviceSynchronize();
	cudaFree(p);
}
CASE(heap_foreign) { run_foreign(true); }
CASE(heap_foreign_fixed) { run_foreign(false); }

/* The heap is full, and nobody looks. */
__global__ void heap_full(size_t bytes)
{
	int *p = (int *)malloc(bytes);
	*p = 1; // EXPECT heap_full: null-pointer write
	free(p);
}
CASE(heap_full) { heap_full<<<1, 1>>>((size_t)1 << 40); }
CASE(heap_full_fixed) { heap_full<<<1, 1>>>(4); }

/* ---- ends -------------------------------------------------------------------------------- */

__global__ void traps(int n)
{
	if (threadIdx.x == n)
		__trap(); // EXPECT trap: trap
}
CASE(trap) { traps<<<1, 32>>>(3); }
CASE(trap_fixed) { traps<<<1, 32>>>(32); }

__global__ void asserts(int n)
{
	assert(threadIdx.x < n); // EXPECT failed_assert: assert
}
CASE(failed_assert) { asserts<<<1, 32>>>(31); }
CASE(failed_assert_fixed) { asserts<<<1, 32>>>(32); }

/* ---- calls of the host --------------------------------------------------------------------- */

static void free_again(int *a, bool twice)
{
	cudaFree(a);
	if (twice)
		cudaFree(a); // EXPECT double_free: double-free
}
static void run_free(bool twice)
{
	int *a;
	cudaMalloc(&a, 64);
	free_again(a, twice);
}
CASE(double_free) { run_free(true); }
CASE(double_free_fixed) { run_free(false); }

static void run_middle(int i)
{
	int *a;
	cudaMalloc(&a, 64);
	cudaFree(a + i); // EXPECT free_middle: invalid-free
}
CASE(free_middle) { run_middle(4); }
CASE(free_middle_fixed) { run_middle(0); }

static void run_host_free(bool wrong)
{
	int *a = new int[4], *d;
	cudaMalloc(&d, 16);
	cudaFree(wrong ? a : d); // EXPECT free_host: invalid-free
	delete[] a;
}
CASE(free_host) { run_host_free(true); }
CASE(free_host_fixed) { run_host_free(false); }

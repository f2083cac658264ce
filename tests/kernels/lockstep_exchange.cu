/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep_exchange.cu - a warp sorts by a network whose steps no __syncwarp() parts, in shared and
 * in global memory. A case prints the number of elements at wrong places. */
#include <algorithm>

#include "case.cuh"

enum { LANES = 32, N = 128, ROWS = 3, KEPT = 32 };

struct view {
	int *data;
	long size;
	__device__ int &operator[](long i) const
	{
		return data[i];
	}
};

template <class A> __device__ void compare(A a, long at, int n, int s, int w, int lane)
{
	for (int j = lane; j < n / 2; j += LANES) {
		int i = j + (j & -w), low = a[at + i], high = a[at + i + w];
		if (i & s ? low < high : low > high) {
			a[at + i] = high;
			a[at + i + w] = low;
		}
	}
}

/* Batcher's bitonic network, for n elements from `at` on; n is a power of 2. */
template <class A> __device__ void sort(A a, long at, int n, int lane)
{
	for (int s = 2; s <= n; s *= 2)
		for (int w = s / 2; w >= 1; w /= 2)
			compare<A>(a, at, n, s, w, lane);
}

__global__ void by_pointer(int *a)
{
	long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
	sort(a, i / LANES * N, N, (int)(i % LANES));
}

__global__ void by_view(view a)
{
	long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
	sort(a, i / LANES * N, N, (int)(i % LANES));
}

/* More arrays than are told apart. */
__global__ void by_views(view a, view b, view c, view d, view e, view f)
{
	int lane = threadIdx.x % LANES;
	sort(a, 0, N, lane);
	sort(b, 0, N, lane);
	sort(c, 0, N, lane);
	sort(d, 0, N, lane);
	sort(e, 0, N, lane);
	sort(f, 0, N, lane);
}

/* Between two calls of one function some lanes exchange elements alone: the others wait for them. */
template <class A> __device__ void mixed(A a, long at, int lane)
{
	sort(a, at, KEPT, lane);
	if (lane < 16) {
		int last = a[at + KEPT - 1 - lane];
		a[at + KEPT - 1 - lane] = a[at + N - 1 - lane];
		a[at + N - 1 - lane] = last;
	}
	sort(a, at, N, lane);
}

__global__ void mixed_in_shared(int *a)
{
	__shared__ int s[N];
	for (int i = threadIdx.x; i < N; i += LANES)
		s[i] = a[blockIdx.x * N + i];
	__syncthreads();
	mixed<int *>(s, 0, threadIdx.x);
	__syncthreads();
	for (int i = threadIdx.x; i < N; i += LANES)
		a[blockIdx.x * N + i] = s[i];
}

__global__ void mixed_by_pointer(int *a)
{
	long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
	mixed(a, i / LANES * N, (int)(i % LANES));
}

/* Takes element i to a place behind the first KEPT if it may be one of these. */
__device__ void take(view a, long at, int i, int lane, int *found)
{
	int other = a[at + i];
	if (other < a[at + KEPT - 1]) {
		a[at + i] = a[at + KEPT + LANES * *found + lane];
		a[at + KEPT + LANES * *found + lane] = other;
		++*found;
	}
}

/* The smallest KEPT of n elements, sorted, come first. Some lanes alone look at the last n % LANES. */
__global__ void smallest(view a, int n)
{
	int lane = threadIdx.x % LANES, found = 0;
	long at = threadIdx.x / LANES * n;
	sort(a, at, KEPT, lane);
	int i = KEPT + lane;
	for (; i < n - n % LANES; i += LANES) {
		take(a, at, i, lane, &found);
		if (__any_sync(0xffffffff, found == 3)) {
			sort(a, at, N, lane);
			found = 0;
		}
	}
	if (i < n)
		take(a, at, i, lane, &found);
	sort(a, at, N, lane);
}

static int *elements;

static void fill(int n)
{
	for (int i = 0; i < n; i++)
		elements[i] = (i * 7919 + i * i % 1009) % 10007;
}

static void compare_rows(const char *name, const int *before, int rows, int n, int sorted)
{
	int wrong = 0;
	CHECK(cudaDeviceSynchronize());
	for (int r = 0; r < rows; r++) {
		int *want = new int[n];
		std::copy(before + r * n, before + (r + 1) * n, want);
		std::sort(want, want + n);
		for (int i = 0; i < sorted; i++)
			wrong += elements[r * n + i] != want[i];
		delete[] want;
	}
	say(name, "%d wrong", wrong);
}

template <class F> static void run(const char *name, int rows, int n, int sorted, F launch)
{
	static int before[4096];
	fill(rows * n);
	std::copy(elements, elements + rows * n, before);
	launch();
	compare_rows(name, before, rows, n, sorted);
}

int main()
{
	CHECK(cudaMallocManaged(&elements, 4096 * sizeof *elements));
	run("pointer", ROWS, N, N, [] { by_pointer<<<ROWS, LANES>>>(elements); });
	run("structure", ROWS, N, N, [] { by_view<<<ROWS, LANES>>>(view{elements, N}); });
	run("two warps", 2, N, N, [] { by_view<<<1, 2 * LANES>>>(view{elements, N}); });
	run("six structures", 6, N, N, [] {
		view v[6];
		for (int i = 0; i < 6; i++)
			v[i] = view{elements + i * N, N};
		by_views<<<1, LANES>>>(v[0], v[1], v[2], v[3], v[4], v[5]);
	});
	run("shared, twice", ROWS, N, N, [] { mixed_in_shared<<<ROWS, LANES>>>(elements); });
	run("pointer, twice", ROWS, N, N, [] { mixed_by_pointer<<<ROWS, LANES>>>(elements); });
	run("smallest", 1, 1000, KEPT, [] { smallest<<<1, LANES>>>(view{elements, 1000}, 1000); });
	run("smallest, two warps", 2, 1024, KEPT,
	    [] { smallest<<<1, 2 * LANES>>>(view{elements, 2048}, 1024); });
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The occupancy calculators over block sizes, dynamic shared memory and attributes of functions. A
 * line has a number for each size of dynamic shared memory. The answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include "apart.cuh"
#include "driver.cuh"

__global__ void small(int *p)
{
	*p = threadIdx.x;
}

__global__ void with_static(int *p)
{
	__shared__ int s[1000];
	s[threadIdx.x % 1000] = *p;
	__syncthreads();
	*p = s[(threadIdx.x + 1) % 1000];
}

__global__ void with_much(int *p)
{
	__shared__ int s[12288];
	s[threadIdx.x] = *p;
	__syncthreads();
	*p = s[threadIdx.x + 1];
}

__global__ void __launch_bounds__(256) bounded(int *p)
{
	*p = threadIdx.x;
}

extern __shared__ int dynamic[];
__global__ void with_dynamic(int *p)
{
	dynamic[threadIdx.x] = *p;
	__syncthreads();
	*p = dynamic[threadIdx.x ^ 1];
}

static const struct {
	const char *name;
	void (*f)(int *);
} functions[] = {{"small", small}, {"static", with_static}, {"much", with_much}, {"bounded", bounded}, {"dynamic", with_dynamic}};

static const int blocks[] = {-1, 0, 1, 31, 32, 33, 64, 96, 128, 192, 256, 257, 384, 512, 768, 1000, 1024, 1025};
static const size_t sizes[] = {0, 1, 127, 128, 1023, 1024, 1025, 8192, 16384, 23552, 32768, 40000, 45152, 48128, 49151,
	49152, 49153, 50000, 65536, 100000, 116736, 131072, 200000, 231424, 232447, 232448, 232449, 233472, 1 << 20, (size_t)1 << 40};

/* The error where it fails, otherwise the number behind a #. */
static int put(char *to, size_t room, int error, int n)
{
	return error ? snprintf(to, room, " e%d", error) : snprintf(to, room, " %d", n);
}

static void active(const char *state, int f, bool driver)
{
	CUfunction handle = NULL;
	cudaGetFuncBySymbol(&handle, (const void *)functions[f].f);
	for (int block : blocks) {
		char name[128], text[1024];
		int n = 0;
		if (strcmp(state, "default") && block != 33 && block != 128 && block != 512)
			continue;
		snprintf(name, sizeof name, "%s%s, %s, %d threads", driver ? "driver, " : "", functions[f].name, state, block);
		for (size_t size : sizes) {
			int count = 77;
			int error = driver ? (int)cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, handle, block, size)
				: (int)cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, functions[f].f, block, size);
			n += put(text + n, sizeof text - n, error, count);
		}
		say(name, "%s, last %d", text, cudaGetLastError());
	}
}

static void available(const char *state, int f)
{
	for (int block : blocks) {
		char name[128], text[1024];
		int n = 0;
		if (strcmp(state, "default") && block != 33 && block != 512)
			continue;
		snprintf(name, sizeof name, "available, %s, %s, %d threads", functions[f].name, state, block);
		for (int count : {-1, 0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64}) {
			size_t size = 77;
			int error = cudaOccupancyAvailableDynamicSMemPerBlock(&size, functions[f].f, count, block);
			n += put(text + n, sizeof text - n, error, (int)size);
		}
		say(name, "%s, last %d", text, cudaGetLastError());
	}
}

static void potential(const char *state, int f)
{
	for (int limit : {-1, 0, 1, 32, 100, 256, 1000, 1024, 1025, 5000}) {
		char name[128], text[1024];
		int n = 0;
		snprintf(name, sizeof name, "potential, %s, %s, up to %d", functions[f].name, state, limit);
		for (size_t size : sizes) {
			int grid = 77, block = 77;
			int error = cudaOccupancyMaxPotentialBlockSize(&grid, &block, functions[f].f, size, limit);
			n += put(text + n, sizeof text - n, error, grid);
			n += snprintf(text + n, sizeof text - n, ":%d", block);
		}
		say(name, "%s, last %d", text, cudaGetLastError());
	}
}

int main()
{
	for (int f = 0; f < 5; f++)
		apart(functions[f].name, [&] {
			const void *handle = (const void *)functions[f].f;
			active("default", f, false);
			active("default", f, true);
			available("default", f);
			potential("default", f);
			for (int most : {-2, -1, 0, 1, 40000, 48128, 49152, 49153, 65536, 100000, 228352, 231424, 232448, 232449, 1 << 20}) {
				char state[64];
				snprintf(state, sizeof state, "at most %d", most);
				int error = cudaFuncSetAttribute(handle, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
				cudaFuncAttributes a = {};
				cudaFuncGetAttributes(&a, handle);
				char name[128];
				snprintf(name, sizeof name, "set %s, %s", functions[f].name, state);
				say(name, "%d, %d, %d, %d, last %d", error, a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout,
				    a.maxThreadsPerBlock, cudaGetLastError());
				if (error)
					continue;
				active(state, f, false);
				if (most % 49152 == 0)
					potential(state, f);
			}
			for (int carveout : {-2, -1, 0, 1, 7, 25, 50, 75, 99, 100, 101}) {
				char state[64];
				snprintf(state, sizeof state, "carveout %d", carveout);
				int error = cudaFuncSetAttribute(handle, cudaFuncAttributePreferredSharedMemoryCarveout, carveout);
				char name[128];
				snprintf(name, sizeof name, "set %s, %s", functions[f].name, state);
				say(name, "%d, last %d", error, cudaGetLastError());
				if (error)
					continue;
				active(state, f, false);
				available(state, f);
			}
			for (unsigned flags = 0; flags < 4; flags++) {
				int n = 77, grid = 77, block = 77;
				int e1 = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, handle, 128, 0, flags);
				int e2 = cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, functions[f].f, 0, 0, flags);
				char name[128];
				snprintf(name, sizeof name, "flags %u, %s", flags, functions[f].name);
				say(name, "%d %d, %d %d %d", e1, n, e2, grid, block);
			}
		});
	apart("wrong", [] {
		int n = 77;
		ANSWER("count null", cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, small, 32, 0));
		ANSWER("function null", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)NULL, 32, 0));
		ANSWER("function wrong", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)main, 32, 0));
	});
	apart_wait(0);
	return 0;
}

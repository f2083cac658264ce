/* SPDX-License-Identifier: Apache-2.0 */
/* Every limit of a device, known and unknown, set to many values before and after launches: the
 * error, and the limit that is left. The answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include "apart.cuh"
#include "driver.cuh"

__global__ void plain(int *p)
{
	*p = 1;
}

__global__ void prints(int *p)
{
	if (*p == 77)
		printf("%d\n", *p);
}

__global__ void allocates(int *p)
{
	int *q = (int *)malloc(64);
	*p = q != NULL;
	free(q);
}

__global__ void fails()
{
	__trap();
}

static const int limits[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99, 0x7fffffff};
static const size_t values[] = {0, 1, 15, 17, 31, 32, 33, 100, 128, 129, 1000, 4096, 100000, 1 << 20, 3 << 20, 8 << 20, 16 << 20,
	1u << 30, ~(size_t)0};

static void get(const char *state, int limit)
{
	char name[64];
	size_t value = 4242;
	snprintf(name, sizeof name, "%s, get %d", state, limit);
	cudaError_t error = cudaDeviceGetLimit(&value, (cudaLimit)limit);
	size_t theirs = 4242;
	CUresult result = cuCtxGetLimit(&theirs, (CUlimit)limit);
	say(name, "%d %zu, %d %zu", error, value, result, theirs);
}

static void set(const char *state, int limit, size_t value, bool driver)
{
	char name[96];
	size_t now = 4242;
	snprintf(name, sizeof name, "%s, %s %d to %zu", state, driver ? "driver sets" : "set", limit, value);
	int error = driver ? (int)cuCtxSetLimit((CUlimit)limit, value)
			   : (int)cudaDeviceSetLimit((cudaLimit)limit, value);
	cudaDeviceGetLimit(&now, (cudaLimit)limit);
	say(name, "%d %zu", error, now);
}

static void all(const char *state, bool driver)
{
	for (int limit : limits) {
		get(state, limit);
		for (size_t value : values)
			if (limit > 6 && value != 4096)
				continue;
			/* The GPU that was asked had no room for larger stacks then. */
			else if (!limit && value > 4096 && !strcmp(state, "after a launch"))
				continue;
			else
				set(state, limit, value, driver);
	}
	cudaGetLastError();
}

static int *cell()
{
	int *p = NULL;
	cudaMalloc(&p, 4);
	cudaMemset(p, 0, 4);
	return p;
}

int main()
{
	apart("fresh", [] { all("fresh", false); });
	apart("fresh, driver", [] {
		cudaFree(0);
		all("fresh", true);
	});
	apart("after a launch", [] {
		plain<<<1, 1>>>(cell());
		cudaDeviceSynchronize();
		all("after a launch", false);
	});
	apart("after printf", [] {
		prints<<<1, 1>>>(cell());
		cudaDeviceSynchronize();
		all("after printf", false);
	});
	apart("after malloc", [] {
		allocates<<<1, 1>>>(cell());
		cudaDeviceSynchronize();
		all("after malloc", false);
	});
	apart("after a reset", [] {
		allocates<<<1, 1>>>(cell());
		cudaDeviceReset();
		set("after a reset", 2, 1 << 20, false);
		get("after a reset", 2);
	});
	apart("after an error", [] {
		fails<<<1, 1>>>();
		cudaDeviceSynchronize();
		for (int limit : {0, 1, 2, 3, 7, 99}) {
			get("after an error", limit);
			set("after an error", limit, 4096, false);
		}
	});
	apart("null", [] {
		for (int limit : limits) {
			ANSWER("get into null", cudaDeviceGetLimit(NULL, (cudaLimit)limit));
			ANSWER("driver gets into null", cuCtxGetLimit(NULL, (CUlimit)limit));
		}
	});
	apart_wait(0);
	return 0;
}

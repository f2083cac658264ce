/* SPDX-License-Identifier: Apache-2.0 */
/* callers.cu - launches so small that the host thread that makes them may run them:
 * their order among other work, from several host threads, and after an error. */
#include "case.cuh"

#include <atomic>
#include <thread>

__global__ void add(int *to, int n)
{
	to[threadIdx.x] += n;
}

/* Enough work that no host thread does it. */
__global__ void fill(int *to, int n, int rounds)
{
	int v = 0;
	for (int i = 0; i < rounds; i++)
		v = v * 3 + n + i;
	to[threadIdx.x] = v == 1 ? 0 : n;
}

__global__ void waits(volatile int *flag, int *to)
{
	while (!*flag)
		;
	*to = 5;
}

__global__ void wrong(int *to)
{
	to[threadIdx.x] = 1;
}

/* Behind long work the short one must not go first. */
static void in_order()
{
	int *a, sum = 0;
	CHECK(cudaMalloc(&a, 64 * sizeof *a));
	for (int i = 0; i < 20; i++) {
		int v;
		fill<<<1, 64>>>(a, i, 100000);
		add<<<1, 64>>>(a, 1000);
		add<<<1, 64>>>(a, 1000);
		CHECK(cudaMemcpy(&v, a + 63, sizeof v, cudaMemcpyDeviceToHost));
		sum += v;
	}
	say("in order", "%d", sum); /* 0 + ... + 19 + 20 * 2000 */
	CHECK(cudaFree(a));
}

/* A kernel that waits for what the host does next. */
static void not_here()
{
	int *flag;
	CHECK(cudaMallocManaged(&flag, 2 * sizeof *flag));
	flag[0] = flag[1] = 0;
	waits<<<1, 1>>>(flag, flag + 1);
	*(volatile int *)flag = 1;
	CHECK(cudaDeviceSynchronize());
	say("waits for the host", "%d", flag[1]);
	CHECK(cudaFree(flag));
}

static std::atomic<int> n_calls;

static void called(void *)
{
	n_calls++;
}

/* Several host threads, which end; some launches follow a host function, and so are
 * started by whoever ran that. */
static void threads()
{
	enum { THREADS = 6, TIMES = 100 };
	int *a, got[THREADS * 32], wrongs = 0;
	CHECK(cudaMalloc(&a, sizeof got));
	CHECK(cudaMemset(a, 0, sizeof got));
	CHECK(cudaDeviceSynchronize());
	std::thread hosts[THREADS];
	for (int t = 0; t < THREADS; t++)
		hosts[t] = std::thread([=] {
			cudaStream_t stream;
			CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
			for (int i = 0; i < TIMES; i++) {
				add<<<1, 32, 0, stream>>>(a + 32 * t, t + 1);
				if (i % 10 == 0)
					CHECK(cudaLaunchHostFunc(stream, called, NULL));
			}
			CHECK(cudaStreamSynchronize(stream));
			CHECK(cudaStreamDestroy(stream));
		});
	for (std::thread &host : hosts)
		host.join();
	CHECK(cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < THREADS * 32; i++)
		wrongs += got[i] != TIMES * (i / 32 + 1);
	say("host threads", "%d wrong, %d calls", wrongs, n_calls.load());
	CHECK(cudaFree(a));
}

static void error()
{
	wrong<<<1, 4>>>(NULL);
	cudaError_t e = cudaDeviceSynchronize();
	say("illegal address", "%s, then %s", cudaGetErrorName(e), cudaGetErrorName(cudaGetLastError()));
	wrong<<<1, 4>>>(NULL);
	say("after it", "%s", cudaGetErrorName(cudaGetLastError()));
}

int main()
{
	in_order();
	not_here();
	threads();
	error();
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events, callbacks, host functions: what comes before what. */
#include <atomic>
#include <chrono>
#include <thread>

#include "case.cuh"

__global__ void append(int *log, int *n, int value)
{
	log[(*n)++] = value;
}

__global__ void slow(int *out, long long cycles, int value)
{
	long long start = clock64();
	while (clock64() - start < cycles)
		;
	*out = value;
}

__global__ void add(int *cell, int value)
{
	*cell += value;
}

__global__ void wait_for_flag(volatile int *flag, int *out)
{
	while (*flag == 0)
		;
	*out = 7;
}

__global__ void set_flag(volatile int *flag)
{
	*flag = 1;
}

static std::vector<int> order;

static void CUDART_CB callback(cudaStream_t, cudaError_t status, void *data)
{
	order.push_back((int)(intptr_t)data + 100 * status);
}

static void CUDART_CB host_function(void *data)
{
	order.push_back((int)(intptr_t)data);
}

static std::atomic<int> launched;

/* Keeps a stream from going on until launching into it has come to rest. */
static void CUDART_CB gate(void *seen)
{
	int last;
	do {
		last = launched;
		std::this_thread::sleep_for(std::chrono::milliseconds(100));
	} while (last != launched || last < 1000);
	*(int *)seen = last;
}

int main()
{
	cudaStream_t a, b, quiet;
	CHECK(cudaStreamCreate(&a));
	CHECK(cudaStreamCreate(&b));
	CHECK(cudaStreamCreateWithFlags(&quiet, cudaStreamNonBlocking));
	memory<int> log(32), n(1), cell(4);

	/* A GPU's driver loads a kernel at its first launch, and may wait for running
	 * kernels then: the one that ends another must be loaded before. */
	memory<int> flag(1), out(1);
	set_flag<<<1, 1>>>(flag.there);
	CHECK(cudaMemset(flag.there, 0, sizeof(int)));

	for (int i = 0; i < 10; i++)
		append<<<1, 1, 0, a>>>(log.there, n.there, i * i);
	CHECK(cudaStreamSynchronize(a));
	log.show("order in a stream");

	/* b waits for a's event. */
	cudaEvent_t event, start, stop;
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	slow<<<1, 1, 0, a>>>(cell.there, 2000000, 5);
	CHECK(cudaEventRecord(event, a));
	CHECK(cudaStreamWaitEvent(b, event, 0));
	add<<<1, 1, 0, b>>>(cell.there, 10);
	CHECK(cudaStreamSynchronize(b));
	say("wait for an event", "%d", cell.fetch()[0]);

	/* The legacy default stream waits for blocking streams and they for it. */
	slow<<<1, 1, 0, a>>>(cell.there, 2000000, 1);
	add<<<1, 1>>>(cell.there, 20);
	add<<<1, 1, 0, b>>>(cell.there, 300);
	CHECK(cudaDeviceSynchronize());
	say("legacy default stream", "%d", cell.fetch()[0]);

	/* Two kernels that need each other run at the same time. */
	wait_for_flag<<<1, 1, 0, a>>>(flag.there, out.there);
	say("query of a busy stream", "%s", cudaGetErrorName(cudaStreamQuery(a)));
	set_flag<<<1, 1, 0, b>>>(flag.there);
	CHECK(cudaStreamSynchronize(a));
	say("concurrent kernels", "%d, then %s", out.fetch()[0], cudaGetErrorName(cudaStreamQuery(a)));

	/* A non-blocking stream does not wait for the default stream. */
	CHECK(cudaMemset(flag.there, 0, sizeof(int)));
	CHECK(cudaDeviceSynchronize());
	wait_for_flag<<<1, 1>>>(flag.there, out.there);
	set_flag<<<1, 1, 0, quiet>>>(flag.there);
	CHECK(cudaDeviceSynchronize());
	say("non-blocking stream", "%s", "passed the default stream");

	/* Launches return before the kernel ends. */
	int *mapped;
	CHECK(cudaHostAlloc(&mapped, 2 * sizeof(int), cudaHostAllocMapped));
	mapped[0] = mapped[1] = 0;
	int *there;
	CHECK(cudaHostGetDevicePointer(&there, mapped, 0));
	wait_for_flag<<<1, 1, 0, a>>>(there, there + 1);
	int before = ((volatile int *)mapped)[1];
	*(volatile int *)mapped = 1;
	CHECK(cudaStreamSynchronize(a));
	say("asynchronous launch", "%d %d", before, mapped[1]);

	/* Host functions and callbacks, in order with kernels and copies. */
	CHECK(cudaStreamAddCallback(a, callback, (void *)1, 0));
	slow<<<1, 1, 0, a>>>(cell.there, 100000, 3);
	CHECK(cudaLaunchHostFunc(a, host_function, (void *)2));
	CHECK(cudaStreamAddCallback(a, callback, (void *)3, 0));
	CHECK(cudaStreamSynchronize(a));
	order.push_back(99);
	show("callbacks", order.data(), (int)order.size());

	/* Events. */
	mapped[0] = 0;
	CHECK(cudaEventRecord(start, a));
	slow<<<1, 1, 0, a>>>(cell.there, 3000000, 3);
	wait_for_flag<<<1, 1, 0, a>>>(there, there + 1);
	CHECK(cudaEventRecord(stop, a));
	say("query of an event", "%s", cudaGetErrorName(cudaEventQuery(stop)));
	*(volatile int *)mapped = 1;
	CHECK(cudaEventSynchronize(stop));
	float ms = -1;
	CHECK(cudaEventElapsedTime(&ms, start, stop));
	say("elapsed", "%s, %s", ms > 0.1f && ms < 100000 ? "sensible" : "odd", cudaGetErrorName(cudaEventQuery(stop)));
	say("elapsed without timing", "%s", cudaGetErrorName(cudaEventElapsedTime(&ms, event, stop)));
	cudaEvent_t never;
	CHECK(cudaEventCreate(&never));
	say("event never recorded", "query %s", cudaGetErrorName(cudaEventQuery(never)));
	say("elapsed of it", "%s", cudaGetErrorName(cudaEventElapsedTime(&ms, never, stop)));
	cudaGetLastError();

	/* Asynchronous copies keep their place. */
	std::vector<int> values(1000, 0);
	int *pinned;
	CHECK(cudaMallocHost(&pinned, 1000 * sizeof(int)));
	for (int i = 0; i < 1000; i++)
		pinned[i] = i;
	memory<int> big(1000);
	CHECK(cudaMemcpyAsync(big.there, pinned, 4000, cudaMemcpyHostToDevice, a));
	add<<<1, 1, 0, a>>>(big.there + 999, 5);
	CHECK(cudaMemsetAsync(big.there, 0xff, 40, a));
	CHECK(cudaMemcpyAsync(pinned, big.there, 4000, cudaMemcpyDeviceToHost, a));
	CHECK(cudaStreamSynchronize(a));
	say("asynchronous copies", "%d %d %d", pinned[9], pinned[10], pinned[999]);

	/* Memory from a stream's order. */
	int *pooled;
	CHECK(cudaMallocAsync((void **)&pooled, 400, a));
	CHECK(cudaMemsetAsync(pooled, 1, 400, a));
	add<<<1, 1, 0, a>>>(pooled, 1);
	int got;
	CHECK(cudaMemcpyAsync(&got, pooled, 4, cudaMemcpyDeviceToHost, a));
	CHECK(cudaFreeAsync(pooled, a));
	CHECK(cudaStreamSynchronize(a));
	say("cudaMallocAsync", "%x", got);

	int least, greatest, priority;
	unsigned flags;
	cudaStream_t urgent;
	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
	CHECK(cudaStreamGetPriority(urgent, &priority));
	CHECK(cudaStreamGetFlags(urgent, &flags));
	say("priorities", "%d..%d, got %d, flags %u", least, greatest, priority, flags);
	CHECK(cudaStreamDestroy(urgent));

	/* Several host threads launch. */
	CHECK(cudaMemset(cell.there, 0, 4 * sizeof(int)));
	std::vector<std::thread> threads;
	std::atomic<int> failures{0};
	for (int t = 0; t < 4; t++)
		threads.emplace_back([&, t] {
			cudaStream_t own;
			failures += cudaStreamCreate(&own) != cudaSuccess;
			for (int k = 0; k < 25; k++)
				add<<<1, 1, 0, own>>>(cell.there + t, t + 1);
			failures += cudaStreamSynchronize(own) != cudaSuccess;
			failures += cudaStreamDestroy(own) != cudaSuccess;
		});
	for (std::thread &t : threads)
		t.join();
	cell.show("four host threads");
	say("four host threads, failures", "%d", failures.load());

	/* A queue takes so many launches (an H200's 1,021) and no more: launching waits then. */
	int queued = 0;
	CHECK(cudaLaunchHostFunc(a, gate, &queued));
	for (launched = 0; launched < 10000; launched++)
		set_flag<<<1, 1, 0, a>>>(flag.there);
	CHECK(cudaStreamSynchronize(a));
	say("a full queue", "%s", queued >= 1000 && queued <= 2100 ? "launching waits" : "grows");

	/* A stream may be destroyed with work in it. */
	add<<<1, 1, 0, b>>>(cell.there, 1000);
	CHECK(cudaStreamDestroy(b));
	CHECK(cudaDeviceSynchronize());
	say("destroyed stream", "%d", cell.fetch()[0]);
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(quiet));
	for (cudaEvent_t e : {event, start, stop, never})
		CHECK(cudaEventDestroy(e));
	CHECK(cudaFreeHost(mapped));
	CHECK(cudaFreeHost(pinned));
	return 0;
}

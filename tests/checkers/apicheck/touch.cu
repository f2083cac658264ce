/* SPDX-License-Identifier: Apache-2.0 */
/* The host's own code and asynchronous copies. */
#include "../case.cuh"

static volatile int sum;

static void add_up(const int *p, int n)
{
	for (int i = 0; i < n; i++)
		sum += p[i]; // EXPECT copy_back: missing-synchronization EXPECT other_stream: missing-synchronization EXPECT event_before: missing-synchronization
}

/* What was copied back is read at once. */
template <bool WAITS> static void copy_back_body()
{
	int *d, *h;
	cudaMalloc(&d, 8192);
	cudaMallocHost(&h, 8192);
	cudaMemset(d, 1, 8192);
	cudaMemcpyAsync(h, d, 8192, cudaMemcpyDeviceToHost);
	if (WAITS)
		cudaStreamSynchronize(0);
	add_up(h, 2048);
	cudaDeviceSynchronize();
	cudaFreeHost(h);
	cudaFree(d);
}
CASE(copy_back) { copy_back_body<false>(); }
CASE(copy_back_fixed) { copy_back_body<true>(); }

/* The wait is for another stream. */
template <bool RIGHT> static void other_stream_body()
{
	int *d, *h;
	cudaStream_t s, t;
	cudaStreamCreate(&s);
	cudaStreamCreate(&t);
	cudaMalloc(&d, 400);
	cudaMallocHost(&h, 400);
	cudaMemsetAsync(d, 1, 400, s);
	cudaMemcpyAsync(h, d, 400, cudaMemcpyDeviceToHost, s);
	cudaStreamSynchronize(RIGHT ? s : t);
	add_up(h, 100);
	cudaDeviceSynchronize();
	cudaStreamDestroy(s);
	cudaStreamDestroy(t);
	cudaFreeHost(h);
	cudaFree(d);
}
CASE(other_stream) { other_stream_body<false>(); }
CASE(other_stream_fixed) { other_stream_body<true>(); }

/* The event is recorded before the copy. */
template <bool BEFORE> static void event_body()
{
	int *d, *h;
	cudaEvent_t e;
	cudaEventCreate(&e);
	cudaMalloc(&d, 400);
	cudaMallocHost(&h, 400);
	cudaMemset(d, 1, 400);
	if (BEFORE)
		cudaEventRecord(e);
	cudaMemcpyAsync(h, d, 400, cudaMemcpyDeviceToHost);
	if (!BEFORE)
		cudaEventRecord(e);
	cudaEventSynchronize(e);
	add_up(h, 100);
	cudaDeviceSynchronize();
	cudaEventDestroy(e);
	cudaFreeHost(h);
	cudaFree(d);
}
CASE(event_before) { event_body<true>(); }
CASE(event_before_fixed) { event_body<false>(); }

/* The source is used again while the copy may still read it. Reading it is fine. */
template <bool WRITES> static void source_body()
{
	int *d, *h;
	cudaMalloc(&d, 4096 * 4);
	cudaMallocHost(&h, 4096 * 4);
	memset(h, 0, 4096 * 4);
	cudaMemcpyAsync(d, h, 4096 * 4, cudaMemcpyHostToDevice);
	for (int i = 0; i < 4096; i++) {
		if (WRITES)
			h[i] = i; // EXPECT source: missing-synchronization
		else
			sum += h[i];
	}
	cudaDeviceSynchronize();
	cudaFreeHost(h);
	cudaFree(d);
}
CASE(source) { source_body<true>(); }
CASE(source_fixed) { source_body<false>(); }

/* The other half of the buffer is the host's. */
CASE(halves_fixed)
{
	char *d, *h;
	cudaMalloc(&d, 1 << 16);
	cudaMallocHost(&h, 1 << 16);
	memset(h, 0, 1 << 16);
	cudaMemcpyAsync(d, h, 10000, cudaMemcpyHostToDevice);
	memset(h + 10000, 1, (1 << 16) - 10000);
	cudaDeviceSynchronize();
	cudaFreeHost(h);
	cudaFree(d);
}

/* Asking until the answer is yes is waiting. */
CASE(query_fixed_too)
{
	int *d, *h;
	cudaMalloc(&d, 400);
	cudaMallocHost(&h, 400);
	cudaMemset(d, 1, 400);
	cudaMemcpyAsync(h, d, 400, cudaMemcpyDeviceToHost);
	while (cudaStreamQuery(0) == cudaErrorNotReady) {
	}
	add_up(h, 100);
	cudaFreeHost(h);
	cudaFree(d);
}

/* A host function behind the copy tells the program. */
static volatile int told;
static void CUDART_CB tell(void *) { __atomic_store_n(&told, 1, __ATOMIC_RELEASE); }
CASE(host_function_fixed)
{
	int *d, *h;
	cudaMalloc(&d, 400);
	cudaMallocHost(&h, 400);
	cudaMemset(d, 1, 400);
	cudaMemcpyAsync(h, d, 400, cudaMemcpyDeviceToHost);
	cudaLaunchHostFunc(0, tell, nullptr);
	while (!__atomic_load_n(&told, __ATOMIC_ACQUIRE)) {
	}
	add_up(h, 100);
	cudaFreeHost(h);
	cudaFree(d);
}

/* Pageable memory: the call returns when the copy is made. */
CASE(pageable_fixed)
{
	int *d, h[100];
	cudaMalloc(&d, 400);
	cudaMemset(d, 1, 400);
	cudaMemcpyAsync(h, d, 400, cudaMemcpyDeviceToHost);
	add_up(h, 100);
	cudaFree(d);
}

/* Meant to run beside the host, and does not: the host's memory is pageable. */
template <bool PINNED> static void beside_body(cudaMemcpyKind kind)
{
	enum { BYTES = 1 << 20 };
	void *d, *h;
	cudaStream_t s;
	cudaStreamCreate(&s);
	cudaMalloc(&d, BYTES);
	cudaMemset(d, 1, BYTES);
	cudaDeviceSynchronize();
	h = calloc(1, BYTES);
	if (PINNED)
		cudaHostRegister(h, BYTES, cudaHostRegisterDefault);
	if (kind == cudaMemcpyDeviceToHost)
		cudaMemcpyAsync(h, d, BYTES, kind, s); // EXPECT pageable_back: pageable-copy
	else
		cudaMemcpyAsync(d, h, BYTES, kind, s); // EXPECT pageable_there: pageable-copy
	cudaStreamSynchronize(s);
	if (PINNED)
		cudaHostUnregister(h);
	free(h);
	cudaFree(d);
	cudaStreamDestroy(s);
}
CASE(pageable_back) { beside_body<false>(cudaMemcpyDeviceToHost); }
CASE(pageable_back_fixed) { beside_body<true>(cudaMemcpyDeviceToHost); }
CASE(pageable_there) { beside_body<false>(cudaMemcpyHostToDevice); }
CASE(pageable_there_fixed) { beside_body<true>(cudaMemcpyHostToDevice); }

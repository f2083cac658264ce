/* SPDX-License-Identifier: Apache-2.0 */
/* The host's own code and kernels that use managed and pinned memory. */
#include "../cases.h"

static volatile int sum;

__global__ void fill(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = i; /* FINDS(read_early_guilty): race-host FINDS(write_early_guilty): race-host FINDS(pinned_guilty): race-host FINDS(wrong_stream_guilty): race-host FINDS(host_pool_guilty): race-host FINDS(managed_pool_guilty): race-host */
}

static void read_all(const int *p, int n)
{
	for (int i = 0; i < n; i++)
		sum += p[i];
}

/* The forgotten cudaDeviceSynchronize(). */
template <bool WAITS> static void read_early()
{
	int *p;
	cudaMallocManaged(&p, 1000 * sizeof *p);
	fill<<<4, 256>>>(p, 1000);
	if (WAITS)
		cudaDeviceSynchronize();
	read_all(p, 1000);
	cudaDeviceSynchronize();
	cudaFree(p);
}
CASE(read_early_guilty) { read_early<false>(); }
CASE(read_early_innocent) { read_early<true>(); }

/* The same with memory of pools. */
template <bool WAITS> static void read_pool(cudaMemAllocationType type)
{
	cudaMemPoolProps props = {};
	cudaMemAccessDesc desc = {};
	cudaMemPool_t pool;
	int *p;
	props.allocType = type;
	props.location.type = cudaMemLocationTypeHost;
	desc.location.type = cudaMemLocationTypeDevice;
	desc.flags = cudaMemAccessFlagsProtReadWrite;
	cudaMemPoolCreate(&pool, &props);
	cudaMemPoolSetAccess(pool, &desc, 1);
	cudaMallocFromPoolAsync(&p, 1000 * sizeof *p, pool, 0);
	fill<<<4, 256>>>(p, 1000);
	if (WAITS)
		cudaStreamSynchronize(0);
	read_all(p, 1000);
	cudaFreeAsync(p, 0);
	cudaDeviceSynchronize();
	cudaMemPoolDestroy(pool);
}
CASE(host_pool_guilty) { read_pool<false>(cudaMemAllocationTypePinned); }
CASE(host_pool_innocent) { read_pool<true>(cudaMemAllocationTypePinned); }
CASE(managed_pool_guilty) { read_pool<false>(cudaMemAllocationTypeManaged); }
CASE(managed_pool_innocent) { read_pool<true>(cudaMemAllocationTypeManaged); }

/* Prepared for the next launch while this one runs. */
template <bool WAITS> static void write_early()
{
	int *p;
	cudaMallocManaged(&p, 4096 * sizeof *p);
	fill<<<16, 256>>>(p, 4096);
	if (WAITS)
		cudaStreamSynchronize(0);
	memset(p, 0, 4096 * sizeof *p);
	fill<<<16, 256>>>(p, 4096);
	cudaDeviceSynchronize();
	cudaFree(p);
}
CASE(write_early_guilty) { write_early<false>(); }
CASE(write_early_innocent) { write_early<true>(); }

template <bool WAITS> static void pinned()
{
	int *p;
	cudaHostAlloc((void **)&p, 4096 * sizeof *p, cudaHostAllocMapped);
	fill<<<16, 256>>>(p, 4096);
	cudaEvent_t e;
	cudaEventCreate(&e);
	cudaEventRecord(e);
	if (WAITS)
		cudaEventSynchronize(e);
	read_all(p, 4096);
	cudaDeviceSynchronize();
	cudaEventDestroy(e);
	cudaFreeHost(p);
}
CASE(pinned_guilty) { pinned<false>(); }
CASE(pinned_innocent) { pinned<true>(); }

/* Waits for the wrong one of two streams. */
template <bool RIGHT> static void wrong_stream()
{
	int *p, *q;
	cudaStream_t s, t;
	cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
	cudaMallocManaged(&p, 4096 * sizeof *p);
	cudaMallocManaged(&q, 4096 * sizeof *q);
	fill<<<16, 256, 0, s>>>(p, 4096);
	fill<<<16, 256, 0, t>>>(q, 4096);
	cudaStreamSynchronize(RIGHT ? s : t);
	read_all(p, 4096);
	cudaDeviceSynchronize();
	cudaStreamDestroy(s);
	cudaStreamDestroy(t);
	cudaFree(p);
	cudaFree(q);
}
CASE(wrong_stream_guilty) { wrong_stream<false>(); }
CASE(wrong_stream_innocent) { wrong_stream<true>(); }

/* What the kernel only reads the host may read, but not write. */
__global__ void total(const int *p, int n, int *out)
{
	int t = 0;
	for (int i = 0; i < n; i++)
		t += p[i]; /* FINDS(input_guilty): race-host */
	*out = t;
}
template <bool WRITES> static void input()
{
	int *p;
	device_array<int> out(1);
	cudaMallocManaged(&p, 2048 * sizeof *p);
	memset(p, 0, 2048 * sizeof *p);
	total<<<1, 1>>>(p, 2048, out);
	if (WRITES)
		p[5] = 1;
	else
		read_all(p, 2048);
	cudaDeviceSynchronize();
	cudaFree(p);
}
CASE(input_guilty) { input<true>(); }
CASE(input_innocent) { input<false>(); }

/* A counter: four bytes of managed memory. */
__managed__ int counter;
__global__ void count() { atomicAdd(&counter, 1); /* FINDS(counter_guilty): race-host */ }
template <bool WAITS> static void counting()
{
	counter = 0;
	count<<<4, 32>>>();
	if (WAITS)
		cudaDeviceSynchronize();
	printf("%d\n", counter);
}
CASE(counter_guilty) { counting<false>(); }
CASE(counter_innocent) { counting<true>(); }

/* The kernel's half and the host's. */
CASE(two_halves_innocent)
{
	int *p;
	cudaMallocManaged(&p, 8000 * sizeof *p);
	fill<<<16, 256>>>(p, 3999);
	for (int i = 3999; i < 8000; i++)
		p[i] = 1;
	cudaDeviceSynchronize();
	cudaFree(p);
}

/* The host waits for a flag behind a fence: right, without a call of CUDA's. */
__global__ void publish(int *data, volatile int *flag)
{
	*data = 42;
	__threadfence_system();
	*flag = 1;
}
CASE(flag_innocent)
{
	int *p;
	cudaHostAlloc((void **)&p, 8192, cudaHostAllocMapped);
	memset(p, 0, 8192);
	publish<<<1, 1>>>(p, p + 1024);
	while (!__atomic_load_n(&p[1024], __ATOMIC_ACQUIRE)) {
	}
	sum += p[0];
	cudaDeviceSynchronize();
	cudaFreeHost(p);
}

/* The kernel waits for the host. */
__global__ void follow(volatile int *go, int *out)
{
	while (!*go) {
	}
	*out = 1;
}
CASE(waits_for_host_innocent)
{
	int *p;
	cudaHostAlloc((void **)&p, 8192, cudaHostAllocMapped);
	memset(p, 0, 8192);
	follow<<<1, 1>>>(p, p + 1024);
	__atomic_store_n(p, 1, __ATOMIC_RELEASE);
	cudaDeviceSynchronize();
	sum += p[1024];
	cudaFreeHost(p);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime and the driver tell of every kind of memory, by all attributes; flags of host
 * memory; which call frees what. The answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include "apart.cuh"
#include "driver.cuh"

__device__ int variable;
__constant__ int constant;
__managed__ int managed_variable;
static int on_host[64];

struct memory_kind {
	const char *name;
	void *p; /* to ask about */
	void *start;
	size_t size;
};

static void *stream_ordered(size_t n)
{
	void *p = NULL;
	cudaMallocAsync(&p, n, 0);
	cudaDeviceSynchronize();
	return p;
}

static void *host_with(unsigned flags, size_t n)
{
	void *p = NULL;
	cudaHostAlloc(&p, n, flags);
	return p;
}

static void *registered_with(unsigned flags, size_t n)
{
	void *p = aligned_alloc(4096, n);
	cudaHostRegister(p, n, flags);
	return p;
}

static void *symbol(const void *s)
{
	void *p = NULL;
	cudaGetSymbolAddress(&p, s);
	return p;
}

template <typename F> static void each_kind(F f)
{
	enum { N = 8192 };
	char *p = NULL, *stack[4];
	cudaFree(0);
	f(memory_kind{"null", NULL, NULL, 0});
	f(memory_kind{"stack", stack, stack, sizeof stack});
	f(memory_kind{"static", on_host, on_host, sizeof on_host});
	p = (char *)malloc(N);
	f(memory_kind{"malloc", p, p, N});
	cudaMalloc(&p, N);
	f(memory_kind{"device", p, p, N});
	f(memory_kind{"inside of device", p + 100, p, N});
	f(memory_kind{"last byte of device", p + N - 1, p, N});
	cudaFree(p);
	cudaMallocManaged(&p, N);
	f(memory_kind{"managed", p, p, N});
	f(memory_kind{"inside of managed", p + 100, p, N});
	cudaMallocManaged(&p, N, cudaMemAttachHost);
	f(memory_kind{"managed, host", p, p, N});
	static const unsigned flags[] = {0, 1, 2, 3, 4, 5, 6, 7};
	for (unsigned flag : flags) {
		char name[64];
		snprintf(name, sizeof name, "pinned %u", flag);
		p = (char *)host_with(flag, N);
		f(memory_kind{name, p, p, N});
	}
	f(memory_kind{"inside of pinned", p + 100, p, N});
	for (unsigned flag : {0, 1, 2, 3, 8, 9, 10, 11}) {
		char name[64];
		snprintf(name, sizeof name, "registered %u", flag);
		p = (char *)registered_with(flag, N);
		f(memory_kind{name, p, p, N});
		if (!flag) {
			f(memory_kind{"inside of registered", p + 5000, p, N});
			f(memory_kind{"behind registered", p + N, NULL, 0});
			p = (char *)aligned_alloc(4096, N);
			cudaHostRegister(p + 100, 50, 0);
			f(memory_kind{"registered within a page", p + 100, p + 100, 50});
			f(memory_kind{"beside registered", p + 160, p + 100, 50});
			f(memory_kind{"another page", p + 4096, NULL, 0});
		}
	}
	p = (char *)stream_ordered(N);
	f(memory_kind{"stream-ordered", p, p, N});
	p = (char *)symbol(&variable);
	f(memory_kind{"variable", p, p, 4});
	p = (char *)symbol(&constant);
	f(memory_kind{"constant", p, p, 4});
	p = (char *)symbol(&managed_variable);
	f(memory_kind{"managed variable", p, p, 4});
	f(memory_kind{"wild", (void *)0x123456789000, NULL, 0});
}

static const char *relation(const void *seen, const void *p, const void *start)
{
	return !seen ? "null" : seen == p ? "itself" : seen == start ? "start" : "other";
}

static void attributes()
{
	each_kind([](const memory_kind &k) {
		cudaPointerAttributes a;
		char name[128];
		memset(&a, 0x77, sizeof a);
		int error = cudaPointerGetAttributes(&a, k.p);
		snprintf(name, sizeof name, "runtime, %s", k.name);
		say(name, "%d, type %d, device %d, %s, %s, last %d", error, (int)a.type, a.device,
		    relation(a.devicePointer, k.p, k.start), relation(a.hostPointer, k.p, k.start), cudaGetLastError());
		for (int which = 0; which < 23; which++) {
			if (which == CU_POINTER_ATTRIBUTE_P2P_TOKENS)
				continue;
			unsigned long long value[4] = {0x7777777777777777ull};
			CUresult result = cuPointerGetAttribute(value, (CUpointer_attribute)which, (CUdeviceptr)k.p);
			snprintf(name, sizeof name, "%s, %d", k.name, which);
			bool numbers = which != CU_POINTER_ATTRIBUTE_BUFFER_ID && which != CU_POINTER_ATTRIBUTE_CONTEXT &&
				which != CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE && which != CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID;
			if (result)
				say(name, "%d", result);
			else if (which == CU_POINTER_ATTRIBUTE_DEVICE_POINTER || which == CU_POINTER_ATTRIBUTE_HOST_POINTER ||
				 which == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
				say(name, "0 %s", relation((void *)value[0], k.p, k.start));
			else if (which == CU_POINTER_ATTRIBUTE_MAPPING_SIZE || which == CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR)
				say(name, "0");
			else if (which == CU_POINTER_ATTRIBUTE_RANGE_SIZE)
				say(name, "0 %s", value[0] == k.size ? "size" : "other");
			else
				say(name, "0 %llx", numbers ? value[0] : (unsigned long long)(value[0] != 0));
		}
		/* All at once: what is not to be had is zero. */
		unsigned type = 77, managed = 77;
		void *at = (void *)7, *there = (void *)7;
		int ordinal = 77;
		CUpointer_attribute list[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
			CU_POINTER_ATTRIBUTE_HOST_POINTER, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
		void *data[] = {&type, &managed, &at, &there, &ordinal};
		CUresult result = cuPointerGetAttributes(5, list, data, (CUdeviceptr)k.p);
		snprintf(name, sizeof name, "several, %s", k.name);
		say(name, "%d, %u %u %s %s %d", result, type, managed, relation(at, k.p, k.start), relation(there, k.p, k.start), ordinal);
	});
}

static void flags_of_host()
{
	each_kind([](const memory_kind &k) {
		char name[128];
		unsigned flags = 77, theirs = 77;
		void *there = (void *)7;
		CUdeviceptr driver = 7;
		snprintf(name, sizeof name, "flags, %s", k.name);
		int e1 = cudaHostGetFlags(&flags, k.p), l1 = cudaGetLastError();
		int e2 = cuMemHostGetFlags(&theirs, k.p);
		int e3 = cudaHostGetDevicePointer(&there, k.p, 0), l3 = cudaGetLastError();
		int e4 = cudaHostGetDevicePointer(&there, k.p, 1), l4 = cudaGetLastError();
		int e5 = cuMemHostGetDevicePointer(&driver, k.p, 0);
		say(name, "%d %u %d, %d %u, %d %s %d, %d %d, %d", e1, flags, l1, e2, theirs, e3,
		    e3 ? "-" : relation(there, k.p, k.start), l3, e4, l4, e5);
	});
	for (unsigned flags = 0; flags < 40; flags++) {
		char name[128];
		void *p = NULL, *q = NULL;
		unsigned seen = 77;
		snprintf(name, sizeof name, "allocate with %u", flags);
		int e1 = cudaHostAlloc(&p, 64, flags), e2 = cuMemHostAlloc(&q, 64, flags), e3 = p ? cudaHostGetFlags(&seen, p) : -1;
		say(name, "%d %d %d %u", e1, e2, e3, seen);
		snprintf(name, sizeof name, "register with %u", flags);
		if (flags & 4)
			continue; /* memory of other devices */
		p = aligned_alloc(4096, 8192);
		q = aligned_alloc(4096, 8192);
		seen = 77;
		e1 = cudaHostRegister(p, 8192, flags);
		e2 = cuMemHostRegister(q, 8192, flags);
		e3 = e1 ? -1 : cudaHostGetFlags(&seen, p);
		say(name, "%d %d %d %u", e1, e2, e3, seen);
	}
	cudaGetLastError();
	char *p = (char *)aligned_alloc(4096, 16384);
	ANSWER("register nothing", cudaHostRegister(p, 0, 0));
	ANSWER("register null", cudaHostRegister(NULL, 64, 0));
	ANSWER("register", cudaHostRegister(p, 8192, 0));
	ANSWER("register again", cudaHostRegister(p, 8192, 0));
	ANSWER("register a part", cudaHostRegister(p, 4096, 0));
	ANSWER("register more", cudaHostRegister(p, 16384, 0));
	ANSWER("register beside", cudaHostRegister(p + 8192, 4096, 0));
	ANSWER("register across", cudaHostRegister(p + 4096, 8192, 0));
	ANSWER("unregister inside", cudaHostUnregister(p + 100));
	ANSWER("unregister inside, another page", cudaHostUnregister(p + 4096));
	ANSWER("unregister", cudaHostUnregister(p));
	ANSWER("unregister again", cudaHostUnregister(p));
	ANSWER("unregister null", cudaHostUnregister(NULL));
	char *pinned = (char *)host_with(0, 8192), *there = NULL, *managed = NULL;
	cudaMalloc(&there, 8192);
	cudaMallocManaged(&managed, 8192);
	ANSWER("register pinned", cudaHostRegister(pinned, 4096, 0));
	ANSWER("register device", cudaHostRegister(there, 4096, 0));
	ANSWER("register managed", cudaHostRegister(managed, 4096, 0));
	ANSWER("unregister pinned", cudaHostUnregister(pinned));
	ANSWER("unregister device", cudaHostUnregister(there));
	ANSWER("unregister managed", cudaHostUnregister(managed));
	ANSWER("unregister malloc", cudaHostUnregister(malloc(16)));
	ANSWER("alloc nothing", cudaHostAlloc((void **)&p, 0, 0));
	say("alloc nothing gives", "%d", p == NULL);
	ANSWER("alloc into null", cudaHostAlloc(NULL, 16, 0));
	for (unsigned flags = 0; flags < 9; flags++)
		ANSWER("managed flags", cudaMallocManaged((void **)&p, 16, flags));
	ANSWER("managed nothing", cudaMallocManaged((void **)&p, 0));
	ANSWER("malloc nothing", cudaMalloc((void **)&p, 0));
	say("malloc nothing gives", "%d", p == NULL);
	ANSWER("malloc into null", cudaMalloc((void **)NULL, 16));
	ANSWER("malloc far too much", cudaMalloc((void **)&p, ~(size_t)0));
	ANSWER("malloc too much", cudaMalloc((void **)&p, (size_t)1 << 45));
	ANSWER("driver's nothing", cuMemAlloc((CUdeviceptr *)&p, 0));
	ANSWER("driver's too much", cuMemAlloc((CUdeviceptr *)&p, (size_t)1 << 45));
}

/* Which call frees what: each kind afresh for each call. */
static void frees(int how)
{
	static const char *const hows[] = {"cudaFree", "cudaFreeHost", "cudaFreeAsync", "cuMemFree", "cuMemFreeHost",
		"cudaHostUnregister", "cuMemHostUnregister", "cudaFreeArray"};
	each_kind([how](const memory_kind &k) {
		char name[128];
		if (how == 7)
			return;
		if (k.p && how != 0 && !strcmp(k.name, "device"))
			return; /* it is freed later */
		snprintf(name, sizeof name, "%s of %s", hows[how], k.name);
		int e = how == 0 ? (int)cudaFree(k.p) : how == 1 ? (int)cudaFreeHost(k.p) : how == 2 ? (int)cudaFreeAsync(k.p, 0)
			: how == 3 ? (int)cuMemFree((CUdeviceptr)k.p) : how == 4 ? (int)cuMemFreeHost(k.p)
			: how == 5 ? (int)cudaHostUnregister(k.p) : (int)cuMemHostUnregister(k.p);
		say(name, "%d, last %d", e, cudaGetLastError());
		cudaDeviceSynchronize();
	});
}

int main()
{
	apart("attributes", attributes);
	apart("flags", flags_of_host);
	for (int how = 0; how < 7; how++)
		apart("frees", [&] { frees(how); });
	apart("freed", [] {
		char *p, *q;
		cudaPointerAttributes a;
		cudaMalloc(&p, 8 << 20);
		cudaFree(p);
		cudaPointerGetAttributes(&a, p);
		say("freed device", "%d %d %d", (int)a.type, a.device, a.devicePointer == NULL);
		ANSWER("free twice", cudaFree(p));
		cudaMallocHost(&q, 8 << 20);
		cudaFreeHost(q);
		cudaPointerGetAttributes(&a, q);
		say("freed host", "%d %d %d", (int)a.type, a.device, a.devicePointer == NULL);
		ANSWER("free host twice", cudaFreeHost(q));
		ANSWER("attributes into null", cudaPointerGetAttributes(NULL, p));
	});
	apart_wait(0);
	return 0;
}

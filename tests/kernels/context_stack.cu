/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of contexts of a thread: what is current after each call, for primary contexts and
 * others, and what calls answer without one or with a dead one. The answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include <string>
#include <thread>

#include "apart.cuh"
#include "driver.cuh"

__global__ void store(int *p)
{
	*p = 42;
}

__global__ void fails()
{
	__trap();
}

static CUcontext primary, a, b;

/* A context by its name. */
static const char *which(CUcontext c)
{
	return !c ? "none" : c == primary ? "primary" : c == a ? "a" : c == b ? "b" : "other";
}

/* What is current, by the driver and by the runtime's device. */
static void current(const char *name)
{
	CUcontext c = (CUcontext)8;
	CUdevice d = 77;
	int e1 = cuCtxGetCurrent(&c), e2 = cuCtxGetDevice(&d);
	say(name, "current %d %s, device %d %d", e1, e1 ? "-" : which(c), e2, d);
}

static void state_of(const char *name)
{
	unsigned flags = 77;
	int active = 77;
	CUresult e = cuDevicePrimaryCtxGetState(0, &flags, &active);
	say(name, "state %d %u %d", e, flags, active);
}

static int pop(const char *name)
{
	CUcontext c = (CUcontext)8;
	CUresult e = cuCtxPopCurrent(&c);
	say(name, "pop %d %s", e, e ? "-" : which(c));
	return e;
}

/* Everything that asks for a context. */
static void calls(const char *state)
{
	char name[128];
	CUdeviceptr p = 0;
	CUstream s = NULL;
	CUevent e = NULL;
	CUmodule m = NULL;
	CUarray array = NULL;
	CUcontext c = NULL;
	CUdevice d;
	CUmemoryPool pool = NULL;
	unsigned flags;
	size_t n, total;
	int low, high, x = 7;
	unsigned long long id;
	void *h = NULL;
	CUgraph g = NULL;
	CUlinkState l = NULL;
	CUlimit stack = CU_LIMIT_STACK_SIZE;
	CUfunc_cache config;
	CUDA_ARRAY_DESCRIPTOR descriptor = {};
	descriptor.Width = 4;
	descriptor.Height = 4;
	descriptor.NumChannels = 1;
	descriptor.Format = CU_AD_FORMAT_FLOAT;
	static const char text[] = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";
#define CALL(what, call)                                                   \
	do {                                                               \
		snprintf(name, sizeof name, "%s, %s", state, what);        \
		ANSWER(name, call);                                        \
	} while (0)
	CALL("get device", cuCtxGetDevice(&d));
	CALL("get flags", cuCtxGetFlags(&flags));
	CALL("get limit", cuCtxGetLimit(&n, stack));
	CALL("set limit", cuCtxSetLimit(stack, 1024));
	CALL("get cache config", cuCtxGetCacheConfig(&config));
	CALL("set cache config", cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_NONE));
	CALL("get id", cuCtxGetId(NULL, &id));
	CALL("get version", cuCtxGetApiVersion(NULL, &flags));
	CALL("priorities", cuCtxGetStreamPriorityRange(&low, &high));
	CALL("synchronize", cuCtxSynchronize());
	CALL("memory info", cuMemGetInfo(&n, &total));
	CALL("alloc", cuMemAlloc(&p, 64));
	CALL("alloc managed", cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_GLOBAL));
	CALL("alloc host", cuMemAllocHost(&h, 64));
	CALL("host alloc", cuMemHostAlloc(&h, 64, 0));
	CALL("alloc async", cuMemAllocAsync(&p, 64, NULL));
	CALL("free nothing", cuMemFree(0));
	CALL("free wild", cuMemFree(0x1234));
	CALL("free host nothing", cuMemFreeHost(NULL));
	CALL("set nothing", cuMemsetD8(0, 0, 0));
	CALL("set", cuMemsetD8(0x1234, 0, 1));
	CALL("copy", cuMemcpyHtoD(0x1234, &x, 4));
	CALL("copy nothing", cuMemcpyHtoD(0, &x, 0));
	CALL("pointer", cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&x));
	CALL("stream", cuStreamCreate(&s, 0));
	CALL("stream query", cuStreamQuery(NULL));
	CALL("stream synchronize", cuStreamSynchronize(NULL));
	CALL("stream of own", cuStreamSynchronize(CU_STREAM_PER_THREAD));
	CALL("stream's context", cuStreamGetCtx(NULL, &c));
	CALL("stream's context null", cuStreamGetCtx(NULL, NULL));
	CALL("stream flags", cuStreamGetFlags(NULL, &flags));
	CALL("host function", cuLaunchHostFunc(NULL, [](void *) {}, NULL));
	CALL("event", cuEventCreate(&e, 0));
	CALL("module", cuModuleLoadData(&m, text));
	CALL("module of null", cuModuleLoadData(&m, NULL));
	CALL("array", cuArrayCreate(&array, &descriptor));
	CALL("graph", cuGraphCreate(&g, 0));
	CALL("linker", cuLinkCreate(0, NULL, NULL, &l));
	CALL("default pool", cuDeviceGetDefaultMemPool(&pool, 0));
	CALL("pool", cuDeviceGetMemPool(&pool, 0));
	CALL("peer", cuCtxEnablePeerAccess(NULL, 0));
	CALL("set current null", cuCtxSetCurrent(NULL));
#undef CALL
}

static void init()
{
	DO(cuInit(0));
}

int main()
{
	apart("before cuInit", [] {
		CUcontext c = (CUcontext)8;
		CUdevice d = 77;
		int n = 77, version = 77;
		ANSWER("no init, current", cuCtxGetCurrent(&c));
		ANSWER("no init, set", cuCtxSetCurrent(NULL));
		ANSWER("no init, pop", cuCtxPopCurrent(&c));
		ANSWER("no init, push", cuCtxPushCurrent(NULL));
		ANSWER("no init, retain", cuDevicePrimaryCtxRetain(&c, 0));
		ANSWER("no init, state", cuDevicePrimaryCtxGetState(0, (unsigned *)&n, &n));
		ANSWER("no init, create", cuCtxCreate(&c, NULL, 0, 0));
		ANSWER("no init, device", cuDeviceGet(&d, 0));
		ANSWER("no init, count", cuDeviceGetCount(&n));
		ANSWER("no init, device attribute", cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
		ANSWER("no init, version", cuDriverGetVersion(&version));
		const char *text;
		ANSWER("no init, error name", cuGetErrorName((CUresult)1, &text));
		void *f;
		ANSWER("no init, entry", cuGetProcAddress("cuInit", &f, 13000, 0, NULL));
		ANSWER("no init, flags", cuInit(1));
		calls("no init");
	});
	apart("without a context", [] {
		init();
		current("none");
		pop("none, pop");
		ANSWER("none, push null", cuCtxPushCurrent(NULL));
		ANSWER("none, pop into null", cuCtxPopCurrent(NULL));
		ANSWER("none, get null", cuCtxGetCurrent(NULL));
		ANSWER("none, get device null", cuCtxGetDevice(NULL));
		ANSWER("none, destroy null", cuCtxDestroy(NULL));
		state_of("none, state");
		calls("none");
		current("none, at the end");
	});
	apart("retain", [] {
		init();
		ANSWER("retain null", cuDevicePrimaryCtxRetain(NULL, 0));
		ANSWER("retain no device", cuDevicePrimaryCtxRetain(&primary, 99));
		ANSWER("retain minus one", cuDevicePrimaryCtxRetain(&primary, -1));
		state_of("retain, before");
		DO(cuDevicePrimaryCtxRetain(&primary, 0));
		state_of("retained");
		current("retained");
		calls("retained");
		CUcontext again = NULL;
		DO(cuDevicePrimaryCtxRetain(&again, 0));
		say("retained again", "%s", which(again));
		ANSWER("set primary", cuCtxSetCurrent(primary));
		current("primary is set");
		ANSWER("destroy primary", cuCtxDestroy(primary));
		current("primary is destroyed");
		ANSWER("set null", cuCtxSetCurrent(NULL));
		current("null is set");
		pop("null is set, pop");
		ANSWER("release", cuDevicePrimaryCtxRelease(0));
		state_of("released once");
		ANSWER("release", cuDevicePrimaryCtxRelease(0));
		state_of("released twice");
		ANSWER("release", cuDevicePrimaryCtxRelease(0));
		ANSWER("release no device", cuDevicePrimaryCtxRelease(99));
	});
	apart("released while current", [] {
		init();
		DO(cuDevicePrimaryCtxRetain(&primary, 0));
		DO(cuCtxSetCurrent(primary));
		DO(cuDevicePrimaryCtxRelease(0));
		state_of("released while current");
		current("released while current");
		CUdeviceptr p = 0;
		ANSWER("released while current, alloc", cuMemAlloc(&p, 64));
		ANSWER("released while current, synchronize", cuCtxSynchronize());
		CUcontext again = NULL;
		DO(cuDevicePrimaryCtxRetain(&again, 0));
		say("released while current, retained", "%s", which(again));
		current("released while current, retained");
		ANSWER("released while current, retained, alloc", cuMemAlloc(&p, 64));
	});
	apart("stack", [] {
		init();
		DO(cuDevicePrimaryCtxRetain(&primary, 0));
		ANSWER("create a", cuCtxCreate(&a, NULL, 0, 0));
		current("created a");
		ANSWER("create b", cuCtxCreate(&b, NULL, CU_CTX_SCHED_YIELD, 0));
		current("created b");
		unsigned flags = 77, version = 77;
		unsigned long long ids[3] = {};
		cuCtxGetFlags(&flags);
		cuCtxGetApiVersion(b, &version);
		say("b's flags", "%u, version %u", flags, version);
		cuCtxGetId(primary, ids);
		cuCtxGetId(a, ids + 1);
		cuCtxGetId(b, ids + 2);
		say("ids", "%d %d %d", ids[0] != ids[1], ids[1] != ids[2], ids[0] != ids[2]);
		ANSWER("push primary", cuCtxPushCurrent(primary));
		ANSWER("push a", cuCtxPushCurrent(a));
		ANSWER("push a again", cuCtxPushCurrent(a));
		current("pushed");
		ANSWER("push null", cuCtxPushCurrent(NULL));
		current("pushed null");
		ANSWER("set null", cuCtxSetCurrent(NULL));
		current("set null on a stack");
		for (int i = 0; i < 7; i++)
			pop("pop all");
		current("popped all");
		ANSWER("set b", cuCtxSetCurrent(b));
		ANSWER("set a in b's place", cuCtxSetCurrent(a));
		pop("after two sets");
		pop("after two sets, again");
		ANSWER("create with wrong flags", cuCtxCreate(&a, NULL, 0x1000, 0));
		ANSWER("create for no device", cuCtxCreate(&a, NULL, 0, 99));
		ANSWER("create null", cuCtxCreate(NULL, NULL, 0, 0));
		CUexecAffinityParam part = {CU_EXEC_AFFINITY_TYPE_SM_COUNT, {{16}}};
		CUctxCreateParams some = {&part, 1, NULL}, no_list = {NULL, 1, NULL};
		ANSWER("create with a part of the SMs", cuCtxCreate(&a, &some, 0, 0));
		ANSWER("create without the list", cuCtxCreate(&a, &no_list, 0, 0));
		current("created none");
	});
	apart("destroy", [] {
		init();
		CUctxCreateParams nothing = {};
		DO(cuCtxCreate(&a, &nothing, 0, 0));
		DO(cuCtxCreate(&b, NULL, 0, 0));
		CUdeviceptr pa = 0, pb = 0;
		CUstream sb = NULL;
		CUevent eb = NULL;
		DO(cuMemAlloc(&pb, 64));
		DO(cuStreamCreate(&sb, 0));
		DO(cuEventCreate(&eb, 0));
		DO(cuCtxSetCurrent(a));
		DO(cuMemAlloc(&pa, 64));
		current("destroy, before");
		ANSWER("destroy the one that is not current", cuCtxDestroy(b));
		current("destroyed b");
		ANSWER("its memory", cuMemsetD8(pb, 0, 64));
		ANSWER("its memory is freed", cuMemFree(pb));
		ANSWER("own memory", cuMemsetD8(pa, 0, 64));
	});
	apart("destroyed below", [] {
		init();
		DO(cuCtxCreate(&a, NULL, 0, 0));
		DO(cuCtxCreate(&b, NULL, 0, 0));
		ANSWER("below, destroy a", cuCtxDestroy(a));
		current("below, b");
		pop("below, pop b");
		current("below, a is dead");
		CUdeviceptr p = 0;
		ANSWER("below, alloc", cuMemAlloc(&p, 64));
		ANSWER("below, synchronize", cuCtxSynchronize());
		CUstream s;
		ANSWER("below, stream", cuStreamCreate(&s, 0));
		pop("below, pop a");
		pop("below, pop again");
	});
	apart("destroyed elsewhere", [] {
		init();
		DO(cuCtxCreate(&a, NULL, 0, 0));
		std::thread([] {
			current("thread");
			pop("thread, pop");
			ANSWER("thread, push a", cuCtxPushCurrent(a));
			current("thread, pushed");
			CUdeviceptr p;
			ANSWER("thread, alloc", cuMemAlloc(&p, 64));
			ANSWER("thread, destroy", cuCtxDestroy(a));
			current("thread, destroyed");
		}).join();
		current("elsewhere");
		CUdeviceptr p;
		ANSWER("elsewhere, alloc", cuMemAlloc(&p, 64));
		ANSWER("elsewhere, free nothing", cuMemFree(0));
		ANSWER("elsewhere, synchronize", cuCtxSynchronize());
		ANSWER("elsewhere, stream", cuStreamQuery(NULL));
		int x;
		ANSWER("elsewhere, runtime", cudaMalloc((void **)&p, 4));
		ANSWER("elsewhere, runtime's device", cudaGetDevice(&x));
		pop("elsewhere, pop");
		pop("elsewhere, pop again");
	});
	apart("calls with one", [] {
		init();
		DO(cuDevicePrimaryCtxRetain(&primary, 0));
		DO(cuCtxSetCurrent(primary));
		calls("live");
	});
	apart("calls with a dead one", [] {
		init();
		DO(cuCtxCreate(&a, NULL, 0, 0));
		std::thread([] { DO(cuCtxDestroy(a)); }).join();
		calls("dead");
	});
	apart("calls with a released one", [] {
		init();
		DO(cuDevicePrimaryCtxRetain(&primary, 0));
		DO(cuCtxSetCurrent(primary));
		DO(cuDevicePrimaryCtxRelease(0));
		calls("released");
	});
	apart("calls after an error", [] {
		fails<<<1, 1>>>();
		cudaDeviceSynchronize();
		calls("after an error");
	});
	apart("handles of a dead one", [] {
		init();
		DO(cuCtxCreate(&a, NULL, 0, 0));
		DO(cuCtxCreate(&b, NULL, 0, 0));
		DO(cuCtxDestroy(b));
		unsigned version = 77;
		unsigned long long id = 77;
		CUdevice device = 77;
		ANSWER("dead, push", cuCtxPushCurrent(b));
		ANSWER("dead, version", cuCtxGetApiVersion(b, &version));
		ANSWER("dead, id", cuCtxGetId(b, &id));
		ANSWER("dead, device", cuCtxGetDevice(&device));
		ANSWER("dead, synchronize", cuCtxSynchronize_v2(b));
		ANSWER("dead, set current", cuCtxSetCurrent(b));
		ANSWER("dead, destroy", cuCtxDestroy(b));
	});
	apart("runtime first", [] {
		cudaFree(0);
		CUcontext c = NULL;
		DO(cuDevicePrimaryCtxRetain(&primary, 0));
		current("runtime first");
		state_of("runtime first, state");
		std::thread([] {
			int d = 77;
			current("runtime's thread");
			cudaGetDevice(&d);
			current("runtime's thread, asked for the device");
			cudaSetDevice(0);
			current("runtime's thread, set the device");
		}).join();
		std::thread([] {
			void *p;
			cudaMalloc(&p, 4);
			current("runtime's thread, allocated");
			pop("runtime's thread, pop");
			current("runtime's thread, popped");
			ANSWER("runtime's thread, malloc", cudaMalloc(&p, 4));
			current("runtime's thread, allocated again");
		}).join();
		pop("runtime first, pop");
		current("runtime first, popped");
		ANSWER("runtime first, set null", cuCtxSetCurrent(NULL));
		ANSWER("runtime first, driver allocates", cuMemAlloc((CUdeviceptr *)&c, 4));
		ANSWER("runtime first, runtime frees", cudaFree(0));
		current("runtime first, once more");
		ANSWER("runtime first, release", cuDevicePrimaryCtxRelease(0));
		ANSWER("runtime first, release", cuDevicePrimaryCtxRelease(0));
		state_of("runtime first, released");
		ANSWER("runtime first, reset", cuDevicePrimaryCtxReset(0));
		state_of("runtime first, reset");
		current("runtime first, reset");
		void *p;
		ANSWER("runtime first, malloc after reset", cudaMalloc(&p, 4));
		state_of("runtime first, after reset");
		current("runtime first, after reset");
	});
	apart("runtime in a context", [] {
		init();
		DO(cuCtxCreate(&a, NULL, 0, 0));
		int *p = NULL, seen = 0, device = 77;
		ANSWER("runtime in a, malloc", cudaMalloc(&p, 4));
		current("runtime in a");
		store<<<1, 1>>>(p);
		ANSWER("runtime in a, launch", cudaGetLastError());
		ANSWER("runtime in a, copy", cudaMemcpy(&seen, p, 4, cudaMemcpyDeviceToHost));
		ANSWER("runtime in a, device", cudaGetDevice(&device));
		say("runtime in a, saw", "%d %d", seen, device);
		CUcontext owner = NULL;
		cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)p);
		say("runtime in a, owner", "%s", which(owner));
		state_of("runtime in a, state");
		ANSWER("runtime in a, set device", cudaSetDevice(0));
		DO(cuDevicePrimaryCtxRetain(&primary, 0));
		current("runtime in a, device is set");
		pop("runtime in a, pop");
		pop("runtime in a, pop again");
	});
	apart("streams of contexts", [] {
		init();
		CUstream sa, sb;
		CUcontext c = NULL;
		CUevent ea;
		CUdeviceptr p = 0;
		DO(cuCtxCreate(&a, NULL, 0, 0));
		DO(cuStreamCreate(&sa, 0));
		DO(cuEventCreate(&ea, 0));
		DO(cuMemAlloc(&p, 64));
		DO(cuCtxCreate(&b, NULL, 0, 0));
		DO(cuStreamCreate(&sb, 0));
		cuStreamGetCtx(sa, &c);
		say("a's stream", "%s", which(c));
		cuStreamGetCtx(sb, &c);
		say("b's stream", "%s", which(c));
		cuStreamGetCtx(NULL, &c);
		say("the default stream", "%s", which(c));
		ANSWER("another's stream query", cuStreamQuery(sa));
		ANSWER("another's stream set", cuMemsetD8Async(p, 0, 64, sa));
		ANSWER("another's event in own stream", cuEventRecord(ea, sb));
		ANSWER("another's event in its stream", cuEventRecord(ea, sa));
		ANSWER("another's memory", cuMemsetD8(p, 0, 64));
		ANSWER("another's memory freed", cuMemFree(p));
		ANSWER("another's stream destroyed", cuStreamDestroy(sa));
		current("still b");
		CUcontext owner = NULL;
		cuMemAlloc(&p, 64);
		cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, p);
		say("owner", "%s", which(owner));
		unsigned flags = 77;
		ANSWER("attach", cuCtxAttach(&c, 0));
		say("attached", "%s", which(c));
		ANSWER("attach with flags", cuCtxAttach(&c, 1));
		ANSWER("detach", cuCtxDetach(b));
		ANSWER("detach again", cuCtxDetach(b));
		current("detached");
		ANSWER("flags after", cuCtxGetFlags(&flags));
	});
	/* As Numba does at its reset: all contexts are popped before what is in them is freed. */
	apart("freed without a context", [] {
		init();
		static char memory[3 * 4096];
		static const char text[] = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";
		CUcontext contexts[2], old;
		char *page = memory + 4096 - (size_t)memory % 4096;
		DO(cuDevicePrimaryCtxRetain(&contexts[0], 0));
		DO(cuCtxCreate(&contexts[1], NULL, 0, 0));
		DO(cuCtxPopCurrent(&old));
		for (int own = 0; own < 2; own++) {
			CUdeviceptr p = 0, q = 0, managed = 0;
			CUevent event;
			CUstream stream;
			CUmodule module;
			void *host;
			DO(cuCtxPushCurrent(contexts[own]));
			DO(cuMemAlloc(&p, 80));
			DO(cuMemAlloc(&q, 80));
			DO(cuMemAllocManaged(&managed, 80, CU_MEM_ATTACH_GLOBAL));
			DO(cuMemHostAlloc(&host, 80, 0));
			DO(cuMemHostRegister(page, 4096, 0));
			DO(cuEventCreate(&event, 0));
			DO(cuStreamCreate(&stream, 0));
			DO(cuModuleLoadData(&module, text));
			DO(cuCtxPopCurrent(&old));
			const char *name = own ? "popped own" : "popped primary";
			int answers[] = {cuMemFree(p), cuMemFree(p), cuMemFree(q + 16), cuMemFree(managed), cuMemFreeHost(host),
					 cuMemHostUnregister(page), cuEventDestroy(event), cuStreamDestroy(stream),
					 cuModuleUnload(module)};
			std::string line;
			for (int answer : answers)
				line += std::to_string(answer) + " ";
			say(name, "%s", line.c_str());
		}
		CUdeviceptr p, q;
		DO(cuCtxPushCurrent(contexts[0]));
		DO(cuMemAlloc(&p, 80));
		DO(cuMemAlloc(&q, 80));
		DO(cuCtxPopCurrent(&old));
		ANSWER("popped, free", cuMemFree(p));
		ANSWER("popped, reset", cuDevicePrimaryCtxReset(0));
		ANSWER("popped and reset, free", cuMemFree(q));
		ANSWER("popped and reset, push", cuCtxPushCurrent(contexts[0]));
		ANSWER("popped and reset, alloc", cuMemAlloc(&p, 80));
	});
	apart("pools without a context", [] {
		init();
		CUmemoryPool pool = NULL, other = NULL;
		cuuint64_t value = 1 << 20;
		CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
		CUmemAccessDesc access = {location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
		CUmemAccess_flags flags;
		CUmemPoolProps properties = {};
		CUdeviceptr p = 0;
		properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
		properties.location = location;
		ANSWER("pools, default", cuDeviceGetDefaultMemPool(&pool, 0));
		ANSWER("pools, set attribute", cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
		ANSWER("pools, get attribute", cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
		ANSWER("pools, trim", cuMemPoolTrimTo(pool, 0));
		ANSWER("pools, get access", cuMemPoolGetAccess(&flags, pool, &location));
		ANSWER("pools, set access", cuMemPoolSetAccess(pool, &access, 1));
		ANSWER("pools, create", cuMemPoolCreate(&other, &properties));
		ANSWER("pools, set of device", cuDeviceSetMemPool(0, other));
		ANSWER("pools, get of device", cuDeviceGetMemPool(&other, 0));
		ANSWER("pools, set of device again", cuDeviceSetMemPool(0, pool));
		ANSWER("pools, destroy", cuMemPoolDestroy(other));
		ANSWER("pools, alloc", cuMemAllocFromPoolAsync(&p, 256, pool, 0));
		ANSWER("pools, null", cuMemPoolSetAttribute(NULL, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
		ANSWER("pools, attribute 99", cuMemPoolSetAttribute(pool, (CUmemPool_attribute)99, &value));
		ANSWER("pools, create null", cuMemPoolCreate(NULL, &properties));
		ANSWER("pools, destroy null", cuMemPoolDestroy(NULL));
	});
	apart_wait(0);
	return 0;
}

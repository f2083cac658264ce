/* SPDX-License-Identifier: Apache-2.0 */
/* Every call of streams and events with null and the default streams' handles, before and after a
 * kernel that ended the context. The answers are an H200's; of destroyed handles it has none, as
 * its driver dies of most.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include "apart.cuh"
#include "driver.cuh"

__global__ void nothing()
{
}

__global__ void fails()
{
	__trap();
}

static void CUDART_CB host_function(void *)
{
}

static void CUDART_CB callback(cudaStream_t, cudaError_t, void *)
{
}

/* What the calls need beside the handle. */
static cudaStream_t good;
static cudaEvent_t good_event;
static int *device, *host;

struct stream_call {
	const char *name;
	int (*make)(cudaStream_t s);
};

static const stream_call stream_calls[] = {
	{"cudaStreamSynchronize", [](cudaStream_t s) { return (int)cudaStreamSynchronize(s); }},
	{"cudaStreamQuery", [](cudaStream_t s) { return (int)cudaStreamQuery(s); }},
	{"cudaStreamDestroy", [](cudaStream_t s) { return (int)cudaStreamDestroy(s); }},
	{"cudaStreamGetFlags", [](cudaStream_t s) { unsigned f; return (int)cudaStreamGetFlags(s, &f); }},
	{"cudaStreamGetPriority", [](cudaStream_t s) { int p; return (int)cudaStreamGetPriority(s, &p); }},
	{"cudaStreamGetId", [](cudaStream_t s) { unsigned long long i; return (int)cudaStreamGetId(s, &i); }},
	{"cudaStreamGetDevice", [](cudaStream_t s) { int d; return (int)cudaStreamGetDevice(s, &d); }},
	{"cudaStreamWaitEvent", [](cudaStream_t s) { return (int)cudaStreamWaitEvent(s, good_event, 0); }},
	{"cudaEventRecord", [](cudaStream_t s) { return (int)cudaEventRecord(good_event, s); }},
	{"cudaStreamAddCallback", [](cudaStream_t s) { return (int)cudaStreamAddCallback(s, callback, NULL, 0); }},
	{"cudaLaunchHostFunc", [](cudaStream_t s) { return (int)cudaLaunchHostFunc(s, host_function, NULL); }},
	{"cudaMemsetAsync", [](cudaStream_t s) { return (int)cudaMemsetAsync(device, 0, 4, s); }},
	{"cudaMemcpyAsync", [](cudaStream_t s) { return (int)cudaMemcpyAsync(device, host, 4, cudaMemcpyDefault, s); }},
	{"cudaMemcpyAsync of nothing", [](cudaStream_t s) { return (int)cudaMemcpyAsync(device, host, 0, cudaMemcpyDefault, s); }},
	{"cudaMallocAsync", [](cudaStream_t s) { void *p; return (int)cudaMallocAsync(&p, 16, s); }},
	{"cudaFreeAsync", [](cudaStream_t s) { return (int)cudaFreeAsync(device, s); }},
	{"launch", [](cudaStream_t s) { nothing<<<1, 1, 0, s>>>(); return (int)cudaGetLastError(); }},
	{"cudaStreamBeginCapture", [](cudaStream_t s) { return (int)cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed); }},
	{"cudaStreamEndCapture", [](cudaStream_t s) { cudaGraph_t g; return (int)cudaStreamEndCapture(s, &g); }},
	{"cudaStreamIsCapturing", [](cudaStream_t s) { cudaStreamCaptureStatus c; return (int)cudaStreamIsCapturing(s, &c); }},
	{"cudaStreamCopyAttributes to", [](cudaStream_t s) { return (int)cudaStreamCopyAttributes(s, good); }},
	{"cudaStreamGetAttribute", [](cudaStream_t s) { cudaLaunchAttributeValue v; return (int)cudaStreamGetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &v); }},
	{"cuStreamSynchronize", [](cudaStream_t s) { return (int)cuStreamSynchronize(s); }},
	{"cuStreamQuery", [](cudaStream_t s) { return (int)cuStreamQuery(s); }},
	{"cuStreamGetFlags", [](cudaStream_t s) { unsigned f; return (int)cuStreamGetFlags(s, &f); }},
	{"cuStreamGetCtx", [](cudaStream_t s) { CUcontext c; return (int)cuStreamGetCtx(s, &c); }},
	{"cuStreamWriteValue32", [](cudaStream_t s) { return (int)cuStreamWriteValue32(s, (CUdeviceptr)device, 0, 0); }},
	{"cuStreamDestroy", [](cudaStream_t s) { return (int)cuStreamDestroy(s); }},
};

struct event_call {
	const char *name;
	int (*make)(cudaEvent_t e);
};

static const event_call event_calls[] = {
	{"cudaEventRecord", [](cudaEvent_t e) { return (int)cudaEventRecord(e, good); }},
	{"cudaEventRecordWithFlags", [](cudaEvent_t e) { return (int)cudaEventRecordWithFlags(e, good, 0); }},
	{"cudaEventQuery", [](cudaEvent_t e) { return (int)cudaEventQuery(e); }},
	{"cudaEventSynchronize", [](cudaEvent_t e) { return (int)cudaEventSynchronize(e); }},
	{"cudaEventElapsedTime from", [](cudaEvent_t e) { float t; return (int)cudaEventElapsedTime(&t, e, good_event); }},
	{"cudaEventElapsedTime to", [](cudaEvent_t e) { float t; return (int)cudaEventElapsedTime(&t, good_event, e); }},
	{"cudaStreamWaitEvent", [](cudaEvent_t e) { return (int)cudaStreamWaitEvent(good, e, 0); }},
	{"cudaEventDestroy", [](cudaEvent_t e) { return (int)cudaEventDestroy(e); }},
	{"cuEventQuery", [](cudaEvent_t e) { return (int)cuEventQuery(e); }},
	{"cuEventSynchronize", [](cudaEvent_t e) { return (int)cuEventSynchronize(e); }},
	{"cuEventDestroy", [](cudaEvent_t e) { return (int)cuEventDestroy(e); }},
};

static void fail()
{
	fails<<<1, 1>>>();
	cudaDeviceSynchronize();
}

static void prepare()
{
	cudaStreamCreate(&good);
	cudaEventCreate(&good_event);
	cudaEventRecord(good_event, good);
	cudaMalloc(&device, 16);
	cudaMallocHost(&host, 16);
	cudaDeviceSynchronize();
	cudaGetLastError();
}

static const char *const whens[] = {"", ", after an error"};

static void call_stream(const stream_call &call, const char *kind, cudaStream_t s, bool after_error)
{
	char name[128];
	snprintf(name, sizeof name, "%s, %s%s", call.name, kind, whens[after_error]);
	if (!after_error)
		cudaMalloc(&device, 16);
	int made = call.make(s);
	say(name, "%d, then %d", made, cudaGetLastError());
}

static void streams(bool after_error)
{
	static const char *const kinds[] = {"live", "null", "legacy", "per thread"};
	for (int kind = 0; kind < 4; kind++)
		apart(kinds[kind], [&] {
			prepare();
			for (const stream_call &call : stream_calls) {
				cudaStream_t s = NULL;
				if (kind == 0 && !after_error)
					cudaStreamCreate(&s);
				if (kind == 0 && after_error)
					s = good;
				if (after_error && &call == stream_calls)
					fail();
				if (kind == 1 && !strcmp(call.name, "cuStreamDestroy"))
					continue; /* null is no handle that this may be asked about */
				call_stream(call, kinds[kind], kind == 0 ? s : kind == 1 ? NULL : kind == 2 ? cudaStreamLegacy
					    : cudaStreamPerThread, after_error);
			}
		});
}

static void call_event(const event_call &call, const char *kind, cudaEvent_t e, bool after_error)
{
	char name[128];
	snprintf(name, sizeof name, "event, %s, %s%s", call.name, kind, whens[after_error]);
	int made = call.make(e);
	say(name, "%d, then %d", made, cudaGetLastError());
}

static cudaEvent_t event_of(int kind)
{
	cudaEvent_t e = NULL;
	if (kind == 3)
		return NULL;
	cudaEventCreateWithFlags(&e, kind == 1 ? cudaEventDisableTiming : cudaEventDefault);
	if (kind != 2)
		cudaEventRecord(e, good);
	cudaStreamSynchronize(good);
	return e;
}

static void events(bool after_error)
{
	static const char *const kinds[] = {"live", "no timing", "never recorded", "null"};
	for (int kind = 0; kind < 4; kind++)
		apart(kinds[kind], [&] {
			prepare();
			enum { N = sizeof event_calls / sizeof *event_calls };
			cudaEvent_t list[N];
			for (int i = 0; i < N; i++)
				list[i] = event_of(kind);
			if (after_error)
				fail();
			for (int i = 0; i < N; i++)
				call_event(event_calls[i], kinds[kind], list[i], after_error);
		});
}

/* Of most calls the driver dies; where it did not, these were the answers. */
static void destroyed()
{
	cudaStream_t s;
	prepare();
	cudaStreamCreate(&s);
	cudaStreamDestroy(s);
	fail();
	ANSWER("destroyed stream, synchronize", cudaStreamSynchronize(s));
	ANSWER("destroyed stream, query", cudaStreamQuery(s));
}

int main()
{
	for (int after_error = 0; after_error < 2; after_error++) {
		streams(after_error);
		events(after_error);
	}
	apart("destroyed", destroyed);
	apart_wait(0);
	return 0;
}

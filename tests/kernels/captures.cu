/* SPDX-License-Identifier: Apache-2.0 */
/* What may and what may not be called while a stream is being captured: for each
 * call its error, the capture's state afterwards, and how the capture ends. */
#include "case.cuh"

__global__ void nothing()
{
}

static cudaStream_t blocking, non_blocking, other;
static cudaEvent_t event, recorded;
static int *cell;

struct call {
	const char *name;
	cudaError_t (*make)(cudaStream_t s);
};

static const call calls[] = {
	{"cudaMemcpy", [](cudaStream_t) { int v; return cudaMemcpy(&v, cell, 4, cudaMemcpyDeviceToHost); }},
	{"cudaMemset", [](cudaStream_t) { return cudaMemset(cell, 0, 4); }},
	{"launch in the legacy stream", [](cudaStream_t) { nothing<<<1, 1>>>(); return cudaGetLastError(); }},
	{"launch in another stream", [](cudaStream_t) { nothing<<<1, 1, 0, other>>>(); return cudaGetLastError(); }},
	{"cudaMalloc", [](cudaStream_t) { void *p; return cudaMalloc(&p, 16); }},
	{"cudaFree", [](cudaStream_t) { return cudaFree(nullptr); }},
	{"cudaMallocHost", [](cudaStream_t) { void *p; return cudaMallocHost(&p, 16); }},
	{"cudaDeviceSynchronize", [](cudaStream_t) { return cudaDeviceSynchronize(); }},
	{"cudaStreamSynchronize of the legacy stream", [](cudaStream_t) { return cudaStreamSynchronize(0); }},
	{"cudaStreamSynchronize of another", [](cudaStream_t) { return cudaStreamSynchronize(other); }},
	{"cudaStreamQuery of another", [](cudaStream_t) { return cudaStreamQuery(other); }},
	{"cudaEventQuery", [](cudaStream_t) { return cudaEventQuery(recorded); }},
	{"cudaEventSynchronize", [](cudaStream_t) { return cudaEventSynchronize(recorded); }},
	{"cudaStreamCreate", [](cudaStream_t) { cudaStream_t t; return cudaStreamCreate(&t); }},
	{"cudaEventCreate", [](cudaStream_t) { cudaEvent_t e; return cudaEventCreate(&e); }},
	{"cudaGetDevice", [](cudaStream_t) { int d; return cudaGetDevice(&d); }},
	{"wait for what is not captured", [](cudaStream_t s) { return cudaStreamWaitEvent(s, recorded, 0); }},
	{"wait for what was never recorded", [](cudaStream_t s) { return cudaStreamWaitEvent(s, event, 0); }},
	{"query of a captured event", [](cudaStream_t s) {
		cudaEvent_t e;
		cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
		cudaEventRecord(e, s);
		return cudaEventQuery(e);
	}},
	{"synchronize with a captured event", [](cudaStream_t s) {
		cudaEvent_t e;
		cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
		cudaEventRecord(e, s);
		return cudaEventSynchronize(e);
	}},
	{"unjoined stream", [](cudaStream_t s) {
		cudaEvent_t e;
		cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
		cudaEventRecord(e, s);
		cudaStreamWaitEvent(other, e, 0);
		nothing<<<1, 1, 0, other>>>();
		return cudaGetLastError();
	}},
	{"legacy stream waits", [](cudaStream_t s) {
		cudaEvent_t e;
		cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
		cudaEventRecord(e, s);
		return cudaStreamWaitEvent(0, e, 0);
	}},
	{"end by another stream", [](cudaStream_t) { cudaGraph_t g; return cudaStreamEndCapture(other, &g); }},
	{"pageable copy", [](cudaStream_t s) { static int v; return cudaMemcpyAsync(cell, &v, 4, cudaMemcpyHostToDevice, s); }},
	{"host function", [](cudaStream_t s) { return cudaLaunchHostFunc(s, [](void *) {}, nullptr); }},
	{"callback", [](cudaStream_t s) {
		return cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t, void *) {}, nullptr, 0);
	}},
};

static void attempt(const char *kind, cudaStream_t s, cudaStreamCaptureMode mode)
{
	for (const call &c : calls) {
		char name[96];
		snprintf(name, sizeof name, "%s: %s", kind, c.name);
		CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
		cudaError_t begun = cudaStreamBeginCapture(s, mode);
		nothing<<<1, 1, 0, s>>>();
		cudaError_t made = c.make(s);
		cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
		cudaStreamIsCapturing(s, &status);
		cudaGraph_t graph = nullptr;
		cudaError_t ended = cudaStreamEndCapture(s, &graph);
		size_t n = 0;
		if (graph)
			cudaGraphGetNodes(graph, nullptr, &n);
		cudaGetLastError();
		say(name, "begin %d, call %d, status %d, end %d, nodes %zu, then %d", begun, made, status, ended, n,
		    cudaDeviceSynchronize());
		cudaGetLastError();
	}
}

int main()
{
	CHECK(cudaMalloc(&cell, 64));
	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaStreamCreateWithFlags(&non_blocking, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&event));
	CHECK(cudaEventCreate(&recorded));
	CHECK(cudaEventRecord(recorded, blocking));
	CHECK(cudaDeviceSynchronize());
	attempt("blocking", blocking, cudaStreamCaptureModeGlobal);
	attempt("non-blocking", non_blocking, cudaStreamCaptureModeGlobal);
	attempt("relaxed", blocking, cudaStreamCaptureModeRelaxed);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that begin, end and look at captures in each state of a stream: not capturing,
 * capturing, joined to another's capture, invalidated, ended, destroyed, the default streams, in
 * each mode. The answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include <thread>

#include "apart.cuh"
#include "driver.cuh"

__global__ void nothing()
{
}

enum state { IDLE, CAPTURING, JOINED, INVALID, ENDED, LEGACY, OWN, FRESH_GRAPH, OTHER_THREAD, N_STATES };
static const char *const states[] = {"idle", "capturing", "joined", "invalidated", "ended", "legacy", "per thread",
	"into a graph", "other thread's"};
static const cudaStreamCaptureMode modes[] = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
	cudaStreamCaptureModeRelaxed};

static cudaStream_t origin, stream, idle;
static cudaGraph_t graph;
static cudaEvent_t event;

struct call {
	const char *name;
	int (*make)();
};

static const call calls[] = {
	{"nothing", [] { return 0; }},
	{"begin", [] { return (int)cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal); }},
	{"begin relaxed", [] { return (int)cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed); }},
	{"begin in mode 7", [] { return (int)cudaStreamBeginCapture(stream, (cudaStreamCaptureMode)7); }},
	{"end", [] { cudaGraph_t g = (cudaGraph_t)8; int e = cudaStreamEndCapture(stream, &g); return 10000 * (g == NULL) + e; }},
	{"end null", [] { return (int)cudaStreamEndCapture(stream, NULL); }},
	{"driver ends", [] { CUgraph g = (CUgraph)8; int e = cuStreamEndCapture(stream, &g); return 10000 * (g == NULL) + e; }},
	{"is capturing null", [] { return (int)cudaStreamIsCapturing(stream, NULL); }},
	{"info", [] { cudaStreamCaptureStatus s; unsigned long long id; return (int)cudaStreamGetCaptureInfo(stream, &s, &id, NULL, NULL, NULL, NULL); }},
	{"info null", [] { return (int)cudaStreamGetCaptureInfo(stream, NULL, NULL, NULL, NULL, NULL, NULL); }},
	{"update to none", [] { return (int)cudaStreamUpdateCaptureDependencies(stream, NULL, NULL, 0, cudaStreamSetCaptureDependencies); }},
	{"update with flags 9", [] { return (int)cudaStreamUpdateCaptureDependencies(stream, NULL, NULL, 0, 9); }},
	{"begin to graph", [] { cudaGraph_t g; cudaGraphCreate(&g, 0); return (int)cudaStreamBeginCaptureToGraph(stream, g, NULL, NULL, 0, cudaStreamCaptureModeRelaxed); }},
	{"begin to null", [] { return (int)cudaStreamBeginCaptureToGraph(stream, NULL, NULL, NULL, 0, cudaStreamCaptureModeRelaxed); }},
	{"exchange mode", [] { cudaStreamCaptureMode m = cudaStreamCaptureModeRelaxed; int e = cudaThreadExchangeStreamCaptureMode(&m); return 10000 * m + e; }},
	{"exchange mode 7", [] { cudaStreamCaptureMode m = (cudaStreamCaptureMode)7; return (int)cudaThreadExchangeStreamCaptureMode(&m); }},
	{"synchronize", [] { return (int)cudaStreamSynchronize(stream); }},
	{"query", [] { return (int)cudaStreamQuery(stream); }},
	{"flags", [] { unsigned f; return (int)cudaStreamGetFlags(stream, &f); }},
	{"record", [] { return (int)cudaEventRecord(event, stream); }},
	{"record externally", [] { return (int)cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal); }},
	{"idle waits for it", [] { cudaEventRecord(event, stream); return (int)cudaStreamWaitEvent(idle, event, 0); }},
	{"callback", [] { return (int)cudaStreamAddCallback(stream, [](cudaStream_t, cudaError_t, void *) {}, NULL, 0); }},
	{"host function", [] { return (int)cudaLaunchHostFunc(stream, [](void *) {}, NULL); }},
	{"launch", [] { nothing<<<1, 1, 0, stream>>>(); return (int)cudaGetLastError(); }},
	{"launch, stop, launch", [] { nothing<<<1, 1, 0, stream>>>(); cudaStreamSynchronize(stream); nothing<<<1, 1, 0, stream>>>(); return (int)cudaGetLastError(); }},
	{"destroy", [] { return (int)cudaStreamDestroy(stream); }},
	{"device synchronize", [] { return (int)cudaDeviceSynchronize(); }},
	{"attach", [] { static int *p; cudaMallocManaged(&p, 4); return (int)cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachSingle); }},
};

static void enter(state what, cudaStreamCaptureMode mode)
{
	cudaStreamCreateWithFlags(&origin, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&idle, cudaStreamNonBlocking);
	cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
	switch (what) {
	case CAPTURING:
	case INVALID:
	case ENDED:
		cudaStreamBeginCapture(stream, mode);
		nothing<<<1, 1, 0, stream>>>();
		if (what == INVALID)
			cudaStreamSynchronize(stream);
		if (what == ENDED)
			cudaStreamEndCapture(stream, &graph);
		break;
	case JOINED:
		cudaStreamBeginCapture(origin, mode);
		nothing<<<1, 1, 0, origin>>>();
		cudaEventRecord(event, origin);
		cudaStreamWaitEvent(stream, event, 0);
		break;
	case LEGACY:
		cudaStreamBeginCapture(origin, mode);
		stream = cudaStreamLegacy;
		break;
	case OWN:
		stream = cudaStreamPerThread;
		break;
	case FRESH_GRAPH:
		cudaGraphCreate(&graph, 0);
		cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, mode);
		break;
	case OTHER_THREAD:
		std::thread([mode] { cudaStreamBeginCapture(stream, mode); nothing<<<1, 1, 0, stream>>>(); }).join();
		break;
	default:
		break;
	}
	cudaGetLastError();
}

static void end(char *text, size_t room, cudaStream_t s)
{
	cudaStreamCaptureStatus status = (cudaStreamCaptureStatus)9;
	cudaGraph_t g = NULL;
	size_t n = 99;
	int seen = cudaStreamIsCapturing(s, &status);
	int ended = cudaStreamEndCapture(s, &g);
	if (g)
		cudaGraphGetNodes(g, NULL, &n);
	snprintf(text, room, "status %d %d, end %d, %zu nodes", seen, status, ended, n);
}

int main()
{
	for (int what = 0; what < N_STATES; what++)
		for (int mode = 0; mode < 3; mode++)
			apart(states[what], [&] {
				for (const call &c : calls) {
					char name[128], text[128], from[128];
					snprintf(name, sizeof name, "%s in mode %d, %s", states[what], mode, c.name);
					enter((state)what, modes[mode]);
					int made = c.make();
					int last = cudaGetLastError();
					bool gone = !strcmp(c.name, "destroy");
					if (gone)
						snprintf(text, sizeof text, "gone");
					else
						end(text, sizeof text, stream);
					end(from, sizeof from, what == JOINED || what == LEGACY ? origin : idle);
					say(name, "%d, last %d, %s; %s", made, last, text, from);
					cudaStreamCaptureMode m = cudaStreamCaptureModeGlobal;
					cudaThreadExchangeStreamCaptureMode(&m);
					cudaGetLastError();
				}
			});
	apart_wait(0);
	return 0;
}

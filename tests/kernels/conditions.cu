/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that choose: conditional nodes with one body and two, loops, switches, nested ones;
 * their handles; bodies filled by capture.
 *
 * Flags: -rdc=true */
#include <cuda_runtime.h>

#include "case.cuh"

static const char *answer(cudaError_t error)
{
	cudaGetLastError();
	return cudaGetErrorName(error);
}

__global__ void set(cudaGraphConditionalHandle handle, const int *value)
{
	cudaGraphSetConditional(handle, *value);
}

__global__ void append(int *log, int what)
{
	log[++log[0]] = what;
}

/* Once a launch of a loop's body: counts down and goes on while something is left. */
__global__ void count_down(cudaGraphConditionalHandle handle, int *left, int *log)
{
	log[++log[0]] = *left;
	cudaGraphSetConditional(handle, --*left > 0);
}

static int *state, *record;

static void put(int value)
{
	CHECK(cudaMemcpy(state, &value, sizeof value, cudaMemcpyHostToDevice));
	CHECK(cudaMemset(record, 0, 256));
	CHECK(cudaDeviceSynchronize());
}

static void show_log(const char *name)
{
	int got[64];
	CHECK(cudaMemcpy(got, record, 256, cudaMemcpyDeviceToHost));
	show(name, got, got[0] < 62 ? got[0] + 1 : 63);
}

static void kernel(cudaGraph_t graph, cudaGraphNode_t *node, const cudaGraphNode_t *after, void *func, void **args)
{
	cudaKernelNodeParams p = {};
	p.func = func, p.gridDim = 1, p.blockDim = 1, p.kernelParams = args;
	CHECK(cudaGraphAddKernelNode(node, graph, after, after ? 1 : 0, &p));
}

static void append_node(cudaGraph_t graph, int what)
{
	cudaGraphNode_t node;
	void *args[] = {&record, &what};
	kernel(graph, &node, NULL, (void *)append, args);
}

static cudaError_t condition(cudaGraph_t graph, cudaGraphNode_t *node, const cudaGraphNode_t *after,
			     cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned n,
			     cudaGraph_t *bodies)
{
	cudaGraphNodeParams p = {};
	p.type = cudaGraphNodeTypeConditional;
	p.conditional.handle = handle, p.conditional.type = type, p.conditional.size = n;
	cudaError_t error = cudaGraphAddNode(node, graph, after, NULL, after ? 1 : 0, &p);
	for (unsigned i = 0; i < n && !error; i++)
		bodies[i] = p.conditional.phGraph_out[i];
	return error;
}

/* A kernel sets the value, then the node. */
static void choose(const char *name, cudaGraphConditionalNodeType type, unsigned n)
{
	cudaGraph_t graph, bodies[4];
	cudaGraphExec_t exec;
	cudaGraphConditionalHandle handle;
	cudaGraphNode_t first, node, last;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
	void *args[] = {&handle, &state};
	kernel(graph, &first, NULL, (void *)set, args);
	CHECK(condition(graph, &node, &first, handle, type, n, bodies));
	for (unsigned i = 0; i < n; i++)
		append_node(bodies[i], 100 + i);
	int what = 9;
	void *more[] = {&record, &what};
	kernel(graph, &last, &node, (void *)append, more);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int value = 0; value < 5; value++) {
		char line[64];
		snprintf(line, sizeof line, "%s, %d", name, value);
		put(value);
		CHECK(cudaGraphLaunch(exec, 0));
		CHECK(cudaDeviceSynchronize());
		show_log(line);
	}
	cudaGraphNodeType got;
	size_t total = 0;
	CHECK(cudaGraphNodeGetType(node, &got));
	CHECK(cudaGraphGetNodes(graph, NULL, &total));
	say(name, "type %d, %zu nodes", got, total);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

static void loop()
{
	cudaGraph_t graph, body;
	cudaGraphExec_t exec;
	cudaGraphConditionalHandle handle;
	cudaGraphNode_t node, inner;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
	CHECK(condition(graph, &node, NULL, handle, cudaGraphCondTypeWhile, 1, &body));
	void *args[] = {&handle, &state, &record};
	kernel(body, &inner, NULL, (void *)count_down, args);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int n = 1; n < 6; n += 2) {
		char line[64];
		snprintf(line, sizeof line, "loop of %d", n);
		put(n);
		CHECK(cudaGraphLaunch(exec, 0));
		CHECK(cudaDeviceSynchronize());
		show_log(line);
	}
	put(3);
	/* The handle's graphs go; what was made of them stays. */
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaDeviceSynchronize());
	show_log("loop whose graph is gone");
}

/* A loop whose body is captured, with a choice inside. */
static void nested()
{
	cudaGraph_t graph, body, inner, same;
	cudaGraphExec_t exec;
	cudaGraphConditionalHandle handle, choice;
	cudaGraphNode_t node, inside;
	cudaStream_t s;
	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
	CHECK(condition(graph, &node, NULL, handle, cudaGraphCondTypeWhile, 1, &body));
	CHECK(cudaGraphConditionalHandleCreate(&choice, body, 0, 0));
	CHECK(cudaStreamBeginCaptureToGraph(s, body, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
	count_down<<<1, 1, 0, s>>>(handle, state, record);
	set<<<1, 1, 0, s>>>(choice, state);
	cudaStreamCaptureStatus status;
	cudaGraph_t capturing;
	const cudaGraphNode_t *after;
	size_t n = 0;
	CHECK(cudaStreamGetCaptureInfo(s, &status, NULL, &capturing, &after, NULL, &n));
	say("captured into", "%d %d %zu", status, capturing == body, n);
	CHECK(condition(body, &inside, after, choice, cudaGraphCondTypeIf, 1, &inner));
	append_node(inner, 77);
	CHECK(cudaStreamUpdateCaptureDependencies(s, &inside, NULL, 1, cudaStreamSetCaptureDependencies));
	append<<<1, 1, 0, s>>>(record, 88);
	CHECK(cudaStreamEndCapture(s, &same));
	say("the same graph", "%d", same == body);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	put(3);
	CHECK(cudaGraphLaunch(exec, s));
	CHECK(cudaGraphLaunch(exec, s));
	CHECK(cudaStreamSynchronize(s));
	show_log("nested");
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(s));
}

static void CUDART_CB nothing(void *)
{
}

/* A node with a fresh handle of a graph of its own. */
static cudaError_t try_node(unsigned n, int type, cudaGraphConditionalHandle *handle)
{
	cudaGraph_t graph, bodies[4];
	cudaGraphNode_t node;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(handle, graph, 0, 0));
	cudaError_t error = condition(graph, &node, NULL, *handle, (cudaGraphConditionalNodeType)type, n, bodies);
	cudaGetLastError();
	if (error)
		say("and again", "%s", answer(condition(graph, &node, NULL, *handle, cudaGraphCondTypeIf, 1, bodies)));
	CHECK(cudaGraphDestroy(graph));
	return error;
}

static void wrong()
{
	cudaGraph_t graph, body, bodies[4];
	cudaGraphExec_t exec, second;
	cudaGraphConditionalHandle handle, other;
	cudaGraphNode_t node, host;
	CHECK(cudaGraphCreate(&graph, 0));
	say("no graph", "%s", answer(cudaGraphConditionalHandleCreate(&handle, NULL, 0, 0)));
	say("flags", "%s", answer(cudaGraphConditionalHandleCreate(&handle, graph, 0, 2)));
	say("no handle", "%s", answer(condition(graph, &node, NULL, 0, cudaGraphCondTypeIf, 1, bodies)));
	say("three bodies of an if", "%s", answer(try_node(3, cudaGraphCondTypeIf, &other)));
	say("two bodies of a loop", "%s", answer(try_node(2, cudaGraphCondTypeWhile, &other)));
	say("no body", "%s", answer(try_node(0, cudaGraphCondTypeSwitch, &other)));
	say("no such type", "%s", answer(try_node(1, 3, &other)));
	CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
	CHECK(condition(graph, &node, NULL, handle, cudaGraphCondTypeIf, 1, &body));
	say("used twice", "%s", answer(condition(graph, &host, NULL, handle, cudaGraphCondTypeIf, 1, bodies)));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	say("executable twice", "%s", answer(cudaGraphInstantiate(&second, graph, 0)));
	say("empty body", "%s", answer(cudaGraphLaunch(exec, 0)));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaGraphExecDestroy(exec));
	cudaHostNodeParams call = {nothing, NULL};
	cudaError_t error = cudaGraphAddHostNode(&host, body, NULL, 0, &call);
	say("host function in a body", "%s", answer(error));
	say("instantiate it", "%s", answer(cudaGraphInstantiate(&exec, graph, 0)));
	say("destroy a conditional node", "%s", answer(cudaGraphDestroyNode(node)));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphCreate(&graph, 0));
	cudaGraph_t foreign;
	CHECK(cudaGraphCreate(&foreign, 0));
	CHECK(cudaGraphConditionalHandleCreate(&handle, foreign, 0, 0));
	say("another graph's handle", "%s", answer(condition(graph, &node, NULL, handle, cudaGraphCondTypeIf, 1, bodies)));
	CHECK(cudaGraphDestroy(foreign));
	CHECK(cudaGraphDestroy(graph));
}

static void copied()
{
	cudaGraph_t graph, bodies[1], clone;
	cudaGraphExec_t exec;
	cudaGraphConditionalHandle handle;
	cudaGraphNode_t node, inner, first;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
	void *args[] = {&handle, &state};
	kernel(graph, &first, NULL, (void *)set, args);
	CHECK(condition(graph, &node, &first, handle, cudaGraphCondTypeIf, 1, bodies));
	int what = 1;
	void *more[] = {&record, &what};
	kernel(bodies[0], &inner, NULL, (void *)append, more);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	what = 2;
	cudaKernelNodeParams p = {};
	p.func = (void *)append, p.gridDim = 1, p.blockDim = 1, p.kernelParams = more;
	say("change a kernel in a body", "%s", answer(cudaGraphExecKernelNodeSetParams(exec, inner, &p)));
	put(1);
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaDeviceSynchronize());
	show_log("changed");
	cudaGraphExecUpdateResultInfo info;
	what = 5;
	CHECK(cudaGraphKernelNodeSetParams(inner, &p));
	say("update", "%s", answer(cudaGraphExecUpdate(exec, graph, &info)));
	say("update's result", "%d", info.result);
	put(1);
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaDeviceSynchronize());
	show_log("updated");
	say("clone", "%s", answer(cudaGraphClone(&clone, graph)));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

int main()
{
	CHECK(cudaMalloc(&state, sizeof *state));
	CHECK(cudaMalloc(&record, 256));
	choose("if", cudaGraphCondTypeIf, 1);
	choose("if else", cudaGraphCondTypeIf, 2);
	choose("switch", cudaGraphCondTypeSwitch, 3);
	loop();
	nested();
	wrong();
	copied();
	return 0;
}

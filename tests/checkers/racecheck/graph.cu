/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of graphs: what nothing orders may run side by side. */
#include "../cases.h"

__global__ void put(int *p, int v)
{
	p[threadIdx.x] = v + threadIdx.x; /* FINDS(branches_guilty): race FINDS(captured_guilty): race FINDS(copy_beside_guilty): race FINDS(child_beside_guilty): race FINDS(streams_guilty): race FINDS(body_copy_guilty): race */
}
__global__ void add(int *p, int v) { p[threadIdx.x] += v; }

static cudaGraphNode_t node(cudaGraph_t g, cudaGraphNode_t after, void *f, int *p, int v)
{
	cudaGraphNode_t n;
	cudaKernelNodeParams k = {};
	void *args[] = {&p, &v};
	k.func = f;
	k.gridDim = dim3(1);
	k.blockDim = dim3(64);
	k.kernelParams = args;
	cudaGraphAddKernelNode(&n, g, after ? &after : nullptr, after ? 1 : 0, &k);
	return n;
}

static void run(cudaGraph_t g, int times)
{
	cudaGraphExec_t x;
	cudaGraphInstantiate(&x, g, 0);
	for (int i = 0; i < times; i++)
		cudaGraphLaunch(x, 0);
	cudaDeviceSynchronize();
	cudaGraphExecDestroy(x);
	cudaGraphDestroy(g);
}

/* Two nodes with and without an edge between them. */
template <bool EDGE> static void branches()
{
	device_array<int> p(64);
	cudaGraph_t g;
	cudaGraphCreate(&g, 0);
	cudaGraphNode_t a = node(g, nullptr, (void *)put, p, 1);
	node(g, EDGE ? a : nullptr, (void *)put, p, 2);
	run(g, 2);
}
CASE(branches_guilty) { branches<false>(); }
CASE(branches_innocent) { branches<true>(); }

/* A diamond: the ends of both branches are before the last node. Three launches. */
CASE(diamond_innocent)
{
	device_array<int> p(64), q(64);
	cudaGraph_t g;
	cudaGraphCreate(&g, 0);
	cudaGraphNode_t top = node(g, nullptr, (void *)put, p, 1);
	cudaGraphNode_t l = node(g, top, (void *)add, p, 2), r = node(g, top, (void *)put, q, 2);
	cudaGraphNode_t last = node(g, l, (void *)add, p, 3);
	cudaGraphAddDependencies(g, &r, &last, nullptr, 1);
	node(g, last, (void *)add, q, 3);
	run(g, 3);
}

/* Two streams become branches; the second one is joined, but it forks too late or early. */
template <bool ORDERED> static void captured()
{
	device_array<int> p(64);
	cudaStream_t s, t;
	cudaEvent_t fork, join;
	cudaGraph_t g;
	cudaStreamCreate(&s);
	cudaStreamCreate(&t);
	cudaEventCreate(&fork);
	cudaEventCreate(&join);
	cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
	if (!ORDERED)
		cudaEventRecord(fork, s);
	put<<<1, 64, 0, s>>>(p, 1);
	if (ORDERED)
		cudaEventRecord(fork, s);
	cudaStreamWaitEvent(t, fork, 0);
	put<<<1, 64, 0, t>>>(p, 2);
	cudaEventRecord(join, t);
	cudaStreamWaitEvent(s, join, 0);
	add<<<1, 64, 0, s>>>(p, 3);
	cudaStreamEndCapture(s, &g);
	run(g, 2);
	cudaStreamDestroy(s);
	cudaStreamDestroy(t);
	cudaEventDestroy(fork);
	cudaEventDestroy(join);
}
CASE(captured_guilty) { captured<false>(); }
CASE(captured_innocent) { captured<true>(); }

/* A copy of what a node beside it writes. */
template <bool EDGE> static void copy_beside()
{
	device_array<int> p(64), q(64);
	cudaGraph_t g;
	cudaGraphNode_t copy;
	cudaGraphCreate(&g, 0);
	cudaGraphNode_t a = node(g, nullptr, (void *)put, p, 1);
	cudaGraphAddMemcpyNode1D(&copy, g, EDGE ? &a : nullptr, EDGE ? 1 : 0, q.p, p.p, 256,
				 cudaMemcpyDeviceToDevice);
	node(g, copy, (void *)add, q, 1);
	run(g, 2);
}
CASE(copy_beside_guilty) { copy_beside<false>(); }
CASE(copy_beside_innocent) { copy_beside<true>(); }

/* A child graph's nodes are between what it follows and what follows it. */
template <bool EDGE> static void child()
{
	device_array<int> p(64);
	cudaGraph_t g, inner;
	cudaGraphNode_t c;
	cudaGraphCreate(&g, 0);
	cudaGraphCreate(&inner, 0);
	node(inner, node(inner, nullptr, (void *)put, p, 5), (void *)add, p, 6);
	cudaGraphNode_t a = node(g, nullptr, (void *)put, p, 1);
	cudaGraphAddChildGraphNode(&c, g, EDGE ? &a : nullptr, EDGE ? 1 : 0, inner);
	node(g, c, (void *)add, p, 1);
	cudaGraphDestroy(inner);
	run(g, 2);
}
CASE(child_beside_guilty) { child<false>(); }
CASE(child_beside_innocent) { child<true>(); }

/* The same executable graph in two streams: one launch is after the other. Two executable
 * graphs are not. */
template <bool TWO> static void streams()
{
	device_array<int> p(64);
	cudaStream_t s, t;
	cudaGraph_t g;
	cudaGraphExec_t x, y;
	cudaStreamCreate(&s);
	cudaStreamCreate(&t);
	cudaGraphCreate(&g, 0);
	node(g, nullptr, (void *)put, p, 1);
	cudaGraphInstantiate(&x, g, 0);
	cudaGraphInstantiate(&y, g, 0);
	cudaGraphLaunch(x, s);
	cudaGraphLaunch(TWO ? y : x, t);
	cudaDeviceSynchronize();
	cudaGraphExecDestroy(x);
	cudaGraphExecDestroy(y);
	cudaGraphDestroy(g);
	cudaStreamDestroy(s);
	cudaStreamDestroy(t);
}
CASE(streams_guilty) { streams<true>(); }
CASE(streams_innocent) { streams<false>(); }

/* Kernels around a graph in one stream, and another stream that waits for it. */
CASE(around_innocent)
{
	device_array<int> p(64);
	cudaStream_t s, t;
	cudaEvent_t e;
	cudaGraph_t g;
	cudaGraphExec_t x;
	cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
	cudaEventCreate(&e);
	cudaGraphCreate(&g, 0);
	node(g, node(g, nullptr, (void *)add, p, 1), (void *)add, p, 2);
	cudaGraphInstantiate(&x, g, 0);
	cudaDeviceSynchronize();
	put<<<1, 64, 0, s>>>(p, 1);
	cudaGraphLaunch(x, s);
	add<<<1, 64, 0, s>>>(p, 1);
	cudaGraphLaunch(x, s);
	cudaEventRecord(e, s);
	cudaStreamWaitEvent(t, e, 0);
	add<<<1, 64, 0, t>>>(p, 1);
	cudaGraphLaunch(x, t);
	cudaStreamSynchronize(t);
	add<<<1, 64, 0, s>>>(p, 1);
	cudaDeviceSynchronize();
	cudaGraphExecDestroy(x);
	cudaGraphDestroy(g);
	cudaStreamDestroy(s);
	cudaStreamDestroy(t);
	cudaEventDestroy(e);
}

/* A loop: its body runs one after the other, before what follows it and what is launched
 * later. */
__global__ void turn(int *p, cudaGraphConditionalHandle h)
{
	p[threadIdx.x]++;
	if (threadIdx.x == 0)
		cudaGraphSetConditional(h, p[0] < 5);
}
CASE(loop_innocent)
{
	device_array<int> p(64);
	cudaGraph_t g;
	cudaGraphConditionalHandle h;
	cudaGraphNode_t loop;
	int *q = p.p;
	cudaGraphCreate(&g, 0);
	cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
	cudaGraphNodeParams c = {};
	c.type = cudaGraphNodeTypeConditional;
	c.conditional.handle = h;
	c.conditional.type = cudaGraphCondTypeWhile;
	c.conditional.size = 1;
	cudaGraphNode_t a = node(g, nullptr, (void *)add, p, 0);
	cudaGraphAddNode(&loop, g, &a, nullptr, 1, &c);
	cudaKernelNodeParams k = {};
	void *args[] = {&q, &h};
	k.func = (void *)turn;
	k.gridDim = dim3(1);
	k.blockDim = dim3(64);
	k.kernelParams = args;
	cudaGraphNode_t body;
	cudaGraphAddKernelNode(&body, c.conditional.phGraph_out[0], nullptr, 0, &k);
	node(g, loop, (void *)add, p, 1);
	cudaGraphExec_t x;
	cudaGraphInstantiate(&x, g, 0);
	cudaGraphLaunch(x, 0);
	add<<<1, 64>>>(p, 7);
	cudaDeviceSynchronize();
	cudaGraphExecDestroy(x);
	cudaGraphDestroy(g);
}

/* A body's copy of what a node beside the conditional node writes, three times. */
__global__ void count(int *n, cudaGraphConditionalHandle h)
{
	if (threadIdx.x == 0)
		cudaGraphSetConditional(h, ++*n < 3);
}
template <bool EDGE> static void body_copy()
{
	device_array<int> p(64), q(64), n(1);
	cudaGraph_t g;
	cudaGraphConditionalHandle h;
	cudaGraphNode_t loop, copy, last;
	cudaGraphCreate(&g, 0);
	cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
	cudaGraphNode_t a = node(g, nullptr, (void *)put, p, 1);
	cudaGraphNodeParams c = {};
	c.type = cudaGraphNodeTypeConditional;
	c.conditional.handle = h;
	c.conditional.type = cudaGraphCondTypeWhile;
	c.conditional.size = 1;
	cudaGraphAddNode(&loop, g, EDGE ? &a : nullptr, nullptr, EDGE ? 1 : 0, &c);
	cudaGraph_t body = c.conditional.phGraph_out[0];
	cudaGraphAddMemcpyNode1D(&copy, body, nullptr, 0, q.p, p.p, 256, cudaMemcpyDeviceToDevice);
	int *counter = n.p;
	void *args[] = {&counter, &h};
	cudaKernelNodeParams k = {};
	k.func = (void *)count;
	k.gridDim = dim3(1);
	k.blockDim = dim3(32);
	k.kernelParams = args;
	cudaGraphAddKernelNode(&last, body, &copy, 1, &k);
	node(g, loop, (void *)add, q, 1);
	run(g, 2);
}
CASE(body_copy_guilty) { body_copy<false>(); }
CASE(body_copy_innocent) { body_copy<true>(); }

/* SPDX-License-Identifier: Apache-2.0 */
/* The order of streams, events and graphs, with kernels that are C functions: each
 * takes a while and then writes down its number, so that what runs too early shows.
 * ThreadSanitizer builds run this test, too. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "api.h"
#include "cudasim/abi.h"

/* ---- kernels --------------------------------------------------------------------- */

static int order[4096];
static atomic_int n_order;

struct note_params {
	int number, microseconds;
};

static void note(const void *params)
{
	const struct note_params *p = params;
	if (p->microseconds)
		usleep((useconds_t)p->microseconds);
	order[atomic_fetch_add(&n_order, 1)] = p->number;
}

struct wait_params {
	atomic_int *flag;
};

static void wait_for_flag(const void *params)
{
	const struct wait_params *p = params;
	while (!atomic_load(p->flag))
		usleep(50);
}

struct add_params {
	int *cell;
	int n;
};

/* Not atomic on purpose: a race between ordered kernels is a lost update, and
 * ThreadSanitizer's finding. */
static void add(const void *params)
{
	const struct add_params *p = params;
	int before = *p->cell;
	usleep(20);
	*p->cell = before + p->n;
}

static const struct cudasim_param two_ints[] = {{0, 4, 4}, {4, 4, 4}};
static const struct cudasim_param pointer[] = {{0, 8, 8}};
static const struct cudasim_param pointer_int[] = {{0, 8, 8}, {8, 4, 4}};

static const struct cudasim_kernel kernels[] = {
	{.name = "note",
	 .display = "note",
	 .entry = {note, note, note},
	 .params = two_ints,
	 .n_params = 2,
	 .params_size = 8},
	{.name = "wait",
	 .display = "wait",
	 .entry = {wait_for_flag, wait_for_flag, wait_for_flag},
	 .params = pointer,
	 .n_params = 1,
	 .params_size = 8},
	{.name = "add",
	 .display = "add",
	 .entry = {add, add, add},
	 .params = pointer_int,
	 .n_params = 2,
	 .params_size = 16},
};
static const struct cudasim_module module = {
	.abi_version = CUDASIM_ABI_VERSION,
	.id = "streams_test",
	.source = "streams_test.c",
	.kernels = kernels,
	.n_kernels = 3,
};
static const struct cudasim_blob blob = {.magic = CUDASIM_BLOB_MAGIC, .id = "streams_test"};
static struct {
	int magic, version;
	const void *data;
	void *more;
} wrapper = {0x466243b1, 1, &blob, NULL};
static char note_stub, wait_stub, add_stub;

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
			    void *, void *, int *);

static int set_up(void **state)
{
	(void)state;
	void **handle = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterFunction(handle, &note_stub, "note", "note", -1, 0, 0, 0, 0, 0);
	__cudaRegisterFunction(handle, &wait_stub, "wait", "wait", -1, 0, 0, 0, 0, 0);
	__cudaRegisterFunction(handle, &add_stub, "add", "add", -1, 0, 0, 0, 0, 0);
	__cudasim_module_register(&module); /* after the host, which is allowed */
	return 0;
}

static int clear(void **state)
{
	(void)state;
	n_order = 0;
	return 0;
}

#define OK(call) assert_int_equal((call), cudaSuccess)
static const dim3 one = {1, 1, 1};

static void launch_note(int number, int microseconds, cudaStream_t stream)
{
	void *args[] = {&number, &microseconds};
	OK(cudaLaunchKernel(&note_stub, one, one, args, 0, stream));
}

static void launch_wait(atomic_int *flag, cudaStream_t stream)
{
	void *args[] = {&flag};
	OK(cudaLaunchKernel(&wait_stub, one, one, args, 0, stream));
}

static void launch_add(int *cell, int n, cudaStream_t stream)
{
	void *args[] = {&cell, &n};
	OK(cudaLaunchKernel(&add_stub, one, one, args, 0, stream));
}

static cudaStream_t make(unsigned flags)
{
	cudaStream_t stream;
	OK(cudaStreamCreateWithFlags(&stream, flags));
	return stream;
}

/* Position of a number in what was written down. */
static int place_of(int number)
{
	for (int i = 0; i < n_order; i++)
		if (order[i] == number)
			return i;
	fail_msg("%d did not run", number);
	return -1;
}

/* ---- tests ------------------------------------------------------------------------- */

static void a_stream_keeps_its_order(void **state)
{
	(void)state;
	cudaStream_t s = make(cudaStreamNonBlocking);
	for (int i = 0; i < 50; i++)
		launch_note(i, (50 - i) * 20, s);
	OK(cudaStreamSynchronize(s));
	for (int i = 0; i < 50; i++)
		assert_int_equal(order[i], i);
	OK(cudaStreamDestroy(s));
}

static void streams_do_not_wait_for_each_other(void **state)
{
	(void)state;
	atomic_int flag = 0;
	cudaStream_t s = make(0), t = make(0);
	launch_wait(&flag, s);
	launch_note(1, 0, t);
	OK(cudaStreamSynchronize(t));
	assert_int_equal(cudaStreamQuery(s), cudaErrorNotReady);
	atomic_store(&flag, 1);
	OK(cudaStreamSynchronize(s));
	OK(cudaStreamQuery(s));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
}

/* blocking -> legacy -> blocking; a non-blocking stream takes no part. */
static void the_legacy_stream_orders_blocking_streams(void **state)
{
	(void)state;
	atomic_int flag = 0;
	cudaStream_t s = make(0), t = make(0), free_one = make(cudaStreamNonBlocking);
	launch_wait(&flag, s);
	launch_note(1, 3000, s);
	launch_note(2, 1000, 0);
	launch_note(3, 0, t);
	launch_note(4, 0, free_one);
	OK(cudaStreamSynchronize(free_one));
	assert_int_equal(n_order, 1);
	assert_int_equal(order[0], 4);
	assert_int_equal(cudaStreamQuery(0), cudaErrorNotReady);
	assert_int_equal(cudaStreamQuery(t), cudaErrorNotReady);
	atomic_store(&flag, 1);
	OK(cudaDeviceSynchronize());
	assert_true(place_of(1) < place_of(2));
	assert_true(place_of(2) < place_of(3));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
	OK(cudaStreamDestroy(free_one));
}

static void events_order_streams(void **state)
{
	(void)state;
	cudaStream_t s = make(cudaStreamNonBlocking), t = make(cudaStreamNonBlocking);
	cudaEvent_t e;
	OK(cudaEventCreate(&e));
	launch_note(1, 5000, s);
	OK(cudaEventRecord(e, s));
	launch_note(2, 20000, s);
	OK(cudaStreamWaitEvent(t, e, 0));
	launch_note(3, 0, t);
	OK(cudaStreamSynchronize(t));
	assert_true(place_of(1) < place_of(3));
	OK(cudaEventDestroy(e));
	OK(cudaStreamDestroy(s)); /* its work goes on */
	OK(cudaStreamDestroy(t));
	OK(cudaDeviceSynchronize());
	assert_true(place_of(1) < place_of(2));
}

static void elapsed_time_covers_the_kernel(void **state)
{
	(void)state;
	cudaEvent_t a, b;
	float ms = -1;
	OK(cudaEventCreate(&a));
	OK(cudaEventCreate(&b));
	atomic_int flag = 0;
	OK(cudaEventRecord(a, 0));
	launch_wait(&flag, 0);
	launch_note(1, 20000, 0);
	OK(cudaEventRecord(b, 0));
	assert_int_equal(cudaEventElapsedTime(&ms, a, b), cudaErrorNotReady);
	atomic_store(&flag, 1);
	OK(cudaEventSynchronize(b));
	OK(cudaEventElapsedTime(&ms, a, b));
	assert_true(ms >= 20 && ms < 10000);
	OK(cudaEventDestroy(a));
	OK(cudaEventDestroy(b));
}

/* The host's copy waits for the kernels before it, and they do not wait for it. */
static void copies_keep_stream_order(void **state)
{
	(void)state;
	enum { N = 1 << 18 };
	int *device, *pinned;
	static int pageable[N];
	cudaStream_t s = make(cudaStreamNonBlocking);
	OK(cudaMalloc((void **)&device, N * sizeof(int)));
	OK(cudaMallocHost((void **)&pinned, N * sizeof(int)));
	for (int i = 0; i < N; i++)
		pinned[i] = i;
	for (int round = 0; round < 20; round++) {
		OK(cudaMemcpyAsync(device, pinned, N * sizeof(int), cudaMemcpyHostToDevice, s));
		launch_add(device + round, 1000, s);
		OK(cudaMemcpyAsync(pageable, device, N * sizeof(int), cudaMemcpyDeviceToHost, s));
		/* Pageable: done on return. */
		assert_int_equal(pageable[round], round + 1000);
		assert_int_equal(pageable[N - 1], N - 1);
	}
	/* A pageable source may change as soon as the call returns. */
	int value = 7, result = 0;
	atomic_int flag = 0;
	launch_wait(&flag, s);
	OK(cudaMemcpyAsync(device, &value, sizeof value, cudaMemcpyHostToDevice, s));
	value = 8;
	atomic_store(&flag, 1);
	OK(cudaStreamSynchronize(s));
	OK(cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost));
	assert_int_equal(result, 7);
	OK(cudaFree(device));
	OK(cudaFreeHost(pinned));
	OK(cudaStreamDestroy(s));
}

static void CUDART_CB add_one(void *arg)
{
	*(int *)arg += 1;
}

static void CUDART_CB callback(cudaStream_t stream, cudaError_t status, void *arg)
{
	(void)stream;
	*(int *)arg = status == cudaSuccess ? *(int *)arg + 10 : -1000;
}

static void host_functions_keep_stream_order(void **state)
{
	(void)state;
	int cell = 0;
	cudaStream_t s = make(cudaStreamNonBlocking);
	for (int i = 0; i < 20; i++) {
		launch_add(&cell, 100, s);
		OK(cudaLaunchHostFunc(s, add_one, &cell));
		OK(cudaStreamAddCallback(s, callback, &cell, 0));
	}
	OK(cudaStreamSynchronize(s));
	assert_int_equal(cell, 20 * 111);
	OK(cudaStreamDestroy(s));
}

/* ---- many host threads --------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 60 };
static int cells[THREADS];
static atomic_int failures;

static void *client(void *arg)
{
	int me = (int)(intptr_t)arg;
	cudaStream_t s;
	cudaEvent_t e;
	void *p;
	if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) || cudaEventCreate(&e))
		failures++;
	for (int i = 0; i < ROUNDS; i++) {
		int *cell = &cells[me], n = 1;
		void *args[] = {&cell, &n};
		failures += cudaMalloc(&p, 1000 + (size_t)i) != cudaSuccess;
		failures += cudaMemsetAsync(p, i, 1000, s) != cudaSuccess;
		failures += cudaLaunchKernel(&add_stub, one, one, args, 0, s) != cudaSuccess;
		failures += cudaEventRecord(e, s) != cudaSuccess;
		failures += cudaStreamWaitEvent(cudaStreamPerThread, e, 0) != cudaSuccess;
		failures += cudaLaunchKernel(&add_stub, one, one, args, 0, cudaStreamPerThread) !=
			    cudaSuccess;
		failures += cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess;
		failures += cudaEventSynchronize(e) != cudaSuccess;
		failures += cudaFreeAsync(p, s) != cudaSuccess;
		/* Each thread's last error is its own. */
		failures += cudaSetDevice(99 + me) != cudaErrorInvalidDevice;
		failures += cudaGetLastError() != cudaErrorInvalidDevice;
		failures += cudaGetLastError() != cudaSuccess;
	}
	failures += cudaStreamSynchronize(s) != cudaSuccess;
	failures += cudaStreamDestroy(s) != cudaSuccess;
	failures += cudaEventDestroy(e) != cudaSuccess;
	return NULL;
}

static void host_threads_do_not_disturb_each_other(void **state)
{
	(void)state;
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, client, (void *)(intptr_t)i), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(failures, 0);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(cells[i], 2 * ROUNDS);
}

/* ---- graphs ---------------------------------------------------------------------------- */

/* 1 -> (2 | 3) -> 4, captured over two streams. */
static void a_captured_fork_and_join_runs_in_order(void **state)
{
	(void)state;
	cudaStream_t s = make(0), t = make(0);
	cudaEvent_t forked, joined;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	size_t n = 0, edges = 0;
	OK(cudaEventCreate(&forked));
	OK(cudaEventCreate(&joined));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	launch_note(1, 2000, s);
	OK(cudaEventRecord(forked, s));
	OK(cudaStreamWaitEvent(t, forked, 0));
	launch_note(2, 3000, s);
	launch_note(3, 100, t);
	OK(cudaEventRecord(joined, t));
	OK(cudaStreamWaitEvent(s, joined, 0));
	launch_note(4, 0, s);
	OK(cudaStreamEndCapture(s, &graph));
	assert_int_equal(n_order, 0); /* nothing ran yet */
	OK(cudaGraphGetNodes(graph, NULL, &n));
	OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
	assert_int_equal(n, 4);
	assert_int_equal(edges, 4);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphDestroy(graph));
	for (int i = 0; i < 3; i++)
		OK(cudaGraphLaunch(exec, s));
	OK(cudaStreamSynchronize(s));
	assert_int_equal(n_order, 12);
	for (int i = 0; i < 12; i += 4) {
		assert_int_equal(order[i], 1);
		assert_int_equal(order[i + 1] + order[i + 2], 5);
		assert_int_equal(order[i + 3], 4);
	}
	OK(cudaGraphExecDestroy(exec));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
	OK(cudaEventDestroy(forked));
	OK(cudaEventDestroy(joined));
}

static void an_unjoined_capture_is_refused(void **state)
{
	(void)state;
	cudaStream_t s = make(0), t = make(0);
	cudaEvent_t forked;
	cudaGraph_t graph;
	OK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	OK(cudaEventRecord(forked, s));
	OK(cudaStreamWaitEvent(t, forked, 0));
	launch_note(1, 0, t);
	assert_int_equal(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureUnjoined);
	assert_null(graph);
	/* Both streams are as before. */
	launch_note(2, 0, t);
	launch_note(3, 0, s);
	OK(cudaDeviceSynchronize());
	assert_int_equal(n_order, 2);
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
	OK(cudaEventDestroy(forked));
}

/* Built by hand: copy in, kernel in a child graph, memset of another cell, host
 * function after both; then the kernel's parameters are changed. */
static void a_graph_built_node_by_node(void **state)
{
	(void)state;
	int *device, in = 5, out[2] = {0, 0}, host = 0, n = 30;
	OK(cudaMalloc((void **)&device, 2 * sizeof(int)));
	cudaGraph_t graph, child;
	cudaGraphExec_t exec;
	cudaGraphNode_t copy, kernel, children, set, function, back;
	void *args[] = {&device, &n};
	struct cudaKernelNodeParams k = {
		.func = &add_stub, .gridDim = one, .blockDim = one, .kernelParams = args};
	struct cudaMemsetParams m = {
		.dst = device + 1, .value = 0x01020304, .elementSize = 4, .width = 1, .height = 1};
	struct cudaHostNodeParams h = {.fn = add_one, .userData = &host};
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphCreate(&child, 0));
	OK(cudaGraphAddKernelNode(&kernel, child, NULL, 0, &k));
	OK(cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, device, &in, sizeof in,
				    cudaMemcpyHostToDevice));
	OK(cudaGraphAddChildGraphNode(&children, graph, &copy, 1, child));
	OK(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &m));
	cudaGraphNode_t both[] = {children, set};
	OK(cudaGraphAddMemcpyNode1D(&back, graph, both, 2, out, device, sizeof out,
				    cudaMemcpyDeviceToHost));
	OK(cudaGraphAddHostNode(&function, graph, &back, 1, &h));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaDeviceSynchronize());
	assert_int_equal(out[0], 35);
	assert_int_equal(out[1], 0x01020304);
	assert_int_equal(host, 1);
	m.value = 9;
	OK(cudaGraphExecMemsetNodeSetParams(exec, set, &m));
	in = 100;
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaDeviceSynchronize());
	assert_int_equal(out[0], 130);
	assert_int_equal(out[1], 9);
	assert_int_equal(host, 2);
	/* A cycle cannot be instantiated. */
	OK(cudaGraphAddDependencies(graph, &function, &copy, NULL, 1));
	cudaGraphExec_t none;
	assert_int_equal(cudaGraphInstantiate(&none, graph, 0), cudaErrorInvalidValue);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaGraphDestroy(child));
	OK(cudaFree(device));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_stream_keeps_its_order, clear),
		cmocka_unit_test_setup(streams_do_not_wait_for_each_other, clear),
		cmocka_unit_test_setup(the_legacy_stream_orders_blocking_streams, clear),
		cmocka_unit_test_setup(events_order_streams, clear),
		cmocka_unit_test_setup(elapsed_time_covers_the_kernel, clear),
		cmocka_unit_test_setup(copies_keep_stream_order, clear),
		cmocka_unit_test_setup(host_functions_keep_stream_order, clear),
		cmocka_unit_test_setup(host_threads_do_not_disturb_each_other, clear),
		cmocka_unit_test_setup(a_captured_fork_and_join_runs_in_order, clear),
		cmocka_unit_test_setup(an_unjoined_capture_is_refused, clear),
		cmocka_unit_test_setup(a_graph_built_node_by_node, clear),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Who outlives whom: graphs, what is made of them, their memory, their children, captures that
 * are given up, the device. Meant for a build with AddressSanitizer, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <cuda_runtime_api.h>

#define OK(call) assert_int_equal((call), cudaSuccess)

static cudaGraph_t graph_with_memory(void **address, size_t size)
{
	cudaGraph_t graph;
	cudaGraphNode_t make, set;
	struct cudaMemAllocNodeParams memory = {
		.poolProps = {.allocType = cudaMemAllocationTypePinned,
			      .location = {.type = cudaMemLocationTypeDevice}}, .bytesize = size};
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddMemAllocNode(&make, graph, NULL, 0, &memory));
	struct cudaMemsetParams fill = {.dst = memory.dptr, .elementSize = 1, .width = size,
					.height = 1, .value = 42};
	OK(cudaGraphAddMemsetNode(&set, graph, &make, 1, &fill));
	*address = memory.dptr;
	return graph;
}

static unsigned char byte_at(const void *address)
{
	unsigned char byte = 0;
	OK(cudaMemcpy(&byte, address, 1, cudaMemcpyDeviceToHost));
	return byte;
}

static void memory_outlives_its_graph_until_it_is_freed(void **state)
{
	(void)state;
	void *p;
	cudaGraphExec_t exec;
	cudaGraph_t graph = graph_with_memory(&p, 3 << 20);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaDeviceSynchronize());
	assert_int_equal(byte_at((char *)p + 5), 42);
	OK(cudaFree(p));
	assert_int_equal(cudaFree(p), cudaErrorInvalidValue);
	cudaGetLastError();
}

static void memory_that_was_never_allocated_goes_with_its_graph(void **state)
{
	(void)state;
	void *p;
	size_t before, after, total;
	OK(cudaMemGetInfo(&before, &total));
	cudaGraph_t graph = graph_with_memory(&p, 64 << 20);
	OK(cudaGraphDestroy(graph));
	OK(cudaMemGetInfo(&after, &total));
	assert_int_equal(before, after);
	assert_int_equal(cudaMemset(p, 0, 1), cudaErrorInvalidValue);
	cudaGetLastError();
}

static void a_child_goes_with_its_graph(void **state)
{
	(void)state;
	cudaGraph_t outer, inner, child;
	cudaGraphNode_t node, empty;
	size_t n = 0;
	OK(cudaGraphCreate(&outer, 0));
	OK(cudaGraphCreate(&inner, 0));
	OK(cudaGraphAddEmptyNode(&empty, inner, NULL, 0));
	OK(cudaGraphAddChildGraphNode(&node, outer, NULL, 0, inner));
	OK(cudaGraphDestroy(inner));
	OK(cudaGraphChildGraphNodeGetGraph(node, &child));
	OK(cudaGraphGetNodes(child, NULL, &n));
	assert_int_equal(n, 1);
	assert_int_equal(cudaGraphDestroy(child), cudaErrorInvalidValue);
	OK(cudaGraphDestroy(outer));
	assert_int_equal(cudaGraphGetNodes(child, NULL, &n), cudaErrorInvalidValue);
	cudaGetLastError();
}

/* A child that is moved is the same graph; with memory it cannot be anything else. */
static void a_child_that_is_moved_has_its_own_memory(void **state)
{
	(void)state;
	void *p;
	cudaGraph_t outer, other, inner = graph_with_memory(&p, 2000), child;
	cudaGraphNode_t node, again;
	cudaGraphExec_t exec;
	OK(cudaGraphCreate(&outer, 0));
	OK(cudaGraphCreate(&other, 0));
	assert_int_equal(cudaGraphAddChildGraphNode(&node, outer, NULL, 0, inner),
			 cudaErrorNotSupported);
	struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeGraph};
	params.graph.graph = inner;
	params.graph.ownership = cudaGraphChildGraphOwnershipMove;
	assert_int_equal(cudaGraphAddNode(&node, inner, NULL, NULL, 0, &params),
			 cudaErrorInvalidValue);
	OK(cudaGraphAddNode(&node, outer, NULL, NULL, 0, &params));
	OK(cudaGraphChildGraphNodeGetGraph(node, &child));
	assert_ptr_equal(child, inner);
	assert_int_equal(cudaGraphAddNode(&again, other, NULL, NULL, 0, &params),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaGraphInstantiate(&exec, inner, 0), cudaErrorInvalidValue);
	assert_int_equal(cudaGraphDestroy(inner), cudaErrorInvalidValue);
	OK(cudaGraphInstantiate(&exec, outer, 0));
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaDeviceSynchronize());
	assert_int_equal(byte_at(p), 42);
	OK(cudaFree(p));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(outer));
	OK(cudaGraphDestroy(other));
	cudaGetLastError();
}

/* A graph that is captured into may be destroyed before the capture ends. */
static void a_capture_keeps_its_graph(void **state)
{
	(void)state;
	cudaStream_t s;
	cudaGraph_t graph, got = NULL;
	void *p;
	OK(cudaMalloc(&p, 16));
	OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaStreamBeginCaptureToGraph(s, graph, NULL, NULL, 0, cudaStreamCaptureModeRelaxed));
	OK(cudaMemsetAsync(p, 1, 16, s));
	OK(cudaGraphDestroy(graph));
	cudaStreamEndCapture(s, &got);
	cudaGetLastError();
	enum cudaStreamCaptureStatus status;
	OK(cudaStreamIsCapturing(s, &status));
	assert_int_equal(status, cudaStreamCaptureStatusNone);
	OK(cudaStreamDestroy(s));
	OK(cudaFree(p));
}

static void a_reset_leaves_handles_that_can_be_destroyed(void **state)
{
	(void)state;
	void *p, *q;
	cudaGraphExec_t exec;
	cudaGraph_t graph = graph_with_memory(&p, 1000);
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaDeviceReset());
	OK(cudaMalloc(&q, 1000));
	OK(cudaMemset(q, 7, 1000));
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	assert_int_equal(byte_at(q), 7);
	OK(cudaFree(q));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_outlives_its_graph_until_it_is_freed),
		cmocka_unit_test(memory_that_was_never_allocated_goes_with_its_graph),
		cmocka_unit_test(a_child_goes_with_its_graph),
		cmocka_unit_test(a_child_that_is_moved_has_its_own_memory),
		cmocka_unit_test(a_capture_keeps_its_graph),
		cmocka_unit_test(a_reset_leaves_handles_that_can_be_destroyed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

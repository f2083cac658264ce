/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of graphs: a box for each node, a line for each edge, what the flags ask for and
 * nothing else, graphs within graphs. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <cuda_runtime_api.h>

static char text[65536];

static void draw(cudaGraph_t graph, unsigned flags)
{
	char path[] = "/tmp/cudasim-dot-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(cudaGraphDebugDotPrint(graph, path, flags), cudaSuccess);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	size_t n = fread(text, 1, sizeof text - 1, file);
	text[n] = '\0';
	fclose(file);
	unlink(path);
}

static int count(const char *what)
{
	int n = 0;
	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

static void CUDART_CB nothing(void *user)
{
	(void)user;
}

static void every_node_and_edge_is_drawn(void **state)
{
	(void)state;
	cudaGraph_t graph, inner, *bodies;
	cudaGraphNode_t set, host, child, wait, make, drop, choose;
	cudaGraphConditionalHandle handle;
	cudaEvent_t event;
	int *data;
	assert_int_equal(cudaMalloc((void **)&data, 64), cudaSuccess);
	assert_int_equal(cudaEventCreate(&event), cudaSuccess);
	cudaGraphCreate(&graph, 0);
	cudaGraphCreate(&inner, 0);
	struct cudaMemsetParams fill = {.dst = data, .elementSize = 4, .width = 3, .height = 1, .value = 171};
	cudaGraphAddMemsetNode(&set, inner, NULL, 0, &fill);
	cudaGraphAddMemsetNode(&set, graph, NULL, 0, &fill);
	struct cudaHostNodeParams call = {nothing, (void *)0x1234567};
	cudaGraphAddHostNode(&host, graph, &set, 1, &call);
	cudaGraphAddChildGraphNode(&child, graph, &host, 1, inner);
	cudaGraphAddEventWaitNode(&wait, graph, &child, 1, event);
	struct cudaMemAllocNodeParams memory = {
		.poolProps = {.allocType = cudaMemAllocationTypePinned,
			      .location = {.type = cudaMemLocationTypeDevice}}, .bytesize = 4321};
	assert_int_equal(cudaGraphAddMemAllocNode(&make, graph, &wait, 1, &memory), cudaSuccess);
	assert_int_equal(cudaGraphAddMemFreeNode(&drop, graph, &make, 1, memory.dptr), cudaSuccess);
	assert_int_equal(cudaGraphConditionalHandleCreate(&handle, graph, 1, 0), cudaSuccess);
	struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeConditional};
	p.conditional.handle = handle;
	p.conditional.type = cudaGraphCondTypeIf;
	p.conditional.size = 2;
	assert_int_equal(cudaGraphAddNode(&choose, graph, &drop, NULL, 1, &p), cudaSuccess);
	bodies = p.conditional.phGraph_out;
	cudaGraphAddMemsetNode(&set, bodies[1], NULL, 0, &fill);

	draw(graph, 0);
	assert_int_equal(count("digraph"), 1);
	assert_int_equal(count("[shape=box"), 7 + 1 + 1);
	assert_int_equal(count(" -> "), 6);
	assert_int_equal(count("subgraph"), 1 + 1 + 2);
	assert_int_equal(count("{"), count("}"));
	assert_int_equal(count("MEMSET"), 3);
	assert_int_equal(count("4321 bytes"), 1);
	assert_int_equal(count("value 171"), 0);
	assert_int_equal(count("user data"), 0);
	assert_int_equal(count("event 0x"), 0);
	assert_int_equal(count("2 graphs"), 0);

	draw(graph, cudaGraphDebugDotFlagsMemsetNodeParams);
	assert_int_equal(count("value 171"), 3);
	assert_int_equal(count("user data"), 0);
	draw(graph, cudaGraphDebugDotFlagsHostNodeParams | cudaGraphDebugDotFlagsEventNodeParams);
	assert_int_equal(count("user data 0x1234567"), 1);
	assert_int_equal(count("event 0x"), 1);
	draw(graph, cudaGraphDebugDotFlagsConditionalNodeParams);
	assert_int_equal(count("2 graphs"), 1);
	draw(graph, cudaGraphDebugDotFlagsHandles);
	char handle_text[32];
	snprintf(handle_text, sizeof handle_text, "\\n%p\"", (void *)host);
	assert_int_equal(count(handle_text), 1);
	draw(graph, cudaGraphDebugDotFlagsVerbose);
	assert_int_equal(count("value 171"), 3);
	assert_int_equal(count("user data 0x1234567"), 1);
	assert_int_equal(count("2 graphs"), 1);
	assert_int_equal(count(handle_text), 1);
	cudaGraphDestroy(graph);
	cudaGraphDestroy(inner);
	cudaEventDestroy(event);
	cudaFree(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_node_and_edge_is_drawn)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

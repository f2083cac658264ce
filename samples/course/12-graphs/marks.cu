/* SPDX-License-Identifier: Apache-2.0 */
#include <cudasim/test.h>

#ifndef ANSWER
#define ANSWER "graphs.cu"
#endif
#include ANSWER

/* A recording of 200 elements that are all alike, and what it has to end with: a = 3, b = 10,
 * sum = 0 become 6, 11, 17, then 12, 12, 17 + 24. */
struct recording {
	cudaStream_t left, right;
	int *a, *b, *sum;
	cudaGraph_t graph;
};

static const int N = 200;

static recording make_recording()
{
	recording r;
	r.a = cudasim_device_copy(std::vector<int>(N, 3));
	r.b = cudasim_device_copy(std::vector<int>(N, 10));
	r.sum = cudasim_device_copy(std::vector<int>(N, 0));
	cudasim_need(cudaStreamCreateWithFlags(&r.left, cudaStreamNonBlocking));
	cudasim_need(cudaStreamCreateWithFlags(&r.right, cudaStreamNonBlocking));
	cudasim_need(cudaDeviceSynchronize());
	r.graph = record(r.left, r.right, r.a, r.b, r.sum, N);
	cudasim_need(cudaDeviceSynchronize());
	return r;
}

static void end_recording(const recording &r)
{
	if (r.graph)
		cudasim_need(cudaGraphDestroy(r.graph));
	cudasim_need(cudaStreamDestroy(r.left));
	cudasim_need(cudaStreamDestroy(r.right));
}

static void recording_does_nothing(void **)
{
	recording r = make_recording();
	end_recording(r);
	cudasim_assert_equal(r.a, std::vector<int>(N, 3), N);
	cudasim_assert_equal(r.b, std::vector<int>(N, 10), N);
	cudasim_assert_equal(r.sum, std::vector<int>(N, 0), N);
}

static void runs_as_often_as_launched(void **)
{
	recording r = make_recording();
	cudaGraphExec_t ready;
	cudasim_need(cudaGraphInstantiate(&ready, r.graph, 0));
	cudasim_need(cudaGraphLaunch(ready, r.left));
	cudasim_need(cudaStreamSynchronize(r.left));
	cudasim_assert_equal(r.sum, std::vector<int>(N, 17), N);
	cudasim_need(cudaGraphLaunch(ready, r.left));
	cudasim_need(cudaStreamSynchronize(r.left));
	cudasim_assert_equal(r.a, std::vector<int>(N, 12), N);
	cudasim_assert_equal(r.b, std::vector<int>(N, 12), N);
	cudasim_assert_equal(r.sum, std::vector<int>(N, 41), N);
	cudasim_need(cudaGraphExecDestroy(ready));
	end_recording(r);
}

/* Three kernels, of which two wait for nothing. */
static void has_two_branches(void **)
{
	recording r = make_recording();
	size_t nodes = 0, roots = 0;
	if (r.graph) {
		cudasim_need(cudaGraphGetNodes(r.graph, nullptr, &nodes));
		cudasim_need(cudaGraphGetRootNodes(r.graph, nullptr, &roots));
	}
	end_recording(r);
	cudasim_assert_equal(nodes, (size_t)3);
	cudasim_assert_equal(roots, (size_t)2);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recording_does_nothing),
		cmocka_unit_test(runs_as_often_as_launched),
		cmocka_unit_test(has_two_branches),
	};
	return cudasim_run_tests(tests, argc, argv);
}

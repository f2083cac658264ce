/* SPDX-License-Identifier: Apache-2.0 */
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <cudasim/test.h>

#ifndef ANSWER
#define ANSWER "streams.cu"
#endif
#include ANSWER

/* Two streams for each test; they do not wait for the default stream. */
struct streams {
	cudaStream_t left, right;
};

static int make_streams(void **state)
{
	static streams both;
	cudasim_need(cudaStreamCreateWithFlags(&both.left, cudaStreamNonBlocking));
	cudasim_need(cudaStreamCreateWithFlags(&both.right, cudaStreamNonBlocking));
	*state = &both;
	return 0;
}

static int destroy_streams(void **state)
{
	streams *both = (streams *)*state;
	cudaStreamDestroy(both->left);
	cudaStreamDestroy(both->right);
	return 0;
}

/* A stream stops here until it is opened, or for five seconds. Under the checkers, which let calls
 * wait for the device, the marks that need it are skipped. */
struct gate {
	std::mutex lock;
	std::condition_variable changed;
	bool is_open = false, opened_in_time = false;

	static void wait(void *data)
	{
		gate *g = (gate *)data;
		std::unique_lock<std::mutex> held(g->lock);
		g->opened_in_time = g->changed.wait_for(held, std::chrono::seconds(5),
							[g] { return g->is_open; });
	}
	void close(cudaStream_t stream)
	{
		if (std::getenv("CUDASIM_CHECK"))
			skip();
		cudasim_need(cudaLaunchHostFunc(stream, wait, this));
	}
	void open()
	{
		std::lock_guard<std::mutex> held(lock);
		is_open = true;
		changed.notify_all();
	}
};

static const int N = 1000;

struct arrays {
	int *a, *b, *sum;
};

static arrays make_arrays()
{
	std::vector<int> a(N), b(N);
	for (int i = 0; i < N; i++) {
		a[i] = i;
		b[i] = 10 * i;
	}
	arrays ret = {cudasim_device_copy(a), cudasim_device_copy(b), cudasim_device_array(int, N)};
	cudasim_need(cudaDeviceSynchronize());
	return ret;
}

/* 2 i + (10 i + 1) */
static std::vector<int> expected_sums()
{
	std::vector<int> ret(N);
	for (int i = 0; i < N; i++)
		ret[i] = 12 * i + 1;
	return ret;
}

/* The sums, read in the order of left, which alone is waited for. */
static void adds_both_results(void **state)
{
	streams *s = (streams *)*state;
	arrays m = make_arrays();
	submit(s->left, s->right, m.a, m.b, m.sum, N);
	cudasim_need(cudaStreamSynchronize(s->left));
	cudasim_assert_equal(m.sum, expected_sums(), N);
}

/* The same while right is held up for a while: left has to wait for it. */
static void left_waits_for_right(void **state)
{
	streams *s = (streams *)*state;
	arrays m = make_arrays();
	gate &g = *new gate; /* it may outlive the test */
	g.close(s->right);
	submit(s->left, s->right, m.a, m.b, m.sum, N);
	bool left_is_done = false;
	for (int i = 0; i < 20 && !left_is_done; i++) {
		std::this_thread::sleep_for(std::chrono::milliseconds(10));
		left_is_done = cudaStreamQuery(s->left) == cudaSuccess;
	}
	g.open();
	cudasim_need(cudaStreamSynchronize(s->left));
	std::vector<int> sums = cudasim_host_copy(m.sum, N);
	cudasim_need(cudaStreamSynchronize(s->right));
	cudasim_assert_equal(g.opened_in_time, true); /* submit() did not wait */
	cudasim_assert_equal(left_is_done, false);
	cudasim_assert_equal(sums, expected_sums());
}

/* While left is held up, right does its part: 10 i + 1. */
static void right_does_not_wait_for_left(void **state)
{
	streams *s = (streams *)*state;
	arrays m = make_arrays();
	gate &g = *new gate; /* it may outlive the test */
	g.close(s->left);
	submit(s->left, s->right, m.a, m.b, m.sum, N);
	cudasim_need(cudaStreamSynchronize(s->right));
	std::vector<int> b = cudasim_host_copy(m.b, N), expected(N);
	for (int i = 0; i < N; i++)
		expected[i] = 10 * i + 1;
	g.open();
	cudasim_need(cudaStreamSynchronize(s->left));
	cudasim_assert_equal(b, expected);
	cudasim_assert_equal(g.opened_in_time, true);
	cudasim_assert_equal(m.sum, expected_sums(), N);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(adds_both_results, make_streams, destroy_streams),
		cmocka_unit_test_setup_teardown(left_waits_for_right, make_streams,
						destroy_streams),
		cmocka_unit_test_setup_teardown(right_does_not_wait_for_left, make_streams,
						destroy_streams),
	};
	return cudasim_run_tests(tests, argc, argv);
}

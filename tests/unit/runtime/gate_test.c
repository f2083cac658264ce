/* SPDX-License-Identifier: Apache-2.0 */
/* CUDASIM_SCHEDULE and streams: which of several independent operations goes
 * first. Run with each of the three orders. */
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
#include "gate.h"

enum { N = 12 };

static int order[4 * N];
static atomic_int n_order;

static void CUDART_CB note(void *arg)
{
	order[n_order++] = (int)(intptr_t)arg;
}

#define OK(call) assert_int_equal((call), cudaSuccess)

static cudaStream_t streams[N];

static int set_up(void **state)
{
	(void)state;
	for (int i = 0; i < N; i++)
		OK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	return 0;
}

static void note_in_each_stream(void)
{
	n_order = 0;
	for (int i = 0; i < N; i++)
		OK(cudaLaunchHostFunc(streams[i], note, (void *)(intptr_t)i));
	usleep(20000);
	assert_int_equal(n_order, 0); /* held until somebody waits */
	OK(cudaDeviceSynchronize());
	assert_int_equal(n_order, N);
}

static const char *schedule(void)
{
	const char *text = getenv("CUDASIM_SCHEDULE");
	if (!text || !*text)
		skip();
	return text;
}

static void independent_streams_go_in_the_chosen_order(void **state)
{
	(void)state;
	const char *text = schedule();
	note_in_each_stream();
	int first[N], inversions = 0;
	memcpy(first, order, sizeof first);
	for (int i = 0; i < N; i++)
		for (int j = i + 1; j < N; j++)
			inversions += first[i] > first[j];
	if (!strcmp(text, "inorder"))
		assert_int_equal(inversions, 0);
	else if (!strcmp(text, "reverse"))
		assert_int_equal(inversions, N * (N - 1) / 2);
	else
		assert_in_range(inversions, 1, N * (N - 1) / 2 - 1);
}

/* Whatever the order, a stream keeps its own. */
static void streams_keep_their_own_order(void **state)
{
	(void)state;
	schedule();
	n_order = 0;
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < N; i++)
			OK(cudaLaunchHostFunc(streams[i], note, (void *)(intptr_t)(round * N + i)));
	OK(cudaDeviceSynchronize());
	int last[N];
	memset(last, -1, sizeof last);
	for (int i = 0; i < n_order; i++) {
		assert_true(order[i] > last[order[i] % N]);
		last[order[i] % N] = order[i];
	}
	assert_int_equal(n_order, 3 * N);
}

/* A host that never calls CUDA again still sees its work done. */
static void held_work_starts_when_nobody_comes(void **state)
{
	(void)state;
	schedule();
	n_order = 0;
	OK(cudaLaunchHostFunc(streams[0], note, NULL));
	for (int i = 0; i < 6000 && !atomic_load(&n_order); i++)
		usleep(10000);
	assert_int_equal(n_order, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(independent_streams_go_in_the_chosen_order),
		cmocka_unit_test(streams_keep_their_own_order),
		cmocka_unit_test(held_work_starts_when_nobody_comes),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}

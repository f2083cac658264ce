/* SPDX-License-Identifier: Apache-2.0 */
/* How launches die: the code they end with, what stderr says, that later
 * launches run. In child processes, because cmocka has handlers of its own. */
#define _GNU_SOURCE
#include "harness.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not a constant, or compilers have opinions. */
static volatile int *volatile low_address = (volatile int *)8;

struct death {
	void (*entry)(const void *);
	struct shape shape;
	int error;
	const char *says[6]; /* parts of stderr, in order */
	struct scheduler_config config;
	const void *params;
};

static void fine(const void *params)
{
	(void)params;
}

/* Dies with the wanted code, and afterwards another launch is fine. */
static void die(void *arg)
{
	const struct death *d = arg;
	struct cudasim_error *error = scheduler_start_with(&d->config);
	if (error)
		_exit(90);
	if (harness_launch(d->entry, d->params, d->shape) != d->error)
		_exit(91);
	if (atomic_load(&harness_device.sticky) != d->error)
		_exit(92);
	atomic_store(&harness_device.sticky, 0);
	if (harness_launch(fine, NULL, (struct shape){.grid = 50, .block = 64}))
		_exit(93);
	scheduler_stop();
}

static void check_death(const struct death *d)
{
	for (unsigned engine = FIBER_STACK; engine <= FIBER_PTHREAD; engine++)
		for (unsigned workers = 1; workers <= 3; workers += 2) {
			struct death each = *d;
			char *text;
			each.config.engine = (int)engine;
			each.config.n_workers = workers;
			int status = harness_child(die, &each, &text);
			if (!WIFEXITED(status) || WEXITSTATUS(status))
				fail_msg("status %x, stderr: %s", status, text);
			const char *at = text;
			for (int i = 0; i < 6 && d->says[i]; i++) {
				at = strstr(at, d->says[i]);
				if (!at)
					fail_msg("no \"%s\" in: %s", d->says[i], text);
			}
			free(text);
		}
}

/* ---- addresses ------------------------------------------------------------------- */

static void write_null(const void *params)
{
	(void)params;
	if (gid() == 70)
		*low_address = 1;
	__cudasim_barrier(0, 0, HERE);
}

static void an_illegal_address_names_the_thread(void **state)
{
	(void)state;
	check_death(&(struct death){.entry = write_null,
				    .shape = {.grid = 3, .block = 64},
				    .error = 700,
				    .says = {"kernel kernel<<<(3,1,1),(64,1,1)>>>",
					     "an illegal memory access", "cudaErrorIllegalAddress",
					     "block (1,0,0), thread (6,0,0)",
					     "write to address 0x8, a null pointer"}});
}

/* AddressSanitizer would look up the address first; device code is compiled without it. */
__attribute__((no_sanitize_address)) static void read_wild(const void *params)
{
	(void)params;
	volatile uint64_t wild = 0xdead000000000000u;
	(void)*(volatile int *)wild;
}

static void a_wild_pointer_is_an_illegal_address(void **state)
{
	(void)state;
	check_death(&(struct death){.entry = read_wild,
				    .shape = {.grid = 1, .block = 1},
				    .error = 700,
				    .says = {"an illegal memory access", "0xdead000000000000"}});
}

/* One int behind 128 bytes of shared memory, as an H200 was seen to answer. */
static void past_the_window(const void *params)
{
	int offset = *(const int *)params;
	volatile int *s = (volatile int *)(__cudasim_self->block->shared + 1024);
	s[offset] = 1;
}

static void shared_memory_ends_where_it_ends(void **state)
{
	static const int inside = 31, behind = 32, far = 1 << 24;
	(void)state;
	check_death(&(struct death){.entry = past_the_window,
				    .params = &behind,
				    .shape = {.grid = 1, .block = 1, .dynamic_shared = 128},
				    .error = 700,
				    .says = {"outside the block's shared memory"}});
	check_death(&(struct death){.entry = past_the_window,
				    .params = &far,
				    .shape = {.grid = 1, .block = 1, .dynamic_shared = 128},
				    .error = 715,
				    .says = {"far outside the block's shared memory"}});
	check_death(&(struct death){.entry = past_the_window,
				    .params = &inside,
				    .shape = {.grid = 1, .block = 1, .dynamic_shared = 128},
				    .error = 0});
}

static int __attribute__((noinline)) endless(volatile int *p, int n)
{
	volatile int local[64];
	local[n & 63] = n;
	if (*p)
		return 1;
	return endless(p, n + 1) + local[*p & 63];
}

static void overflow(const void *params)
{
	(void)params;
	volatile int zero = 0;
	zero = endless(&zero, 0);
}

static void endless_recursion_is_told(void **state)
{
	(void)state;
	check_death(&(struct death){.entry = overflow,
				    .shape = {.grid = 1, .block = 3},
				    .error = 700,
				    .says = {"stack overflow", "thread (0,0,0)"}});
}

/* ---- ends that the program asks for ------------------------------------------------ */

static void trap(const void *params)
{
	(void)params;
	__cudasim_barrier(0, 0, HERE);
	if (tid() == 40)
		__cudasim_trap(CUDASIM_TRAP_TRAP, HERE);
	__cudasim_barrier(0, 0, HERE);
}

static void a_trap_is_a_launch_failure(void **state)
{
	(void)state;
	check_death(&(struct death){.entry = trap,
				    .shape = {.grid = 1, .block = 64},
				    .error = 719,
				    .says = {"__trap() was called", "cudaErrorLaunchFailure",
					     "thread (40,0,0)", "at trap (test.cu:"}});
}

static void assert_some(const void *params)
{
	SITE(site);
	(void)params;
	if (tid() >= 5)
		__cudasim_assertfail("i < 5", "x.cu", 12, "void f()", &site);
}

static void all_lanes_of_an_assert_speak(void **state)
{
	(void)state;
	check_death(&(struct death){
		.entry = assert_some,
		.shape = {.grid = 1, .block = 7},
		.error = 710,
		.says = {
			"x.cu:12: void f(): block: [0,0,0], thread: [5,0,0] Assertion `i < 5` failed.",
			"x.cu:12: void f(): block: [0,0,0], thread: [6,0,0] Assertion `i < 5` failed.",
			"cudaErrorAssert"}});
}

static void wrong_mask(const void *params)
{
	(void)params;
	if (tid() < 16)
		__cudasim_syncwarp(0xffff0000, HERE);
}

static void a_mask_without_the_caller_is_illegal(void **state)
{
	(void)state;
	check_death(&(struct death){.entry = wrong_mask,
				    .shape = {.grid = 1, .block = 32},
				    .error = 715,
				    .says = {"mask 0xffff0000, which lacks the lane itself"}});
}

static void no_such_barrier(const void *params)
{
	(void)params;
	__cudasim_barrier(16, 0, HERE);
}

static void barrier_sixteen_does_not_exist(void **state)
{
	(void)state;
	check_death(&(struct death){.entry = no_such_barrier,
				    .shape = {.grid = 1, .block = 32},
				    .error = 715,
				    .says = {"there is no barrier 16"}});
}

static void free_wildly(const void *params)
{
	(void)params;
	char *p = __cudasim_malloc(100, HERE);
	__cudasim_free(NULL, HERE);
	__cudasim_free(p, HERE);
	__cudasim_free(p, HERE);
}

static void a_double_free_is_a_failure(void **state)
{
	(void)state;
	check_death(&(struct death){.entry = free_wildly,
				    .shape = {.grid = 1, .block = 1},
				    .error = 719,
				    .says = {"it has been freed already"}});
}

/* ---- waiting for ever ---------------------------------------------------------------- */

static void split_barriers(const void *params)
{
	static const struct cudasim_site seven = {"split.cu", "f", 7, 0, 0, 0};
	static const struct cudasim_site nine = {"split.cu", "f", 9, 0, 0, 0};
	(void)params;
	if (tid() < 40)
		__cudasim_barrier(0, 0, &seven);
	else
		__cudasim_barrier(1, 64, &nine);
}

static void a_deadlock_ends_with_a_table(void **state)
{
	(void)state;
	check_death(&(struct death){
		.entry = split_barriers,
		.shape = {.grid = 2, .block = 50},
		.error = 702,
		.says = {"deadlock", "cudaErrorLaunchTimeout", "50 threads:",
			 "threads 0-39: at __syncthreads (40 of 50 threads), f (split.cu:7)",
			 "threads 40-49: at barrier 1 (10 of 64 threads), f (split.cu:9)"}});
}

static void half_a_warp(const void *params)
{
	SITE(site);
	(void)params;
	if (tid() < 16)
		__cudasim_syncwarp(~0u, &site);
	else
		__cudasim_barrier(0, 0, &site);
}

static void lanes_that_never_come_are_named(void **state)
{
	(void)state;
	check_death(&(struct death){
		.entry = half_a_warp,
		.shape = {.grid = 1, .block = 32},
		.error = 702,
		.says = {"deadlock", "threads 0-15: in __syncwarp of warp 0 for lanes 0xffffffff",
			 "threads 16-31: at __syncthreads (16 of 32 threads)"}});
}

static void cluster_alone(const void *params)
{
	(void)params;
	if (bid() == 1)
		__cudasim_barrier(1, 64, HERE);
	__cudasim_cluster_arrive(HERE);
	__cudasim_cluster_wait(HERE);
}

static void a_cluster_can_deadlock(void **state)
{
	(void)state;
	check_death(&(struct death){
		.entry = cluster_alone,
		.shape = {.grid = 2, .block = 32, .cluster = 2},
		.error = 702,
		.says = {"deadlock", "cluster's barrier", "barrier 1 (32 of 64 threads)"}});
}

static void spin_for_ever(const void *params)
{
	SITE(site);
	(void)params;
	for (;;)
		BACK_EDGE(&site);
}

static void compute_for_ever(const void *params)
{
	volatile unsigned n = 0;
	(void)params;
	if (tid() == 3)
		for (;;)
			n = n + 1;
	__cudasim_barrier(0, 0, HERE);
}

static void a_timeout_ends_loops(void **state)
{
	const struct scheduler_config config = {.timeout_ns = 1000000000};
	(void)state;
	check_death(&(struct death){
		.entry = spin_for_ever,
		.shape = {.grid = 2, .block = 33},
		.error = 702,
		.config = config,
		.says = {"CUDASIM_TIMEOUT", "cudaErrorLaunchTimeout", "in a loop"}});
	check_death(&(struct death){.entry = compute_for_ever,
				    .shape = {.grid = 1, .block = 8},
				    .error = 702,
				    .config = config,
				    .says = {"CUDASIM_TIMEOUT", "running"}});
}

/* The fault of one block ends others that would loop on without giving way. */
static void one_faults(const void *params)
{
	volatile unsigned n = 0;
	(void)params;
	if (bid() == 1) {
		usleep(100000);
		*low_address = 1;
	}
	for (;;)
		n = n + 1;
}

static void a_fault_ends_the_other_blocks(void **state)
{
	(void)state;
	struct death d = {.entry = one_faults,
			  .shape = {.grid = 2, .block = 1},
			  .error = 700,
			  .config = {.n_workers = 2}};
	char *text;
	int status = harness_child(die, &d, &text);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	free(text);
}

/* ---- what is not the device's ---------------------------------------------------------- */

static void host_handler(int number)
{
	(void)number;
	_exit(77);
}

static void fault_on_the_host(void *arg)
{
	struct scheduler_config config = {.n_workers = 1};
	if (arg)
		signal(SIGSEGV, host_handler);
	if (scheduler_start_with(&config))
		_exit(1);
	harness_launch(fine, NULL, (struct shape){.grid = 1, .block = 1});
	*low_address = 1;
}

static void host_faults_go_to_the_host(void **state)
{
	(void)state;
	char *text;
	int status = harness_child(fault_on_the_host, NULL, &text);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	free(text);
	status = harness_child(fault_on_the_host, "handler", &text);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 77);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_illegal_address_names_the_thread),
		cmocka_unit_test(a_wild_pointer_is_an_illegal_address),
		cmocka_unit_test(shared_memory_ends_where_it_ends),
		cmocka_unit_test(endless_recursion_is_told),
		cmocka_unit_test(a_trap_is_a_launch_failure),
		cmocka_unit_test(all_lanes_of_an_assert_speak),
		cmocka_unit_test(a_mask_without_the_caller_is_illegal),
		cmocka_unit_test(barrier_sixteen_does_not_exist),
		cmocka_unit_test(a_double_free_is_a_failure),
		cmocka_unit_test(a_deadlock_ends_with_a_table),
		cmocka_unit_test(lanes_that_never_come_are_named),
		cmocka_unit_test(a_cluster_can_deadlock),
		cmocka_unit_test(a_timeout_ends_loops),
		cmocka_unit_test(a_fault_ends_the_other_blocks),
		cmocka_unit_test(host_faults_go_to_the_host),
	};
	return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}

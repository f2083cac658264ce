/* SPDX-License-Identifier: Apache-2.0 */
/* sim/observe alone: who hears what, and what verdicts do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cudasim/inspect.h"
#include "error.h"
#include "one_thread.h"

/* ---- an observer that remembers ------------------------------------------- */

struct memory {
	struct cudasim_access access;
	int n_accesses, n_lines, n_finishes;
	enum cudasim_verdict verdict;
	uint32_t wants;
};

static enum cudasim_verdict on_access(void *tool, struct cudasim_thread *t,
				      const struct cudasim_access *access)
{
	struct memory *m = tool;
	assert_ptr_equal(t, &one.thread.pub);
	m->access = *access;
	m->n_accesses++;
	return m->verdict;
}
static enum cudasim_verdict on_line(void *tool, struct cudasim_thread *t,
				    const struct cudasim_site *site)
{
	struct memory *m = tool;
	(void)t;
	(void)site;
	m->n_lines++;
	return m->verdict;
}
static void on_finish(void *tool)
{
	((struct memory *)tool)->n_finishes++;
}
static uint32_t on_want(void *tool, const struct cudasim_launch *l)
{
	assert_int_equal(l->id, 7);
	return ((struct memory *)tool)->wants;
}

static void add(const struct cudasim_observer *o)
{
	struct cudasim_error *error = cudasim_observer_add(o);
	assert_null(error);
}
static void drop(const struct cudasim_observer *o)
{
	struct cudasim_error *error = cudasim_observer_remove(o);
	assert_null(error);
}
static void expect(struct cudasim_error *error, enum cudasim_error_code code)
{
	assert_non_null(error);
	assert_int_equal(error->code, code);
	cudasim_error_free(error);
}

/* ---- tests ---------------------------------------------------------------- */

static void without_observers_plain_bodies_run(void **state)
{
	(void)state;
	begin();
	assert_null(one.launch.pub.watch);
	assert_int_equal(one.launch.pub.body, CUDASIM_BODY_V3);
	assert_int_equal(one.thread.pub.want, 0);
	end();
}

static void slots_speak_for_an_observer_without_want(void **state)
{
	struct memory m = {0};
	struct cudasim_observer o = {
		.version = CUDASIM_OBSERVER_VERSION, .name = "o", .tool = &m, .access = on_access};
	(void)state;
	add(&o);
	begin();
	assert_int_equal(one.launch.pub.body, CUDASIM_BODY_WATCHED);
	assert_int_equal(one.thread.pub.want, CUDASIM_WANT_ACCESS);
	end();
	drop(&o);
}

static void an_observer_of_copies_leaves_plain_bodies(void **state)
{
	struct memory m = {.wants = CUDASIM_WANT_BARRIER | CUDASIM_WANT_THREAD};
	struct cudasim_observer o = {
		.version = CUDASIM_OBSERVER_VERSION, .name = "o", .tool = &m, .want = on_want};
	(void)state;
	add(&o);
	begin();
	assert_int_equal(one.launch.pub.body, CUDASIM_BODY_V3);
	assert_int_equal(one.thread.pub.want, 0);
	end();
	drop(&o);
}

static void flags_are_taken_apart(void **state)
{
	struct memory m = {0};
	struct cudasim_observer o = {
		.version = CUDASIM_OBSERVER_VERSION, .name = "o", .tool = &m, .access = on_access};
	(void)state;
	add(&o);
	begin();
	__cudasim_on_access(window + 4, 8,
			    CUDASIM_ACCESS_LOAD | CUDASIM_ACCESS_STORE | CUDASIM_ACCESS_ATOMIC |
				    0u << CUDASIM_ACCESS_SPACE_SHIFT |
				    (uint32_t)CUDASIM_SCOPE_BLOCK << CUDASIM_ACCESS_SCOPE_SHIFT |
				    (uint32_t)CUDASIM_ORDER_ACQ_REL << CUDASIM_ACCESS_ORDER_SHIFT |
				    (uint32_t)CUDASIM_ATOMIC_CAS << CUDASIM_ACCESS_OP_SHIFT,
			    &sites[0]);
	assert_int_equal(m.n_accesses, 1);
	assert_ptr_equal(m.access.address, window + 4);
	assert_int_equal(m.access.size, 8);
	assert_int_equal(m.access.space, CUDASIM_SPACE_SHARED);
	assert_int_equal(m.access.scope, CUDASIM_SCOPE_BLOCK);
	assert_int_equal(m.access.order, CUDASIM_ORDER_ACQ_REL);
	assert_int_equal(m.access.op, CUDASIM_ATOMIC_CAS);
	assert_int_equal(m.access.what,
			 CUDASIM_ACCESS_LOAD | CUDASIM_ACCESS_STORE | CUDASIM_ACCESS_ATOMIC);
	assert_ptr_equal(one.thread.pub.site, &sites[0]);
	end();
	drop(&o);
}

/* A generic pointer into the own stack is for those who want LOCAL only. */
static void spaces_are_found_at_run_time(void **state)
{
	struct memory all = {.wants = CUDASIM_WANT_ACCESS};
	struct memory local = {.wants = CUDASIM_WANT_LOCAL};
	struct cudasim_observer a = {.version = CUDASIM_OBSERVER_VERSION,
				     .name = "a",
				     .tool = &all,
				     .want = on_want,
				     .access = on_access};
	struct cudasim_observer l = {.version = CUDASIM_OBSERVER_VERSION,
				     .name = "l",
				     .tool = &local,
				     .want = on_want,
				     .access = on_access};
	(void)state;
	add(&a);
	add(&l);
	begin();
	__cudasim_on_access(stack, 4, CUDASIM_ACCESS_LOAD, &sites[0]);
	assert_int_equal(all.n_accesses, 0);
	assert_int_equal(local.n_accesses, 1);
	assert_int_equal(local.access.space, CUDASIM_SPACE_LOCAL);
	__cudasim_on_access(&one.launch, 4, CUDASIM_ACCESS_LOAD, &sites[0]);
	assert_int_equal(all.n_accesses, 1);
	assert_int_equal(all.access.space, CUDASIM_SPACE_GLOBAL);
	__cudasim_on_access(&one.launch, 4, CUDASIM_ACCESS_LOAD | 4u << CUDASIM_ACCESS_SPACE_SHIFT,
			    &sites[0]);
	assert_int_equal(all.access.space, CUDASIM_SPACE_CONSTANT);
	assert_int_equal(local.n_accesses, 1);
	end();
	drop(&a);
	drop(&l);
}

static void nothing_is_accessed_with_size_0(void **state)
{
	struct memory m = {0};
	struct cudasim_observer o = {
		.version = CUDASIM_OBSERVER_VERSION, .name = "o", .tool = &m, .access = on_access};
	(void)state;
	add(&o);
	begin();
	__cudasim_on_access(window, 0, CUDASIM_ACCESS_STORE, &sites[0]);
	assert_int_equal(m.n_accesses, 0);
	end();
	drop(&o);
}

/* Observers hear of a misaligned access, then the launch dies of it; without
 * observers it dies as well. */
static void misaligned_accesses_end_the_launch(void **state)
{
	enum { FLAGS = CUDASIM_ACCESS_STORE | 2u << CUDASIM_ACCESS_ALIGN_SHIFT };
	struct memory m = {0};
	struct cudasim_observer o = {
		.version = CUDASIM_OBSERVER_VERSION, .name = "o", .tool = &m, .access = on_access};
	(void)state;
	add(&o);
	begin();
	__cudasim_on_access(window + 4, 4, FLAGS, &sites[0]);
	assert_int_equal(m.access.alignment, 4);
	if (!setjmp(abort_to)) {
		__cudasim_on_access(window + 6, 4, FLAGS, &sites[0]);
		fail_msg("a misaligned access went on");
	}
	assert_ptr_equal(misaligned, window + 6);
	assert_int_equal(m.n_accesses, 2);
	end();
	drop(&o);
	begin();
	if (!setjmp(abort_to)) {
		__cudasim_on_access(window + 1, 4, FLAGS, &sites[0]);
		fail_msg("a misaligned access went on");
	}
	assert_ptr_equal(misaligned, window + 1);
	end();
}

static void the_largest_verdict_wins(void **state)
{
	struct memory go = {.verdict = CUDASIM_GO}, hold = {.verdict = CUDASIM_HOLD};
	struct cudasim_observer h = {.version = CUDASIM_OBSERVER_VERSION,
				     .name = "h",
				     .tool = &hold,
				     .access = on_access};
	struct cudasim_observer g = {
		.version = CUDASIM_OBSERVER_VERSION, .name = "g", .tool = &go, .access = on_access};
	(void)state;
	add(&h);
	add(&g);
	begin();
	__cudasim_on_access(window, 4, CUDASIM_ACCESS_LOAD, &sites[0]);
	assert_int_equal(holds, 1);
	go.verdict = CUDASIM_ABORT;
	if (!setjmp(abort_to)) {
		__cudasim_on_access(window, 4, CUDASIM_ACCESS_LOAD, &sites[0]);
		fail_msg("abort returned");
	}
	assert_int_equal(aborts, 719);
	assert_int_equal(holds, 1);
	end();
	drop(&h);
	drop(&g);
}

static void armed_lines_reach_those_who_armed_them(void **state)
{
	struct memory every = {.wants = CUDASIM_WANT_LINE}, some = {.wants = CUDASIM_WANT_BODY};
	struct cudasim_observer e = {.version = CUDASIM_OBSERVER_VERSION,
				     .name = "e",
				     .tool = &every,
				     .want = on_want,
				     .line = on_line};
	struct cudasim_observer s = {.version = CUDASIM_OBSERVER_VERSION,
				     .name = "s",
				     .tool = &some,
				     .want = on_want,
				     .line = on_line};
	(void)state;
	add(&e);
	add(&s);
	begin();
	assert_null(registered_arm(&s, &module_of_sites, 1, true));
	__cudasim_on_line(&sites[0]);
	__cudasim_on_line(&sites[1]);
	assert_int_equal(every.n_lines, 2);
	assert_int_equal(some.n_lines, 1);
	end();
	drop(&e);
	drop(&s);
}

/* What it has armed is armed no more: neither for those who come after it, nor for the code. */
static void removed_observers_leave_no_armed_lines(void **state)
{
	struct memory gone = {.wants = CUDASIM_WANT_BODY}, next = {.wants = CUDASIM_WANT_BODY};
	struct cudasim_observer g = {.version = CUDASIM_OBSERVER_VERSION,
				     .name = "g",
				     .tool = &gone,
				     .want = on_want,
				     .line = on_line};
	struct cudasim_observer n = g;
	(void)state;
	n.name = "n";
	n.tool = &next;
	add(&g);
	assert_null(registered_arm(&g, &module_of_sites, 0, true));
	assert_null(registered_arm(&g, &module_of_sites, 1, true));
	drop(&g);
	add(&n);
	assert_null(registered_arm(&n, &module_of_sites, 0, true));
	assert_int_equal(module_of_sites.armed[0], 1);
	assert_int_equal(module_of_sites.armed[1], 0);
	begin();
	__cudasim_on_line(&sites[0]);
	__cudasim_on_line(&sites[1]);
	assert_int_equal(gone.n_lines, 0);
	assert_int_equal(next.n_lines, 1);
	end();
	expect(registered_arm(&g, &module_of_sites, 0, true), CUDASIM_E_NOTFOUND);
	drop(&n);
	assert_int_equal(module_of_sites.armed[0], 0);
}

/* One of two who have armed a site disarms it. */
static void disarmed_lines_stay_armed_for_others(void **state)
{
	struct memory first = {.wants = CUDASIM_WANT_BODY}, second = {.wants = CUDASIM_WANT_BODY};
	struct cudasim_observer f = {.version = CUDASIM_OBSERVER_VERSION,
				     .name = "f",
				     .tool = &first,
				     .want = on_want,
				     .line = on_line};
	struct cudasim_observer s = f;
	(void)state;
	s.name = "s";
	s.tool = &second;
	add(&f);
	add(&s);
	assert_null(registered_arm(&f, &module_of_sites, 1, true));
	assert_null(registered_arm(&s, &module_of_sites, 1, true));
	assert_null(registered_arm(&f, &module_of_sites, 1, false));
	assert_int_equal(module_of_sites.armed[1], 1);
	begin();
	__cudasim_on_line(&sites[1]);
	assert_int_equal(first.n_lines, 0);
	assert_int_equal(second.n_lines, 1);
	end();
	assert_null(registered_arm(&s, &module_of_sites, 1, false));
	assert_int_equal(module_of_sites.armed[1], 0);
	/* A module that comes to the address of one that is gone. */
	assert_null(registered_arm(&s, &module_of_sites, 1, true));
	registered_forget(&module_of_sites);
	begin();
	__cudasim_on_line(&sites[1]);
	assert_int_equal(second.n_lines, 1);
	end();
	assert_null(registered_arm(&s, &module_of_sites, 0, true));
	begin();
	__cudasim_on_line(&sites[0]);
	__cudasim_on_line(&sites[1]);
	assert_int_equal(second.n_lines, 2);
	end();
	drop(&f);
	drop(&s);
}

static void registration_is_checked(void **state)
{
	struct memory m = {0};
	struct cudasim_observer o = {
		.version = CUDASIM_OBSERVER_VERSION, .name = "o", .tool = &m, .finish = on_finish};
	struct cudasim_observer twin = o, old = o, nameless = o;
	(void)state;
	old.version++;
	nameless.name = NULL;
	expect(cudasim_observer_add(NULL), CUDASIM_E_ARGUMENT);
	expect(cudasim_observer_add(&old), CUDASIM_E_FORMAT);
	expect(cudasim_observer_add(&nameless), CUDASIM_E_ARGUMENT);
	expect(cudasim_observer_remove(NULL), CUDASIM_E_NOTFOUND);
	add(&o);
	expect(cudasim_observer_add(&o), CUDASIM_E_TAKEN);
	expect(cudasim_observer_add(&twin), CUDASIM_E_TAKEN);
	expect(cudasim_observer_remove(&twin), CUDASIM_E_NOTFOUND);
	begin();
	expect(cudasim_observer_remove(&o), CUDASIM_E_BUSY);
	assert_int_equal(m.n_finishes, 0);
	end();
	drop(&o);
	assert_int_equal(m.n_finishes, 1);
	expect(cudasim_observer_remove(&o), CUDASIM_E_NOTFOUND);
}

/* What a tool that cannot be opened makes of the process. */
static void check_start(const char *value, const char *text)
{
	int pipes[2], status;
	char got[512] = "";
	size_t n = 0;
	ssize_t more;
	assert_int_equal(pipe(pipes), 0);
	pid_t child = fork();
	if (!child) {
		dup2(pipes[1], STDERR_FILENO);
		setenv("CUDASIM_OBSERVER", value, 1);
		observe_start();
		_exit(0);
	}
	close(pipes[1]);
	while (n < sizeof got - 1 && (more = read(pipes[0], got + n, sizeof got - 1 - n)) > 0)
		n += (size_t)more;
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	if (strncmp(got, text, strlen(text)))
		fail_msg("got: %s", got);
	assert_ptr_equal(strchr(got, '\n'), got + strlen(got) - 1);
}

static void bad_tools_end_the_process_with_one_line(void **state)
{
	(void)state;
	check_start("/nowhere/tool.so",
		    "cudasim: CUDASIM_OBSERVER: /nowhere/tool.so: cannot open it: No such file");
	check_start("/proc/self/cmdline", "cudasim: CUDASIM_OBSERVER: /proc/self/cmdline: ");
	check_start(NOT_A_TOOL, "cudasim: CUDASIM_OBSERVER: " NOT_A_TOOL
				": not an observer: it does not export cudasim_observer_init()");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_observers_plain_bodies_run),
		cmocka_unit_test(slots_speak_for_an_observer_without_want),
		cmocka_unit_test(an_observer_of_copies_leaves_plain_bodies),
		cmocka_unit_test(flags_are_taken_apart),
		cmocka_unit_test(spaces_are_found_at_run_time),
		cmocka_unit_test(nothing_is_accessed_with_size_0),
		cmocka_unit_test(misaligned_accesses_end_the_launch),
		cmocka_unit_test(the_largest_verdict_wins),
		cmocka_unit_test(armed_lines_reach_those_who_armed_them),
		cmocka_unit_test(removed_observers_leave_no_armed_lines),
		cmocka_unit_test(disarmed_lines_stay_armed_for_others),
		cmocka_unit_test(registration_is_checked),
		cmocka_unit_test(bad_tools_end_the_process_with_one_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - what libcudasim opens where CUDASIM_CHECK is set: reads the options, adds the
 * checkers that were asked for, says which launches they look at, and sees to it that the
 * report is whole however the process ends.
 *
 * The observer of this file is registered behind the checkers', so that its launch_end() and
 * finish(), which print, come when they have reported what they had, its block_begin() when they
 * have their data, and what they look up of allocations and calls is what was before the event. */
#define _GNU_SOURCE
#include "access.h"
#include "checker.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_options.h"
#include "allocation_table.h"
#include "history.h"
#include "initcheck.h"
#include "launches.h"
#include "must.h"
#include "report.h"
#include "session.h"
#include "touch.h"
#include "env.h"

static struct check_options options;
static pid_t own_process;

/* One that this version has not is NULL here, and --tool says so. */
#pragma weak memcheck
#pragma weak racecheck
#pragma weak initcheck
#pragma weak synccheck
#pragma weak leakcheck
#pragma weak apicheck
static const struct checker *const checkers[CHECKER_N_TOOLS] = {
	[CHECKER_MEMCHECK] = &memcheck,   [CHECKER_RACECHECK] = &racecheck,
	[CHECKER_INITCHECK] = &initcheck, [CHECKER_SYNCCHECK] = &synccheck,
	[CHECKER_LEAKCHECK] = &leakcheck, [CHECKER_APICHECK] = &apicheck,
};

/* ---- events ---------------------------------------------------------------- */

bool checker_own_process(void)
{
	return getpid() == own_process;
}

static void launch_submit(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	launches_submitted();
	finding_launch_submit(launch);
	history_launch(launch);
}

static void launch_end(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	launches_ended();
	finding_launch_end(launch);
}

/* The exit status when something was found. Other handlers of exit() that were registered
 * before ours do not run: there is no other way to change the status. */
static void leave(int status, void *data)
{
	(void)data;
	if (options.check_exit_code && status)
		fprintf(stderr, "%s Target application returned an error (status %d)\n",
			options.prefix, status);
	if (!data)
		return;
	fflush(NULL);
	_exit((int)options.error_exitcode);
}

static void finish(void *tool)
{
	static atomic_flag done = ATOMIC_FLAG_INIT;
	(void)tool;
	if (!checker_own_process() || atomic_flag_test_and_set(&done))
		return;
	touch_finish();
	bool found = finding_finish();
	/* Registered now, it runs next, when the status is known. */
	if ((found && options.error_exitcode) || options.check_exit_code)
		on_exit(leave, found && options.error_exitcode ? &options : NULL);
}

static void allocated(void *tool, const struct cudasim_memory *memory)
{
	allocation_made(tool, memory);
	touch_allocated(memory);
	history_allocated(memory);
}

static void copied(void *tool, const struct cudasim_copy *copy)
{
	touch_copy(tool, copy);
	history_copied(copy);
}

static enum cudasim_verdict unwritten(void *tool, struct cudasim_thread *thread,
				      const struct cudasim_unwritten *read)
{
	(void)tool;
	return checker_options.tools[CHECKER_INITCHECK] ? initcheck_local(thread, read)
							: CUDASIM_GO;
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "check",
	.want = access_want,
	.finish = finish,
	.launch_submit = launch_submit,
	.launch_end = launch_end,
	.block_begin = access_block_begin,
	.block_end = access_block_end,
	.access = access_check,
	.access_lanes = access_lanes,
	.allocated = allocated,
	.freed = allocation_freed,
	.api_enter = touch_enter,
	.api_leave = touch_leave,
	.order = touch_order,
	.copy = copied,
	.unwritten = unwritten,
};

/* ---- the process dies ------------------------------------------------------ */

static const int deadly[] = {SIGABRT, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL, SIGTERM,
			     SIGINT,  SIGHUP,  SIGQUIT, SIGXCPU, SIGSYS};
enum { N_DEADLY = sizeof deadly / sizeof *deadly, PATIENCE = 20 /* seconds */ };
static struct sigaction before[N_DEADLY];
static atomic_flag dying = ATOMIC_FLAG_INIT;

/* Whatever the process was doing (the heap may be smashed, a lock held for good), a child is
 * a copy of it that may try to print the rest, and hang, or crash. */
static void last_words(int number)
{
	if (!checker_own_process() || atomic_flag_test_and_set(&dying))
		return;
	pid_t child = (pid_t)syscall(SYS_fork);
	if (child == 0) {
		for (int i = 0; i < N_DEADLY; i++)
			signal(deadly[i], SIG_DFL);
		alarm(PATIENCE);
		finding_last_words();
		_exit(0);
	}
	int status;
	while (child > 0 && waitpid(child, &status, 0) < 0) {}
	if (child < 0 || (WIFSIGNALED(status) || WEXITSTATUS(status))) {
		static const char text[] =
			"========= ERROR SUMMARY: the process ended in a state in which the "
			"rest of the report could not be printed\n";
		if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
			_exit(128 + number);
	}
}

static void on_deadly(int number, siginfo_t *info, void *context)
{
	const struct sigaction *old = NULL;
	for (int i = 0; i < N_DEADLY; i++)
		if (deadly[i] == number)
			old = &before[i];
	if (old && old->sa_flags & SA_SIGINFO) {
		old->sa_sigaction(number, info, context);
		return;
	}
	if (old && old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
		old->sa_handler(number);
		return;
	}
	last_words(number);
	signal(number, SIG_DFL);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
}

static void watch_signals(void)
{
	struct sigaction action = {.sa_sigaction = on_deadly,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	sigemptyset(&action.sa_mask);
	for (int i = 0; i < N_DEADLY; i++) {
		if (sigaction(deadly[i], NULL, &before[i]))
			continue;
		/* What is ignored, or handled by somebody, does not end the process. */
		if (!(before[i].sa_flags & SA_SIGINFO) && before[i].sa_handler == SIG_DFL)
			sigaction(deadly[i], &action, NULL);
	}
}

static void forked(void)
{
	finding_forked();
	touch_forked();
}

/* quick_exit() does not end observers. */
static void quick_end(void)
{
	if (!checker_own_process())
		return;
	for (int i = 0; i < CHECKER_N_TOOLS; i++)
		if (checker_options.tools[i] && checkers[i]->observer->finish)
			checkers[i]->observer->finish(checkers[i]->observer->tool);
	finish(NULL);
}

/* ---- start ----------------------------------------------------------------- */

static bool fail(struct cudasim_error *error, const char *variable)
{
	fprintf(stderr, "cudasim: %s: %s\n", variable, error->message);
	cudasim_error_free(error);
	return false;
}

static bool read_options(void)
{
	const char *list = env_get("CUDASIM_CHECK"), *more = env_get("CUDASIM_CHECK_OPTIONS");
	struct cudasim_error *error = check_options_init(&options);
	if (!error && more)
		error = check_options_read_text(&options, more);
	if (error)
		return fail(error, "CUDASIM_CHECK_OPTIONS");
	/* "all" and "1" leave to the options what is chosen there. */
	if (list && strcmp(list, "1") && strcmp(list, "all") &&
	    (error = check_options_tools(&options, list)) != NULL)
		return fail(error, "CUDASIM_CHECK");
	checker_options.api_all = options.tools[CHECKER_APICHECK];
	/* As compute-sanitizer has it: failed calls are memcheck's business, too. */
	if (options.tools[CHECKER_MEMCHECK] && options.api_errors != CHECK_API_NO)
		options.tools[CHECKER_APICHECK] = true;
	if (options.leak_full)
		options.tools[CHECKER_LEAKCHECK] = true;
	if (options.leak_no)
		options.tools[CHECKER_LEAKCHECK] = false;
	checker_options.leak_check_full = options.leak_full;
	checker_options.padding = options.padding;
	checker_options.race_report = options.race_report == CHECK_RACE_HAZARD ? RACE_REPORT_HAZARD
				      : options.race_report == CHECK_RACE_ALL
					      ? RACE_REPORT_ALL
					      : RACE_REPORT_ANALYSIS;
	checker_options.destroy_on_device_error = options.destroy == CHECK_DESTROY_CONTEXT
							  ? DESTROY_CONTEXT
						  : options.destroy == CHECK_DESTROY_KERNEL
							  ? DESTROY_KERNEL
							  : DESTROY_NONE;
	checker_options.api_errors = options.api_errors != CHECK_API_NO;
	checker_options.ignore_unknown_functions = options.ignore_unknown_functions;
	if (options.root_only) {
		unsetenv("CUDASIM_CHECK");
		unsetenv("CUDASIM_CHECK_OPTIONS");
		unsetenv("CUDASIM_CHECK_SESSION");
	}
	return true;
}

static bool add_checkers(void)
{
	bool all = true;
	for (int i = 0; i < CHECKER_N_TOOLS; i++)
		all = all && (options.tools[i] || (i == CHECKER_LEAKCHECK && options.leak_no));
	for (int i = 0; i < CHECKER_N_TOOLS; i++) {
		const struct checker *c = checkers[i];
		if (!options.tools[i])
			continue;
		if (!c && !all) {
			fprintf(stderr,
				"cudasim: CUDASIM_CHECK: %s is not available in this "
				"version\n",
				check_tools[i]);
			return false;
		}
		options.tools[i] = c != NULL;
		if (!c)
			continue;
		checker_options.tools[i] = true;
		if (c->start && !c->start())
			return false;
		struct cudasim_error *error = cudasim_observer_add(c->observer);
		if (error)
			return fail(error, "CUDASIM_CHECK");
	}
	return true;
}

const struct cudasim_observer *cudasim_observer_init(void)
{
	own_process = getpid();
	must_policy("cudasim check", MUST_ABORT);
	if (!read_options())
		return NULL;
	launches_start(&options);
	backtrace_start();
	if (options.suppressions && !suppression_read(options.suppressions))
		return NULL;
	if (!add_checkers())
		return NULL;
	session_begin(!options.root_only);
	if (!finding_start(&options))
		return NULL;
	pthread_atfork(NULL, NULL, forked);
	at_quick_exit(quick_end);
	watch_signals();
	history_start();
	access_start(&observer);
	touch_start(); /* its handler passes on to ours */
	cudasim_finding_checked();
	return &observer;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* resume.c - the program goes on, and the REPL waits for its next stop. */
#include <stdlib.h>

#include "call.h"
#include "control.h"
#include "error.h"
#include "focus.h"
#include "host.h"
#include "stack.h"
#include "unwritten.h"

/* A kernel that runs is stopped at its next line; what does not come to one in time (no
 * thread of it moves) leaves the host's thread. That one is asked again until it may be stopped,
 * and in the end wherever it is. */
enum { TICK_MS = 100, KERNEL_TICKS = 6, ASK_MS = 5, MOST_ASKED = 160 };

/* How far it is with stopping the program. */
struct asking {
	unsigned kernel; /* ticks left for it */
	bool had_kernel;
	unsigned host;   /* times that the host's thread was asked */
	unsigned ticks;  /* of ASK_MS, since the last of TICK_MS */
};

static void ask_host(struct asking *asking)
{
	host_interrupt(++asking->host > MOST_ASKED);
}

static void ask(struct asking *asking)
{
	asking->kernel = control_interrupt() ? KERNEL_TICKS : 0;
	asking->had_kernel = asking->kernel;
	if (asking->kernel)
		asking->host = 0;
	else
		ask_host(asking);
}

static void tick(struct asking *asking)
{
	/* A kernel may have begun since. */
	if (asking->host && host_interrupt_refused() && !asking->had_kernel)
		ask(asking);
	else if (asking->host && host_interrupt_refused())
		ask_host(asking);
	asking->ticks = asking->host ? asking->ticks + 1 : 0;
	if (asking->ticks % (TICK_MS / ASK_MS))
		return;
	call_guard_tick(asking->kernel);
	if (asking->kernel && !--asking->kernel)
		ask_host(asking);
}

/* Until a pthread of the program has stopped. */
static void wait_for_stop(void)
{
	struct asking asking = {0};
	/* What was read before, together with what made the program run. */
	if (baton_heard(true))
		ask(&asking);
	for (;;) {
		switch (baton_wait(asking.host ? ASK_MS : TICK_MS)) {
		case BATON_STOP:
			return;
		case BATON_INTERRUPT:
			interrupt_forget();
			interrupt_keep();
			ask(&asking);
			break;
		case BATON_INPUT:
			if (baton_heard(true))
				ask(&asking);
			break;
		case BATON_TICK:
			tick(&asking);
			break;
		}
	}
}

static void take_stop(void)
{
	baton_take();
	host_interrupt_forget();
	frames_forget();
	if (stop_current()->launch && stop_current()->thread)
		focus_set(stop_current()->launch, stop_current()->thread);
	else
		focus_clear();
}

void program_await_start(void)
{
	baton_pthread_is_repl();
	wait_for_stop();
	take_stop();
}

static void give_turn(const struct resume *how)
{
	unwritten_forget();
	baton_give(how);
}

/* The host's side and the grid's, before the program moves. */
static struct cudasim_error *prepare(const struct resume *how)
{
	if (!baton_can_give())
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "The program is not being run.");
	if (stop_current()->host && !stop_current()->launch) {
		struct cudasim_error *error = host_resume(how);
		if (error)
			return error;
	} else {
		host_step_end();
	}
	free(stop_current()->report);
	stop_current()->report = NULL;
	if (stop_current()->host && stop_current()->launch)
		control_resumed_in_trap(how);
	if (how->kind == RESUME_DETACH) {
		control_detach();
		baton_detach();
	}
	return NULL;
}

struct cudasim_error *program_resume(const struct resume *how)
{
	struct cudasim_error *error = NULL;
	if (run_hooks()->travels && run_hooks()->travels(how, &error))
		return error;
	error = prepare(how);
	if (error)
		return error;
	give_turn(how);
	if (how->kind == RESUME_DETACH)
		return NULL;
	wait_for_stop();
	take_stop();
	/* The program becomes another one; where that fails it goes on. */
	while (stop_current()->kind == STOP_EXEC) {
		if (run_hooks()->follows(stop_current()->exec, &stop_current()->exit_status,
					 &stop_current()->signal)) {
			stop_current()->kind = STOP_EXITED;
			baton_ended();
			break;
		}
		give_turn(how);
		wait_for_stop();
		take_stop();
	}
	return NULL;
}

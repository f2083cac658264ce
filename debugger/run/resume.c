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
 * thread of it moves) leaves the host's thread. */
enum { TICK_MS = 100, KERNEL_TICKS = 6 };

static bool on_interrupt(void)
{
	interrupt_forget();
	interrupt_keep();
	if (control_interrupt())
		return true;
	host_interrupt();
	return false;
}

/* Until a pthread of the program has stopped. */
static void wait_for_stop(void)
{
	unsigned kernel_asked = 0; /* ticks left */
	for (;;) {
		switch (baton_wait(TICK_MS)) {
		case BATON_STOP:
			return;
		case BATON_INTERRUPT:
			kernel_asked = on_interrupt() ? KERNEL_TICKS : 0;
			break;
		case BATON_TICK:
			call_guard_tick(kernel_asked);
			if (kernel_asked && !--kernel_asked)
				host_interrupt();
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

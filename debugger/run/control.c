/* SPDX-License-Identifier: Apache-2.0 */
/* control.c - stops, and what the user asks for then. */
#include <stdlib.h>
#include <string.h>

#include "api_failure.h"
#include "control.h"
#include "error.h"
#include "focus.h"
#include "host.h"
#include "host_unwind.h"
#include "kernel_event.h"
#include "memory_made.h"
#include "run_state.h"

struct run_settings *run_settings(void)
{
	return &run_state()->settings;
}

struct run_hooks *run_hooks(void)
{
	return &run_state()->hooks;
}

struct catchers *catchers(void)
{
	return run_state()->search.searcher ? &run_state()->search.catchers
					    : &run_state()->catchers;
}

/* Those that stop the program. */
static const struct catchers *asked(void)
{
	return &run_state()->catchers;
}

bool stop_is_pending(void)
{
	return run_state()->pending.is_pending;
}

enum cudasim_verdict stop_soon(struct cudasim_thread *thread, const struct stop *stop)
{
	struct run_pending *own = &run_state()->pending;
	struct lane *l = lane_of(thread);
	if (own->is_pending) {
		free(stop->report);
		return CUDASIM_GO;
	}
	own->stop = *stop;
	own->stop.thread = thread;
	own->stop.launch = thread->block->launch;
	own->is_pending = true;
	l->stand = STAND_EVENT;
	l->site = thread->site;
	wants_update();
	return CUDASIM_MEET;
}

/* What is focused, if it can move. */
static struct cudasim_thread *focused(void)
{
	const struct focus *focus = focus_get();
	if (!focus->is_device || !focus->thread || !thread_is_alive(focus->thread))
		return NULL;
	return focus->thread;
}

static void resume(const struct resume *how)
{
	struct cudasim_thread *thread = focused();
	run_state()->focused_before = thread ? thread_id(thread) : (struct thread_id){0};
	switch (how->kind) {
	case RESUME_STEP:
	case RESUME_NEXT:
	case RESUME_UNTIL:
	case RESUME_STEPI:
	case RESUME_NEXTI:
		if (thread)
			step_begin(thread, how);
		else
			gather_go_on();
		return;
	case RESUME_FINISH:
		gather_go_on();
		if (thread)
			finish_begin(thread, how);
		return;
	case RESUME_LOCATION:
		cudasim_error_free(location_begin(how));
		gather_go_on();
		return;
	case RESUME_DETACH:
	case RESUME_CONTINUE:
		gather_go_on();
		return;
	}
}

void control_stop(struct stop *stop)
{
	location_end();
	finish_end();
	host_trap_device_end();
	resume(program_stop(stop));
}

void control_resumed_in_trap(const struct resume *how)
{
	if (how->kind != RESUME_STEPI && how->kind != RESUME_NEXTI)
		resume(how);
}

void control_detach(void)
{
	location_end();
	finish_end();
	memset(catchers(), 0, sizeof *catchers());
	run_state()->mode = MODE_DETACHED;
}

bool control_interrupt(void)
{
	struct cudasim_launch *launch;
	if (!cudasim_launches(&launch, 1))
		return false;
	interrupt_want(true);
	wants_update();
	return true;
}

/* ---- events ----------------------------------------------------------------------------- */

/* Nobody listens: after detach, and to what an expression's calls do. */
static bool is_deaf(void)
{
	return run_state()->mode == MODE_DETACHED || program_is_repl();
}

/* Every event of a thread begins here: what it stored before is there now. */
static enum cudasim_verdict before(struct cudasim_thread *thread)
{
	return watch_event(thread);
}

static enum cudasim_verdict on_line(void *tool, struct cudasim_thread *thread,
				    const struct cudasim_site *site)
{
	(void)tool;
	if (is_deaf())
		return CUDASIM_GO;
	struct lane *l = lane_of(thread);
	enum cudasim_verdict verdict = watch_event(thread), answer;
	if (interrupt_is_wanted()) {
		struct stop stop = {.kind = STOP_INTERRUPT,
				    .signal = 2,
				    .turns = cudasim_block_turns(thread->block)};
		interrupt_want(false);
		verdict |= stop_soon(thread, &stop);
	}
	answer = run_state()->mode == MODE_STEP ? step_line(thread, l, site)
						: gather_line(thread, l, site);
	/* Who stops for another reason stands at the beginning of this line all the same. */
	if (verdict != CUDASIM_GO && answer == CUDASIM_GO) {
		l->stand = STAND_LINE;
		l->site = site;
	}
	return verdict | answer;
}

static enum cudasim_verdict on_access(void *tool, struct cudasim_thread *thread,
				      const struct cudasim_access *access)
{
	(void)tool;
	if (is_deaf())
		return CUDASIM_GO;
	enum cudasim_verdict verdict = before(thread);
	return verdict | watch_access(thread, access);
}

static enum cudasim_verdict on_warp_arrive(void *tool, struct cudasim_thread *thread,
					   const struct cudasim_warp_op *op)
{
	(void)tool, (void)op;
	return is_deaf() ? CUDASIM_GO : before(thread);
}

static enum cudasim_verdict on_thread_end(void *tool, struct cudasim_thread *thread)
{
	(void)tool;
	return is_deaf() ? CUDASIM_GO : before(thread);
}

static uint32_t on_met(void *tool, struct cudasim_block *block, uint32_t warp, uint32_t lanes)
{
	(void)tool;
	return gather_met(block, warp, lanes);
}

/* The lowest thread that waits: where nobody is known to have done it. */
static struct cudasim_thread *somebody(struct cudasim_launch *launch)
{
	struct cudasim_block *block;
	struct cudasim_warp_lanes lanes;
	if (!cudasim_blocks(launch, &block, 1))
		return NULL;
	for (uint32_t w = 0; w < block_n_warps(block); w++) {
		cudasim_warp_lanes(block, w, &lanes);
		if (lanes.live)
			return lane_thread(block, w, (uint32_t)__builtin_ctz(lanes.live));
	}
	return NULL;
}

static void on_stalled(void *tool, struct cudasim_launch *launch, enum cudasim_stall why)
{
	struct stop stop = {.kind = STOP_INTERRUPT, .signal = 2, .launch = launch};
	(void)tool;
	if (why == CUDASIM_STALL_DEADLOCK || run_state()->mode == MODE_DETACHED)
		return; /* fault() follows */
	if (why == CUDASIM_STALL_SPIN) {
		stop.thread = somebody(launch);
		control_stop(&stop);
		return;
	}
	gather_end();
}

static struct cudasim_thread *on_choose(void *tool, struct cudasim_launch *launch)
{
	struct run_pending *own = &run_state()->pending;
	(void)tool, (void)launch;
	if (own->is_pending) {
		struct stop stop = own->stop;
		own->is_pending = false;
		control_stop(&stop);
	}
	return run_state()->mode == MODE_STEP ? step_choose() : NULL;
}

static enum cudasim_verdict on_leave(void *tool, struct cudasim_thread *thread,
				     const struct cudasim_call *call)
{
	(void)tool;
	if (is_deaf())
		return CUDASIM_GO;
	enum cudasim_verdict verdict = before(thread);
	if (verdict == CUDASIM_GO)
		verdict = watch_leave(thread, (uint64_t)call->frame);
	if (verdict == CUDASIM_GO && location_returns(thread, (uint64_t)call->frame)) {
		struct stop stop = {.kind = STOP_STEP};
		verdict = stop_soon(thread, &stop);
		lane_of(thread)->stand = STAND_RETURNED;
	}
	if (verdict == CUDASIM_GO && finish_active())
		verdict = finish_leave(thread, lane_of(thread), call);
	return verdict;
}

static enum cudasim_verdict on_enter(void *tool, struct cudasim_thread *thread,
				     const struct cudasim_call *call)
{
	(void)tool, (void)call;
	return is_deaf() ? CUDASIM_GO : before(thread);
}

static enum cudasim_verdict on_brkpt(void *tool, struct cudasim_thread *thread,
				     const struct cudasim_site *site)
{
	struct stop stop = {.kind = STOP_BRKPT, .signal = 5};
	(void)tool, (void)site;
	return is_deaf() ? CUDASIM_GO : stop_soon(thread, &stop);
}

static enum cudasim_verdict on_barrier(void *tool, struct cudasim_thread *thread,
				       const struct cudasim_barrier *barrier)
{
	struct stop stop = {.kind = STOP_CATCH};
	(void)tool;
	if (is_deaf())
		return CUDASIM_GO;
	enum cudasim_verdict verdict = before(thread);
	return verdict != CUDASIM_GO ? verdict
	       : asked()->barrier && asked()->barrier(thread, barrier, &stop)
		       ? stop_soon(thread, &stop)
		       : CUDASIM_GO;
}

static void on_barrier_open(void *tool, struct cudasim_block *block,
			    const struct cudasim_barrier *barrier)
{
	(void)tool;
	if (run_state()->mode == MODE_STEP)
		step_barrier_open(block, barrier);
}

static enum cudasim_verdict on_print(void *tool, struct cudasim_thread *thread, const char *text,
				     size_t n, const struct cudasim_site *site)
{
	struct stop stop = {.kind = STOP_CATCH};
	(void)tool, (void)site;
	if (is_deaf())
		return CUDASIM_GO;
	enum cudasim_verdict verdict = before(thread);
	return verdict != CUDASIM_GO                                      ? verdict
	       : asked()->print && asked()->print(thread, text, n, &stop) ? stop_soon(thread, &stop)
									  : CUDASIM_GO;
}

/* A checker has found something in an event of the thread; before() was called for that
 * event, or will be. */
static enum cudasim_verdict on_finding(void *tool, struct cudasim_thread *thread,
				       const struct cudasim_finding *finding)
{
	struct stop stop = {.kind = STOP_CATCH};
	(void)tool;
	if (!thread || is_deaf())
		return CUDASIM_GO;
	return asked()->finding && asked()->finding(thread, finding, &stop)
		       ? stop_soon(thread, &stop)
		       : CUDASIM_GO;
}

static void on_fault(void *tool, struct cudasim_launch *launch, struct cudasim_thread *thread,
		     const struct cudasim_fault *fault)
{
	struct stop stop = {.kind = STOP_FAULT,
			    .launch = launch,
			    .fault = fault,
			    .thread = thread ? thread : somebody(launch)};
	(void)tool;
	if (run_state()->mode == MODE_DETACHED)
		return;
	if (asked()->fault)
		asked()->fault(launch, thread, fault, &stop);
	control_stop(&stop);
}

static uint32_t on_want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool, (void)launch;
	return wants_now();
}

static void on_submit(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	host_launch_submitted(launch);
}

static void on_begin(void *tool, struct cudasim_launch *launch)
{
	struct stop stop = {.kind = STOP_CATCH, .launch = launch};
	(void)tool;
	if (run_state()->mode == MODE_DETACHED)
		return;
	/* It may have been submitted under another mode. */
	cudasim_error_free(cudasim_launch_want(&debugger_observer, launch, wants_now()));
	launch_break(launch);
	kernel_event_begin(launch);
	if (asked()->launch && asked()->launch(launch, &stop))
		control_stop(&stop);
}

static void on_end(void *tool, struct cudasim_launch *launch)
{
	struct stop stop = {.kind = STOP_CATCH, .launch = launch};
	(void)tool;
	if (run_state()->mode != MODE_DETACHED)
		kernel_event_end(launch);
	if (run_state()->mode != MODE_DETACHED && asked()->exit && asked()->exit(launch, &stop))
		control_stop(&stop);
	host_launch_ended(launch);
}

static void on_block_begin(void *tool, struct cudasim_block *block)
{
	(void)tool;
	grid_block_begin(block);
	if (run_hooks()->block_began)
		run_hooks()->block_began(block);
}

static void on_block_end(void *tool, struct cudasim_block *block)
{
	struct stop stop = {.kind = STOP_WATCHPOINT, .launch = block->launch};
	(void)tool;
	if (run_state()->mode != MODE_DETACHED && watch_block_end(block, &stop))
		control_stop(&stop);
	grid_block_end(block);
}

static void on_module(void *tool, const struct cudasim_module *module)
{
	(void)tool;
	if (run_hooks()->module_registered)
		run_hooks()->module_registered(module);
}

const struct cudasim_observer debugger_observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "debugger",
	.want = on_want,
	.module = on_module,
	.allocated = memory_made,
	.freed = memory_freed,
	.launch_submit = on_submit,
	.launch_begin = on_begin,
	.launch_end = on_end,
	.block_begin = on_block_begin,
	.block_end = on_block_end,
	.barrier_arrive = on_barrier,
	.barrier_open = on_barrier_open,
	.thread_end = on_thread_end,
	.warp_arrive = on_warp_arrive,
	.access = on_access,
	.line = on_line,
	.call_enter = on_enter,
	.call_leave = on_leave,
	.print = on_print,
	.finding = on_finding,
	.brkpt = on_brkpt,
	.fault = on_fault,
	.stalled = on_stalled,
	.choose = on_choose,
	.met = on_met,
	.api_leave = api_failure_leave,
};

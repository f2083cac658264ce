/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - a copy of the process that carries a launch out again.
 *
 * The run control does what it did then: breakpoints, steps and gathering are as they were in the
 * snapshot, and the order of the threads with them. The observer here is another one, which
 * only looks, until it has the launch stand where the user wants to be. What the user has set
 * since then is a search's (search_begin()). */
#define _GNU_SOURCE
#include "replay.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "console.h"
#include "error.h"
#include "history.h"
#include "host.h"
#include "snapshot.h"
#include "stops_state.h"
#include "travel.h"
#include "watch_ranges.h"

enum { MOST_IN_FLIGHT = 32 };

static struct record_replay *replay(void)
{
	return &record_state()->replay;
}

static bool is_replay(void)
{
	return record_state()->role == ROLE_REPLAY && !program_is_repl();
}

__attribute__((noreturn)) static void end(void)
{
	for (;;)
		syscall(SYS_exit_group, 0);
}

__attribute__((noreturn)) static void fail(const char *why)
{
	wire_send(replay()->socket, MESSAGE_FAILED, why, strlen(why), NULL, 0, -1);
	end();
}

/* ---- the REPL of a copy -------------------------------------------------------------------- */

/* The session as it was belongs to the run control; what the user has now is another's. */
static void forget_session(void)
{
	search_begin(&record_observer);
	stops_state()->breakpoints = NULL;
	stops_state()->next_number = 1;
}

static void *take_for_search(void *argument)
{
	(void)argument;
	baton_pthread_is_repl();
	forget_session();
	history_swap(&replay()->history);
	record_hooks()->take(replay()->session, true);
	history_swap(&replay()->history);
	return NULL;
}

static void *serve(void *argument)
{
	struct record_replay *own = replay();
	(void)argument;
	baton_pthread_is_repl();
	forget_session();
	/* Expressions of the session are the thread's. */
	*stop_current() = (struct stop){
		.kind = STOP_STEP, .launch = own->thread->block->launch, .thread = own->thread};
	focus_set(stop_current()->launch, own->thread);
	record_hooks()->take(own->session, false);
	pthread_barrier_wait(&replay()->taken);
	program_await_start();
	if (!wire_send(own->socket, MESSAGE_ARRIVED, NULL, 0, NULL, 0, -1))
		end();
	record_hooks()->tell(&own->view);
	record_hooks()->serve();
	return NULL;
}

/* ---- arriving ------------------------------------------------------------------------------- */

/* What the program printed was shown when it ran first; what commands print is not its. */
static void streams_away(void)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	for (int i = 0; i < 2; i++) {
		replay()->streams[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 20);
		dup2(nowhere, i + 1);
	}
	close(nowhere);
}

static void streams_back(void)
{
	__fpurge(stdout);
	for (int i = 0; i < 2; i++) {
		dup2(replay()->streams[i], i + 1);
		close(replay()->streams[i]);
	}
}

/* Stand here for good, on the worker's stack or in the stopped thread's signal handler: the user looks. */
__attribute__((noreturn)) static void stand(struct stop *stop)
{
	struct record_replay *own = replay();
	pthread_t pthread;
	streams_back();
	console_set(own->console);
	values_state()->is_read_only = true;
	baton_hooks()->stops = NULL;
	own->thread = stop->thread;
	record_state()->now = own->until;
	pthread_barrier_init(&replay()->taken, NULL, 2);
	struct cudasim_error *error = baton_pthread_start(serve, &pthread);
	if (error)
		fail(error->message);
	pthread_barrier_wait(&replay()->taken);
	stop->kind = STOP_STEP;
	if (stop->thread && own->best.is_breakpoint &&
	    breakers_found(stop->thread, stop->thread->site, stop))
		stop->kind = STOP_BREAKPOINT;
	if (own->best.is_watchpoint) {
		stop->kind = STOP_WATCHPOINT;
		stop->numbers[0] = own->best.watchpoint;
		stop->report = watch_ranges_report(&own->best, own->motion.backward);
	}
	stop->shows_frame = own->report;
	record_tell_lost(stop);
	if (own->report)
		stop->report = strdup(own->report);
	for (;;)
		program_stop(stop);
}

static void arrive_at_snapshot(const struct message_go *go)
{
	struct stop stop = record_state()->stopped;
	struct cudasim_thread *thread = thread_in_flight(go->to.thread);
	if (thread)
		stop.thread = thread;
	if (!stop.thread || !stop.launch)
		fail("No thread stands where the launch begins.");
	stand(&stop);
}

static enum cudasim_verdict arrive(struct cudasim_thread *thread, const struct cudasim_site *site)
{
	struct record_replay *own = replay();
	struct lane *lane = lane_of(thread);
	own->arrives = true;
	own->thread = thread;
	lane->stand = STAND_LINE;
	lane->site = site;
	replay_want();
	return CUDASIM_MEET;
}

/* ---- events ----------------------------------------------------------------------------------- */

static uint32_t wants(void)
{
	struct record_state *own = record_state();
	uint32_t want = CUDASIM_WANT_BODY | CUDASIM_WANT_ORDERED | CUDASIM_WANT_BLOCK |
			CUDASIM_WANT_THREAD;
	if (own->role != ROLE_REPLAY)
		return own->on ? want : 0;
	want |= CUDASIM_WANT_LINE;
	if (own->replay.arrives)
		want |= CUDASIM_WANT_CHOOSE;
	return own->replay.goes ? want : want | search_wants();
}

/* Lines are counted of a thread or two; what others do is announced only where it may be what is
 * looked for. */
static bool is_counted(const struct cudasim_thread *thread)
{
	const struct record_replay *own = replay();
	return thread_is(thread, own->until.thread) || thread_is(thread, own->motion.counted) ||
	       (own->end.kind == ENDS_BY_CTRL_C && thread_is(thread, own->end.thread));
}

static bool is_of(const struct cudasim_block *block, struct thread_id id)
{
	return id.launch == block->launch->id && id.block == cudasim_block_index(block);
}

static bool has_counted(const struct cudasim_block *block)
{
	const struct record_replay *own = replay();
	return is_of(block, own->until.thread) || is_of(block, own->motion.counted) ||
	       (own->end.kind == ENDS_BY_CTRL_C && is_of(block, own->end.thread));
}

/* Of threads that are not counted. */
static uint32_t wants_of_others(void)
{
	const struct record_replay *own = replay();
	if (!own->goes && own->motion.kind == MOTION_FIRST)
		return ~0u;
	return own->goes || own->motion.is_only ? 0 : ~CUDASIM_WANT_LINE;
}

static void want_of_block(struct cudasim_block *block)
{
	if (!has_counted(block)) {
		cudasim_block_want(&record_observer, block, wants_of_others());
		return;
	}
	for (uint32_t i = 0; i < cudasim_block_size(block); i++)
		if (!is_counted(cudasim_block_thread(block, i)))
			cudasim_thread_want(&record_observer, cudasim_block_thread(block, i),
					    wants_of_others());
}

void replay_want(void)
{
	struct cudasim_launch *launches[MOST_IN_FLIGHT];
	size_t n = cudasim_launches(launches, MOST_IN_FLIGHT);
	for (size_t i = 0; i < n && i < MOST_IN_FLIGHT; i++) {
		struct cudasim_error *error = cudasim_launch_want(&record_observer, launches[i],
								  wants());
		if (error)
			fail(error->message);
	}
	struct cudasim_block *const *blocks;
	size_t n_blocks = grid_blocks(&blocks);
	for (size_t i = 0; i < n_blocks; i++)
		want_of_block(blocks[i]);
}

static uint32_t on_want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool, (void)launch;
	return wants();
}

static const char other_way[] =
	"The launch did not go the same way again: it depends on something outside of the program.";

/* The interval ends; the search's, or the way to a moment that has not come. */
__attribute__((noreturn)) static void at_end(enum interval_end_kind kind)
{
	const struct record_replay *own = replay();
	if (own->goes || (kind != own->end.kind && own->end.kind != ENDS_NOT))
		fail(other_way);
	search_at_end();
}

/* In a replay this is the stop that was told before. */
static void stopped_again(const struct stop *stop)
{
	const struct interval_end *end_then = &replay()->end;
	if (!stop->launch)
		end();
	if (stop->thread && end_then->kind == ENDS_BY_STOP &&
	    !thread_is(stop->thread, end_then->thread))
		fail(other_way);
	at_end(ENDS_BY_STOP);
}

void replay_stops(const struct stop *stop)
{
	const struct record_state *own = record_state();
	if (own->role == ROLE_REPLAY)
		stopped_again(stop);
	else if (own->role == ROLE_PRESENT && own->on && stop->launch)
		snapshot_ends(stop->kind == STOP_INTERRUPT ? ENDS_BY_CTRL_C : ENDS_BY_STOP, stop);
}

/* Ctrl-C came when the thread was here. */
static bool is_where_interrupted(struct cudasim_thread *thread, const struct cudasim_site *site)
{
	const struct interval_end *then = &replay()->end;
	struct cudasim_frame frame;
	return then->kind == ENDS_BY_CTRL_C && thread_is(thread, then->thread) &&
	       site == then->site && thread->fuel == then->fuel &&
	       cudasim_block_turns(thread->block) == then->turns &&
	       cudasim_thread_frames(thread, &frame, 1) && frame.pc == then->pc;
}

static enum cudasim_verdict on_line(void *tool, struct cudasim_thread *thread,
				    const struct cudasim_site *site)
{
	struct record_replay *own = replay();
	(void)tool;
	if (!is_replay() || own->arrives)
		return CUDASIM_GO;
	bool is_last = false;
	if (thread_is(thread, own->until.thread)) {
		is_last = ++own->lines == own->until.lines;
		own->accesses = 0;
	}
	if (own->goes && !is_last && is_where_interrupted(thread, site))
		at_end(ENDS_BY_CTRL_C);
	if (own->goes)
		return is_last ? arrive(thread, site) : CUDASIM_GO;
	search_event();
	if (is_last && own->motion.backward && !own->until.accesses)
		search_at_end();
	search_line(thread, site);
	own->is_late |= is_last;
	if (is_where_interrupted(thread, site))
		at_end(ENDS_BY_CTRL_C);
	return CUDASIM_GO;
}

static enum cudasim_verdict on_access(void *tool, struct cudasim_thread *thread,
				      const struct cudasim_access *access)
{
	(void)tool;
	struct record_replay *own = replay();
	if (!is_replay() || own->goes)
		return CUDASIM_GO;
	search_event();
	if (thread_is(thread, own->until.thread) && own->motion.backward &&
	    own->accesses++ == own->until.accesses && own->until.accesses &&
	    own->lines == own->until.lines)
		search_at_end();
	search_access(thread, access);
	return CUDASIM_GO;
}

static enum cudasim_verdict on_thread_end(void *tool, struct cudasim_thread *thread)
{
	(void)tool, (void)thread;
	if (is_replay() && !replay()->goes)
		search_event();
	return CUDASIM_GO;
}

static enum cudasim_verdict on_thread_begin(void *tool, struct cudasim_thread *thread)
{
	(void)tool;
	if (is_replay() && !is_counted(thread) && has_counted(thread->block))
		cudasim_thread_want(&record_observer, thread, wants_of_others());
	return CUDASIM_GO;
}

static void on_block_begin(void *tool, struct cudasim_block *block)
{
	(void)tool;
	if (is_replay())
		want_of_block(block);
}

static void on_block_end(void *tool, struct cudasim_block *block)
{
	(void)tool;
	if (is_replay() && !replay()->goes)
		search_block_end(block);
}

static struct cudasim_thread *on_choose(void *tool, struct cudasim_launch *launch)
{
	struct record_replay *own = replay();
	(void)tool;
	if (is_replay() && own->arrives) {
		struct stop stop = {.launch = launch, .thread = own->thread};
		stand(&stop);
	}
	return NULL;
}

static void on_begin(void *tool, struct cudasim_launch *launch)
{
	struct record_state *own = record_state();
	(void)tool;
	if (is_replay())
		at_end(ENDS_BY_BEGIN);
	if (own->role == ROLE_PRESENT && own->on && launch->body == CUDASIM_BODY_WATCHED)
		snapshot_make(launch, NULL);
}

/* Launches that a kernel has made end within its own. */
static void on_end(void *tool, struct cudasim_launch *launch)
{
	(void)tool;
	if (launch->parent)
		return;
	if (is_replay())
		at_end(ENDS_BY_END);
	else if (record_state()->role == ROLE_PRESENT && record_state()->on)
		snapshot_ends(ENDS_BY_END, NULL);
}

static void on_copy(void *tool, const struct cudasim_copy *copy)
{
	(void)tool;
	if (record_state()->role == ROLE_PRESENT && record_state()->on)
		snapshot_note_write(copy);
}

/* Nobody moves: a replay has no host that could release them. */
static void on_stalled(void *tool, struct cudasim_launch *launch, enum cudasim_stall why)
{
	(void)tool, (void)launch;
	if (is_replay() && why == CUDASIM_STALL_SPIN)
		fail("The launch waits for the host, whose code is not carried out again.");
}

const struct cudasim_observer record_observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "record",
	.want = on_want,
	.copy = on_copy,
	.launch_begin = on_begin,
	.launch_end = on_end,
	.block_begin = on_block_begin,
	.block_end = on_block_end,
	.thread_begin = on_thread_begin,
	.thread_end = on_thread_end,
	.access = on_access,
	.line = on_line,
	.stalled = on_stalled,
	.choose = on_choose,
};

/* ---- beginning ----------------------------------------------------------------------------------- */

/* What the core says by itself was said before. */
static void quiet(void)
{
	FILE *none = fopen("/dev/null", "we");
	replay()->console = console();
	if (none)
		console_set(none);
}

static void begin_search(const struct message *order)
{
	struct record_replay *own = replay();
	struct message_search what;
	pthread_t pthread;
	memcpy(&what, order->body, sizeof what);
	own->session = order->body + sizeof what;
	own->snapshot = what.snapshot;
	own->until = what.until;
	own->end = what.end;
	own->motion = what.motion;
	if (own->motion.kind == MOTION_CONTINUE || own->motion.kind == MOTION_HERE) {
		struct cudasim_error *error = baton_pthread_start(take_for_search, &pthread);
		if (error)
			fail(error->message);
		pthread_join(pthread, NULL);
	}
	own->n_ranges = watch_ranges_read(own->session, &own->ranges);
	search_start();
	replay_want();
}

static void begin_going(const struct message *order)
{
	struct record_replay *own = replay();
	struct message_go what;
	memcpy(&what, order->body, sizeof what);
	own->session = order->body + sizeof what;
	own->goes = true;
	own->snapshot = what.to.snapshot;
	own->until = what.to;
	own->end = what.end;
	own->best = what.found;
	own->view = what.view;
	own->motion.backward = what.backward;
	if (what.is_first)
		own->report = "\nNo more reverse-execution history.\n";
	if (!own->until.lines)
		arrive_at_snapshot(&what);
	replay_want();
}

void replay_begin(const struct message *order)
{
	struct record_replay *own = replay();
	size_t least = order->kind == MESSAGE_GO ? sizeof(struct message_go)
						 : sizeof(struct message_search);
	memset(own, 0, sizeof *own);
	own->socket = order->fd;
	record_state()->role = ROLE_REPLAY;
	record_state()->n_snapshots = 0;
	record_state()->front = -1;
	if (order->n_bytes < least)
		fail("An order was cut short.");
	struct cudasim_error *error = baton_renew();
	if (error)
		fail(error->message);
	cudasim_timeout_hold(true);
	baton_hooks()->resumed = NULL;
	streams_away();
	quiet();
	if (order->kind == MESSAGE_GO)
		begin_going(order);
	else
		begin_search(order);
}

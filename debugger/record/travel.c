/* SPDX-License-Identifier: Apache-2.0 */
/* travel.c - motions through what is recorded: which snapshot has the moment, and who shows it.
 *
 * The process that was started searches and keeps the copy that the user looks at; that one asks
 * it for each further motion, with its session, and ends when the next copy has arrived. */
#define _GNU_SOURCE
#include "travel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command_table.h"
#include "console.h"
#include "error.h"
#include "input.h"
#include "lineedit.h"
#include "report_state.h"
#include "skip.h"
#include "snapshot.h"
#include "stack.h"
#include "watch_ranges.h"
#include "wire.h"

struct message_move {
	bool searches; /* the result is the answer */
	struct motion motion;
	struct motion_view view;
};

/* ---- where the user is ------------------------------------------------------------------------ */

static void view_make(struct motion_view *ret)
{
	const struct report_place *place = &report_state()->place;
	memset(ret, 0, sizeof *ret);
	ret->focus = *focus_get();
	ret->n_frames = place->n_frames;
	ret->is_device = place->is_device;
	snprintf(ret->name, sizeof ret->name, "%s", place->name ? place->name : "");
}

void motion_make(enum motion_kind kind, bool backward, struct motion *ret)
{
	struct record_state *own = record_state();
	const struct focus *focus = focus_get();
	*ret = (struct motion){.kind = kind, .backward = backward, .count = 1};
	ret->from = own->role == ROLE_REPLAY
			    ? own->now
			    : (struct moment){.snapshot = own->first_number + own->n_snapshots - 1,
					      .lines = MOMENT_END};
	if (!focus->is_device || !focus->thread)
		return;
	struct cudasim_thread *thread = focus->thread;
	const struct cudasim_site *site = thread_view()->place(thread, &ret->at_start);
	ret->thread = thread_id(thread);
	ret->depth = depth_of(thread, frame_of(thread));
	if (!site)
		return;
	ret->line = site->line;
	ret->function = site->function;
}

static char *session_text(void)
{
	char *text = record_hooks()->session(), *more = NULL, *ret = NULL;
	size_t size;
	FILE *out = open_memstream(&more, &size);
	if (out) {
		watch_ranges_write(out);
		fclose(out);
	}
	if (asprintf(&ret, "%s%s", text ? text : "", more ? more : "") < 0)
		ret = NULL;
	free(text);
	free(more);
	fflush(console());
	return ret;
}

/* ---- searching -------------------------------------------------------------------------------- */

static bool is_by_lines(const struct motion *motion)
{
	return motion->kind == MOTION_STEP || motion->kind == MOTION_NEXT ||
	       motion->kind == MOTION_FINISH;
}

/* In one interval: first who it is, where that is open, then which of its lines. */
static struct cudasim_error *search_in(uint32_t number, const struct motion *motion,
				       struct moment until, const char *session,
				       struct motion_result *ret)
{
	struct motion of_one = *motion;
	if (is_by_lines(motion) || motion->by_thread) {
		of_one.counted = motion->thread;
		of_one.is_only = true;
		return snapshot_search(number, &of_one, until, session, ret);
	}
	struct cudasim_error *error = snapshot_search(number, &of_one, until, session, ret);
	if (error || !ret->found || ret->is_snapshot)
		return error;
	of_one.counted = ret->at.thread;
	of_one.is_only = true;
	return snapshot_search(number, &of_one, until, session, ret);
}

/* The last copy or set by the host into these bytes, between this snapshot's launch and the next
 * snapshot. */
static const struct host_write *host_write_after(uint32_t number, const struct motion *motion)
{
	const struct record_state *own = record_state();
	for (size_t i = own->n_writes; i--;) {
		const struct host_write *w = &own->writes[i];
		if (w->snapshots < number + 1)
			break;
		if (w->snapshots == number + 1 && w->low < motion->high && w->high > motion->low)
			return w;
	}
	return NULL;
}

static struct cudasim_error *search_backward(struct motion motion, const char *session,
					     struct motion_result *ret)
{
	struct cudasim_error *error = NULL;
	struct moment until = motion.from;
	for (uint32_t i = motion.from.snapshot;; i--) {
		const struct snapshot *s = snapshot_get(i);
		if (!s)
			return NULL;
		const struct host_write *w = motion.kind == MOTION_WRITER &&
							     until.lines == MOMENT_END
						     ? host_write_after(i, &motion)
						     : NULL;
		if (w) {
			ret->found = true;
			ret->function = w->function;
			return NULL;
		}
		if (until.lines)
			error = search_in(i, &motion, until, session, ret);
		const struct snapshot *next = snapshot_get(i + 1);
		if (!error && ret->is_next && next && !next->begins_launch)
			ret->at = (struct moment){.snapshot = i + 1, .thread = ret->at.thread};
		bool is_first = s->begins_launch && s->launch == motion.thread.launch;
		if (error || (ret->found && !ret->begins_earlier) || !i ||
		    (is_by_lines(&motion) && is_first))
			return error;
		/* Its line's own event is the last one only as long as it has come to none since. */
		if ((ret->found && ret->begins_earlier) || ret->has_lines ||
		    (until.lines && until.lines != MOMENT_END))
			motion.at_start = false;
		ret->found = ret->begins_earlier = false;
		until = (struct moment){.lines = MOMENT_END};
	}
}

/* Where the next snapshot was made: does the motion end there, at a breakpoint that is there still? */
static struct cudasim_error *ends_at(uint32_t number, const struct motion *motion,
				     const char *session, struct motion_result *ret)
{
	const struct snapshot *s = snapshot_get(number);
	struct motion here = {.kind = MOTION_HERE, .thread = motion->thread};
	if (motion->kind != MOTION_CONTINUE || !s || s->begins_launch)
		return NULL;
	return snapshot_search(number, &here, (struct moment){.lines = 0}, session, ret);
}

static struct cudasim_error *search_forward(const struct motion *motion, const char *session,
					    struct motion_result *ret)
{
	struct moment after = motion->from;
	for (uint32_t i = motion->from.snapshot;; i++) {
		const struct snapshot *s = snapshot_get(i);
		if (!s || (is_by_lines(motion) && s->begins_launch && s->is_root &&
			   i > motion->from.snapshot))
			return NULL;
		struct cudasim_error *error = search_in(i, motion, after, session, ret);
		const struct snapshot *next = snapshot_get(i + 1);
		if (!error && ret->is_next) {
			ret->found = next && !next->begins_launch;
			ret->at = (struct moment){.snapshot = i + 1, .thread = ret->at.thread};
		}
		if (error || ret->found || ret->is_next)
			return error;
		error = ends_at(i + 1, motion, session, ret);
		if (error || ret->found)
			return error;
		after = (struct moment){.lines = 0};
	}
}

static struct cudasim_error *nothing_before(const struct motion *motion)
{
	if (!record_state()->n_snapshots)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Nothing is recorded: no launch has begun since `record'.");
	if (!motion->thread.launch)
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"The host's code is not run backward: reverse-continue goes back to what "
			"kernels did.");
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "No more reverse-execution history of this thread: it has no line "
				 "before this one, and\nthe host's code is not run backward. "
				 "reverse-continue goes to earlier launches.");
}

/* The first line of what is recorded. */
static struct cudasim_error *find_first(struct motion_result *ret)
{
	struct motion first = {.kind = MOTION_FIRST,
			       .from = {.snapshot = record_state()->first_number}};
	memset(ret, 0, sizeof *ret);
	return snapshot_search(first.from.snapshot, &first, (struct moment){.lines = 0}, NULL, ret);
}

static struct cudasim_error *search(const struct motion *motion, const char *session,
				    struct motion_result *ret)
{
	memset(ret, 0, sizeof *ret);
	if (motion->kind == MOTION_INPUT)
		return snapshot_search(motion->from.snapshot, motion, motion->from, NULL, ret);
	if (!record_state()->n_snapshots)
		return nothing_before(motion);
	if (motion->kind == MOTION_FIRST)
		return find_first(ret);
	if (motion->kind == MOTION_MOMENT) {
		*ret = (struct motion_result){.found = true, .at = motion->to};
		return NULL;
	}
	return motion->backward ? search_backward(*motion, session, ret)
				: search_forward(motion, session, ret);
}

/* ---- the process that was started ------------------------------------------------------------ */

/* *ret_socket: of a copy that has arrived where the motion ends; -1: that is the present. */
static struct cudasim_error *go(const struct motion *motion, const struct motion_view *view,
				const char *session, int *ret_socket)
{
	struct motion now = *motion;
	struct message_go what = {.view = *view, .backward = motion->backward};
	struct cudasim_error *error = NULL;
	*ret_socket = -1;
	for (uint32_t i = 0; i < motion->count; i++) {
		struct motion_result before = what.found;
		error = search(&now, session, &what.found);
		if (error)
			return error;
		/* As far as there is something. */
		if (!what.found.found && i && motion->backward) {
			what.found = before;
			what.is_first = true;
			break;
		}
		if (!what.found.found)
			break;
		what.to = now.from = what.found.at;
		now.at_start = true;
		if (is_by_lines(&now)) {
			now.line = what.found.line;
			now.depth = what.found.depth;
			now.function = what.found.line_function;
		}
	}
	if (!what.found.found && !motion->backward)
		return NULL;
	if (!what.found.found) {
		if (motion->kind != MOTION_CONTINUE || !record_state()->n_snapshots)
			return nothing_before(motion);
		error = find_first(&what.found);
		if (error)
			return error;
		if (!what.found.found)
			return nothing_before(motion);
		what.is_first = true;
		what.to = what.found.at;
	}
	return snapshot_go(&what, session, ret_socket);
}

static void refuse(int socket, struct cudasim_error *error)
{
	wire_send(socket, MESSAGE_REFUSED, error->message, strlen(error->message), NULL, 0, -1);
	cudasim_error_free(error);
}

/* The copy asks for another motion: true where the user is in the present again. */
static bool move_on(const struct message *message)
{
	struct record_state *own = record_state();
	struct message_move what;
	const char *session = message->body + sizeof what;
	struct motion_result result;
	struct cudasim_error *error;
	int next = -1;
	memcpy(&what, message->body, sizeof what);
	if (what.searches) {
		error = search(&what.motion, session, &result);
		if (error)
			refuse(own->front, error);
		else
			wire_send(own->front, MESSAGE_RESULT, &result, sizeof result, NULL, 0, -1);
		return false;
	}
	error = go(&what.motion, &what.view, session, &next);
	if (error) {
		refuse(own->front, error);
		return false;
	}
	if (next < 0)
		return true;
	close(own->front); /* it ends */
	own->front = next;
	return false;
}

static void back_in_present(const char *session, const struct motion_view *view)
{
	struct stop *stop = stop_current();
	record_state()->left = *view;
	record_state()->has_left = true;
	close(record_state()->front);
	record_state()->front = -1;
	if (session)
		record_hooks()->take(session, false);
	free(stop->report);
	stop->report = strdup("\nNo more reverse-execution history.\n");
	record_tell_lost(stop);
	stop->shows_frame = true;
	if (stop->launch && stop->thread) {
		stop->kind = STOP_STEP;
		memset(stop->numbers, 0, sizeof stop->numbers);
		focus_set(stop->launch, stop->thread);
	}
	frames_forget();
}

/* While a copy shows the past. */
static struct cudasim_error *serve_copies(void)
{
	struct record_state *own = record_state();
	struct message message;
	struct message_move what = {0};
	for (bool present = false; !present;) {
		if (!wire_receive(own->front, &message)) {
			back_in_present(NULL, &what.view);
			return cudasim_error_new(
				CUDASIM_E_FAILED,
				"The copy that showed the past has ended: back in the "
				"present.");
		}
		if (message.n_bytes > sizeof what)
			memcpy(&what, message.body, sizeof what);
		switch (message.kind) {
		case MESSAGE_MOVE:
			present = message.n_bytes > sizeof what && move_on(&message);
			break;
		case MESSAGE_PRESENT:
			present = message.n_bytes > sizeof what;
			break;
		case MESSAGE_QUIT: {
			int32_t status;
			memcpy(&status, message.body, sizeof status);
			repl_quit(status);
		}
		default:
			break;
		}
		if (present)
			back_in_present(message.body + sizeof what, &what.view);
		free(message.body);
	}
	return NULL;
}

static struct cudasim_error *leave_present(const struct motion *motion)
{
	struct motion_view view;
	view_make(&view);
	char *session = session_text();
	struct cudasim_error *error = go(motion, &view, session, &record_state()->front);
	free(session);
	return error ? error : serve_copies();
}

/* ---- a copy ------------------------------------------------------------------------------------ */

static struct cudasim_error *ask(enum message_kind kind, const struct motion *motion, bool searches,
				 struct motion_result *ret)
{
	struct record_state *own = record_state();
	struct message_move what = {.searches = searches};
	struct message message;
	if (motion)
		what.motion = *motion;
	view_make(&what.view);
	char *session = session_text();
	lineedit_save();
	bool sent = wire_send(own->replay.socket, kind, &what, sizeof what, session,
			      session ? strlen(session) : 0, -1);
	free(session);
	/* No answer: another process goes on. */
	if (!sent || !wire_receive(own->replay.socket, &message))
		for (;;)
			syscall(SYS_exit_group, 0);
	struct cudasim_error *error = NULL;
	if (message.kind == MESSAGE_RESULT && ret)
		memcpy(ret, message.body, sizeof *ret);
	else
		error = cudasim_error_new(CUDASIM_E_FAILED, "%s", message.body);
	free(message.body);
	return error;
}

bool record_is_past(void)
{
	return record_state()->role == ROLE_REPLAY;
}

void record_quit(int status)
{
	struct record_state *own = record_state();
	int32_t number = status;
	if (!record_is_past())
		return;
	fflush(console());
	lineedit_save();
	wire_send(own->replay.socket, MESSAGE_QUIT, &number, sizeof number, NULL, 0, -1);
	for (;;)
		syscall(SYS_exit_group, status);
}

/* ---- both --------------------------------------------------------------------------------------- */

bool record_has_any(void)
{
	return record_state()->n_snapshots;
}

void record_hold(bool on)
{
	record_state()->holds = on;
}

bool record_holds(void)
{
	return record_state()->holds;
}

struct cudasim_error *travel(const struct motion *motion)
{
	if (record_holds())
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"Through the Debug Adapter Protocol the client goes back, by its "
			"requests: step back, reverse.");
	return record_is_past() ? ask(MESSAGE_MOVE, motion, false, NULL) : leave_present(motion);
}

/* The same where no other command tells the stop. */
static struct cudasim_error *travel_and_tell(const struct motion *motion)
{
	struct cudasim_error *error = travel(motion);
	if (!error)
		record_hooks()->tell(&record_state()->left);
	return error;
}

const struct focus *record_before(const struct focus *before)
{
	struct record_state *own = record_state();
	bool has_left = own->has_left;
	own->has_left = false;
	return has_left ? &own->left.focus : before;
}

struct cudasim_error *travel_search(const struct motion *motion, struct motion_result *ret)
{
	if (record_is_past())
		return ask(MESSAGE_MOVE, motion, true, ret);
	char *session = session_text();
	struct cudasim_error *error = search(motion, session, ret);
	free(session);
	return error;
}

struct cudasim_error *travel_to_first(void)
{
	struct motion motion;
	motion_make(MOTION_FIRST, true, &motion);
	return travel_and_tell(&motion);
}

struct cudasim_error *travel_to(struct moment to)
{
	struct motion motion = {.kind = MOTION_MOMENT, .backward = true, .count = 1, .to = to};
	return travel_and_tell(&motion);
}

struct cudasim_error *travel_and_run(const char *command, const char *argument, bool *ret)
{
	*ret = record_is_past();
	if (!*ret)
		return NULL;
	char *line = NULL;
	if (asprintf(&line, "%s %s", command, argument) < 0)
		return &cudasim_error_nomem;
	const char *const lines[] = {line};
	input_push("present", lines, 1);
	free(line);
	return travel_to_present();
}

struct cudasim_error *travel_inputs(struct moment at, uint64_t low, uint64_t high,
				    struct motion_result *ret)
{
	struct motion motion = {.kind = MOTION_INPUT,
				.thread = at.thread,
				.counted = at.thread,
				.is_only = true,
				.low = low,
				.high = high,
				.from = at};
	return travel_search(&motion, ret);
}

struct cudasim_error *travel_to_present(void)
{
	return record_is_past() ? ask(MESSAGE_PRESENT, NULL, false, NULL) : NULL;
}

static struct cudasim_error *resume_as(const struct resume *how, enum motion_kind kind)
{
	struct motion motion;
	motion_make(kind, how->backward, &motion);
	motion.count = how->count ? how->count : 1;
	if (!motion.thread.launch && kind != MOTION_CONTINUE)
		return nothing_before(&motion);
	return travel(&motion);
}

bool travel_resume(const struct resume *how, struct cudasim_error **ret)
{
	*ret = NULL;
	/* Nobody will go back. */
	if (how->kind == RESUME_DETACH && !record_is_past()) {
		record_state()->on = false;
		snapshots_forget();
	}
	if (!how->backward && !record_is_past())
		return false;
	if (how->backward && !record_is_past() && !record_state()->n_snapshots) {
		*ret = nothing_before(&(struct motion){0});
		return true;
	}
	switch (how->kind) {
	case RESUME_STEP:
		*ret = resume_as(how, MOTION_STEP);
		break;
	case RESUME_NEXT:
		*ret = resume_as(how, MOTION_NEXT);
		break;
	case RESUME_FINISH:
		*ret = resume_as(how, MOTION_FINISH);
		break;
	case RESUME_CONTINUE:
		*ret = resume_as(how, MOTION_CONTINUE);
		break;
	default:
		*ret = cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"What is recorded is gone through by step, next, finish and continue, and "
			"their reverse- forms:\nnot by instructions, until or advance.");
	}
	return true;
}

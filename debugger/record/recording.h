/* SPDX-License-Identifier: Apache-2.0 */
/* recording.h - going back: the launches of a program, recorded.
 *
 * A recording is a row of snapshots. Each is a copy of the whole process (fork(), so that memory is
 * copied when it is written), made on the worker where a launch begins and where the user goes on from a
 * stop in one, which waits. As launches under the debugger are ordered, what the worker does from
 * there to the next stop is a function of the snapshot: a copy of the copy, a replay, does it again
 * and comes by all moments between. So to go back is to let replays of the snapshots search, latest
 * first, for the moment that is wanted, and to let one more go there and stand; that process shows it
 * to the user, on a REPL pthread of its own to which the session is handed (restart.h). The process
 * that was started waits meanwhile. Replays print nothing of the program's.
 *
 * A moment is counted in line events of all threads behind a snapshot. */
#ifndef CUDASIM_DEBUGGER_RECORDING_H
#define CUDASIM_DEBUGGER_RECORDING_H

#include "command.h"
#include "motion.h"

/* What the REPL does for a recording. */
struct record_hooks {
	/* The session as text, for another process; malloc'ed. */
	char *(*session)(void);
	/* What that text says is so here: breakpoints alone, for a search, or all. */
	void (*take)(const char *session, bool for_search);
	/* Tell the stop that this process has come to. */
	void (*tell)(const struct motion_view *before);
	/* Read commands, on a pthread for that; does not return. */
	void (*serve)(void);
};
struct record_hooks *record_hooks(void);

/* Begin to listen, before the program runs. */
struct cudasim_error *record_start(void);
/* Is this process a copy that shows a moment of the past? */
bool record_is_past(void);
bool record_has_any(void);
/* While on, commands do not lead to another moment: a front end that answers requests one by one
 * cannot leave one unanswered for the copy that shows it. */
void record_hold(bool on);
bool record_holds(void);
/* To the present, from a copy. */
struct cudasim_error *travel_to_present(void);
/* Where the user was when the program moved: before, or a moment of the past if that is what was left
 * for the present just now. */
const struct focus *record_before(const struct focus *before);
/* Do step, next, finish and continue go backward (set exec-direction)? */
bool record_is_backward(void);
/* Before a session brings its own. */
void checkpoints_forget(void);
/* Tell the process that was started to end with this status, from a copy; else nothing. */
void record_quit(int status);

extern const struct command commands_record[];
extern const struct command commands_checkpoint[];

#endif

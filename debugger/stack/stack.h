/* SPDX-License-Identifier: Apache-2.0 */
/* stack.h - the frames of the focused thread: device frames (inlined ones made
 * visible), below a kernel the host's frames from its launch on, and frames of
 * a stopped host thread. */
#ifndef CUDASIM_DEBUGGER_STACK_H
#define CUDASIM_DEBUGGER_STACK_H

#include "frame.h"

/* Frames of the current focus (focus.h), innermost first. Kept until the
 * program moves or the focus changes. 0 where nothing is focused. */
size_t frames_of_focus(const struct frame **ret);
/* Frames of one device thread, without host frames; the caller frees *ret. */
struct cudasim_error *frames_of_thread(struct cudasim_thread *thread, struct frame **ret,
				       size_t *n);
/* The selected frame (frame, up, down), NULL where there is none. */
const struct frame *frame_selected(void);
struct cudasim_error *frame_select(uint32_t level);
void frames_forget(void); /* the program has moved, or the focus */

/* ---- where a device thread stands ------------------------------------------------------ */

/* What only the run control knows of a thread; set by it when the debugger is loaded. */
struct thread_view {
	/* Is its innermost frame one that has just returned (finish, step out)? Then frames begin
	 * with the next one, whose pc is not the beginning of a line. */
	bool (*has_returned)(struct cudasim_thread *thread);
	/* The line where it stands, NULL where it has not begun. *ret_start: it stands at the
	 * beginning of that line. */
	const struct cudasim_site *(*place)(struct cudasim_thread *thread, bool *ret_start);
};
struct thread_view *thread_view(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - the frames of the focused thread: device frames (inlined ones made
 * visible), below a kernel the host's frames from its launch on, and frames of
 * a stopped host thread. */
#ifndef CUDASIM_DEBUGGER_FRAME_H
#define CUDASIM_DEBUGGER_FRAME_H

#include "cudasim/inspect.h"
#include "symbols.h"

struct frame {
	uint32_t level;        /* 0 is the innermost */
	uint64_t pc;           /* next instruction; a return address where !exact */
	uint64_t lookup;       /* where to look up scopes and lines: pc or pc - 1 */
	uint64_t base;         /* frame pointer (device), CFA (host) */
	struct registers registers;
	bool is_device, is_kernel, is_inlined; /* is_inlined: part of the frame below it */
	bool at_line_start;    /* pc begins a line: no address is printed then */
	const struct function *function; /* NULL where not known */
	const char *name;      /* function's name, or the inlined one's, or "??" */
	const char *file;      /* NULL where not known */
	uint32_t line;         /* 0 where not known */
	/* Scopes of this frame: a part of symbols_scopes(). */
	const struct scope *scopes;
	size_t n_scopes;
	struct cudasim_thread *thread; /* of device frames */
	struct cudasim_launch *launch; /* of device frames */
};

/* Frames of the current focus (focus.h), innermost first. Kept until the
 * program moves or the focus changes. 0 where nothing is focused. */
size_t frames_of_focus(const struct frame **ret);
/* Frames of one device thread, without host frames; the caller frees *ret. */
struct cudasim_error *frames_of_thread(struct cudasim_thread *thread, struct frame **ret,
				       size_t *n);
/* Frames of the host's stack at the launch of `launch`, and of a stopped host
 * thread (host.h); the caller frees *ret. */
struct cudasim_error *frames_of_launch(struct cudasim_launch *launch, struct frame **ret, size_t *n);

/* The selected frame (frame, up, down), NULL where there is none. */
const struct frame *frame_selected(void);
struct cudasim_error *frame_select(uint32_t level);
void frames_forget(void); /* the program has moved, or the focus */

/* "#0  0x... in f (a=1, b=...) at x.cu:8": one line as cuda-gdb prints it; with
 * level where numbered is true. The address is never printed at_line_start, but always
 * where no line is known. */
void frame_print(FILE *out, const struct frame *frame, bool numbered, bool with_address);
/* The source line below it: "8\t  float dx = ...". Makes it the place for list. */
void frame_print_source(FILE *out, const struct frame *frame);
/* The source line alone, as after a step or a switch of the focus: with the address
 * before it in the middle of a line ("0x...\t23\t  float3 f = ..."). */
void frame_print_place(FILE *out, const struct frame *frame);

/* A machine frame whose scopes are those of its pc stands for that many inlined calls
 * and the function itself: writes them to ret, innermost first (levels are the
 * caller's), and returns how many, frame_n_inlined() + 1. */
size_t frame_n_inlined(const struct frame *frame);
size_t frame_expand(const struct frame *frame, struct frame *ret);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - one frame of code, of a device thread or of the host: where it stands, and the
 * scopes there. */
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

/* A machine frame whose scopes are those of its pc stands for that many inlined calls
 * and the function itself: writes them to ret, innermost first (levels are the
 * caller's), and returns how many, frame_n_inlined() + 1. */
size_t frame_n_inlined(const struct frame *frame);
size_t frame_expand(const struct frame *frame, struct frame *ret);

/* Sets the levels of n frames, innermost first. */
void frames_number(struct frame *frames, size_t n);

#endif

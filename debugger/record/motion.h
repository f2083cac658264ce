/* SPDX-License-Identifier: Apache-2.0 */
/* motion.h - a motion through what is recorded, and the moment where it ends, as they go from
 * process to process: copies of one process, so that pointers into modules mean the same in all. */
#ifndef CUDASIM_DEBUGGER_MOTION_H
#define CUDASIM_DEBUGGER_MOTION_H

#include "control.h"
#include "focus.h"

/* A moment: a thread comes to the so manieth line since a snapshot. */
struct moment {
	uint32_t snapshot; /* 0.. */
	struct thread_id thread;
	/* 0: the snapshot itself; MOMENT_END: where the next one was made, or the present. */
	uint64_t lines;
	/* Accesses that the thread has begun since that line, where a search ends within it; else 0. */
	uint64_t accesses;
};
#define MOMENT_END UINT64_MAX

enum motion_kind {
	MOTION_STEP, /* by lines, into functions */
	MOTION_NEXT, /* by lines, over functions */
	MOTION_FINISH, /* backward: to the call; forward: to the return */
	MOTION_CONTINUE, /* to breakpoints and watchpoints */
	MOTION_HERE, /* is the snapshot itself a stop at a breakpoint? */
	MOTION_WRITER, /* backward: to the last store to low..high */
	MOTION_READER, /* backward: to the last load of it */
	MOTION_INPUT, /* forward: what the line that stores to low..high next loads */
	MOTION_FIRST, /* to the first line that is recorded, of any thread */
	MOTION_MOMENT, /* to `to` */
};

/* What is looked for. */
struct motion {
	enum motion_kind kind;
	bool backward;
	uint32_t count; /* times, 1.. */
	struct thread_id thread; /* the focused one, which moves; launch 0: none */
	/* The one whose lines are counted, so that a moment of it can be told; launch 0: none.
	 * `is_only`: nothing of other threads is looked for. */
	struct thread_id counted;
	bool is_only;
	/* Where the focused thread stands. */
	bool at_start; /* at the beginning of its line */
	uint32_t line;
	uint64_t depth; /* bytes of its stack, as depth_of() */
	const char *function; /* the site's; NULL where it stands at none */
	uint64_t low, high; /* of WRITER and READER: bytes, high exclusive */
	bool by_thread, by_block; /* accesses of this thread alone, of this block alone */
	struct moment from, to;
};

/* A load of a line. */
struct motion_load {
	uint64_t address, size;
	uint8_t bytes[8]; /* as much of it */
	bool by_thread, by_block; /* it is of the thread's own memory, of its block's */
	uint64_t lines, accesses; /* of the moment before it */
};
enum { MOTION_VALUE_BYTES = 64, MOTION_LOADS = 16 };
/* What was found. */
struct motion_result {
	bool found;
	/* The line that was looked for began before this snapshot: what was found is not it. */
	bool begins_earlier;
	struct moment at; /* lines: 0 where the thread is not the one that was counted */
	/* Of motions by lines: where the thread stands then, as in struct motion. */
	uint32_t line;
	uint64_t depth;
	const char *line_function;
	bool is_snapshot; /* it is the snapshot itself */
	bool has_lines; /* the thread that was counted has come to lines */
	bool is_next; /* it is where the next snapshot was made, or the present */
	bool is_breakpoint, is_watchpoint;
	/* Of WRITER and READER: the bytes that are looked at and were accessed; the first of
	 * them, at most MOTION_VALUE_BYTES, as they were before and after a store. */
	uint64_t address, size;
	uint32_t n_bytes;
	uint8_t before[MOTION_VALUE_BYTES], after[MOTION_VALUE_BYTES];
	/* Of INPUT: the last loads before the store. */
	uint32_t n_loads;
	struct motion_load loads[MOTION_LOADS];
	const struct cudasim_site *site; /* of the access; NULL where the host made it: */
	const char *function; /* by this function of the CUDA API */
	int watchpoint; /* its number where is_watchpoint */
	char title[160]; /* "Hardware watchpoint 2: s[5]" */
};

/* The user's place before the motion, for how the next one is told. */
struct motion_view {
	struct focus focus; /* its pointers are not used */
	char name[256]; /* of the innermost frame */
	size_t n_frames;
	bool is_device;
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* watchpoint.h - between watchpoint.c (making, arming) and watchpoint_hit.c (events). */
#ifndef CUDASIM_DEBUGGER_WATCHPOINT_H
#define CUDASIM_DEBUGGER_WATCHPOINT_H

#include "breakpoint.h"
#include "frame.h"

struct watch_instance;

/* One range of memory that the value comes from. */
struct watch_piece {
	struct watch_piece *next;
	struct watch_instance *instance;
	struct watcher watcher;
	bool registered;
};

/* The expression in one place: as the frame where it was set sees it, or in one
 * block's shared memory. */
struct watch_instance {
	struct watch_instance *next;
	struct breakpoint *owner;
	struct cudasim_block *block; /* of all_blocks, NULL where it has ended */
	struct watch_piece *pieces;
	/* Fixed ones: the object's bytes as last known. */
	uint64_t address;
	unsigned char *bytes;
	/* Others: the value as last known. */
	struct value value;
	uint32_t pending; /* stores announced whose value cannot be read yet */
};

struct watchpoint {
	enum watch_mode mode;
	bool location;   /* -location */
	bool all_blocks;
	bool fixed;      /* an object at one address; else evaluated again after each store */
	bool framed;     /* depends on locals: goes with their frame */
	bool gone;
	struct expression *expression;
	struct expression *condition; /* wrapped to give an int; NULL: none */
	struct value object;          /* fixed: type, address and so on, without bytes */
	/* Where it was set. */
	struct cudasim_thread *thread;
	struct cudasim_launch *launch;
	const struct cudasim_kernel *kernel;
	struct frame frame;
	bool has_frame;
	uint64_t offset; /* all_blocks: in the shared window */
	struct watch_instance *instances;
};

/* What of an object an access touches: the smallest element or member that holds it all. */
struct watch_part {
	const struct type *type;
	uint64_t offset; /* from the object's start */
	char *path;      /* "[3].pos", "" for the object itself; owned; NULL: no memory */
};
/* low, high: bytes from the object's start. */
void watch_part_find(const struct watchpoint *watch, uint64_t low, uint64_t high,
		     struct watch_part *ret);
/* The bits of a bitfield, low ones first; bytes: from object's address on. */
uint64_t watch_bits(const struct value *object, const unsigned char *bytes);
/* bytes: of the whole object. */
void watch_part_print(FILE *out, const struct watchpoint *watch, const struct watch_part *part,
		      const unsigned char *bytes);

/* Callbacks of struct watcher. */
bool watch_hit(struct watcher *watcher, struct cudasim_thread *thread,
	       const struct cudasim_access *access, bool after, struct stop *stop);
bool watch_gone(struct watcher *watcher, struct cudasim_thread *thread, struct stop *stop);
/* The context in which the expression means what it did; thread: whose event it is. */
struct context watch_context(const struct watchpoint *watch, struct cudasim_thread *thread);
/* Read what is there now as the value known. thread: whose event it is, or NULL. */
struct cudasim_error *watch_read(struct watch_instance *instance, struct cudasim_thread *thread);
/* Pointers or indices on the way may have changed: watch what is now on it. */
void watch_follow(struct watch_instance *instance, struct cudasim_thread *thread);

#endif

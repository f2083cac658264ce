/* SPDX-License-Identifier: Apache-2.0 */
/* dap_state.h - what a session of the Debug Adapter Protocol keeps, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_DAP_STATE_H
#define CUDASIM_DEBUGGER_DAP_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control.h"
#include "message_stream.h"

struct json_t; /* jansson's */

/* What the client's `initialize` says of it. */
struct dap_client {
	bool lines_from_0, columns_from_0, paths_are_uris;
	bool has_progress, has_memory_events;
};

/* dap.c, dap_queue.c */
struct dap_session {
	int fd, listening; /* -1: none */
	struct message_stream stream;
	pthread_mutex_t sending;
	bool is_launched, is_configured, stops_at_entry;
	bool is_running;    /* the client has been told that the program runs */
	bool pause_wanted;  /* by the client */
	bool is_cancelled;  /* the request that is answered now */
	bool is_gone;       /* the client: nobody to answer */
	bool detach_wanted;
	int64_t current;    /* seq of the request that is answered; 0: none */
	int64_t began;      /* when, in ms of CLOCK_MONOTONIC */
	unsigned n_progress; /* progress reports so far */
	bool in_progress;   /* one is open */
	struct json_t *queue; /* requests that were read and wait */
	struct resume how;  /* what the program runs for */
	bool focus_moved;   /* by this request: the client is told when it has been answered */
	size_t leaves; /* frames at the beginning of a step out of an inlined call; 0: none */
	bool goes_on; /* when the request has been answered: by how */
	struct dap_client client;
};

/* dap_threads.c: CUDA threads that were named; the first has the id DAP_FIRST_DEVICE. */
struct dap_names {
	struct thread_id *ids;
	size_t n, capacity;
};

/* dap_stack.c: the frames that were shown at this stop. */
struct dap_stacks {
	struct dap_stack *list;
	size_t n;
	int64_t next; /* id of the next frame */
};

/* dap_containers.c: what was shown that has parts, at this stop. */
struct dap_containers {
	struct dap_container *list;
	size_t n, capacity;
	int64_t first; /* reference of list[0] */
};

/* dap_breakpoints.c: breakpoints that the client has set, and what it was told of each. */
struct dap_points {
	struct dap_point *list;
	size_t n, capacity;
	unsigned next_data; /* number of the next data breakpoint that was asked for */
	struct dap_data *data;
	size_t n_data;
};

struct dap_state {
	struct dap_session session;
	struct dap_names names;
	struct dap_stacks stacks;
	struct dap_containers containers;
	struct dap_points points;
};
#define DAP_STATE_INITIAL                                                                          \
	{.session = {.fd = -1, .listening = -1, .sending = PTHREAD_MUTEX_INITIALIZER},             \
	 .stacks = {.next = 1},                                                                    \
	 .containers = {.first = 1}}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct dap_state *dap_state(void);

#endif

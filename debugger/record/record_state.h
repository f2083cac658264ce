/* SPDX-License-Identifier: Apache-2.0 */
/* record_state.h - what a recording keeps, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_RECORD_STATE_H
#define CUDASIM_DEBUGGER_RECORD_STATE_H

#include <pthread.h>
#include <stdio.h>

#include "motion.h"
#include "recording.h"
#include "values_state.h"

/* Where an interval, from one snapshot on, ended. */
enum interval_end_kind {
	ENDS_NOT,       /* yet */
	ENDS_BY_STOP,
	ENDS_BY_CTRL_C, /* a stop that does not come by itself */
	ENDS_BY_BEGIN,  /* another launch began, and has a snapshot */
	ENDS_BY_END,    /* the launch was over */
};
struct interval_end {
	enum interval_end_kind kind;
	struct thread_id thread; /* that stopped; launch 0: none */
	const struct cudasim_site *site;
	/* Of Ctrl-C: cudasim_block_turns(), where the thread was in its code, the back-edges left
	 * to it. */
	uint64_t turns, pc;
	int32_t fuel;
};

/* snapshot.c: a copy of the process that waits. */
struct snapshot {
	pid_t process;
	int socket;
	uint64_t launch;         /* in flight there */
	bool is_root;            /* the launch is the host's, not a kernel's */
	bool begins_launch;      /* else the user went on here from a stop */
	struct thread_id thread; /* that had stopped; launch 0: none */
	struct cudasim_thread *thread_there;
	enum stop_kind kind;
	struct interval_end end;
};

/* A line that a thread is at for one or several events, one behind the other. */
struct line_run {
	bool is_there;
	bool begins_earlier; /* than the snapshot */
	uint64_t first;      /* line of the thread */
	uint32_t line;
	uint64_t depth;
	const char *function;
};

enum { REPLAY_MOST_STORES = 64 };
/* Memory that a watchpoint watches. */
struct watch_range {
	uint64_t low, high;
	uint32_t what;            /* CUDASIM_ACCESS_STORE, _LOAD */
	bool by_thread, by_block; /* of this thread alone, of this block alone */
	struct thread_id thread;
	int number;               /* of the watchpoint */
	char title[160];          /* "Hardware watchpoint 2: s[5]" */
};

/* A store that is told and not done. */
struct replay_store {
	struct cudasim_thread *thread;
	const struct cudasim_site *site;
	int number;         /* of the watchpoint, 0: of none */
	uint64_t low, size; /* of the bytes that are looked at */
	uint64_t lines;     /* of the thread, where it is counted */
	uint64_t order;
	uint8_t before[MOTION_VALUE_BYTES];
};

/* A thread has come to a breakpoint. */
struct replay_hit {
	struct cudasim_thread *thread; /* NULL: none */
	const struct cudasim_site *site;
	uint64_t lines, order;
};

/* replay.c: what is done in a copy that goes on. */
struct record_replay {
	int socket;
	bool goes;         /* to `until`; else it searches */
	bool arrives;      /* it is there */
	uint32_t snapshot; /* where it began */
	struct moment until; /* where it ends; of a forward search: behind which it looks */
	struct interval_end end; /* of the interval */
	uint64_t lines;      /* that until.thread has come to */
	uint64_t accesses;   /* that until.thread has begun since */
	uint64_t counted_accesses; /* that motion.counted has begun since its last line */
	uint64_t counted;    /* that motion.counted has come to */
	uint64_t order;      /* of events that are looked at: 1.. */
	uint64_t best_order; /* of the one that was found last */
	bool is_late;        /* a forward search looks now */
	struct motion motion;
	struct watch_range *ranges;
	uint32_t n_ranges;
	struct motion_result best;
	struct motion_view view;
	const char *report; /* what is said of the stop before its place */
	char *session;
	/* A search by lines: the run of lines before the last event, and that event. */
	struct line_run run, last;
	struct replay_hit hit;
	struct replay_store stores[REPLAY_MOST_STORES];
	uint32_t n_stores;
	int streams[2];    /* standard output and error, while they lead to nowhere */
	struct cudasim_thread *thread; /* that stands where it arrives */
	struct values_history history; /* of a search's conditions */
	FILE *console;                 /* the user's, while ours leads to nowhere */
	pthread_barrier_t taken;       /* the REPL's pthread has the session */
};

/* What the host has copied or set. */
struct host_write {
	uint64_t low, high;
	uint32_t snapshots; /* that were made before, dropped ones too */
	const char *function;
};

/* command_checkpoint.c */
struct checkpoint {
	int number;
	struct moment at;
	char place[256];
};

enum record_role {
	ROLE_PRESENT,  /* the process that was started */
	ROLE_SNAPSHOT, /* waits */
	ROLE_REPLAY,   /* searches, or shows a moment */
};

struct record_state {
	bool on;
	enum record_role role;
	struct record_hooks hooks;
	struct snapshot *snapshots; /* by ascending number */
	uint32_t n_snapshots, capacity;
	uint32_t first_number;      /* of snapshots[0]; those before were dropped */
	uint32_t most_snapshots;    /* set record snapshots */
	uint32_t most_memory; /* set record memory: MiB, 0: no limit */
	uint32_t n_made;
	struct stop stopped; /* where the last snapshot was made; launch NULL: where one began */
	struct moment now; /* in a replay that has arrived */
	struct host_write *writes; /* in their order */
	size_t n_writes, writes_capacity;
	struct checkpoint *checkpoints;
	size_t n_checkpoints;
	uint32_t last_checkpoint; /* number */
	char *lost; /* what a session could not bring along, as text; NULL: nothing */
	int front; /* the socket of the copy that the user looks at, -1: none */
	struct motion_view left; /* what was shown of the past last */
	bool has_left; /* and it was just now */
	bool holds;
	int exec_direction; /* set exec-direction */
	struct record_replay replay;
};
#define RECORD_STATE_INITIAL {.most_snapshots = 256, .front = -1}
/* The debugger's own: its address never changes. */
__attribute__((const)) struct record_state *record_state(void);

#endif

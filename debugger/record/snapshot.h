/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot.h - copies of the process that wait, and orders to them. */
#ifndef CUDASIM_DEBUGGER_SNAPSHOT_H
#define CUDASIM_DEBUGGER_SNAPSHOT_H

#include "cudasim/error.h"
#include "record_state.h"

/* Make one, on the worker: of a launch that begins (stop NULL), or that goes on from a stop.
 * Returns in replays, too. */
void snapshot_make(struct cudasim_launch *launch, const struct stop *stop);
/* The host copies or sets memory. */
void snapshot_note_write(const struct cudasim_copy *copy);
/* The last snapshot's interval ends: here, by a stop where there is one. Async-signal-safe. */
void snapshot_ends(enum interval_end_kind kind, const struct stop *stop);
/* All of them end. */
void snapshots_forget(void);
/* MiB that they take beside the program. */
uint64_t snapshots_memory(void);
/* The one with this number, NULL where there is none (any more). */
struct snapshot *snapshot_get(uint32_t number);

struct message_search {
	uint32_t snapshot;
	struct moment until;
	struct interval_end end;
	struct motion motion;
};
struct message_go {
	struct moment to;
	struct interval_end end;
	bool is_first; /* there is nothing before */
	bool backward;
	struct motion_result found;
	struct motion_view view;
};
/* Have a replay of snapshot number search. CUDASIM_E_FAILED with what went wrong. */
struct cudasim_error *snapshot_search(uint32_t number, const struct motion *motion,
				      struct moment until, const char *session,
				      struct motion_result *ret);
/* Have one go to a moment: the socket of the copy that shows it, which has sent
 * MESSAGE_ARRIVED. */
struct cudasim_error *snapshot_go(const struct message_go *go, const char *session,
				  int *ret_socket);

#endif

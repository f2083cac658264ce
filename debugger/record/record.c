/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - recording: when snapshots are made. */
#include "recording.h"

#include <pthread.h>
#include <unistd.h>

#include "error.h"
#include "replay.h"
#include "run.h"
#include "shell_state.h"
#include "snapshot.h"
#include "travel.h"

struct record_hooks *record_hooks(void)
{
	return &record_state()->hooks;
}

/* The user goes on from a stop in a launch: what comes next depends on what was set here. */
static void resumed(const struct stop *stop, const struct resume *how)
{
	const struct record_state *own = record_state();
	if (own->role == ROLE_PRESENT && own->on && how->kind != RESUME_DETACH &&
	    stop->launch->body == CUDASIM_BODY_WATCHED)
		snapshot_make(stop->launch, stop);
}

/* A child of the program's own keeps no snapshot alive. */
static void in_child(void)
{
	const struct record_state *own = record_state();
	if (baton_is_forking())
		return;
	for (uint32_t i = 0; i < own->n_snapshots; i++)
		close(own->snapshots[i].socket);
}

struct cudasim_error *record_start(void)
{
	pthread_atfork(NULL, NULL, in_child);
	baton_hooks()->resumed = resumed;
	baton_hooks()->stops = replay_stops;
	run_hooks()->travels = travel_resume;
	shell_state()->quits = record_quit;
	return cudasim_observer_add(&record_observer);
}

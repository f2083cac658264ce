/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot.c - copies of the process that wait, and orders to them.
 *
 * A snapshot has one pthread, the worker's, which reads orders from its socket; for each it makes
 * a copy of itself, the replay, which goes on where the worker was. When the socket's other end is
 * gone, so is the program, and the snapshot ends. */
#define _GNU_SOURCE
#include "snapshot.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"
#include "front.h"
#include "replay.h"
#include "wire.h"

__attribute__((noreturn)) static void end(void)
{
	for (;;)
		syscall(SYS_exit_group, 0);
}

/* ---- a snapshot's own side --------------------------------------------------------------- */

/* Returns in the replay. */
static void wait_for_orders(int socket)
{
	struct message order;
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	sigset_t all, mask;
	/* Signals of the terminal, and to the group, are for the program: its end is heard here. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	sigaction(SIGCHLD, &ignore, &before); /* nobody waits for replays */
	while (wire_receive(socket, &order)) {
		pid_t replay = baton_fork();
		if (!replay) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			sigaction(SIGCHLD, &before, NULL);
			pthread_sigmask(SIG_SETMASK, &mask, NULL);
			close(socket);
			replay_begin(&order);
			return;
		}
		if (replay < 0)
			wire_send(order.fd, MESSAGE_FAILED, strerror(errno),
				  strlen(strerror(errno)), NULL, 0, -1);
		close(order.fd);
		free(order.body);
	}
	end();
}

/* ---- making them --------------------------------------------------------------------------- */

static void drop_oldest(void)
{
	struct record_state *own = record_state();
	close(own->snapshots[0].socket);
	waitpid(own->snapshots[0].process, NULL, 0);
	memmove(own->snapshots, own->snapshots + 1, --own->n_snapshots * sizeof *own->snapshots);
	own->first_number++;
}

static void give_up(int number)
{
	record_state()->on = false;
	front_say("warning: The recording has ended: the process cannot be copied (%s).\n",
		  number == EOPNOTSUPP ? "it has device memory that several mappings share"
				       : strerror(number));
}

/* Without those before the first snapshot that is kept: nobody asks for them. */
static bool writes_make_room(void)
{
	struct record_state *own = record_state();
	size_t old = 0, more = own->writes_capacity ? 2 * own->writes_capacity : 64;
	if (own->n_writes < own->writes_capacity)
		return true;
	while (old < own->n_writes && own->writes[old].snapshots <= own->first_number)
		old++;
	own->n_writes -= old;
	memmove(own->writes, own->writes + old, own->n_writes * sizeof *own->writes);
	/* Half of it is free: the next times are far enough apart. */
	if (own->n_writes < own->writes_capacity / 2)
		return true;
	struct host_write *grown = realloc(own->writes, more * sizeof *grown);
	if (!grown)
		return false;
	own->writes = grown;
	own->writes_capacity = more;
	return true;
}

void snapshot_note_write(const struct cudasim_copy *copy)
{
	struct record_state *own = record_state();
	uint64_t low = (uint64_t)copy->to;
	if (!writes_make_room()) {
		give_up(ENOMEM);
		return;
	}
	/* Of rows with a pitch all that lies between counts, too. */
	uint64_t bytes = copy->depth > 1    ? copy->to_slice * copy->depth
			 : copy->height > 1 ? copy->to_pitch * copy->height
					    : copy->width;
	own->writes[own->n_writes++] = (struct host_write){
		low, low + bytes, own->first_number + own->n_snapshots, copy->function};
}

void snapshots_forget(void)
{
	while (record_state()->n_snapshots)
		drop_oldest();
}

/* ---- how much memory they take ------------------------------------------------------------- */

/* A line of /proc/N/smaps_rollup, in KiB; 0 where it cannot be read. */
static uint64_t rollup(pid_t process, const char *name)
{
	char path[64], line[256];
	unsigned long long kib = 0;
	snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)process);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file))
		if (!strncmp(line, name, strlen(name)) &&
		    sscanf(line + strlen(name), ": %llu", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

/* MiB beyond what the program has by itself: pages that were written since, and page tables. */
uint64_t snapshots_memory(void)
{
	const struct record_state *own = record_state();
	uint64_t all = rollup(getpid(), "Pss"), program = rollup(getpid(), "Rss");
	for (uint32_t i = 0; i < own->n_snapshots; i++)
		all += rollup(own->snapshots[i].process, "Pss");
	return all > program ? (all - program) >> 10 : 0;
}

/* Asked now and then: it takes longer than a snapshot. */
static void keep_within_memory(void)
{
	enum { EVERY = 8 };
	struct record_state *own = record_state();
	if (!own->most_memory || ++own->n_made % EVERY)
		return;
	while (own->n_snapshots > 1 && snapshots_memory() > own->most_memory) {
		uint32_t n = own->n_snapshots / 4 + 1;
		while (n-- && own->n_snapshots > 1)
			drop_oldest();
	}
}

static struct snapshot *append(void)
{
	struct record_state *own = record_state();
	while (own->n_snapshots && own->most_snapshots && own->n_snapshots >= own->most_snapshots)
		drop_oldest();
	keep_within_memory();
	if (own->n_snapshots == own->capacity) {
		uint32_t more = own->capacity ? 2 * own->capacity : 64;
		struct snapshot *grown = realloc(own->snapshots, more * sizeof *grown);
		if (!grown)
			return NULL;
		own->snapshots = grown;
		own->capacity = more;
	}
	return &own->snapshots[own->n_snapshots];
}

struct snapshot *snapshot_get(uint32_t number)
{
	struct record_state *own = record_state();
	uint32_t at = number - own->first_number;
	return number >= own->first_number && at < own->n_snapshots ? &own->snapshots[at] : NULL;
}

void snapshot_ends(enum interval_end_kind kind, const struct stop *stop)
{
	struct record_state *own = record_state();
	struct snapshot *s = own->n_snapshots ? &own->snapshots[own->n_snapshots - 1] : NULL;
	if (!s || s->end.kind != ENDS_NOT)
		return;
	s->end.kind = kind;
	const struct cudasim_thread *thread = stop ? stop->thread : NULL;
	if (!thread)
		return;
	s->end.thread = thread_id(thread);
	s->end.site = thread->site;
	s->end.fuel = thread->fuel;
	s->end.turns = stop->turns;
	struct cudasim_frame frame;
	if (kind == ENDS_BY_CTRL_C && cudasim_thread_frames(stop->thread, &frame, 1))
		s->end.pc = frame.pc;
}

void snapshot_make(struct cudasim_launch *launch, const struct stop *stop)
{
	struct record_state *own = record_state();
	snapshot_ends(ENDS_BY_BEGIN, NULL);
	struct snapshot *s = append();
	int ends[2];
	if (!s || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		give_up(s ? errno : ENOMEM);
		return;
	}
	own->stopped = stop ? *stop : (struct stop){0};
	own->stopped.report = NULL;
	pid_t process = baton_fork();
	if (!process) {
		close(ends[0]);
		for (uint32_t i = 0; i < own->n_snapshots; i++)
			close(own->snapshots[i].socket);
		own->role = ROLE_SNAPSHOT;
		wait_for_orders(ends[1]);
		return;
	}
	close(ends[1]);
	if (process < 0) {
		int number = errno;
		close(ends[0]);
		give_up(number);
		return;
	}
	*s = (struct snapshot){.process = process,
			       .socket = ends[0],
			       .launch = launch->id,
			       .is_root = !launch->parent,
			       .begins_launch = !stop};
	if (stop && stop->thread) {
		s->thread = thread_id(stop->thread);
		s->thread_there = stop->thread;
	}
	if (stop)
		s->kind = stop->kind;
	own->n_snapshots++;
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* A replay of the snapshot: its socket, -1 where there is none. */
static int order(uint32_t number, enum message_kind kind, const void *what, size_t n,
		 const char *session)
{
	struct snapshot *s = snapshot_get(number);
	int ends[2];
	if (!s || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	bool sent = wire_send(s->socket, kind, what, n, session, session ? strlen(session) : 0,
			      ends[1]);
	close(ends[1]);
	if (!sent) {
		close(ends[0]);
		return -1;
	}
	return ends[0];
}

/* What the replay answers; *ret's body is the caller's. */
static struct cudasim_error *answer(int socket, enum message_kind wanted, struct message *ret)
{
	struct cudasim_error *error = NULL;
	if (socket < 0)
		return cudasim_error_new(CUDASIM_E_FAILED, "The snapshot does not answer.");
	if (!wire_receive(socket, ret))
		return cudasim_error_new(
			CUDASIM_E_FAILED,
			"The launch could not be carried out again: the copy of the "
			"process has ended.");
	if (ret->kind != wanted) {
		error = cudasim_error_new(CUDASIM_E_FAILED, "%s", ret->body);
		free(ret->body);
	}
	return error;
}

struct cudasim_error *snapshot_search(uint32_t number, const struct motion *motion,
				      struct moment until, const char *session,
				      struct motion_result *ret)
{
	struct message_search what = {.snapshot = number, .until = until, .motion = *motion};
	if (snapshot_get(number))
		what.end = snapshot_get(number)->end;
	int socket = order(number, MESSAGE_SEARCH, &what, sizeof what, session);
	struct message message;
	struct cudasim_error *error = answer(socket, MESSAGE_RESULT, &message);
	if (!error) {
		memcpy(ret, message.body, sizeof *ret);
		free(message.body);
	}
	if (socket >= 0)
		close(socket);
	return error;
}

struct cudasim_error *snapshot_go(const struct message_go *go, const char *session, int *ret_socket)
{
	struct message_go what = *go;
	if (snapshot_get(go->to.snapshot))
		what.end = snapshot_get(go->to.snapshot)->end;
	int socket = order(go->to.snapshot, MESSAGE_GO, &what, sizeof what, session);
	struct message message;
	struct cudasim_error *error = answer(socket, MESSAGE_ARRIVED, &message);
	if (error) {
		if (socket >= 0)
			close(socket);
		return error;
	}
	free(message.body);
	*ret_socket = socket;
	return NULL;
}

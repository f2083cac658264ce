/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - one session between a client (an editor) and a program's debugger.
 *
 * The debugger inside the program answers nearly everything; here are the beginning (`initialize`,
 * `launch`, `attach`), the program's output and its end. Messages are handed on as they are, but
 * numbered anew; what the program's debugger has not answered when it ends is answered here. */
#ifndef CUDASIM_DRIVER_DAP_SESSION_H
#define CUDASIM_DRIVER_DAP_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"
#include "message_stream.h"

struct session {
	struct message_stream client;
	int client_out;
	json_int_t next_seq;
	json_t *initialize; /* its arguments; NULL before */
	json_t *launch;     /* the request that is not answered yet; NULL: none */
	bool is_begun;      /* a launch or attach has succeeded, or is on its way */
	bool is_over;       /* nothing more is read of the client */

	/* To the program's debugger; -1: none (yet, or any more). */
	int link;
	struct message_stream link_stream;
	char *unsent; /* n_unsent bytes for it that it has not read */
	size_t n_unsent;
	json_t *pending; /* requests that it has not answered */

	pid_t pid;      /* of the program, 0: none */
	bool is_child, is_launched, has_debugger;
	bool has_ended; /* the client knows */
	bool client_left_it; /* disconnected, and the program goes on */
	int streams[2]; /* its stdout and stderr; -1 */
	int exit_code;  /* -1: not known */
	int signals;    /* a signalfd of SIGCHLD */

	/* Where a client starts the program in a terminal: who connects is it. */
	int waiting;
	json_int_t terminal_seq; /* of the request to do so; 0: none */
	int64_t waits_until;     /* ms of CLOCK_MONOTONIC */
};

/* Serve one client until it or the session ends. */
struct cudasim_error *session_run(int in, int out);

/* ---- session_client.c: messages to the client ---------------------------------------- */

/* Takes message, numbers and sends it. */
void client_send(struct session *s, json_t *message);
void client_event(struct session *s, const char *name, json_t *body);
/* request: NULL where what came was none. Takes body and error. */
void client_respond(struct session *s, const json_t *request, json_t *body,
		    struct cudasim_error *error);
/* What the program has printed; category: stdout, stderr, console, important. */
void client_output(struct session *s, const char *category, const char *text, size_t n);
/* What the adapter can do, as `initialize` answers. */
json_t *client_capabilities(void);

/* ---- session_launch.c: launch and attach ----------------------------------------------- */

/* The request is answered by the program's debugger, or here with the error. */
void session_launch(struct session *s, json_t *request);
void session_attach(struct session *s, json_t *request);
/* The client has started the program in a terminal, or could not. */
void session_terminal_answer(struct session *s, const json_t *response);
void session_terminal_connects(struct session *s);
void session_terminal_late(struct session *s);
int64_t session_now_ms(void);

/* ---- session_link.c: the program's debugger ------------------------------------------------ */

void link_open(struct session *s, int fd);
void link_close(struct session *s);
/* Hand a request on; takes nothing. */
void link_request(struct session *s, const json_t *request);
/* It can be written, or read. */
void link_flush(struct session *s);
void link_read(struct session *s);
/* Nobody will answer these any more. */
void link_fail_pending(struct session *s);

/* ---- session_program.c: the program itself --------------------------------------------------- */

/* Start it: with the debugger, whose socket becomes *ret_link, or without, with its output in
 * s->streams. */
struct cudasim_error *program_start(struct session *s, const json_t *arguments, bool with_debugger,
				    int *ret_link);
/* `cudasim dap --connect PID -- PROGRAM ...`: in this process's place. */
struct cudasim_error *program_in_terminal(pid_t adapter, int n, char **words);
/* Send what it has printed so far. */
void program_output(struct session *s, bool is_last);
/* If it has ended, what became of it goes to s->exit_code. True: it has. */
bool program_ended(struct session *s);
void program_kill(struct session *s);
/* It goes on alone: something has to read what it prints. */
void program_leave(struct session *s);

#endif

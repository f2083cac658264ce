/* SPDX-License-Identifier: Apache-2.0 */
/* dap_message.h - requests, responses and events, as JSON. */
#ifndef CUDASIM_DEBUGGER_DAP_MESSAGE_H
#define CUDASIM_DEBUGGER_DAP_MESSAGE_H

#include <jansson.h>
#include <stdio.h>

#include "cudasim/error.h"
#include "dap_state.h"

/* ---- the table of requests (dap_table.c) ------------------------------------------ */

enum dap_need {
	DAP_ANYTIME,   /* also while the program runs */
	DAP_MOMENT,    /* a program that stands, if only for a moment */
	DAP_STOPPED,   /* a program that the client knows to stand */
};
struct dap_row {
	const char *command;
	enum dap_need need;
	/* arguments: an object. *ret: the response's body, NULL for none; the caller's. */
	struct cudasim_error *(*run)(const json_t *arguments, json_t **ret);
};
/* NULL where there is none of that name. */
const struct dap_row *dap_row_of(const char *command);
/* Why there is no request of that name, of those that the protocol has; NULL: it has none. */
const char *dap_absent(const char *command);

/* ---- sending (dap_send.c) ------------------------------------------------------------ */

/* Takes body, which may be NULL. From any pthread. */
void dap_event(const char *name, json_t *body);
/* Takes body and error. */
void dap_respond(const json_t *request, json_t *body, struct cudasim_error *error);
/* An `output` event; category: "console", "stdout", ... */
void dap_output(const char *category, const char *text, size_t n);
/* A string of n bytes, those that are no UTF-8 replaced. */
json_t *dap_string(const char *text, size_t n);
json_t *dap_text(const char *text);
json_t *dap_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "0x7f..." */
json_t *dap_address(uint64_t address);
/* dap_close() gives what was written to dap_open()'s stream; NULL where there is no memory. */
struct dap_buffer {
	FILE *out;
	char *text;
	size_t n;
};
FILE *dap_open(struct dap_buffer *buffer);
json_t *dap_close(struct dap_buffer *buffer);

/* ---- arguments (dap_send.c) ------------------------------------------------------------ */

/* Borrowed; NULL where there is no such member of that kind. */
const char *dap_string_of(const json_t *object, const char *name);
int64_t dap_integer_of(const json_t *object, const char *name, int64_t otherwise);
bool dap_bool_of(const json_t *object, const char *name, bool otherwise);
/* The error where it is missing, or no string. */
struct cudasim_error *dap_need_string(const json_t *object, const char *name, const char **ret);
struct cudasim_error *dap_need_integer(const json_t *object, const char *name, int64_t *ret);
struct cudasim_error *dap_need_array(const json_t *object, const char *name, const json_t **ret);
/* "0x10", "16" and what is behind it: a memory reference. */
struct cudasim_error *dap_need_address(const json_t *object, const char *name, uint64_t *ret);
/* A `source` of the client: its path; malloc'ed. */
struct cudasim_error *dap_path_of(const json_t *source, char **ret);
/* Lines as the client counts them. */
json_t *dap_line(uint32_t line);
uint32_t dap_line_of(int64_t line);

/* ---- the queue (dap_queue.c) --------------------------------------------------------------- */

/* The listener's: read what has come. */
bool dap_heard(bool is_running);
/* The next request, waiting for one; NULL at the session's end. The caller's. */
json_t *dap_next(void);
/* Of CLOCK_MONOTONIC. */
int64_t dap_now_ms(void);
/* The next one that was read already and needs the program to stand for a moment only. */
json_t *dap_next_brief(void);

/* ---- moving (dap_move.c) ------------------------------------------------------------------- */

/* Let the program go on as session.how says, until the client has to be told of a stop. */
void dap_go_on(void);
/* The `continued` event; what was shown of the stop before is forgotten. */
void dap_tell_running(void);
/* The program has come to a stop: see to what the stop brings with it, and tell it. */
void dap_arrive(void);
/* From before main(): to its first stop. */
void dap_begin(void);
/* The `stopped` event of the stop that the program is at. */
void dap_tell_stop(void);
/* The program has ended: tell, and end the process. */
void dap_end(void);
/* Run one line as a command; what it prints becomes *ret, which is the caller's. */
struct cudasim_error *dap_command(const char *line, json_t **ret);

#endif

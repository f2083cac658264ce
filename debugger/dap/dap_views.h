/* SPDX-License-Identifier: Apache-2.0 */
/* dap_views.h - what the client sees of a program that stands: threads, frames, things with
 * parts, breakpoints. Ids of frames and references of parts are of one stop, and are never given
 * twice: an old one is an error. */
#ifndef CUDASIM_DEBUGGER_DAP_VIEWS_H
#define CUDASIM_DEBUGGER_DAP_VIEWS_H

#include "breakpoint.h"
#include "dap_message.h"
#include "expression.h"
#include "focus.h"
#include "frame.h"

/* ---- threads (dap_threads.c) ----------------------------------------------------- */

/* Ids: the host's thread, and CUDA threads from DAP_FIRST_DEVICE on. A CUDA thread keeps its id
 * as long as the program runs. */
enum { DAP_HOST_THREAD = 1, DAP_FIRST_DEVICE = 2 };
int64_t dap_thread_id(const struct cudasim_thread *thread);
int64_t dap_focused_thread(void);
/* *ret is NULL for the host's. The error where there is no such thread (any more). */
struct cudasim_error *dap_thread_of(int64_t id, struct cudasim_thread **ret);
/* Make it the focus. */
struct cudasim_error *dap_thread_focus(int64_t id);
struct cudasim_error *dap_threads(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_focus(const json_t *arguments, json_t **ret);
/* "block (0,0,0), thread (1,0,0)", malloc'ed */
char *dap_thread_name(const struct cudasim_thread *thread);

/* ---- frames (dap_stack.c) ----------------------------------------------------------- */

struct dap_stack {
	int64_t thread;     /* its id */
	int64_t first;      /* id of the innermost frame */
	struct frame *frames;
	size_t n, n_device; /* device frames come first; a label stands between them and others */
	struct cudasim_launch *launch;
};
void dap_stacks_forget(void);
/* Of a frame of these stacks; 0: it is none. */
int64_t dap_frame_id(const struct frame *frame);
/* The frame of that id. */
struct cudasim_error *dap_frame_of(int64_t id, const struct frame **ret);
/* Where expressions of a request are evaluated: its "frameId", or without one the focus. */
struct cudasim_error *dap_context_of(const json_t *arguments, struct context *ret);
struct context dap_context_in(const struct frame *frame);
struct cudasim_error *dap_stack_trace(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_scopes(const json_t *arguments, json_t **ret);
/* Select the frame in the focus for commands, where it is one of the focused thread's. */
struct cudasim_error *dap_frame_select(int64_t id);

/* ---- things with parts (dap_containers.c, dap_variables.c) --------------------------- */

enum dap_container_kind {
	DAP_ARGUMENTS, /* of frame */
	DAP_LOCALS,
	DAP_CUDA,      /* threadIdx, ... */
	DAP_REGISTERS,
	DAP_VALUE,     /* value, which expression denotes in frame */
};
struct dap_container {
	enum dap_container_kind kind;
	const struct frame *frame; /* of this stop's stacks; NULL: none */
	struct value value;
	char *expression;          /* NULL where nothing denotes it */
	int64_t start, count;      /* of an array: these elements; count 0: all */
	bool is_hex;
};
void dap_containers_forget(void);
/* A new one; takes value. Returns its reference, 0 where there is no memory. */
int64_t dap_container_new(const struct dap_container *container);
struct cudasim_error *dap_container_of(int64_t reference, const struct dap_container **ret);

/* A value with its parts as the members of a variable or of evaluate's answer: value (called
 * `name`), type, variablesReference, ... added to object. Takes value, if error is NULL, and
 * error. */
void dap_describe(json_t *object, const char *name, struct cudasim_error *error,
		  struct value *value, const char *expression, const struct frame *frame,
		  bool is_hex);
/* The parts of a container: variables as JSON. start, count: of elements; count 0: all. */
struct cudasim_error *dap_parts(const struct dap_container *container, int64_t start, int64_t count,
				const char *filter, json_t **ret);
bool dap_has_parts(const struct value *value);
/* text in a frame; *ret is the caller's. */
struct cudasim_error *dap_evaluate_in(const char *text, const struct context *context,
				      struct value *ret);
/* Of "[7]" the 7; false where name is no element's. */
bool dap_index_of(const char *name, int64_t *ret);
struct cudasim_error *dap_variables(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_set_variable(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_set_expression(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_evaluate(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_completions(const json_t *arguments, json_t **ret);

/* ---- breakpoints (dap_breakpoints.c, dap_data.c) -------------------------------------- */

enum dap_point_kind {
	DAP_POINT_NONE,
	DAP_POINT_SOURCE,
	DAP_POINT_FUNCTION,
	DAP_POINT_INSTRUCTION,
	DAP_POINT_EXCEPTION,
	DAP_POINT_DATA,
};
struct dap_point {
	int number;        /* of the debugger's breakpoint */
	enum dap_point_kind kind;
	char *group;       /* SOURCE: the path; others: "" */
	char *key;         /* what was asked for: the client's own words, to be compared */
	uint64_t every;    /* a hit condition "%N"; 0: none */
	bool is_told;      /* the client knows it; what it was told: */
	bool was_verified;
	uint32_t was_line;
};
enum dap_point_kind dap_point_kind(int number);
/* After a stop: hit conditions that count again. */
void dap_points_stopped(const struct stop *stop);
/* `breakpoint` events for what is not as the client was told. */
void dap_points_tell(void);

/* A breakpoint of the client's as it was asked for. make() enters it in the debugger's list; it
 * returns no error where the breakpoint is to be kept though it is pending. */
struct dap_wish {
	enum dap_point_kind kind;
	const char *group;
	const json_t *item;
	struct cudasim_error *(*make)(const json_t *item, struct breakpoint **ret);
};
/* Make the breakpoints of that kind and group those of the wishes: what was there with the same
 * words stays. *ret: the answer's breakpoints. */
struct cudasim_error *dap_points_set(const struct dap_wish *wishes, size_t n,
				     enum dap_point_kind kind, const char *group, json_t **ret);
struct cudasim_error *dap_set_breakpoints(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_set_function_breakpoints(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_set_instruction_breakpoints(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_set_exception_breakpoints(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_exception_info(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_data_breakpoint_info(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_set_data_breakpoints(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_breakpoint_locations(const json_t *arguments, json_t **ret);

/* ---- code and memory (dap_code.c), sources and modules (dap_sources.c) ------------------ */

struct cudasim_error *dap_disassemble(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_read_memory(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_write_memory(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_modules(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_loaded_sources(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_source(const json_t *arguments, json_t **ret);
/* A Source of a file as the compiler was given it. */
json_t *dap_source_of(const char *file);
/* The id of the module whose code holds pc; NULL: none. */
json_t *dap_module_id(uint64_t pc);

/* ---- the session (dap.c) and stops (dap_move.c) ------------------------------------------ */

/* Answer one request. */
void dap_answer(const json_t *request);
bool dap_is_exception(const struct stop *stop);
json_t *dap_stop_text(void);

#endif

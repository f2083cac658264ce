/* SPDX-License-Identifier: Apache-2.0 */
/* operation.h - work on a device, and what it waits for.
 *
 * Streams, events and graphs all come down to this: an operation starts when
 * everything it waits for is done. Operations form a graph without cycles,
 * because one can only wait for others that were submitted before it.
 *
 * An operation runs on whatever thread finds that nothing holds it back any
 * more: the submitting host thread, a worker of the scheduler whose launch has
 * ended, or an engine (a thread of ours for long copies and host functions).
 *
 * Invariants, under the one lock of operation.c:
 *   O1  n_waits is the number of operations not done that list this one in
 *       `next`, plus one until it is submitted
 *   O2  start() is called once, without the lock, when n_waits reaches 0
 *   O3  done is set once, by operation_done() */
#ifndef CUDASIM_SIM_OPERATION_H
#define CUDASIM_SIM_OPERATION_H

#include <driver_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudasim/observer.h"
#include "launch.h"

struct event;
struct stream;

enum work_kind {
	WORK_NOTHING, /* a place in the order: stream waits, empty graph nodes */
	WORK_LAUNCH,
	WORK_COPY,    /* and sets */
	WORK_HOST,
	WORK_RECORD,  /* an event */
	WORK_FREE,    /* cudaFreeAsync */
	WORK_CALLER,  /* the submitting thread does something itself */
	WORK_AWAIT,   /* as WORK_HOST, without CUDA's rules: waits for another process */
	WORK_STEP,    /* something of the simulator's own, on the thread that starts it */
};

struct operation;

/* What a WORK_STEP does. */
struct step {
	/* Quick; may make operations that wait for this one, and submit them. */
	void (*run)(struct operation *operation, void *state);
	/* Of the state, which may be NULL; from any thread. */
	void (*ref)(void *state);
	void (*unref)(void *state);
	bool waits; /* it is not quick: it has a thread to itself, and makes no operations */
};

/* What is to be done; a value that graphs can keep and repeat. */
struct work {
	enum work_kind kind;
	struct device *device;
	union {
		/* The description of a launch, made by the call that asks for it. What differs
		 * between the launches of one work is 0 here: id, gridid, stream, device,
		 * body, error, watch, workspace. params is the work's own, of
		 * work_params_new(). */
		struct cudasim_launch launch;
		/* function and value as observers see them; staging, if not NULL,
		 * is a copy of the source that is freed with the operation. */
		struct {
			struct cudasim_copy what;
			void *staging;
		} copy;
		struct {
			cudaHostFn_t function;           /* either this */
			/* or this, as cudaStreamAddCallback takes it */
			void(CUDART_CB *callback)(cudaStream_t, cudaError_t, void *);
			void *user;
			cudaStream_t stream;             /* for callback */
			bool always;                     /* on a dead context, too */
		} host;
		struct event *event; /* a reference is held */
		void *address;
		struct {
			const struct step *what; /* static */
			void *state;             /* a reference is held */
		} step;
	};
};

struct operation {
	struct work work;
	struct launch launch;    /* WORK_LAUNCH: as the scheduler has it */
	uint64_t id;             /* process-wide, 1.. in order of submission */
	struct stream *stream;   /* a reference, or NULL in graphs */
	uint64_t end_ns;         /* CLOCK_MONOTONIC, once done */

	/* operation.c's */
	unsigned refs, n_waits, n_waiters;
	bool done, ready;        /* ready: WORK_CALLER's turn has come */
	struct operation **next; /* what waits for this */
	unsigned n_next, capacity;
	struct operation *queued;

	struct children *children; /* that it is one of, or NULL */
};

/* A new operation that takes the work over (its params, staging, references);
 * one reference is the caller's. NULL where memory is out; the work is then
 * still the caller's. */
struct operation *operation_new(const struct work *work);
struct operation *operation_ref(struct operation *operation);
void operation_unref(struct operation *operation);

/* Free what a work owns. */
void work_fini(struct work *work);
/* Start the scheduler's workers, once. */
void work_start_scheduler(void);
/* A zeroed parameter buffer for a launch of kernel, aligned as its parameters
 * are; NULL without memory. free() ends it. */
void *work_params_new(const struct cudasim_kernel *kernel);

/* A work of its own with the same content. False where memory is out. */
bool work_copy(const struct work *work, struct work *ret);

/* ---- with the lock held: streams put their own state under it ------------ */
void operation_lock(void);
void operation_unlock(void);
/* Let `operation`, not submitted yet, wait for `first` unless that is done. */
void operation_after(struct operation *operation, struct operation *first);

/* ---- without it ----------------------------------------------------------- */

/* Everything it has to wait for has been said. */
void operation_submit(struct operation *operation);
/* Its work is done; what waited for it starts. */
void operation_done(struct operation *operation);
bool operation_is_done(struct operation *operation);
/* Block until it is done. */
void operation_wait(struct operation *operation);
/* As above, until a time of now_ns(). False where it was not done by then. */
bool operation_wait_until(struct operation *operation, uint64_t deadline_ns);
/* As above, for the gate: only wait, without letting held operations start. */
bool operation_wait_running(struct operation *operation, uint64_t deadline_ns);
/* Block until a WORK_CALLER may do its work; operation_done() must follow. */
void operation_wait_turn(struct operation *operation);

/* Host threads that are blocked in a wait without an end. */
unsigned operation_n_waiting(void);

/* That turn has come: work_start() calls it. */
void operation_turn(struct operation *operation);

/* work.c: begin the work; operation_done() follows, perhaps before it returns. */
void work_start(struct operation *operation);
/* The calling host thread waits for the operation: it does some of the work of launches that
 * have to end before, if it can. False if it did nothing. */
bool work_help(const struct operation *operation);
/* On the host thread, before a WORK_LAUNCH is submitted: number the launch and
 * show it to the observers. */
void work_launch_prepare(struct operation *operation, uint64_t stream_id);
/* Carry out a copy or set on this thread. */
void copy_run(const struct cudasim_copy *what);
/* Call function(user) soon, as a host function that belongs to no stream. False where memory
 * is out. */
bool host_function_call(cudaHostFn_t function, void *user);
/* No copy, host function or wait for another process is on its way; *ret are the threads for
 * them. */
bool work_engines_rest(uint32_t *ret);
/* True on the thread that runs a host function: the CUDA API is closed there. */
bool in_host_function(void);

#endif

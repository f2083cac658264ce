/* SPDX-License-Identifier: Apache-2.0 */
/* worker.h - an OS thread that runs blocks.
 *
 * A worker takes blocks of the active launches in chunks, and normally runs one
 * block after the other. Only when all of its blocks in flight do nothing but
 * spin, wait for each other or are held does it start more of them, doubling
 * their number each time, within what the device could have resident. */
#ifndef CUDASIM_SIM_WORKER_H
#define CUDASIM_SIM_WORKER_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "fiber.h"
#include "hang_watch.h"
#include "run.h"
#include "schedule.h"

struct block;
struct cluster;

enum worker_event {
	EVENT_NONE,   /* nobody in the block is active */
	EVENT_FAULT,  /* worker->fault, by worker->event_thread */
	EVENT_HELD,   /* worker->event_thread has been put aside for an observer */
	EVENT_CHOICE, /* somebody has to choose the next thread */
	EVENT_HOST,   /* worker->host_run(worker->host_work) is to be called for it */
	EVENT_MEMORY, /* no memory for another fiber */
};

enum { IN_DEVICE = 1, IN_DEVICE_READING };

/* Blocks (or clusters) taken and not started: units lo..hi-1 of the run. */
struct chunk {
	struct run *run;
	uint64_t lo, hi;
};

enum { WORKER_POOLS = 24 }; /* stacks of 64 KiB << i */

struct worker {
	pthread_t pthread;
	uint32_t index;
	bool stop;
	enum fiber_kind engine;
	struct schedule schedule;
	uint64_t random;      /* state of schedule_random() */
	uint64_t ticks;       /* of the clock of a repeatable run: see clock.c */

	/* While device code runs a signal is its own: IN_DEVICE, or
	 * IN_DEVICE_READING while libcudasim reads the program's memory for it,
	 * where it must not be interrupted by the watchdog. Otherwise 0. */
	volatile sig_atomic_t in_device;
	struct fiber main;    /* the worker's own stack */
	struct thread *next;  /* what a fresh fiber begins with */
	struct run *volatile running; /* the run of the thread that runs, or NULL */
	struct fiber *volatile fiber; /* FIBER_PTHREAD: who has the baton; for nudges */
	struct fiber_pool pools[WORKER_POOLS];

	enum worker_event event;
	struct thread *event_thread;
	struct fault fault;
	void (*host_run)(void *work); /* of EVENT_HOST */
	void *host_work;

	void *frame;          /* __cudasim_loop_frame() */
	uint64_t frame_bytes;
	struct block **ring;  /* blocks in flight, in order of start */
	uint32_t n_ring, ring_capacity;
	struct chunk *chunks;
	uint32_t n_chunks, chunks_capacity;
	struct block *unused; /* blocks to start again */
	uint32_t n_unused;
	uint64_t chunk_start_ns;
	uint32_t fruitless;   /* rounds in which nothing happened */
	uint64_t fruitless_ns; /* since when */
	struct hang_watch hang;
	/* Under the scheduler's lock. */
	bool busy;            /* it has taken something, and not asked in vain since */
	bool left_out;        /* there was something, but others enough for it */
	bool helps;           /* a host thread, in scheduler_help() */
	struct worker *next_helper;
};

/* Run blocks until worker->stop; the pthread's main function. */
void *worker_main(void *worker);

/* A worker that is the calling host thread itself and has one block at a time: direct.c. */
void worker_init_alone(struct worker *worker);
void worker_fini_alone(struct worker *worker);
/* Start block 0 of the run, which worker_run_alone() runs to its end; the block is
 * used again until it is retired. False without memory. */
bool worker_start_alone(struct worker *worker, struct run *run, struct block **ret);
void worker_run_alone(struct worker *worker, struct block *block);
void worker_retire_alone(struct worker *worker);
/* Run the units of a chunk, whose run may be gone afterwards. */
void worker_run_chunk(struct worker *worker, const struct chunk *chunk);
/* This pthread is a worker's. */
extern _Thread_local bool worker_running __attribute__((tls_model("initial-exec")));
/* On the worker of an ordered run: start up to n units of it more, as far as its
 * limit allows. Returns the number of blocks. */
uint32_t worker_begin(struct run *run, uint32_t n);

/* A block whose threads run as loops becomes the one n further on in its run, in the same
 * row of the grid or at the beginning of the next. */
void worker_move_block(struct worker *worker, struct block *block, uint32_t n);
/* The chunk of such a block is over: it becomes the first of another chunk of its run. False
 * where there is none. */
bool worker_next_chunk(struct worker *worker, struct block *block);
/* Its threads leave their loop: the units that it would have gone on with are the
 * worker's again, to be started like any others. */
void worker_keep_rest(struct block *block);

/* The run has died of something that is no thread's: end it, and tell everybody. more is
 * what the report has to add. */
void worker_report(struct worker *worker, struct run *run, const struct fault *fault,
		   const char *more);

/* Do what EVENT_HOST asks for: device_side/host_call.c. */
void host_call_run(struct worker *worker);
/* The pool of stacks of at least this many bytes. */
struct fiber_pool *worker_pool(struct worker *worker, uint32_t stack_class);
/* The class for so many bytes of stack. */
uint32_t worker_stack_class(uint64_t bytes);

#endif

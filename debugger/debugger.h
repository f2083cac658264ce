/* SPDX-License-Identifier: Apache-2.0 */
/* debugger.h - who moves: the baton between the program and the REPL, stops,
 * and how the program goes on.
 *
 * The REPL is a pthread of its own. Exactly one of program and REPL has the
 * baton. When something stops the program, the pthread on which that happened
 * (a worker inside a callback, a host thread inside a signal handler) hands over a
 * struct stop and waits; the REPL reports it, runs commands, and one of them
 * resumes the program and waits for the next stop. Launches are watched with
 * CUDASIM_WANT_ORDERED, so nothing of a kernel moves while the REPL has the baton,
 * and every session is a function of program, input and commands. */
#ifndef CUDASIM_DEBUGGER_DEBUGGER_H
#define CUDASIM_DEBUGGER_DEBUGGER_H

#include "cudasim/inspect.h"

enum stop_kind {
	STOP_START,      /* the program stands before main(); said once, silently */
	STOP_BREAKPOINT, /* `numbers` */
	STOP_WATCHPOINT, /* `numbers`; report has who wrote what */
	STOP_CATCH,      /* launch, exit, barrier, printf, assert, fault; `numbers` */
	STOP_STEP,       /* step, next, until, advance are done */
	STOP_FINISH,     /* a function has returned; return_value */
	STOP_BRKPT,      /* __brkpt() or cudasim_break() in device code: SIGTRAP */
	STOP_FAULT,      /* fault: the launch is about to die */
	STOP_LAUNCH,     /* set cuda break_on_launch */
	STOP_SIGNAL,     /* of the host program: signal */
	STOP_INTERRUPT,  /* Ctrl-C */
	STOP_EXITED,     /* the program has ended: exit_status, or by signal */
	STOP_EXEC,       /* it is about to become another program: exec; never told as a stop */
};

/* What an exec...() was called with; lives while its thread waits. */
struct exec_call {
	const char *path;
	char *const *arguments, *const *environment;
};

struct stop {
	enum stop_kind kind;
	struct cudasim_launch *launch; /* NULL for host stops */
	struct cudasim_thread *thread; /* NULL for host stops, or where no thread did it */
	const struct cudasim_fault *fault;
	int numbers[8];          /* breakpoints that were hit, ascending; 0 ends */
	int location;            /* the location's number within a breakpoint, 0 if it has one */
	bool temporary;          /* the (first) breakpoint was temporary */
	char *report;            /* lines to print before the place; may be NULL; owned */
	int signal, exit_status;
	bool warps_stepped;      /* others had to move: stepped_mask tells which warps */
	uint64_t stepped_mask;
	/* After STOP_FINISH: where the returned value stands, and whose it was; NULL
	 * for void. */
	const void *return_value;
	const void *returned_pc; /* in the function that returned */
	struct cudasim_frame finished; /* frame that has returned: already hidden from frames */
	bool shows_frame;        /* until and advance: the frame's line is printed in any case;
	                          * set by the command */
	void *host;              /* of host stops: host.h's own */
	const struct exec_call *exec;
};
/* The stop that the REPL is at. kind STOP_START before the program runs. */
extern struct stop stop_current;
/* The REPL's pthread waits here for STOP_START. */
void program_await_start(void);
bool program_is_running(void);  /* started and not ended: else "The program is not being run." */
bool program_has_focus_kernel(void);
bool program_is_detached(void); /* it goes on without the debugger */
bool program_is_repl(void);     /* called on the REPL's pthread? From signal handlers, too. */

enum resume_kind {
	RESUME_CONTINUE, RESUME_STEP, RESUME_NEXT, RESUME_STEPI, RESUME_NEXTI, RESUME_FINISH,
	RESUME_UNTIL,  /* next, but not back in a loop */
	RESUME_LOCATION, /* until LOCATION, advance LOCATION: sites or host_pc */
	RESUME_DETACH, /* no more stops */
};
struct resume {
	enum resume_kind kind;
	const struct cudasim_site *const *sites; /* of LOCATION */
	size_t n_sites;
	uint64_t host_pc;
	uint64_t frame;        /* of FINISH: frame pointer of the frame to return from;
	                        * of until LOCATION: the frame that ends it; 0: none */
};
/* Let the program go on and wait for the next stop, which becomes stop_current
 * (and moves the focus there). Errors: not running. */
struct cudasim_error *program_resume(const struct resume *how);

/* On a pthread of the program (a worker inside a callback, a host thread inside a signal
 * handler): hand the baton to the REPL with this stop, which is copied, and wait until
 * the REPL lets the program go on. Returns how. Async-signal-safe. */
const struct resume *program_stop(const struct stop *stop);

/* Who moves with step, next, until. */
enum step_unit { STEP_THREAD, STEP_WARP, STEP_BLOCK };
extern int step_unit; /* enum step_unit; set step-unit */
/* Stop at the first line of each kernel; set cuda break_on_launch. The system has no
 * kernels here, so `all` is the same as `application`. */
enum { BREAK_ON_LAUNCH_NONE, BREAK_ON_LAUNCH_APPLICATION, BREAK_ON_LAUNCH_SYSTEM,
       BREAK_ON_LAUNCH_ALL };
extern int break_on_launch;
/* Most threads that are begun for a stop to gather the grid around it. */
extern uint32_t gather_threads; /* set cuda gather-threads, 4096 */

/* ---- breakpoints as the run control sees them ----------------------------- */

/* Something that may stop a thread at a line. Registered by breakpoints.c; hit()
 * is called on a worker's stack for a thread that has come to the site, must be quick,
 * and tells whether this thread makes a stop (conditions, thread filters). It is asked
 * again before a stop that has waited is told. counts() is called once for a thread that
 * comes and for which hit() is true, and may let it pass all the same; NULL: never.
 * Hit counts are kept by stopped(), which is called once for each stop, when the grid has
 * gathered; it returns false to go on all the same. */
struct breaker {
	bool (*hit)(struct breaker *, struct cudasim_thread *thread,
		    const struct cudasim_site *site);
	bool (*counts)(struct breaker *, struct cudasim_thread *thread);
	bool (*stopped)(struct breaker *, struct cudasim_thread *thread, struct stop *stop);
	void *user;
};
/* Arm and disarm. From the REPL's pthread. */
struct cudasim_error *breaker_add(struct breaker *breaker, const struct cudasim_site *site);
void breaker_remove(struct breaker *breaker, const struct cudasim_site *site);

/* Watched ranges: hit() is called for an access that overlaps; after a store it is called
 * again at the thread's next event with after true, when memory has the new value. */
struct watcher {
	uint64_t low, high;            /* high exclusive */
	uint32_t what;                 /* CUDASIM_ACCESS_LOAD, _STORE */
	struct cudasim_thread *thread; /* only accesses by this one; NULL: all */
	struct cudasim_block *block;   /* shared and local: of this block; NULL: any */
	/* true: stop. May fill stop->report and numbers. */
	bool (*hit)(struct watcher *, struct cudasim_thread *thread,
		    const struct cudasim_access *access, bool after, struct stop *stop);
	/* The block (shared) or thread or frame (local) has ended: the range is gone. True: stop. */
	bool (*gone)(struct watcher *, struct cudasim_thread *thread, struct stop *stop);
	uint64_t frame;                /* of locals: frame pointer; 0 else */
	void *user;
};
struct cudasim_error *watcher_add(struct watcher *watcher);
void watcher_remove(struct watcher *watcher);

/* Events to catch: asked on the worker's or the host's pthread; true: stop. NULL: never. */
struct catchers {
	bool (*launch)(struct cudasim_launch *launch, struct stop *stop);
	bool (*exit)(struct cudasim_launch *launch, struct stop *stop);
	bool (*barrier)(struct cudasim_thread *thread, const struct cudasim_barrier *, struct stop *);
	bool (*print)(struct cudasim_thread *thread, const char *text, size_t n, struct stop *);
	bool (*fault)(struct cudasim_launch *launch, struct cudasim_thread *thread,
		      const struct cudasim_fault *, struct stop *);
	bool (*finding)(struct cudasim_thread *thread, const struct cudasim_finding *, struct stop *);
};
extern struct catchers catchers;
/* Told of each block as it begins, on the worker's stack, before any of its threads:
 * watches on shared memory of every block add their ranges here. NULL: nobody asks. */
extern void (*block_began)(struct cudasim_block *block);
/* A module has registered: pending breakpoints may be found now. */
extern void (*module_registered)(const struct cudasim_module *module);

/* ---- what the run control knows of threads --------------------------------- */

/* Is the thread's innermost frame one that has just returned (finish, step out)?
 * Then frames begin with the next one, whose pc is not the beginning of a line. */
bool thread_has_returned(struct cudasim_thread *thread);
/* The line where a thread stands, NULL where it has not begun. exact_start: it
 * stands at the beginning of that line. */
const struct cudasim_site *thread_place(struct cudasim_thread *thread, bool *ret_start);

#endif

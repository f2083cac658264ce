/* SPDX-License-Identifier: Apache-2.0 */
/* baton.h - who moves: the baton between the program and the REPL, stops,
 * and how the program goes on.
 *
 * The REPL is a pthread of its own. Exactly one of program and REPL has the
 * baton. When something stops the program, the pthread on which that happened
 * (a worker inside a callback, a host thread inside a signal handler) hands over a
 * struct stop and waits; the REPL reports it, runs commands, and one of them
 * resumes the program and waits for the next stop. Launches are watched with
 * CUDASIM_WANT_ORDERED, so nothing of a kernel moves while the REPL has the baton,
 * and every session is a function of program, input and commands. */
#ifndef CUDASIM_DEBUGGER_BATON_H
#define CUDASIM_DEBUGGER_BATON_H

#include <pthread.h>

#include "cudasim/error.h"
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
	/* Of Ctrl-C in a kernel: cudasim_block_turns() when the thread came to its line. */
	uint64_t turns;
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
struct stop *stop_current(void);
bool program_is_running(void);  /* started and not ended: else "The program is not being run." */
bool program_is_detached(void); /* it goes on without the debugger */
bool program_is_repl(void);     /* called on the REPL's pthread? From signal handlers, too. */

enum resume_kind {
	RESUME_CONTINUE,
	RESUME_STEP,
	RESUME_NEXT,
	RESUME_STEPI,
	RESUME_NEXTI,
	RESUME_FINISH,
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
	bool backward;         /* through what is recorded (recording.h) */
	uint32_t count;        /* of motions through it: times, 0 is 1 */
};
/* On a pthread of the program (a worker inside a callback, a host thread inside a signal
 * handler): hand the baton to the REPL with this stop, which is copied, and wait until
 * the REPL lets the program go on. Returns how. Async-signal-safe. */
const struct resume *program_stop(const struct stop *stop);

/* ---- copies of the process ----------------------------------------------------------- */

/* What a recording (recording.h) does at stops in device code; NULL: nothing. */
struct baton_hooks {
	/* The program stops, on the pthread that does. In a copy that carries a launch out again
	 * this does not return: the stop was told when the program came here first. */
	void (*stops)(const struct stop *stop);
	/* The user lets the program go on from a stop in a launch; on the pthread that stopped. */
	void (*resumed)(const struct stop *stop, const struct resume *how);
};
struct baton_hooks *baton_hooks(void);
/* cudasim_fork(): what child processes of the program's own give up stays as it is. */
pid_t baton_fork(void);
bool baton_is_forking(void); /* for handlers of pthread_atfork() */
/* In a copy, before it has a REPL: stops come to a REPL of this process. */
struct cudasim_error *baton_renew(void);

/* ---- the user's interrupts ---------------------------------------------------------- */

/* A Ctrl-C that came while a command line was typed is not for what that line starts. */
void interrupt_forget(void);
/* The same for one that came while the program ran and stopped for another reason. */
void interrupt_drop(void);
/* Has one come since? Async-signal-safe. */
bool interrupt_waits(void);
/* Wait for input at fd or a Ctrl-C: true where that has come. */
bool interrupt_or_input(int fd);
/* Commands that may take long ask this now and then: the error "Quit" where Ctrl-C was pressed
 * since the command began. */
struct cudasim_error *interrupt_quits(void);
/* It is not answered yet, though it has been heard. */
void interrupt_keep(void);

/* A front end that is spoken to while the program runs or a command takes long, beside
 * Ctrl-C. */
struct listener {
	int fd; /* heard() is called when it can be read; -1: none */
	/* On the front end's pthread. is_running: the program runs, else a command asks
	 * interrupt_quits(). True: as Ctrl-C, stop what runs. */
	bool (*heard)(bool is_running);
};
void baton_listen(const struct listener *listener);
/* Ask who listens, if there is one. */
bool baton_heard(bool is_running);

/* ---- the REPL's side ------------------------------------------------------------------- */

struct cudasim_error *baton_start(void);
/* A pthread for a REPL, whose signals are the program's. CUDASIM_E_SYSTEM. */
struct cudasim_error *baton_pthread_start(void *(*main)(void *), pthread_t *ret);
/* This pthread is the REPL's: what device code does here is an expression's call. */
void baton_pthread_is_repl(void);
/* Ctrl-C is to stop the kernel that runs. From signal handlers, too. */
void interrupt_want(bool wanted);
bool interrupt_is_wanted(void);
/* What comes first: a stop, Ctrl-C, input for who listens, or milliseconds without any. */
enum baton_event { BATON_TICK, BATON_STOP, BATON_INTERRUPT, BATON_INPUT };
enum baton_event baton_wait(int milliseconds);
/* The stop that has come becomes stop_current(). */
void baton_take(void);
/* Let the program go on. */
void baton_give(const struct resume *how);
bool baton_can_give(void); /* the program is there */
void baton_ended(void); /* it is no more */
void baton_detach(void); /* no more stops */

#endif

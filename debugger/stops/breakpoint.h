/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint.h - breakpoints, watchpoints and catchpoints: one list, one series of
 * numbers, one set of rules for hit counts, ignore counts, dispositions and commands.
 *
 * All of it belongs to the REPL's pthread. What runs on a worker or a host thread of
 * the program (hit, stopped, the catchers) runs while the REPL waits for a stop, so
 * nothing here is locked; it only marks what is to be done (struct breakpoint's
 * `spent`), and breakpoints_settle() does it once the REPL has the baton again. */
#ifndef CUDASIM_DEBUGGER_BREAKPOINT_H
#define CUDASIM_DEBUGGER_BREAKPOINT_H

#include "expression.h"
#include "host.h"
#include "location.h"
#include "run.h"

/* Which threads may make a stop: `thread (x,y,z)`, `block (x,y,z)`. */
struct thread_filter {
	bool has_thread, has_block;
	uint32_t thread[3], block[3];
};
bool filter_accepts(const struct thread_filter *filter, const struct cudasim_thread *thread);
/* " thread (1,0,0) block (2,0,0)", or "" */
void filter_print(FILE *out, const struct thread_filter *filter);

/* LOCATION [thread T] [block B] [if EXPR], cut into its parts; each in any order
 * after the location, `if` last. Texts are owned by the caller. */
struct breakpoint_spec {
	char *location;  /* "" where none is given */
	char *condition; /* NULL where none is given */
	struct thread_filter filter;
};
struct cudasim_error *spec_parse(const char *text, struct breakpoint_spec *ret);
void spec_fini(struct breakpoint_spec *spec);

struct breakpoint;

/* A place where a breakpoint stops. */
struct breakpoint_location {
	struct breakpoint_location *next;
	struct breakpoint *owner;
	int number;                   /* 1.., the 2 of 1.2 */
	struct program_location place;
	uint64_t pc;                  /* of the statement's first instruction; 0: not known */
	bool enabled;
	bool no_condition;            /* the condition means nothing here: never armed */
	bool armed;
	struct expression *condition; /* parsed in the scope of pc; NULL: none */
	struct cudasim_error *error;  /* why the condition could not be evaluated */
	struct expression **values;   /* of a dprintf's arguments, parsed as the condition is */
	size_t n_values;
	struct breaker breaker;       /* of device code */
	struct host_breakpoint *host; /* of host code */
};

enum breakpoint_kind { KIND_BREAKPOINT, KIND_WATCHPOINT, KIND_CATCHPOINT };
enum disposition { KEEP, DELETE, DISABLE };

struct watchpoint; /* watchpoint.c */
struct catchpoint; /* catchpoint.c */

struct breakpoint {
	struct breakpoint *next;
	int number;
	enum breakpoint_kind kind;
	enum disposition disposition;
	bool enabled;
	char *text;                /* as the user wrote it: location, expression or event */
	char *condition;           /* NULL: none */
	struct thread_filter filter;
	uint64_t hits, ignore;
	uint64_t enable_count;     /* DISABLE: stops that are left */
	char *format;              /* dprintf: "FORMAT", EXPR...; NULL: it stops */
	char **commands;
	size_t n_commands;
	struct breakpoint_location *locations; /* none: pending */
	struct watchpoint *watch;
	struct catchpoint *catch;
	uint64_t last_stop;        /* the stop that was counted last */
	/* "warning: ..." for the user, of locations where the condition means nothing and which
	 * are switched off; NULL where there are none. */
	char *warning;
	bool spent;                /* to be deleted or disabled by breakpoints_settle() */
};

/* A new one at the end of the list, enabled, with the next number. text is copied. */
struct cudasim_error *breakpoint_new(enum breakpoint_kind kind, const char *text,
				     struct breakpoint **ret);
/* A new one of "[LOCATION] [thread ...] [if CONDITION]", resolved and armed; format: of a dprintf,
 * else NULL. With CUDASIM_E_NOTFOUND it may be kept, pending, where *ret is there without
 * locations; with any error *ret, if there, is the caller's to discard. */
struct cudasim_error *breakpoint_make(const char *text, bool temporary, const char *format,
				      struct breakpoint **ret);
/* As if it, the last new one, had not been made. */
void breakpoint_discard(struct breakpoint *breakpoint);
void breakpoint_delete(struct breakpoint *breakpoint);
struct breakpoint *breakpoint_find(int number);
/* Arm or disarm what it watches after `enabled` or a location's has changed. */
struct cudasim_error *breakpoint_arm(struct breakpoint *breakpoint);

/* Set or (NULL) remove the condition; where it means nothing it stays as it was. */
struct cudasim_error *breakpoint_condition_set(struct breakpoint *breakpoint,
					       const char *condition);

/* A thread has come to what the breakpoint waits for and its condition holds: counts,
 * and tells whether to stop (ignore counts), entering it in stop. On any pthread. */
bool breakpoint_counts(struct breakpoint *breakpoint, int location, struct stop *stop);
/* The same for one that never stops: counts, and tells whether it is to do what it does. */
bool breakpoint_passes(struct breakpoint *breakpoint);
/* What is said of a condition that could not be evaluated; takes error. */
void breakpoint_condition_failed(struct breakpoint *breakpoint, struct cudasim_error *error,
				 struct stop *stop);
/* It is to be deleted (or, as its disposition says, disabled) by breakpoints_settle(). */
void breakpoint_spend(struct breakpoint *breakpoint);
/* The program is about to move: later stops are new ones. */
void breakpoints_resume(void);
/* The REPL has the baton again: deletes and disables what the stop has used up. */
void breakpoints_settle(void);

/* $bpnum */
void breakpoint_number_tell(const struct breakpoint *breakpoint);

/* ---- locations (breakpoint_location.c) ------------------------------------------ */

/* Set the breakpoint's locations to what its text means now, with its condition parsed
 * in each. Locations that were there keep their numbers and switches. */
struct cudasim_error *locations_resolve(struct breakpoint *breakpoint);
void locations_free(struct breakpoint *breakpoint);
void locations_arm(struct breakpoint *breakpoint, struct cudasim_error **error);
/* The program stands on the host, where it was stopped for another reason: do breakpoints
 * there stop it, too? */
bool locations_hit_at(const struct registers *registers, struct stop *stop);
/* Set or (NULL) remove the condition everywhere. */
struct cudasim_error *locations_condition(struct breakpoint *breakpoint, const char *condition);

/* ---- dprintf (breakpoint_dprintf.c) ------------------------------------------------ */

/* Parse the arguments in every location. */
struct cudasim_error *dprintf_resolve(struct breakpoint *breakpoint);
void dprintf_fini(struct breakpoint_location *location);
/* Somebody has come to the location, whose condition holds: count it and print. */
void dprintf_hit(struct breakpoint_location *location, const struct context *context);
/* The same for a thread that stands there. */
void dprintf_hit_by(struct breakpoint_location *location, struct cudasim_thread *thread);

/* ---- watchpoints (watchpoint.c) ----------------------------------------------------- */

enum watch_mode { WATCH_WRITE, WATCH_READ, WATCH_ACCESS };
/* A new one of "[-location] [-all-blocks] EXPR ...", armed, and $bpnum set. */
struct cudasim_error *watchpoint_set(const char *text, enum watch_mode mode,
				     struct breakpoint **ret);
/* "Hardware watchpoint" */
const char *watch_title(const struct watchpoint *watch);
void watchpoint_free(struct breakpoint *breakpoint);
struct cudasim_error *watchpoint_arm(struct breakpoint *breakpoint);
struct cudasim_error *watchpoint_condition(struct breakpoint *breakpoint, const char *condition);
/* Where it means something: of one whose object goes with a block or a frame the thread that was
 * focused when it was set. NULL: anywhere. */
struct cudasim_thread *watchpoint_thread(const struct breakpoint *breakpoint);
/* What it watched is no more. */
bool watchpoint_is_gone(const struct breakpoint *breakpoint);
/* "hw watchpoint", "read watchpoint", "acc watchpoint" */
const char *watchpoint_type(const struct breakpoint *breakpoint);
/* "watch", "rwatch", "awatch"; NULL where a restart ends what it watches. */
const char *watchpoint_command(const struct breakpoint *breakpoint, bool for_restart);

/* ---- catchpoints (catchpoint.c) ------------------------------------------------------ */

/* A new one of "EVENT [NAME] ...", armed, and $bpnum set. */
struct cudasim_error *catchpoint_set(const char *text, bool temporary, struct breakpoint **ret);
void catchpoint_free(struct breakpoint *breakpoint);
void catchpoint_arm(struct breakpoint *breakpoint);
struct cudasim_error *catchpoint_condition(struct breakpoint *breakpoint, const char *condition);

#endif

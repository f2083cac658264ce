/* SPDX-License-Identifier: Apache-2.0 */
/* checker.h - what every checker is, and what all of them share.
 *
 * A checker is an observer (cudasim/observer.h): a table of callbacks, one
 * checker to a table, all of them linked into one shared object,
 * libcudasim-check.so, which libcudasim opens where CUDASIM_CHECK is set.
 * check.c adds the tables of the checkers that were asked for; what a checker
 * finds it hands to finding_report() (finding.h). */
#ifndef CUDASIM_CHECKERS_CHECKER_H
#define CUDASIM_CHECKERS_CHECKER_H

#include "cudasim/inspect.h"

enum checker_tool {
	CHECKER_MEMCHECK,
	CHECKER_RACECHECK,
	CHECKER_INITCHECK,
	CHECKER_SYNCCHECK,
	CHECKER_LEAKCHECK,
	CHECKER_APICHECK,
	CHECKER_N_TOOLS,
};

struct checker {
	enum checker_tool tool;
	const char *name; /* as --tool has it: "memcheck" */
	const struct cudasim_observer *observer;
	/* Called once, before the observer is added. False after it has said on stderr
	 * why it cannot work, which ends the process. NULL: nothing to do. */
	bool (*start)(void);
};

extern const struct checker memcheck, racecheck, initcheck, synccheck, leakcheck, apicheck;

/* Whether the options (kernel name, launches to skip and to count) leave this
 * launch to be checked. The same answer for each call of one launch. A checker's
 * want() answers 0 where this is false. */
bool checker_launch(const struct cudasim_launch *launch);

/* Whether this is the process that is checked. It is not in a child that was forked off and ends,
 * where a finish() has nothing to report. */
bool checker_own_process(void);

/* Whether no launch is queued or runs: what is remembered of memory that is freed then
 * can be forgotten. */
bool checker_idle(void);

/* Options that a checker may ask for. Constant from start() on. */
struct checker_options {
	bool tools[CHECKER_N_TOOLS];
	bool leak_check_full;
	uint64_t padding; /* --padding: bytes behind each allocation that nobody may touch */
	enum { RACE_REPORT_ANALYSIS, RACE_REPORT_HAZARD, RACE_REPORT_ALL } race_report;
	bool api_errors;  /* --report-api-errors: report calls that fail */
	bool ignore_unknown_functions; /* --ignore-getprocaddress-notfound */
	bool api_all;     /* apicheck was asked for itself, not only as a part of memcheck */
	/* What becomes of a launch with a finding: NONE, the default: it runs on. */
	enum { DESTROY_NONE, DESTROY_KERNEL, DESTROY_CONTEXT } destroy_on_device_error;
};
extern struct checker_options checker_options;

#endif

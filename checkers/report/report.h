/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - a finding with all that is printed of it, and the forms of the report. */
#ifndef CUDASIM_CHECKERS_REPORT_H
#define CUDASIM_CHECKERS_REPORT_H

#include <stdio.h>

#include "check_options.h"
#include "allocation.h"
#include "backtrace.h"
#include "finding.h"

/* Distinct threads, each as a number that is not 0. */
struct thread_set {
	uint64_t *slots;
	size_t n, n_slots; /* n_slots: 0 or a power of two */
};

/* Who made a launch from device code, who made that one, and so on up to the host's or so
 * many; kernel is NULL behind the last one. */
enum { REPORT_LAUNCHERS = 4 };

/* One finding with its equals. */
struct record {
	struct finding finding; /* launch and thread are NULL: they may have ended */
	uint64_t launch_id;     /* 0: of the host; then number tells the order */
	uint64_t after;         /* printed when launches up to this one have ended */
	uint64_t number;        /* in the order of first reports */
	uint64_t key;
	uint64_t n_times;       /* reports */
	struct thread_set threads;
	uint64_t device_frames[BACKTRACE_MAX]; /* pcs, innermost first; 0-terminated if fewer */
	bool inlined; /* the one frame of the device holds all functions: cudasim_launch's looped */
	uint64_t host_frames[BACKTRACE_MAX]; /* of the launch, or of the host's call */
	struct finding_side launchers[REPORT_LAUNCHERS];
	bool has_allocation, inside;
	struct allocation allocation;
	uint64_t n_later_launches, n_later_times; /* equal ones of launches after it was printed */
	struct record *next; /* of its hash chain */
	struct record *listed; /* of the printed ones */
};

struct report_totals {
	uint64_t n_errors, n_warnings, n_infos; /* findings, equal ones of a launch as one */
	uint64_t n_races_errors, n_races_warnings;
	uint64_t n_unprinted;
	uint64_t leaked_bytes, n_leaked;
};

/* The text: `out` is the log. */
void report_text_begin(FILE *out, const struct check_options *options);
void report_text_finding(FILE *out, const struct check_options *options, const struct record *r);
void report_text_end(FILE *out, const struct check_options *options,
		     const struct report_totals *totals, const struct record *printed);
/* One object a line; the file is complete after each. */
void report_json_finding(FILE *out, const struct record *r);
void report_xml_begin(FILE *out);
void report_xml_finding(FILE *out, const struct record *r);
void report_xml_end(FILE *out, const struct report_totals *totals);

/* Into the file of --sarif (formats/sarif.h), which the first process of a session begins. False
 * after saying on stderr what is wrong. */
bool report_sarif_begin(const struct check_options *options);
void report_sarif_finding(const struct record *r);

/* report_file.c: the name that a pattern of an option stands for (%p, %q{X}, %%), malloc'ed; NULL
 * after saying what is wrong. */
char *report_file_name(const char *option, const char *pattern);
/* Open it: empty, unless another process of the session writes it too. *ret stays as it is where
 * pattern is NULL. */
bool report_file_open(const char *option, const char *pattern, FILE **ret);

/* Opens the files of the options. False after saying on stderr what is wrong. */
bool finding_start(const struct check_options *options);
/* The process ends; status is what it ends with. Returns true if something was found. */
bool finding_finish(void);
/* The process dies: print what is there, without waiting for anybody. In a forked child. */
void finding_last_words(void);
/* In a child that the program forked: what was found is the parent's. */
void finding_forked(void);
/* Launches, for the order of printing (check.c). */
void finding_launch_submit(const struct cudasim_launch *launch);
void finding_launch_end(const struct cudasim_launch *launch);
/* Counts for LEAK SUMMARY. */
void finding_leaked(uint64_t bytes);

/* suppression.c: read the file; false after saying what is wrong. */
bool suppression_read(const char *path);
bool suppression_fits(const struct record *r);
void suppression_write(FILE *out, const char *prefix, const struct record *r);

#endif

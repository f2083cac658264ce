/* SPDX-License-Identifier: Apache-2.0 */
/* check_options.h - the options of `cudasim check`: one table for the command line and
 * for CUDASIM_CHECK_OPTIONS, by which they reach the checkers inside the program. Names
 * are compute-sanitizer's where it has them. */
#ifndef CUDASIM_FORMATS_CHECK_OPTIONS_H
#define CUDASIM_FORMATS_CHECK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cudasim/error.h"

/* In the order of the checkers' enum checker_tool. */
enum { CHECK_N_TOOLS = 6 };
extern const char *const check_tools[CHECK_N_TOOLS];

enum check_filter_kind { CHECK_FILTER_NAME, CHECK_FILTER_SUBSTRING, CHECK_FILTER_REGEX };
/* Of kernels, by their mangled names. */
struct check_filter {
	enum check_filter_kind kind;
	bool exclude;
	char *value;
	struct check_filter *next;
};

enum { CHECK_BACKTRACE_HOST = 1, CHECK_BACKTRACE_DEVICE = 2 };

struct check_options {
	bool tools[CHECK_N_TOOLS];
	struct check_filter *filters;
	uint64_t launch_skip, launch_count; /* count 0: no limit */
	uint64_t print_limit;               /* findings; 0: no limit */
	uint64_t padding;                   /* bytes */
	uint64_t callers_host, callers_device; /* frames; 0: no limit */
	unsigned error_exitcode;            /* 0: the program's own status stays */
	unsigned backtrace;                 /* CHECK_BACKTRACE_* */
	enum { CHECK_API_EXPLICIT, CHECK_API_ALL, CHECK_API_NO } api_errors;
	enum { CHECK_RACE_ANALYSIS, CHECK_RACE_HAZARD, CHECK_RACE_ALL } race_report;
	enum { CHECK_DESTROY_CONTEXT, CHECK_DESTROY_KERNEL, CHECK_DESTROY_NONE } destroy;
	enum { CHECK_LEVEL_INFO, CHECK_LEVEL_WARN, CHECK_LEVEL_ERROR } level;
	bool leak_full;     /* --leak-check full was said */
	bool leak_no;       /* --leak-check no was said */
	bool check_exit_code, root_only, xml, quiet, strip_paths, generate_suppressions;
	bool backtrace_short, ignore_unknown_functions, sarif_api_errors;
	char *log_file, *save, *json, *suppressions, *prefix; /* prefix is never NULL */
	char *sarif,
		*sarif_root; /* root: NULL without sarif; absolute where the driver has set it */
};

/* All defaults: every tool, nothing filtered. */
struct cudasim_error *check_options_init(struct check_options *options);
void check_options_fini(struct check_options *options);

/* The tools of a list ("memcheck,racecheck", "all"); replaces what was there. */
struct cudasim_error *check_options_tools(struct check_options *options, const char *list);

/* Read words[0..n-1] until the first that is no option, or behind "--"; *ret is its index,
 * n where there is none. CUDASIM_E_ARGUMENT names what is wrong, CUDASIM_E_UNSUPPORTED an
 * option of compute-sanitizer's that has no meaning here. */
struct cudasim_error *check_options_read(struct check_options *options, int n, char **words,
					 int *ret);
/* As above, of one text: words with blanks between, `\` before a blank or `\` of a word. */
struct cudasim_error *check_options_read_text(struct check_options *options, const char *text);
/* One such text of words; malloc'ed, NULL where memory is out. */
char *check_options_text(int n, char *const *words);

/* Whether CUDASIM_CHECK and CUDASIM_CHECK_OPTIONS can be read, used or not. */
struct cudasim_error *check_options_env(void);

/* What there is to say about an option. */
struct check_option_text {
	const char *name, *brief; /* without dashes; brief may be NULL */
	const char *words;        /* its value: "FILE", "yes|no"; NULL where it has none */
	const char *help;         /* why, of those without effect or refused; may be NULL then */
	bool may_lack_value, is_accepted, is_refused;
};

/* Of the ith option; false where there is none. */
bool check_options_describe(size_t i, struct check_option_text *ret);

#endif

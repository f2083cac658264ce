/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - `cudasim check`: runs a program with the checkers in it. The options are read
 * here, so that what is wrong with them is said before the program starts, and go on to
 * libcudasim-check.so in CUDASIM_CHECK_OPTIONS. */
#define _GNU_SOURCE
#include "check_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_others.h"
#include "check_run.h"
#include "commands.h"
#include "debug.h"
#include "environment.h"
#include "manual.h"
#include "vendor_tools.h"

static bool option(size_t i, struct manual_option *ret)
{
	static char names[64];
	struct check_option_text text;
	if (!check_options_describe(i, &text))
		return false;
	if (text.brief)
		snprintf(names, sizeof names, "-%s, --%s", text.brief, text.name);
	else
		snprintf(names, sizeof names, "--%s", text.name);
	*ret = (struct manual_option){
		.names = names,
		.value = text.words,
		.text = text.help,
		.joint = text.may_lack_value ? MANUAL_OPTIONAL : MANUAL_WORD,
		.status = text.is_refused    ? MANUAL_REFUSED
			  : text.is_accepted ? MANUAL_ACCEPTED
					     : MANUAL_DONE,
	};
	return true;
}

static const struct manual_row examples[] = {
	{"cudasim check ./app 1000", NULL},
	{"cudasim check --tool racecheck --error-exitcode 1 ./app", NULL},
	{"cudasim check --json findings.json python3 train.py", NULL},
	{0},
};
const struct manual check_manual = {
	.name = "check",
	.summary = "run a program under the checkers",
	.usage = "[OPTIONS] PROGRAM [ARGUMENTS]",
	.text = "Runs PROGRAM, which `cudasim cc` has built, under checkers for invalid accesses, "
		"races, misused barriers, leaks and failed calls. The report goes to stderr; the exit "
		"status is PROGRAM's own. `CUDASIM_CHECK=all ./program` does the same. PROGRAM may "
		"also be one that starts such programs: a script, ctest, mpirun, python.\n"
		"The options are compute-sanitizer's.",
	.option = option,
	.notes =
		"`CUDASIM=0 cudasim check` starts the vendor's compute-sanitizer with the same "
		"arguments. The manual is docs/CHECKERS.md, installed as share/doc/cudasim/CHECKERS.md.",
	.examples = examples,
	.variables = "CUDASIM CUDASIM_CHECK CUDASIM_CHECK_OPTIONS CUDASIM_DEVICE CUDASIM_SCHEDULE",
	.see = "cc debug test",
};

/* Processes that the program starts may be in other folders: the names of files that are
 * not absolute become so. Malloc'ed; NULL where memory is out. */
static char *options_text(const struct check_options *options, int n, char **words)
{
	const struct {
		const char *option, *path;
		bool is_pattern;
	} files[] = {
		{"--log-file", options->log_file, true},
		{"--save", options->save, true},
		{"--json", options->json, true},
		{"--sarif", options->sarif, true},
		{"--sarif-root",
		 options->sarif ? options->sarif_root ? options->sarif_root : "." : NULL, false},
		{"--suppressions", options->suppressions, false},
	};
	enum { N_FILES = sizeof files / sizeof *files };
	char *ret = NULL, *made[N_FILES];
	char **all = calloc((size_t)n + 2 * N_FILES, sizeof *all);
	size_t n_made = 0;
	if (!all)
		goto out;
	memcpy(all, words, (size_t)n * sizeof *all);
	/* Behind this there are no options. */
	n -= n && !strcmp(words[n - 1], "--");
	for (size_t i = 0; i < N_FILES; i++) {
		if (!files[i].path || *files[i].path == '/')
			continue;
		char *path = check_run_path(files[i].path, files[i].is_pattern);
		if (!path)
			goto out;
		all[n++] = (char *)files[i].option;
		all[n++] = made[n_made++] = path;
	}
	ret = check_options_text(n, all);
out:
	while (n_made)
		free(made[--n_made]);
	free(all);
	return ret;
}

static struct cudasim_error *start(const struct check_options *options, char **words, int at,
				   int *ret)
{
	struct cudasim_error *error = NULL;
	char *program = NULL, *sarif = NULL, *text = options_text(options, at, words);
	if (!text)
		return &cudasim_error_nomem;
	error = debug_find_program(words[at], &program);
	/* What is no program of ours may start some. */
	struct cudasim_error *not_ours = error ? NULL : debug_check_program(program);
	bool others = not_ours && not_ours->code == CUDASIM_E_FORMAT && !options->root_only &&
		      !access(program, X_OK);
	if (not_ours && !others) {
		error = not_ours;
		not_ours = NULL;
	}
	cudasim_error_free(not_ours);
	if (!error && others && options->save && !strchr(options->save, '%'))
		error = cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"--save %s: each process writes a file of its own here, so put %%p into its name",
			options->save);
	if (!error && (setenv("CUDASIM", "1", 1) || setenv("CUDASIM_CHECK", "all", 1) ||
		       /* What is empty is refused. */
		       (*text ? setenv("CUDASIM_CHECK_OPTIONS", text, 1)
			      : unsetenv("CUDASIM_CHECK_OPTIONS"))))
		error = &cudasim_error_nomem;
	if (!error && options->sarif)
		error = check_run_sarif(options->sarif, options->sarif_root, &sarif);
	if (!error)
		error = others ? environment_enter_if_found() : environment_enter_names();
	if (!error && others) {
		error = check_others_run(program, words + at, options->error_exitcode,
					 options->quiet, sarif, ret);
	} else if (!error) {
		execv(program, words + at);
		error = cudasim_error_errno(errno, "cannot run '%s'", program);
	}
	free(program);
	free(sarif);
	free(text);
	return error;
}

struct cudasim_error *command_check(int n, char **arguments, int *ret)
{
	struct check_options options;
	int at = 0;
	*ret = 0;
	if (vendor_tools_wanted())
		return vendor_tool_run("compute-sanitizer", n, arguments);
	if (n == 2 && (!strcmp(arguments[1], "--help") || !strcmp(arguments[1], "-h"))) {
		manual_print(stdout, &check_manual);
		return NULL;
	}
	if (n == 2 && (!strcmp(arguments[1], "--version") || !strcmp(arguments[1], "-v"))) {
		puts("cudasim " CUDASIM_VERSION);
		return NULL;
	}
	struct cudasim_error *error = check_options_init(&options);
	if (error)
		return error;
	error = check_options_read(&options, n - 1, arguments + 1, &at);
	if (!error && at == n - 1)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "no program to check; see `cudasim help check`");
	if (!error)
		error = start(&options, arguments + 1, at, ret);
	check_options_fini(&options);
	return error;
}

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

#include "commands.h"
#include "debug.h"
#include "vendor_tools.h"

void check_usage(FILE *out)
{
	fputs("usage: cudasim check [OPTIONS] PROGRAM [ARGUMENTS]\n"
	      "\n"
	      "Runs PROGRAM, which cudasim cc has built, with checkers that look for bad accesses, races,\n"
	      "misused barriers, leaks and failed calls. The report goes to stderr; the exit status is\n"
	      "PROGRAM's own. CUDASIM_CHECK=all ./program does the same. docs/CHECKERS.md is the manual.\n"
	      "\n", out);
	check_options_list(out);
	fputs("\nCUDASIM=0 cudasim check is the vendor's compute-sanitizer, with all arguments as they\n"
	      "are.\n", out);
}

static struct cudasim_error *start(char **words, int n, int at)
{
	struct cudasim_error *error = NULL;
	char *program = NULL, *text = check_options_text(at, words);
	if (!text)
		return &cudasim_error_nomem;
	error = debug_find_program(words[at], &program);
	if (!error)
		error = debug_check_program(program);
	if (!error && (setenv("CUDASIM", "1", 1) || setenv("CUDASIM_CHECK", "all", 1) ||
		       setenv("CUDASIM_CHECK_OPTIONS", text, 1)))
		error = &cudasim_error_nomem;
	if (!error) {
		(void)n;
		execv(program, words + at);
		error = cudasim_error_errno(errno, "cannot run '%s'", program);
	}
	free(program);
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
		check_usage(stdout);
		return NULL;
	}
	struct cudasim_error *error = check_options_init(&options);
	if (error)
		return error;
	error = check_options_read(&options, n - 1, arguments + 1, &at);
	check_options_fini(&options);
	if (!error && at == n - 1)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
			"no program to check; `cudasim help check` tells more");
	return error ? error : start(arguments + 1, n - 1, at);
}

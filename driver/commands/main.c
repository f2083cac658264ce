/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "command_table.h"
#include "commands.h"
#include "error.h"
#include "must.h"
#include "step_table.h"
#include "words.h"

/* One line on stderr, with what may have been meant. */
static void unknown(const char *word)
{
	const char *dot = strrchr(word, '.'), *near = help_nearest(word);
	fprintf(stderr, "cudasim: '%s' is not a command", word);
	if (dot && !strcmp(dot, ".cu"))
		fprintf(stderr, ": `cudasim cc %s` compiles it\n", word);
	else if (strchr(word, '/') && !access(word, X_OK))
		fprintf(stderr, ": to simulate a program, run CUDASIM=1 %s\n", word);
	else if (near)
		fprintf(stderr, ": is '%s' meant? `cudasim help` lists them\n", near);
	else
		fputs("; `cudasim help` lists them\n", stderr);
}

/* The command that an option stands for. */
static const char *spelling(const char *word)
{
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return "help";
	return strcmp(word, "--version") ? word : "version";
}

static int finish(const char *speaker, struct cudasim_error *error, int status)
{
	if (!error)
		return status;
	fprintf(stderr, "%s%s\n", speaker, error->message);
	cudasim_error_free(error);
	return 1;
}

int main(int n, char **arguments)
{
	int status = 0;
	must_policy("cudasim", 1);
	/* A step of cc has nobody to work for when its driver is gone. */
	if (n > 1 && step_is(arguments[1])) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return step_main(n - 1, arguments + 1);
	}
	const char *name = strrchr(arguments[0], '/');
	name = name ? name + 1 : arguments[0];
	/* As the scripts of the toolkit's folder say it. */
	if (n > 1 && (!strcmp(arguments[1], "nvcc") || !strcmp(arguments[1], "ptxas"))) {
		name = arguments[1];
		arguments++;
		n--;
	}
	/* Under nvcc's name errors are worded as nvcc's, for build systems that look. */
	if (!strcmp(name, "nvcc")) {
		struct cudasim_error *error = command_cc(n, arguments, &status);
		return finish("nvcc fatal   : ", error, status);
	}
	if (!strcmp(name, "ptxas")) {
		struct cudasim_error *error = command_ptxas(n, arguments, &status);
		return finish("ptxas fatal   : ", error, status) ? 255 : 0;
	}
	if (n < 2) {
		struct cudasim_error *error = command_help(1, arguments, &status);
		return finish("cudasim: ", error, 1);
	}
	/* cc has options of its own that are these. */
	if (n == 3 && strcmp(arguments[1], "cc") &&
	    (!strcmp(arguments[2], "--help") || !strcmp(arguments[2], "-h")) &&
	    command_named(arguments[1]))
		return finish("cudasim: ", command_help(2, arguments, &status), status);
	const char *word = spelling(arguments[1]);
	const struct command_row *row = command_named(word);
	if (row) {
		struct cudasim_error *error = row->run(n - 1, arguments + 1, &status);
		return finish(strcmp(word, "cc") ? "cudasim: " : "cudasim cc: error: ", error,
			      status);
	}
	unknown(arguments[1]);
	return 1;
}

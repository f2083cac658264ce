/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "commands.h"
#include "error.h"
#include "must.h"
#include "places.h"
#include "step_table.h"
#include "toolkit_tree.h"
#include "words.h"

struct cudasim_error *command_paths(int n, char **arguments, int *ret)
{
	*ret = 0;
	if (n > 1)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "%s takes no arguments", arguments[0]);
	struct places places;
	struct cudasim_error *error = places_find(&places);
	if (error)
		return error;
	struct toolkit_hints hints = toolkit_hints_here(&places);
	struct toolkit toolkit;
	char *root = NULL;
	error = toolkit_find(&hints, NULL, &toolkit);
	if (!error) {
		error = toolkit_tree_make(&places, &toolkit, &root);
		toolkit_fini(&toolkit);
	}
	if (!error)
		printf("%s%s\n", root, strcmp(arguments[0], "nvcc-path") ? "" : "/bin");
	free(root);
	free((char *)hints.cache);
	places_fini(&places);
	return error;
}

struct cudasim_error *command_fetch_toolkit(int n, char **arguments, int *ret)
{
	(void)n;
	(void)ret;
	struct places places;
	struct cudasim_error *error = places_find(&places);
	if (error)
		return error;
	execv(places.fetch, arguments);
	error = cudasim_error_errno(errno, "cannot run '%s'", places.fetch);
	places_fini(&places);
	return error;
}

static struct cudasim_error *command_version(int n, char **arguments, int *ret)
{
	(void)n;
	(void)arguments;
	*ret = 0;
	puts("cudasim " CUDASIM_VERSION);
	return NULL;
}

static const struct {
	const char *name;
	struct cudasim_error *(*run)(int n, char **arguments, int *ret);
} commands[] = {
	{"cc", command_cc},
	{"cache", command_cache},
	{"test", command_test},
	{"run", command_run},
	{"python", command_python},
	{"env", command_env},
	{"debug", command_debug},
	{"check", command_check},
	{"profile", command_profile},
	{"compare", command_compare},
	{"doctor", command_doctor},
	{"help", command_help},
	{"--help", command_help},
	{"-h", command_help},
	{"--version", command_version},
	{"version", command_version},
	{"nvcc-path", command_paths},
	{"toolkit-path", command_paths},
	{"fetch-toolkit", command_fetch_toolkit},
};

/* Does help explain it? Not a word that is an option. */
static bool is_command(const char *word)
{
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(word, commands[i].name))
			return *word != '-';
	return false;
}

/* One line on stderr, with what may have been meant. */
static void unknown(const char *word)
{
	const char *dot = strrchr(word, '.'), *near = help_nearest(word);
	fprintf(stderr, "cudasim: '%s' is not a command", word);
	if (dot && !strcmp(dot, ".cu"))
		fprintf(stderr, ": `cudasim cc %s` compiles it\n", word);
	else if (strchr(word, '/') && !access(word, X_OK))
		fprintf(stderr, ": to simulate a program, run CUDASIM=1 %s\n", word);
	else if (near && is_command(near))
		fprintf(stderr, ": is '%s' meant? `cudasim help` lists them\n", near);
	else
		fputs("; `cudasim help` lists them\n", stderr);
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
	    is_command(arguments[1]))
		return finish("cudasim: ", command_help(2, arguments, &status), status);
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(arguments[1], commands[i].name)) {
			struct cudasim_error *error = commands[i].run(n - 1, arguments + 1,
								      &status);
			return finish(strcmp(arguments[1], "cc") ? "cudasim: "
								 : "cudasim cc: error: ",
				      error, status);
		}
	unknown(arguments[1]);
	return 1;
}

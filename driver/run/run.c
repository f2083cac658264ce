/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - `cudasim run`, `cudasim python` and `cudasim env`. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "environment.h"
#include "manual.h"

static const struct manual_row run_examples[] = {
	{"cudasim run python3 train.py", NULL},
	{"cudasim run python3 -m pytest", NULL},
	{"cudasim run ./a_program_that_opens_libcuda", NULL},
	{0},
};
static const struct manual_row run_statuses[] = {
	{"126", "PROGRAM cannot be executed"},
	{"127", "there is no PROGRAM"},
	{"any other", "is PROGRAM's"},
	{0},
};
const struct manual run_manual = {
	.name = "run",
	.summary = "run a program that opens NVIDIA's libraries by name",
	.usage = "PROGRAM [ARGUMENTS]",
	.text = "Runs PROGRAM on the simulator. It and all that it starts find cudasim's libraries "
		"under the names of NVIDIA's (libcuda.so.1, libcudart.so.12 and .13, libnvrtc, ...), "
		"also where NVIDIA's are installed beside it, and cudasim's nvcc and ptxas. Nothing "
		"else on the machine changes.\n"
		"`cudasim python` runs python3. `cudasim debug` and `cudasim check` set the same up for "
		"programs that `cudasim cc` has not linked. `cudasim env` prints the variables that do "
		"it. The manual is docs/python.md, installed as share/doc/cudasim/python.md.",
	.examples = run_examples,
	.statuses = run_statuses,
	.variables = "CUDASIM_CACHE CUDASIM_COMPILE_SERVER CUDASIM_DEVICE CUDASIM_TOOLKIT",
	.see = "python env debug check",
};

const struct manual python_manual = {
	.name = "python",
	.summary = "run python3, as run does with other programs",
	.usage = "[ARGUMENTS]",
	.text = "Runs python3 with these arguments on the simulator, as `cudasim run python3 "
		"[ARGUMENTS]` does.",
	.see = "run test",
};

static const struct manual_option env_options[] = {
	MANUAL_OPTION("--sh", NULL, "for sh, bash and zsh (default)"),
	MANUAL_OPTION("--csh", NULL, "for csh and tcsh"),
	MANUAL_OPTION("--fish", NULL, "for fish"),
	{0},
};
static const struct manual_row env_examples[] = {
	{"eval \"$(cudasim env)\"", NULL},
	{"cudasim env --fish | source", NULL},
	{0},
};
const struct manual env_manual = {
	.name = "env",
	.summary = "print the variables under which run runs programs",
	.usage = "[OPTION]",
	.text = "Prints the variables under which `cudasim run` runs programs, for a shell to read.\n"
		"The variables that cudasim itself looks at are listed below.",
	.options = env_options,
	.examples = env_examples,
	.see = "run",
};

/* Answers only where it fails; with a shell's exit status. */
static struct cudasim_error *become(char **words, int *ret)
{
	struct cudasim_error *error = environment_enter();
	if (error)
		return error;
	execvp(words[0], words);
	fprintf(stderr, "cudasim: cannot run '%s': %s\n", words[0], strerror(errno));
	*ret = errno == ENOENT ? 127 : 126;
	return NULL;
}

struct cudasim_error *command_run(int n, char **arguments, int *ret)
{
	int at = 1;
	*ret = 0;
	if (n > 1 && !strcmp(arguments[1], "--"))
		at++;
	else if (n > 1 && *arguments[1] == '-')
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "'%s': run has no options; see `cudasim help run`",
					 arguments[1]);
	if (at == n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "no program to run; see `cudasim help run`");
	return become(arguments + at, ret);
}

struct cudasim_error *command_python(int n, char **arguments, int *ret)
{
	struct words words = {0};
	*ret = 0;
	words_add(&words, "python3");
	for (int i = 1; i < n; i++)
		words_add(&words, arguments[i]);
	struct cudasim_error *error = become(words.at, ret);
	words_fini(&words);
	return error;
}

/* ---- for shells -------------------------------------------------------------------------- */

/* How a shell sets a variable, and what it takes as a special character between single quotes,
 * each with the text that stands for it. */
static const struct shell {
	const char *option, *before, *between, *after;
	struct {
		char character;
		const char *text;
	} special[3];
} shells[] = {
	{"--sh", "export ", "=", "\n", {{'\'', "'\\''"}}},
	{"--csh", "setenv ", " ", ";\n", {{'\'', "'\\''"}, {'!', "\\!"}, {'\n', "\\\n"}}},
	{"--fish", "set -gx ", " ", "\n", {{'\'', "\\'"}, {'\\', "\\\\"}}},
};

static void print_quoted(const struct shell *shell, const char *value)
{
	putchar('\'');
	for (; *value; value++) {
		const char *text = NULL;
		for (size_t i = 0; i < 3 && shell->special[i].text; i++)
			if (shell->special[i].character == *value)
				text = shell->special[i].text;
		if (text)
			fputs(text, stdout);
		else
			putchar(*value);
	}
	putchar('\'');
}

struct cudasim_error *command_env(int n, char **arguments, int *ret)
{
	const struct shell *shell = n == 1 ? shells : NULL;
	struct environment environment;
	*ret = 0;
	for (size_t i = 0; n == 2 && i < sizeof shells / sizeof *shells; i++)
		if (!strcmp(arguments[1], shells[i].option))
			shell = &shells[i];
	if (!shell)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "env takes --sh, --csh or --fish; see `cudasim help env`");
	struct cudasim_error *error = environment_make(&environment);
	if (error)
		return error;
	for (size_t i = 0; i < environment.names.n; i++) {
		printf("%s%s%s", shell->before, environment.names.at[i], shell->between);
		print_quoted(shell, environment.values.at[i]);
		fputs(shell->after, stdout);
	}
	environment_fini(&environment);
	return NULL;
}

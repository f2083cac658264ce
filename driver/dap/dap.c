/* SPDX-License-Identifier: Apache-2.0 */
/* dap.c - `cudasim dap`: the Debug Adapter Protocol on the standard streams or on a port. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "listen.h"
#include "manual.h"
#include "session.h"

static const struct manual_option options[] = {
	MANUAL_OPTION("--listen", "PORT",
		      "serve clients that connect to this port of 127.0.0.1; 0: any, which is "
		      "printed; without it the client is on the standard streams"),
	MANUAL_OPTION(
		"--connect", "PID",
		"run the program that follows for the adapter with this process number, which "
		"the adapter asks of a client's terminal"),
	{0},
};

static const struct manual_row examples[] = {
	{"cudasim dap", "what an editor starts"},
	{"cudasim dap --listen 4711", "for editors that connect to a port"},
	{"CUDASIM_DEBUG=wait ./app", "then attach to it with its \"pid\""},
	{0},
};

const struct manual dap_manual = {
	.name = "dap",
	.summary = "debug programs in an editor",
	.usage = "[--listen PORT]\n--connect PID -- PROGRAM [ARGUMENTS]",
	.text = "Speaks the Debug Adapter Protocol, with which VS Code, neovim, Emacs, Kate and "
		"others debug. An editor starts it and sends `launch` with the program, or `attach` "
		"with the number of a process that was started with `CUDASIM_DEBUG=wait`.\n"
		"The program's debugger is that of `cudasim debug`, whose commands the editor's debug "
		"console takes.",
	.options = options,
	.notes =
		"A port is served only for processes of the same user. docs/editors.md, installed as "
		"share/doc/cudasim/editors.md, has the configuration of each editor.",
	.examples = examples,
	.variables = "CUDASIM_DEBUG CUDASIM_CHECK CUDASIM_DEVICE",
	.see = "debug check",
};

/* The client's streams get other numbers, so that nothing else is written to them. */
static struct cudasim_error *serve_streams(void)
{
	int in = fcntl(0, F_DUPFD_CLOEXEC, 3), out = fcntl(1, F_DUPFD_CLOEXEC, 3);
	int none = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (isatty(0))
		fputs("cudasim dap: an editor starts this and speaks with it; `cudasim help dap` says "
		      "more\n",
		      stderr);
	if (in < 0 || out < 0 || none < 0)
		return cudasim_error_new(CUDASIM_E_SYSTEM,
					 "the standard streams are needed for a client");
	dup2(none, 0);
	dup2(2, 1);
	close(none);
	return session_run(in, out);
}

static struct cudasim_error *run_for(const char *number, int n, char **words)
{
	char *end;
	long pid = strtol(number, &end, 10);
	if (end == number || *end || pid <= 0)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "'%s' is no number of a process",
					 number);
	if (n && !strcmp(words[0], "--")) {
		words++;
		n--;
	}
	return program_in_terminal((pid_t)pid, n, words);
}

struct cudasim_error *command_dap(int n, char **arguments, int *ret)
{
	*ret = 0;
	if (n == 1)
		return serve_streams();
	const char *option = arguments[1], *value = strchr(option, '=');
	if (n == 2 && (!strcmp(option, "--help") || !strcmp(option, "-h"))) {
		manual_print(stdout, &dap_manual);
		return NULL;
	}
	size_t length = value ? (size_t)(value - option) : strlen(option);
	bool listens = length == 8 && !strncmp(option, "--listen", 8);
	bool connects = length == 9 && !strncmp(option, "--connect", 9);
	int next = value ? 2 : 3;
	value = value ? value + 1 : n > 2 ? arguments[2] : NULL;
	if (!listens && !connects)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"cudasim dap has no option '%s'; `cudasim help dap` lists them", option);
	if (!value)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "'%s' needs a number", option);
	if (connects)
		return run_for(value, n - next, arguments + next);
	if (n > next)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "'%s' is one word too many",
					 arguments[next]);
	return listen_serve(value);
}

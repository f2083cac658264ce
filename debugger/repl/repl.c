/* SPDX-License-Identifier: Apache-2.0 */
/* repl.c - read a line, run it, print what went wrong.
 *
 * Errors end in text here. After an error in a command file the file goes on, unless
 * `set script-errors stop`. */
#define _GNU_SOURCE
#include "repl.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command_table.h"
#include "commands.h"
#include "console.h"
#include "dap.h"
#include "dap_session.h"
#include "error.h"
#include "host.h"
#include "input.h"
#include "repl_state.h"
#include "restart.h"
#include "restart_state.h"
#include "history.h"
#include "recording.h"
#include "run.h"
#include "session.h"
#include "setting.h"
#include "shell_state.h"
#include "stops_state.h"
#include "tables.h"
#include "text.h"

/* ---- the session file --------------------------------------------------------------- */

static void keep(char ***lines, size_t *n, const char *line)
{
	char **more = realloc(*lines, (*n + 1) * sizeof **lines);
	if (!more)
		return;
	*lines = more;
	(*lines)[(*n)++] = strdup(line);
}

static void keep_source(const char *path)
{
	struct repl_session *own = &repl_state()->session;
	char *line = NULL;
	if (asprintf(&line, "source %s", path) > 0)
		keep(&own->first, &own->n_first, line);
	free(line);
}

static void session_line(const char *word, const char *rest, int *out, int *in)
{
	struct repl_session *own = &repl_state()->session;
	if (!strcmp(word, "console"))
		*out = atoi(rest);
	else if (!strcmp(word, "input"))
		*in = atoi(rest);
	else if (!strcmp(word, "stream"))
		restart_stream_is((unsigned)strtoul(rest, NULL, 10),
				  atoi(rest + strcspn(rest, " ")));
	else if (!strcmp(word, "terminal"))
		restart_terminal_is(rest);
	else if (!strcmp(word, "batch"))
		shell_state()->is_batch = true;
	else if (!strcmp(word, "quiet"))
		own->is_quiet = true;
	else if (!strcmp(word, "return-child-result"))
		own->gives_result = true;
	else if (!strcmp(word, "no-rc"))
		own->reads_rc = false;
	else if (!strcmp(word, "no-home-rc"))
		own->reads_home_rc = false;
	else if (!strcmp(word, "again"))
		own->is_again = true;
	else if (!strcmp(word, "args"))
		program_arguments_are(rest);
	else if (!strcmp(word, "run"))
		own->runs_at_once = true;
	else if (!strcmp(word, "follow"))
		own->follows = true;
	else if (!strcmp(word, "dap")) {
		own->is_dap = true;
		own->dap = atoi(rest);
	} else if (!strcmp(word, "dap-launched"))
		own->dap_launched = true;
	else if (!strcmp(word, "dap-state"))
		own->dap_known = strdup(rest);
	else if (!strcmp(word, "silent") || !strcmp(word, "search"))
		keep(&own->silent, &own->n_silent, rest);
	else if (!strcmp(word, "x"))
		keep_source(rest);
	else if (!strcmp(word, "ex"))
		keep(&own->first, &own->n_first, rest);
}

static void read_lines(FILE *file, bool for_search, int *out, int *in)
{
	struct repl_session *own = &repl_state()->session;
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	unsigned long left = 0;
	while ((n = getline(&line, &size, file)) > 0) {
		char word[32];
		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		const char *rest = line;
		if (left) {
			left--;
			keep(&own->pending, &own->n_pending, line);
			continue;
		}
		text_word(&rest, word, sizeof word);
		if (!strcmp(word, "lines"))
			left = strtoul(rest, NULL, 10);
		else if (!for_search || !strcmp(word, "search"))
			session_line(word, rest, out, in);
	}
	free(line);
}

static void read_session(int *out, int *in)
{
	const char *path = getenv(SESSION_VARIABLE), *debug = getenv("CUDASIM_DEBUG");
	repl_state()->session.is_dap = debug && !strcmp(debug, "wait");
	FILE *file = path ? fopen(path, "re") : NULL;
	if (file) {
		read_lines(file, false, out, in);
		fclose(file);
	}
	/* Programs that this one starts are not debugged. */
	if (path && !strncmp(path, "/proc/self/fd/", 14))
		close(atoi(path + 14));
	restart_variables_take();
}

static void write_options(FILE *out)
{
	struct repl_session *own = &repl_state()->session;
	if (own->is_dap)
		dap_session_save(out);
	if (shell_state()->is_batch)
		fputs("batch\n", out);
	if (own->gives_result)
		fputs("return-child-result\n", out);
	for (size_t i = 0; i < own->n_first; i++)
		fprintf(out, "ex %s\n", own->first[i]);
	/* Where the program executes another one before their turn has come. */
	if (own->n_pending)
		fprintf(out, "lines %zu\n", own->n_pending);
	for (size_t i = 0; i < own->n_pending; i++)
		fprintf(out, "%s\n", own->pending[i]);
}

/* ---- beginning ------------------------------------------------------------------------ */

static void run_all(const char *name, char **lines, size_t n)
{
	input_push(name, (const char *const *)lines, n);
	repl_report(repl_run_inputs(0));
}

/* .cudasimrc in the home folder, then here, where that is another file. */
static void run_rc(void)
{
	const char *home = repl_state()->session.reads_home_rc ? getenv("HOME") : NULL;
	char *path = NULL;
	struct stat one, other;
	bool is_there = home && asprintf(&path, "%s/.cudasimrc", home) > 0 && !stat(path, &one);
	if (is_there && !input_push_file(path))
		repl_report(repl_run_inputs(0));
	if (!stat(".cudasimrc", &other) &&
	    !(is_there && one.st_ino == other.st_ino && one.st_dev == other.st_dev) &&
	    !input_push_file(".cudasimrc"))
		repl_report(repl_run_inputs(0));
	free(path);
}

static void greet(void)
{
	struct repl_session *own = &repl_state()->session;
	const char *missing = NULL;
	struct cudasim_error *error = symbols_load(&missing);
	if (!own->is_quiet && !own->is_again && !shell_state()->is_batch && console_is_terminal())
		fputs("cudasim's debugger; type \"help\" for help.\n", console());
	if (!own->is_again && !own->is_dap)
		fprintf(console(), "Reading symbols from %s...\n", program_invocation_name);
	repl_report(error);
	if (host_main_has_begun() && !own->is_again)
		fputs("The program has loaded libcudasim in main() and has stopped there. (`cudasim "
		      "debug PROGRAM`\n"
		      "starts before main().)\n",
		      console());
	if (missing && !own->is_again)
		fprintf(console(), "%s\n", missing);
}

/* Silent: without the echo of restored breakpoints. */
static void restore(void)
{
	struct repl_session *own = &repl_state()->session;
	FILE *real = console(), *none = fopen("/dev/null", "we");
	if (none)
		console_set(none);
	run_all("session", own->silent, own->n_silent);
	console_set(real);
	if (none)
		fclose(none);
	repl_forget_failure();
}

static void flush_program(void)
{
	if (ftrylockfile(stdout))
		return;
	fflush(stdout);
	funlockfile(stdout);
}

static void end(bool by_eof)
{
	struct repl_session *own = &repl_state()->session;
	int status = 0;
	/* A rank of mpirun, a job of a queue: nobody has said what to do. */
	if (by_eof && !input_is_terminal() && !own->has_read && !own->is_again) {
		fputs("The input is at its end, and no command has been given: the program was not run. "
		      "Give commands\nwith -batch and -x FILE or -ex COMMAND.\n",
		      console());
		status = 1;
	}
	if (shell_state()->is_batch && repl_has_failed())
		status = 1;
	if (own->gives_result && stop_current()->kind == STOP_EXITED)
		status = stop_current()->exit_status;
	if (by_eof && input_is_terminal())
		fputs("quit\n", console());
	repl_quit(status);
}

__attribute__((noreturn)) static void read_commands(void)
{
	struct repl_session *own = &repl_state()->session;
	repl_report(repl_run_inputs(0));
	/* One at a time: a restart hands the rest on. */
	while (own->n_first) {
		char *line = own->first[0];
		memmove(own->first, own->first + 1, --own->n_first * sizeof *own->first);
		console_new_command();
		repl_report(command_execute(line));
		free(line);
	}
	if (shell_state()->is_batch)
		end(false);
	for (;;) {
		/* What a session has brought that went on elsewhere meanwhile. */
		repl_report(repl_run_inputs(0));
		flush_program();
		fflush(console());
		char *line = input_line(shell_state()->prompt);
		if (!line)
			end(true);
		if (input_is_terminal())
			interrupt_forget();
		else
			interrupt_drop();
		own->has_read = true;
		repl_report(repl_run_line(line));
		free(line);
	}
}

/* What the session file has left of scripts is read first. */
static void push_pending(void)
{
	struct repl_session *own = &repl_state()->session;
	own->has_read |= own->n_first || own->n_pending;
	if (own->n_pending)
		input_push("script", (const char *const *)own->pending, own->n_pending);
	own->n_pending = 0; /* the input hands on what is left of them */
}

static void *repl_main(void *arg)
{
	struct repl_session *own = &repl_state()->session;
	(void)arg;
	pthread_setname_np(pthread_self(), "cudasim debug");
	program_await_start();
	greet();
	if (!own->is_again && own->reads_rc)
		run_rc();
	restore();
	if (own->is_dap) {
		dap_main(own->follows);
		return NULL;
	}
	if (own->runs_at_once)
		repl_report(command_execute("run"));
	if (own->follows)
		repl_report(program_go());
	push_pending();
	read_commands();
}

/* ---- the session in another copy of the process (recording.h) ------------------------------- */

static char *session_text(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return strdup("");
	session_write(out);
	fclose(out);
	return text;
}

static void drop_lines(char **lines, size_t *n)
{
	while (*n)
		free(lines[--*n]);
}

static void session_take(const char *text, bool for_search)
{
	struct repl_session *own = &repl_state()->session;
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int out, in;
	if (!file)
		return;
	while (stops_state()->breakpoints)
		breakpoint_delete(stops_state()->breakpoints);
	drop_lines(own->silent, &own->n_silent);
	input_drop(0);
	shell_state()->confirm = false; /* as the session says, from here on */
	if (!for_search) {
		cudasim_error_free(command_execute("undisplay"));
		cudasim_error_free(command_execute("skip delete"));
		drop_lines(own->first, &own->n_first);
		drop_lines(own->pending, &own->n_pending);
		settings_reset();
		history_forget();
		checkpoints_forget();
	}
	read_lines(file, for_search, &out, &in);
	fclose(file);
	if (!for_search && own->is_dap && own->dap_known)
		dap_session_restore(own->dap_known);
	restore();
	if (!for_search)
		push_pending();
}

static void session_serve(void)
{
	read_commands();
}

struct cudasim_error *repl_start(void)
{
	struct repl_session *own = &repl_state()->session;
	pthread_t pthread;
	int out = -1, in = 0;
	command_tables_set();
	restart_state()->write_options = write_options;
	run_hooks()->follows = program_follow;
	read_session(&out, &in);
	*record_hooks() = (struct record_hooks){session_text, session_take,
						own->is_dap ? dap_told : program_arrived,
						own->is_dap ? dap_serve : session_serve};
	if (own->is_dap)
		out = in = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (out < 0)
		out = dup(1);
	restart_streams_keep();
	input_start(in);
	struct cudasim_error *error = console_start(out);
	if (!error && own->is_dap)
		error = dap_start(own->dap, own->dap_launched);
	if (error)
		return error;
	if (own->dap_known)
		dap_session_restore(own->dap_known);
	error = baton_pthread_start(repl_main, &pthread);
	if (!error)
		pthread_detach(pthread);
	return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* restart.c - the program from its beginning: the process executes its file again, and
 * the session goes on there.
 *
 * What the user has set is written as commands into a file in memory that the new
 * process reads (session.h). The arguments go through a shell, as gdb's do, so that
 * they may redirect the program's input and output; the console keeps its descriptors. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command_table.h"
#include "control.h"
#include "error.h"
#include "input.h"
#include "lineedit.h"
#include "repl.h"
#include "session.h"

static void (*saves[16])(FILE *out);
static size_t n_saves;
/* The standard streams that the session began with: what a run has that is not redirected. */
static int streams[3] = {-1, -1, -1};
static char *terminal, *terminal_now; /* set inferior-tty; that of this process */

void restart_saves(void (*save)(FILE *out))
{
	if (n_saves < sizeof saves / sizeof *saves)
		saves[n_saves++] = save;
}

/* A copy of fd that survives exec, beyond those that shells use. */
static int kept(int fd)
{
	int ret = fcntl(fd, F_DUPFD, 20);
	return ret < 0 ? fd : ret;
}

void restart_stream_is(unsigned number, int fd)
{
	if (number < 3)
		streams[number] = fd;
}

void restart_streams_keep(void)
{
	for (int i = 0; i < 3; i++)
		if (streams[i] < 0)
			streams[i] = kept(i);
}

void restart_terminal_is(const char *path)
{
	free(terminal_now);
	terminal_now = strdup(path);
}

bool restart_terminal_changed(void)
{
	return strcmp(terminal ? terminal : "", terminal_now ? terminal_now : "") != 0;
}

/* The new program's standard streams: the terminal, else what the session began with. */
static struct cudasim_error *open_streams(void)
{
	if (!terminal || !*terminal) {
		for (int i = 0; i < 3; i++)
			if (streams[i] >= 0)
				dup2(streams[i], i);
		return NULL;
	}
	int fd = open(terminal, O_RDWR | O_NOCTTY);
	if (fd < 0)
		return cudasim_error_new(CUDASIM_E_SYSTEM, "%s: %s.", terminal, strerror(errno));
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
	return NULL;
}

static const struct setting settings[] = {
	{.name = "inferior-tty", .kind = SETTING_TEXT, .value = &terminal,
	 .show = "Terminal for future runs of program being debugged is \"%s\".",
	 .summary = "The terminal or file that the program's standard streams are on in later runs."},
};

__attribute__((constructor)) static void start(void)
{
	settings_add(settings, sizeof settings / sizeof *settings);
}

/* Text of what one function writes; the caller frees it. */
static char *text_of(void (*save)(FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	save(out);
	fclose(out);
	return text;
}

static void write_prefixed(FILE *out, const char *prefix, void (*save)(FILE *out))
{
	char *text = text_of(save), *rest = NULL;
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		if (strncmp(line, "set args ", 9) != 0)
			fprintf(out, "%s%s\n", prefix, line);
	free(text);
}

static void save_inputs(FILE *out)
{
	input_save(out, "");
}

static void write_pending(FILE *out)
{
	char *text = text_of(save_inputs);
	size_t n = 0;
	for (const char *c = text; c && *c; c++)
		n += *c == '\n';
	if (n)
		fprintf(out, "lines %zu\n%s", n, text);
	free(text);
}

static void write_session(FILE *out, const char *arguments, bool run, int console_fd, int input_fd)
{
	fprintf(out, "again\nconsole %d\ninput %d\nargs %s\n", console_fd, input_fd, arguments);
	write_prefixed(out, "silent ", settings_save);
	write_prefixed(out, "silent ", definitions_save);
	for (size_t i = 0; i < n_saves; i++)
		write_prefixed(out, "silent ", saves[i]);
	for (int i = 0; i < 3; i++)
		if (streams[i] >= 0)
			fprintf(out, "stream %d %d\n", i, streams[i]);
	if (terminal && *terminal)
		fprintf(out, "terminal %s\n", terminal);
	if (run)
		fputs("run\n", out);
	session_options(out);
	write_pending(out);
}

struct cudasim_error *program_restart(const char *arguments, bool run)
{
	int fd = memfd_create("cudasim debug", 0);
	FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");
	char path[64], program[PATH_MAX], *line = NULL;
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	if (!out || n <= 0)
		return cudasim_error_errno(errno, "Cannot start the program again");
	program[n] = 0;
	if (!arguments)
		arguments = program_arguments();
	int input = kept(input_descriptor());
	write_session(out, arguments, run, kept(console_descriptor()), input);
	fclose(out);
	struct cudasim_error *error = open_streams();
	if (error) {
		close(fd);
		close(input);
		return error;
	}
	input_start(input);
	lseek(fd, 0, SEEK_SET);
	snprintf(path, sizeof path, "/proc/self/fd/%d", kept(fd));
	setenv(SESSION_VARIABLE, path, 1);
	setenv("CUDASIM_DEBUG", "1", 1);
	setenv("CUDASIM", "1", 1);
	if (asprintf(&line, "exec \"$0\" %s", arguments) < 0)
		return &cudasim_error_nomem;
	lineedit_save();
	fflush(console);
	/* What the debugger has blocked is not the new program's. */
	sigset_t none;
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	execl("/bin/sh", "sh", "-c", line, program, (char *)NULL);
	free(line);
	return cudasim_error_errno(errno, "Cannot start the program again");
}

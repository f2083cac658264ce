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
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command_table.h"
#include "console.h"
#include "error.h"
#include "history.h"
#include "host.h"
#include "input.h"
#include "lineedit.h"
#include "restart.h"
#include "restart_state.h"
#include "session.h"
#include "setting.h"

/* Blanks in the place of the entry that is what; entries are parted by colons or blanks. */
static void list_blank(char *list, const char *what)
{
	size_t n = strlen(what);
	for (char *at = list; (at = strstr(at, what)); at += n) {
		bool starts = at == list || at[-1] == ':' || at[-1] == ' ';
		if (!starts || (at[n] && at[n] != ':' && at[n] != ' '))
			continue;
		memset(at, ' ', n);
		return;
	}
}

/* In place as well: a shell takes its variables from the array that main() is handed, which
 * is no longer this one once somebody has set a variable. */
void restart_variables_take(void)
{
	struct restart_streams *own = &restart_state()->streams;
	char *path = getenv(PRELOAD_VARIABLE), *list = getenv("LD_PRELOAD");
	char *debug = getenv("CUDASIM_DEBUG"), *session = getenv(SESSION_VARIABLE);
	if (path && *path) {
		own->preloaded = strdup(path);
		*path = 0;
	}
	if (own->preloaded && list)
		list_blank(list, own->preloaded);
	if (list && !list[strspn(list, " :")])
		unsetenv("LD_PRELOAD");
	if (debug && *debug)
		*debug = '0';
	if (session)
		*session = 0;
	unsetenv(PRELOAD_VARIABLE);
	unsetenv("CUDASIM_DEBUG");
	unsetenv(SESSION_VARIABLE);
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
		restart_state()->streams.streams[number] = fd;
}

void restart_streams_keep(void)
{
	struct restart_streams *own = &restart_state()->streams;
	for (int i = 0; i < 3; i++)
		if (own->streams[i] < 0)
			own->streams[i] = kept(i);
}

void restart_terminal_is(const char *path)
{
	struct restart_streams *own = &restart_state()->streams;
	free(own->terminal_now);
	own->terminal_now = strdup(path);
}

bool restart_terminal_changed(void)
{
	struct restart_streams *own = &restart_state()->streams;
	return strcmp(own->terminal ? own->terminal : "",
		      own->terminal_now ? own->terminal_now : "") != 0;
}

/* The new program's standard streams: the terminal, else what the session began with. */
static struct cudasim_error *open_streams(void)
{
	struct restart_streams *own = &restart_state()->streams;
	if (!own->terminal || !*own->terminal) {
		for (int i = 0; i < 3; i++)
			if (own->streams[i] >= 0)
				dup2(own->streams[i], i);
		return NULL;
	}
	int fd = open(own->terminal, O_RDWR | O_NOCTTY);
	if (fd < 0)
		return cudasim_error_new(CUDASIM_E_SYSTEM, "%s: %s.", own->terminal,
					 strerror(errno));
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
	return NULL;
}

__attribute__((constructor)) static void start(void)
{
	const struct setting settings[] = {
		{.name = "inferior-tty",
		 .kind = SETTING_TEXT,
		 .value = &restart_state()->streams.terminal,
		 .show = "Terminal for future runs of program being debugged is \"%s\".",
		 .summary =
			 "The terminal or file that the program's standard streams are on in later runs."},
	};
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

void session_write(FILE *out)
{
	*session_same_run() = true;
	fputs("again\n", out);
	write_prefixed(out, "silent ", settings_save);
	write_prefixed(out, "silent ", definitions_save);
	write_prefixed(out, "silent ", history_save);
	write_prefixed(out, "search ", convenience_save);
	write_prefixed(out, "search ", search_save);
	write_prefixed(out, "silent ", restart_save);
	if (restart_state()->write_options)
		restart_state()->write_options(out);
	write_pending(out);
	*session_same_run() = false;
}

/* arguments: NULL where the process has been given them. then: "run", "follow", or NULL to stay before main(). */
static void write_session(FILE *out, const char *arguments, const char *then, int console_fd,
			  int input_fd)
{
	struct restart_streams *own = &restart_state()->streams;
	fprintf(out, "again\nconsole %d\ninput %d\n", console_fd, input_fd);
	if (arguments)
		fprintf(out, "args %s\n", arguments);
	write_prefixed(out, "silent ", settings_save);
	write_prefixed(out, "silent ", definitions_save);
	write_prefixed(out, "silent ", convenience_save); /* before conditions that name them */
	write_prefixed(out, "silent ", search_save);
	write_prefixed(out, "silent ", restart_save);
	for (int i = 0; i < 3; i++)
		if (own->streams[i] >= 0)
			fprintf(out, "stream %d %d\n", i, own->streams[i]);
	if (own->terminal && *own->terminal)
		fprintf(out, "terminal %s\n", own->terminal);
	if (then)
		fprintf(out, "%s\n", then);
	if (restart_state()->write_options)
		restart_state()->write_options(out);
	write_pending(out);
}

/* A file of the session for the next process; its path in path, -1 on failure. */
static int session_file(const char *arguments, const char *then, int input, char path[64])
{
	int fd = memfd_create("cudasim debug", 0);
	FILE *out = fd < 0 ? NULL : fdopen(dup(fd), "w");
	if (!out)
		return -1;
	write_session(out, arguments, then, kept(console_descriptor()), input);
	fclose(out);
	lseek(fd, 0, SEEK_SET);
	int high = kept(fd);
	if (high != fd)
		close(fd);
	snprintf(path, 64, "/proc/self/fd/%d", high);
	return high;
}

/* What the debugger has blocked is not the new program's. */
static void unblock_signals(void)
{
	sigset_t none;
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
}

struct cudasim_error *program_restart(const char *arguments, bool run)
{
	struct restart_streams *own = &restart_state()->streams;
	char path[64], program[PATH_MAX], *line = NULL;
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	program[n > 0 ? n : 0] = 0;
	if (!arguments)
		arguments = program_arguments();
	int input = kept(input_descriptor());
	int fd = session_file(arguments, run ? "run" : NULL, input, path);
	if (fd < 0 || n <= 0)
		return cudasim_error_errno(errno, "Cannot start the program again");
	struct cudasim_error *error = open_streams();
	if (error) {
		close(fd);
		close(input);
		return error;
	}
	input_start(input);
	setenv(SESSION_VARIABLE, path, 1);
	setenv("CUDASIM_DEBUG", "1", 1);
	setenv("CUDASIM", "1", 1);
	/* The shell itself gets neither. */
	if (own->preloaded)
		setenv(PRELOAD_VARIABLE, own->preloaded, 1);
	if (asprintf(&line, "%sexec \"$0\" %s",
		     own->preloaded ? "LD_PRELOAD=\"$" PRELOAD_VARIABLE
				      "${LD_PRELOAD:+:$LD_PRELOAD}\"; "
				      "export LD_PRELOAD; "
				    : "",
		     arguments) < 0)
		return &cudasim_error_nomem;
	lineedit_save();
	fflush(console());
	unblock_signals();
	execl("/bin/sh", "sh", "-c", line, program, (char *)NULL);
	free(line);
	return cudasim_error_errno(errno, "Cannot start the program again");
}

/* ---- exec by the program ------------------------------------------------------------ */

/* Does the dynamic loader start it? Scripts are started by what their first line names. */
static bool can_preload(const char *path)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) segment;
	bool ret = false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : pread(fd, &head, sizeof head, 0);
	if (n >= 2 && !memcmp(&head, "#!", 2))
		ret = true;
	else if (n == sizeof head && !memcmp(head.e_ident, ELFMAG, SELFMAG))
		for (unsigned i = 0; i < head.e_phnum && !ret; i++)
			ret = pread(fd, &segment, sizeof segment,
				    (off_t)(head.e_phoff + i * sizeof segment)) == sizeof segment &&
			      segment.p_type == PT_INTERP;
	if (fd >= 0)
		close(fd);
	return ret;
}

/* The environment with what a debugged program needs; only what is new is allocated. */
static char **with_session(char *const *environment, char *session, bool is_linked)
{
	struct restart_streams *own = &restart_state()->streams;
	static char debug[] = "CUDASIM_DEBUG=1", simulate[] = "CUDASIM=1";
	const char *list = NULL;
	char *preload = NULL, *which = NULL;
	size_t n = 0, kept_n = 0;
	while (environment && environment[n])
		n++;
	char **ret = calloc(n + 6, sizeof *ret);
	for (size_t i = 0; ret && i < n; i++) {
		if (!strncmp(environment[i], "LD_PRELOAD=", 11))
			list = environment[i] + 11;
		if (strncmp(environment[i], "CUDASIM=", 8) != 0 &&
		    strncmp(environment[i], "CUDASIM_DEBUG", 13) != 0)
			ret[kept_n++] = environment[i];
	}
	if (!ret)
		return NULL;
	if (!is_linked &&
	    asprintf(&preload, "LD_PRELOAD=%s%s%s", own->preloaded, list ? ":" : "",
		     list ? list : "") >= 0 &&
	    asprintf(&which, PRELOAD_VARIABLE "=%s", own->preloaded) >= 0) {
		size_t to = 0;
		for (size_t i = 0; i < kept_n; i++)
			if (strncmp(ret[i], "LD_PRELOAD=", 11) != 0)
				ret[to++] = ret[i];
		ret[to++] = preload;
		ret[to++] = which;
		kept_n = to;
	}
	ret[kept_n++] = debug;
	ret[kept_n++] = simulate;
	ret[kept_n] = session;
	return ret;
}

static void follow_here(const struct exec_call *exec, bool is_linked)
{
	char path[64], *session = NULL;
	int input = kept(input_descriptor());
	int fd = session_file(NULL, "follow", input, path); /* its arguments are its own */
	if (fd >= 0 && asprintf(&session, "%s=%s", SESSION_VARIABLE, path) >= 0) {
		char **environment = with_session(exec->environment, session, is_linked);
		sigset_t before;
		lineedit_save();
		fflush(console());
		sigprocmask(SIG_SETMASK, NULL, &before);
		unblock_signals();
		if (environment)
			execve(exec->path, exec->arguments, environment);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		free(environment);
	}
	free(session);
	if (fd >= 0)
		close(fd);
	close(input);
}

bool program_follow(const struct exec_call *exec, int *ret_status, int *ret_signal)
{
	fprintf(console(), "process %d is executing new program: %s\n", (int)getpid(), exec->path);
	bool is_linked = program_is_ours(exec->path);
	if (is_linked || (restart_state()->streams.preloaded && can_preload(exec->path))) {
		follow_here(exec, is_linked);
		return false;
	}
	fputs("(It is not a program of cudasim: it runs without the debugger.)\n", console());
	fflush(console());
	pid_t child = fork();
	if (!child) {
		unblock_signals();
		execve(exec->path, exec->arguments, exec->environment);
		syscall(SYS_exit_group, 127);
	}
	int status = 0;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	*ret_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return child > 0;
}

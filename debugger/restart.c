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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command_table.h"
#include "control.h"
#include "error.h"
#include "expression.h"
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

/* then: "run", "follow", or NULL to stay before main(). */
static void write_session(FILE *out, const char *arguments, const char *then, int console_fd,
			  int input_fd)
{
	fprintf(out, "again\nconsole %d\ninput %d\nargs %s\n", console_fd, input_fd, arguments);
	write_prefixed(out, "silent ", settings_save);
	write_prefixed(out, "silent ", definitions_save);
	write_prefixed(out, "silent ", convenience_save); /* before conditions that name them */
	for (size_t i = 0; i < n_saves; i++)
		write_prefixed(out, "silent ", saves[i]);
	for (int i = 0; i < 3; i++)
		if (streams[i] >= 0)
			fprintf(out, "stream %d %d\n", i, streams[i]);
	if (terminal && *terminal)
		fprintf(out, "terminal %s\n", terminal);
	if (then)
		fprintf(out, "%s\n", then);
	session_options(out);
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
	if (asprintf(&line, "exec \"$0\" %s", arguments) < 0)
		return &cudasim_error_nomem;
	lineedit_save();
	fflush(console);
	unblock_signals();
	execl("/bin/sh", "sh", "-c", line, program, (char *)NULL);
	free(line);
	return cudasim_error_errno(errno, "Cannot start the program again");
}

/* ---- exec by the program ------------------------------------------------------------ */

/* Does the file need libcudasim, so that a debugger is there from its beginning? */
static bool is_ours(const char *path)
{
	static const char name[] = "libcudasim.so";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	char *bytes = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	if (fd >= 0)
		close(fd);
	if (bytes == MAP_FAILED)
		return false;
	bool found = size > 4 && !memcmp(bytes, "\177ELF", 4) &&
		     memmem(bytes, (size_t)size, name, sizeof name - 1);
	munmap(bytes, (size_t)size);
	return found;
}

/* The environment with what a debugged program needs; only what is new is allocated. */
static char **with_session(char *const *environment, char *session)
{
	static char debug[] = "CUDASIM_DEBUG=1", simulate[] = "CUDASIM=1";
	size_t n = 0, kept_n = 0;
	while (environment && environment[n])
		n++;
	char **ret = calloc(n + 4, sizeof *ret);
	for (size_t i = 0; ret && i < n; i++)
		if (strncmp(environment[i], "CUDASIM=", 8) != 0)
			ret[kept_n++] = environment[i];
	if (ret) {
		ret[kept_n++] = debug;
		ret[kept_n++] = simulate;
		ret[kept_n] = session;
	}
	return ret;
}

static void follow_here(const struct exec_call *exec)
{
	char path[64], *session = NULL;
	int input = kept(input_descriptor());
	int fd = session_file(program_arguments(), "follow", input, path);
	if (fd >= 0 && asprintf(&session, "%s=%s", SESSION_VARIABLE, path) >= 0) {
		char **environment = with_session(exec->environment, session);
		sigset_t before;
		lineedit_save();
		fflush(console);
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
	fprintf(console, "process %d is executing new program: %s\n", (int)getpid(), exec->path);
	if (is_ours(exec->path)) {
		follow_here(exec);
		return false;
	}
	fputs("(It is no program of cudasim's: it runs without the debugger.)\n", console);
	fflush(console);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* session_program.c - the program: started with its output in pipes, watched, ended. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "debug.h"
#include "debug_socket.h"
#include "session.h"
#include "words.h"

/* ---- in the child ---------------------------------------------------------------------- */

static struct cudasim_error *set_environment(const json_t *variables)
{
	const char *name;
	const json_t *value;
	json_object_foreach((json_t *)variables, name, value)
	{
		const char *text = json_string_value(value);
		if (!*name || strchr(name, '=') || (!text && !json_is_null(value)))
			return cudasim_error_new(
				CUDASIM_E_ARGUMENT,
				"\"env\" has strings, and null for variables that are not set");
		if (text ? setenv(name, text, 1) : unsetenv(name))
			return cudasim_error_errno(errno, "cannot set %s", name);
	}
	return NULL;
}

/* The debugger's own options, as `cudasim debug` hands them over. */
static struct cudasim_error *set_session(int link)
{
	/* Beyond the numbers that scripts use, and there after exec. */
	int fd = fcntl(link, F_DUPFD, 20);
	char *lines = text_format("dap %d\ndap-launched\n", fd);
	struct cudasim_error *error = fd < 0 ? cudasim_error_errno(errno, "cannot pass the socket")
					     : debug_hand_over(lines, strlen(lines));
	free(lines);
	return error;
}

static struct cudasim_error *run_in_place(const char *name, char **words, int link)
{
	char *program = NULL;
	struct cudasim_error *error = debug_find_program(name, &program);
	if (!error)
		error = debug_prepare(program);
	if (!error && link >= 0)
		error = set_session(link);
	else if (!error && setenv("CUDASIM", "1", 1))
		error = &cudasim_error_nomem;
	if (!error) {
		personality(ADDR_NO_RANDOMIZE | (unsigned long)personality(0xffffffff));
		execv(program, words);
		error = cudasim_error_errno(errno, "cannot run '%s'", program);
	}
	free(program);
	return error;
}

/* What was asked for in the launch beside program and arguments. */
static struct cudasim_error *set_up(const json_t *arguments)
{
	const char *folder = json_string_value(json_object_get(arguments, "cwd"));
	const char *check = json_string_value(json_object_get(arguments, "check"));
	const char *device = json_string_value(json_object_get(arguments, "device"));
	if (folder && chdir(folder))
		return cudasim_error_errno(errno, "cannot change to '%s'", folder);
	if ((check && setenv("CUDASIM_CHECK", check, 1)) ||
	    (device && setenv("CUDASIM_DEVICE", device, 1)))
		return &cudasim_error_nomem;
	return set_environment(json_object_get(arguments, "env"));
}

static void set_streams(const int out[2])
{
	int none = open("/dev/null", O_RDONLY);
	sigset_t all;
	if (none >= 0)
		dup2(none, 0);
	dup2(out[0], 1);
	dup2(out[1], 2);
	if (none > 2)
		close(none);
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);
}

/* Does not return; the error goes to report as text. */
static void child(const json_t *arguments, char **words, int link, const int out[2], int report)
{
	set_streams(out);
	struct cudasim_error *error = set_up(arguments);
	if (!error)
		error = run_in_place(words[0], words, link);
	message_write(report, error->message, strlen(error->message));
	_exit(127);
}

/* ---- starting ---------------------------------------------------------------------------- */

/* "program" and "args" as an array that ends with NULL; its strings are the arguments'. */
static struct cudasim_error *words_of(const json_t *arguments, char ***ret)
{
	const char *program = json_string_value(json_object_get(arguments, "program"));
	const json_t *args = json_object_get(arguments, "args"), *word;
	size_t i;
	*ret = NULL;
	if (!program || !*program)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "launch needs \"program\", the path of an executable");
	*ret = calloc(json_array_size(args) + 2, sizeof **ret);
	if (!*ret)
		return &cudasim_error_nomem;
	(*ret)[0] = (char *)program;
	json_array_foreach(args, i, word)
	{
		(*ret)[i + 1] = (char *)json_string_value(word);
		if (json_is_string(word))
			continue;
		free(*ret);
		*ret = NULL;
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "\"args\" is an array of strings");
	}
	return NULL;
}

/* Why it could not be executed; NULL: it was. */
static struct cudasim_error *read_report(int fd)
{
	char text[1024];
	size_t n = 0;
	ssize_t got;
	while ((got = read(fd, text + n, sizeof text - 1 - n)) > 0 || (got < 0 && errno == EINTR))
		n += got > 0 ? (size_t)got : 0;
	text[n] = 0;
	return n ? cudasim_error_new(CUDASIM_E_FAILED, "%s", text) : NULL;
}

static void close_both(int fds[2])
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	fds[0] = fds[1] = -1;
}

static struct cudasim_error *start(struct session *s, const json_t *arguments, char **words,
				   int link[2], int out[2], int err[2], int report[2])
{
	if ((link && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, link)) ||
	    pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
		return cudasim_error_errno(errno, "cannot start the program");
	s->pid = fork();
	if (s->pid < 0) {
		s->pid = 0;
		return cudasim_error_errno(errno, "cannot start the program");
	}
	if (!s->pid)
		child(arguments, words, link ? link[1] : -1, (int[]){out[1], err[1]}, report[1]);
	close(report[1]);
	report[1] = -1;
	struct cudasim_error *error = read_report(report[0]);
	if (error) {
		waitpid(s->pid, NULL, 0);
		s->pid = 0;
	}
	return error;
}

struct cudasim_error *program_start(struct session *s, const json_t *arguments, bool with_debugger,
				    int *ret_link)
{
	int link[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, report[2] = {-1, -1};
	char **words;
	struct cudasim_error *error = words_of(arguments, &words);
	*ret_link = -1;
	if (error)
		return error;
	error = start(s, arguments, words, with_debugger ? link : NULL, out, err, report);
	free(words);
	if (!error) {
		s->is_child = s->is_launched = true;
		s->streams[0] = out[0];
		s->streams[1] = err[0];
		*ret_link = link[0];
		out[0] = err[0] = link[0] = -1;
		fcntl(s->streams[0], F_SETFL, O_NONBLOCK);
		fcntl(s->streams[1], F_SETFL, O_NONBLOCK);
	}
	close_both(link);
	close_both(out);
	close_both(err);
	close_both(report);
	return error;
}

struct cudasim_error *program_in_terminal(pid_t adapter, int n, char **words)
{
	int link;
	if (n < 1)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "no program to run");
	struct cudasim_error *error = debug_socket_connect(adapter, &link);
	if (error && error->code == CUDASIM_E_NOTFOUND) {
		cudasim_error_free(error);
		error = cudasim_error_new(CUDASIM_E_NOTFOUND,
					  "process %d is no `cudasim dap` that waits for a program",
					  (int)adapter);
	}
	return error ? error : run_in_place(words[0], words, link);
}

/* ---- watching ---------------------------------------------------------------------------- */

void program_output(struct session *s, bool is_last)
{
	static const char *const categories[] = {"stdout", "stderr"};
	char text[1 << 14];
	for (int i = 0; i < 2; i++) {
		ssize_t n = 0;
		while (s->streams[i] >= 0 && (n = read(s->streams[i], text, sizeof text)) > 0)
			client_output(s, categories[i], text, (size_t)n);
		if (s->streams[i] >= 0 && (!n || is_last)) {
			close(s->streams[i]);
			s->streams[i] = -1;
		}
	}
}

bool program_ended(struct session *s)
{
	int status;
	if (!s->pid || !s->is_child || waitpid(s->pid, &status, WNOHANG) != s->pid)
		return false;
	s->pid = 0;
	s->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (WIFSIGNALED(status)) {
		char *text = text_format("The program was ended by signal %d (%s).\n",
					 WTERMSIG(status), strsignal(WTERMSIG(status)));
		program_output(s, false);
		client_output(s, "console", text, strlen(text));
		free(text);
	}
	return true;
}

void program_kill(struct session *s)
{
	if (!s->pid)
		return;
	/* With what it has started itself. */
	if (s->is_child)
		kill(-s->pid, SIGKILL);
	kill(s->pid, SIGKILL);
	if (s->is_child)
		waitpid(s->pid, NULL, 0);
	s->pid = 0;
}

void program_leave(struct session *s)
{
	char text[1 << 12];
	if (s->streams[0] < 0 && s->streams[1] < 0)
		return;
	pid_t pid = fork();
	if (pid)
		return;
	/* Its pipes must not break: a process is left that reads them. */
	setsid();
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	close(s->client.fd);
	close(s->client_out);
	for (int i = 0; i < 2; i++) {
		if (s->streams[i] < 0)
			continue;
		fcntl(s->streams[i], F_SETFL, 0);
		while (read(s->streams[i], text, sizeof text) > 0)
			;
	}
	_exit(0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* session_launch.c - launch and attach: until the program's debugger answers. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "debug_socket.h"
#include "session.h"

/* How long a terminal may take to start a program. */
enum { TERMINAL_MS = 60000 };

int64_t session_now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const char *string_of(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

/* ---- in the client's terminal --------------------------------------------------------- */

static struct cudasim_error *terminal_words(const json_t *arguments, json_t **ret)
{
	char self[PATH_MAX], number[32];
	const char *program = string_of(arguments, "program");
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (!program || !*program)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "launch needs \"program\", the path of an executable");
	if (n <= 0)
		return cudasim_error_errno(errno, "cannot find this program");
	self[n] = 0;
	snprintf(number, sizeof number, "%d", (int)getpid());
	*ret = json_pack("[s, s, s, s, s, s]", self, "dap", "--connect", number, "--", program);
	json_array_extend(*ret, json_object_get(arguments, "args"));
	return *ret ? NULL
		    : cudasim_error_new(CUDASIM_E_ARGUMENT, "the launch's words are no UTF-8");
}

static struct cudasim_error *start_in_terminal(struct session *s, const json_t *arguments,
					       const char *kind)
{
	json_t *words = NULL, *environment;
	const char *folder = string_of(arguments, "cwd");
	char here[PATH_MAX];
	if (!json_is_true(json_object_get(s->initialize, "supportsRunInTerminalRequest")))
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"the client cannot run programs in a terminal (\"console\")");
	struct cudasim_error *error = terminal_words(arguments, &words);
	if (!error)
		error = debug_socket_listen(getpid(), &s->waiting);
	if (error) {
		json_decref(words);
		return error;
	}
	environment = json_deep_copy(json_object_get(arguments, "env"));
	if (!environment)
		environment = json_object();
	if (string_of(arguments, "check"))
		json_object_set(environment, "CUDASIM_CHECK", json_object_get(arguments, "check"));
	if (string_of(arguments, "device"))
		json_object_set(environment, "CUDASIM_DEVICE",
				json_object_get(arguments, "device"));
	if (!folder)
		folder = getcwd(here, sizeof here) ? here : "/";
	s->is_launched = true;
	s->terminal_seq = s->next_seq;
	s->waits_until = session_now_ms() + TERMINAL_MS;
	client_send(s, json_pack("{s:i, s:s, s:s, s:{s:s, s:s, s:s, s:o, s:o}}", "seq", 0, "type",
				 "request", "command", "runInTerminal", "arguments", "kind", kind,
				 "title", "cudasim", "cwd", folder, "args", words, "env",
				 environment));
	return NULL;
}

static void stop_waiting(struct session *s)
{
	if (s->waiting >= 0)
		close(s->waiting);
	s->waiting = -1;
	s->terminal_seq = 0;
}

/* Answers the launch and makes room for another one. */
static void fail_launch(struct session *s, struct cudasim_error *error)
{
	stop_waiting(s);
	client_respond(s, s->launch, NULL, error);
	json_decref(s->launch);
	s->launch = NULL;
	s->is_begun = false;
}

void session_terminal_answer(struct session *s, const json_t *response)
{
	if (!s->terminal_seq || s->waiting < 0 ||
	    json_integer_value(json_object_get(response, "request_seq")) != s->terminal_seq)
		return;
	const char *message = string_of(response, "message");
	if (!json_is_true(json_object_get(response, "success")))
		fail_launch(s, cudasim_error_new(CUDASIM_E_FAILED,
						 "the client has not started a terminal: %s",
						 message ? message : "it does not say why"));
}

void session_terminal_late(struct session *s)
{
	if (s->waiting >= 0 && session_now_ms() > s->waits_until)
		fail_launch(s, cudasim_error_new(CUDASIM_E_FAILED,
						 "no program has begun in the client's terminal "
						 "within %d seconds",
						 TERMINAL_MS / 1000));
}

/* ---- both ways --------------------------------------------------------------------------- */

/* The program's debugger answers the launch. */
static void hand_on(struct session *s, int link)
{
	s->has_debugger = true;
	link_open(s, link);
	link_request(s, s->launch);
	json_decref(s->launch);
	s->launch = NULL;
}

void session_terminal_connects(struct session *s)
{
	int link = debug_socket_accept(s->waiting);
	if (link < 0)
		return;
	stop_waiting(s);
	s->pid = debug_socket_peer(link);
	hand_on(s, link);
}

/* What of the arguments has another type than it is read as; null is as if it were not there. */
static struct cudasim_error *check_types(const json_t *arguments)
{
	static const struct {
		const char *name, *kind;
		json_type type; /* JSON_TRUE: a boolean */
	} rows[] = {
		{"program", "a string", JSON_STRING},
		{"cwd", "a string", JSON_STRING},
		{"check", "a string", JSON_STRING},
		{"device", "a string", JSON_STRING},
		{"console", "a string", JSON_STRING},
		{"env", "an object", JSON_OBJECT},
		{"args", "an array of strings", JSON_ARRAY},
		{"commands", "an array of strings", JSON_ARRAY},
		{"noDebug", "true or false", JSON_TRUE},
		{"stopOnEntry", "true or false", JSON_TRUE},
		{"stopAtEntry", "true or false", JSON_TRUE},
		{"breakOnLaunch", "true or false", JSON_TRUE},
		{"record", "true or false", JSON_TRUE},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const json_t *value = json_object_get(arguments, rows[i].name);
		if (!value || json_is_null(value) || json_typeof(value) == rows[i].type ||
		    (rows[i].type == JSON_TRUE && json_is_false(value)))
			continue;
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "\"%s\" is %s", rows[i].name,
					 rows[i].kind);
	}
	return NULL;
}

static struct cudasim_error *may_begin(const struct session *s, const json_t *arguments)
{
	if (s->is_begun)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "this session has its program already");
	return check_types(arguments);
}

void session_launch(struct session *s, json_t *request)
{
	const json_t *arguments = json_object_get(request, "arguments");
	const char *console = string_of(arguments, "console");
	bool with_debugger = !json_is_true(json_object_get(arguments, "noDebug"));
	bool in_terminal = console && strcmp(console, "internalConsole") != 0;
	int link = -1;
	struct cudasim_error *error = may_begin(s, arguments);
	if (error) {
		client_respond(s, request, NULL, error);
		return;
	}
	if (in_terminal && strcmp(console, "integratedTerminal") != 0 &&
	    strcmp(console, "externalTerminal") != 0)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "\"console\" is internalConsole, integratedTerminal or "
					  "externalTerminal");
	else if (in_terminal && !with_debugger)
		error = cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"without debugging a program runs in the internalConsole");
	s->is_begun = true;
	s->launch = json_incref(request);
	if (!error && in_terminal)
		error = start_in_terminal(s, arguments,
					  *console == 'i' ? "integrated" : "external");
	else if (!error)
		error = program_start(s, arguments, with_debugger, &link);
	if (error) {
		fail_launch(s, error);
	} else if (!in_terminal && with_debugger) {
		hand_on(s, link);
	} else if (!in_terminal) {
		client_respond(s, s->launch, NULL, NULL);
		json_decref(s->launch);
		s->launch = NULL;
	}
}

/* Editors have it as a number or as text; 0: it is neither. */
static long long number_of(const json_t *pid)
{
	char *end;
	if (!json_is_string(pid))
		return json_integer_value(pid);
	long long ret = strtoll(json_string_value(pid), &end, 10);
	return *end ? 0 : ret;
}

void session_attach(struct session *s, json_t *request)
{
	const json_t *arguments = json_object_get(request, "arguments");
	const json_t *pid = json_object_get(arguments, "pid");
	int link = -1;
	long long number = number_of(pid);
	struct cudasim_error *error = may_begin(s, arguments);
	if (!error && (number <= 0 || number > INT_MAX))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "attach needs \"pid\", the number of a process that was "
					  "started with CUDASIM_DEBUG=wait");
	if (!error)
		error = debug_socket_connect((pid_t)number, &link);
	if (error) {
		client_respond(s, request, NULL, error);
		return;
	}
	s->is_begun = true;
	s->pid = (pid_t)number;
	s->launch = json_incref(request);
	hand_on(s, link);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_run.c - test executables as processes, several at once.
 *
 * A process runs one executable's tests in one order and tells by TAP what becomes of
 * them (cudasim/test/run.h). Where it dies, or a test takes too long, that test has
 * failed, and another process goes on with those that are left. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

struct process {
	const char *executable;
	char *schedule;        /* NULL: as it is */
	struct words names;    /* of all its tests */
	const char *pattern;   /* which of them to run; NULL: all */
	struct test_results results;
	struct test_reader reader;
	pid_t pid;             /* 0: does not run */
	int out;
	char *line;            /* what has been read of the next line */
	size_t n_line, capacity;
	double began;          /* the running test, or the process, on our clock */
	size_t seen;           /* results when that was looked at */
	bool is_done;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- reading -------------------------------------------------------------------- */

struct test_result *test_results_add(struct test_results *results)
{
	if (results->n == results->capacity) {
		results->capacity = results->capacity ? results->capacity * 2 : 16;
		results->at = realloc(results->at, results->capacity * sizeof *results->at);
		if (!results->at) {
			fputs("cudasim: out of memory\n", stderr);
			exit(2);
		}
	}
	struct test_result *ret = &results->at[results->n++];
	*ret = (struct test_result){0};
	return ret;
}

static void append(char **text, const char *line)
{
	char *more = *text ? text_format("%s\n%s", *text, line) : text_copy(line);
	free(*text);
	*text = more;
}

static void begin(struct test_reader *r, double at, const char *name)
{
	free(r->running);
	free(r->message);
	free(r->output);
	r->running = text_copy(name);
	r->message = r->output = NULL;
	r->began = at;
	r->last = NULL;
}

/* cmocka's "t.cu:32: error: Failure!" comes last: put the place first. Line 0 is no place. */
static void put_place(struct test_reader *r, const char *line, char **message)
{
	size_t n = strlen(line) - strlen(": error: Failure!");
	(void)r;
	if (n >= 2 && !strncmp(line + n - 2, ":0", 2))
		return;
	char *more = text_format("%.*s: %s", (int)n, line, *message ? *message : "failed");
	free(*message);
	*message = more;
}

/* "ok 3 - name", "not ok 3 - name", "ok 3 # SKIP name". */
static void verdict(struct test_reader *r, const char *line, struct test_results *results)
{
	/* cmocka says "not ok 7 # SKIP name". */
	bool skipped = strstr(line, " # SKIP"), failed = !skipped && !strncmp(line, "not ", 4);
	struct test_result *result = test_results_add(results);
	const char *dash = strstr(line, " - ");
	result->name = r->running ? text_copy(r->running) : text_copy(dash ? dash + 3 : "?");
	result->outcome = failed ? TEST_FAILED : skipped ? TEST_SKIPPED : TEST_PASSED;
	result->seconds = r->began > 0 ? r->began : 0; /* end() has turned it into a duration */
	result->message = r->message;
	result->output = r->output;
	r->message = r->output = NULL;
	free(r->running);
	r->running = NULL;
	r->last = failed ? result : NULL;
}

void test_read_line(struct test_reader *r, const char *line, struct test_results *results)
{
	double at;
	int n = 0;
	if (sscanf(line, "# cudasim: begin %lf %n", &at, &n) == 1 && n) {
		begin(r, at, line + n);
	} else if (sscanf(line, "# cudasim: end %lf %n", &at, &n) == 1 && n) {
		if (r->running)
			r->began = at - r->began;
	} else if (!strncmp(line, "# not ok - ", 11) || !strncmp(line, "# ok - ", 7)) {
		r->last = NULL; /* the group's own verdict */
	} else if (r->running && (!strncmp(line, "ok ", 3) || !strncmp(line, "not ok ", 7))) {
		verdict(r, line, results);
	} else if (!strncmp(line, "# ", 2) && text_ends(line, ": error: Failure!") && r->last) {
		put_place(r, line + 2, &results->at[results->n - 1].message);
	} else if (!strncmp(line, "# ", 2) && (r->running || r->last)) {
		append(r->running ? &r->message : &results->at[results->n - 1].message, line + 2);
	} else if (r->running) {
		append(&r->output, line);
	}
}

static void take(struct process *p, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p->n_line + 2 > p->capacity) {
			p->capacity = p->capacity ? p->capacity * 2 : 256;
			p->line = realloc(p->line, p->capacity);
			if (!p->line) {
				fputs("cudasim: out of memory\n", stderr);
				exit(2);
			}
		}
		if (data[i] != '\n') {
			p->line[p->n_line++] = data[i] ? data[i] : '?';
			continue;
		}
		p->line[p->n_line] = 0;
		p->n_line = 0;
		bool had = p->reader.running;
		test_read_line(&p->reader, p->line, &p->results);
		if (!had && p->reader.running)
			p->began = now();
	}
}

/* ---- processes --------------------------------------------------------------------- */

/* An executable whose own name holds the pattern has all its tests run. */
static bool is_wanted(const char *executable, const char *name, const char *pattern)
{
	return !pattern || strstr(name, pattern) || strstr(executable, pattern);
}

/* Indices of the wanted tests that have no result yet, comma between. */
static char *left(const struct process *p)
{
	char *ret = text_copy("");
	for (size_t i = 0; i < p->names.n; i++) {
		bool has = !is_wanted(p->executable, p->names.at[i], p->pattern);
		for (size_t j = 0; j < p->results.n && !has; j++)
			has = !strcmp(p->results.at[j].name, p->names.at[i]) &&
			      p->results.at[j].outcome != TEST_SKIPPED;
		if (has)
			continue;
		char *more = text_format("%s%zu,", ret, i);
		free(ret);
		ret = more;
	}
	return ret;
}

static void set_environment(const struct process *p, const struct test_options *options, bool lists)
{
	setenv("CUDASIM", options->gpu ? "0" : "1", 1);
	setenv("CMOCKA_MESSAGE_OUTPUT", "TAP", 1);
	unsetenv("CUDASIM_TEST_LIST");
	unsetenv("CUDASIM_TEST_FILTER");
	if (lists)
		setenv("CUDASIM_TEST_LIST", "1", 1);
	if (p && p->schedule)
		setenv("CUDASIM_SCHEDULE", p->schedule, 1);
	/* A kernel that never ends is to be told as such, before the test's time is over. */
	char limit[32];
	double seconds = options->timeout > 4 ? options->timeout / 2 : 1;
	snprintf(limit, sizeof limit, "%.0f", seconds > 10 ? 10 : seconds);
	setenv("CUDASIM_TIMEOUT", limit, 0);
}

static pid_t start(const char *executable, int out, int err)
{
	char *path = strchr(executable, '/') ? text_copy(executable) : text_format("./%s", executable);
	char *arguments[] = {path, NULL};
	setpgid(0, 0);
	dup2(out, 1);
	dup2(err, 2);
	execv(path, arguments);
	dprintf(1, "cudasim: cannot run %s: %s\n", path, strerror(errno));
	_exit(127);
}

static struct cudasim_error *launch(struct process *p, const struct test_options *options)
{
	int pipes[2], null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null < 0 || pipe2(pipes, O_CLOEXEC))
		return cudasim_error_errno(errno, "test: cannot make a pipe");
	char *rest = left(p);
	pid_t pid = fork();
	if (!pid) {
		set_environment(p, options, false);
		setenv("CUDASIM_TEST_LEFT", rest, 1);
		start(p->executable, pipes[1], null);
	}
	free(rest);
	close(pipes[1]);
	close(null);
	if (pid < 0) {
		close(pipes[0]);
		return cudasim_error_errno(errno, "test: cannot start a process");
	}
	p->pid = pid;
	p->out = pipes[0];
	p->began = now();
	return NULL;
}

struct cudasim_error *test_list(const char *executable, const struct test_options *options,
				struct words *ret)
{
	int pipes[2], status;
	if (pipe2(pipes, O_CLOEXEC))
		return cudasim_error_errno(errno, "test: cannot make a pipe");
	pid_t pid = fork();
	if (!pid) {
		set_environment(NULL, options, true);
		unsetenv("CUDASIM_TEST_LEFT");
		start(executable, pipes[1], 2);
	}
	close(pipes[1]);
	FILE *names = pid > 0 ? fdopen(pipes[0], "r") : NULL;
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	while (names && (n = getline(&line, &size, names)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		words_add(ret, line);
	}
	free(line);
	if (names)
		fclose(names);
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
		return cudasim_error_new(CUDASIM_E_FAILED, "test: '%s' does not list its tests", executable);
	return NULL;
}

/* ---- ends ----------------------------------------------------------------------------- */

/* The running test has ended its process, or the process has ended between tests. */
static void lose(struct process *p, char *why)
{
	struct test_result *result;
	if (p->reader.running) {
		verdict(&p->reader, "not ok", &p->results);
		result = &p->results.at[p->results.n - 1];
		result->seconds = now() - p->began;
	} else {
		char *rest = left(p);
		if (!*rest) {
			free(rest);
			free(why);
			return;
		}
		/* It would only happen again: all that is left has failed. */
		size_t i = strtoul(rest, NULL, 10);
		result = test_results_add(&p->results);
		result->name = text_copy(p->names.at[i]);
		result->outcome = TEST_FAILED;
		free(rest);
	}
	append(&result->message, why);
	free(why);
	p->reader.last = NULL;
}

/* Every wanted test has a result, if only that of a skipped one. */
static bool only_skipped(const struct process *p)
{
	for (size_t i = 0; i < p->names.n; i++) {
		bool has = !is_wanted(p->executable, p->names.at[i], p->pattern);
		for (size_t j = 0; j < p->results.n && !has; j++)
			has = !strcmp(p->results.at[j].name, p->names.at[i]);
		if (!has)
			return false;
	}
	return true;
}

static void reap(struct process *p, bool timed_out, const struct test_options *options)
{
	int status;
	close(p->out);
	waitpid(p->pid, &status, 0);
	p->pid = 0;
	char *rest = left(p);
	if (timed_out)
		lose(p, text_format("time-out: not done after %g s", options->timeout));
	else if (WIFSIGNALED(status))
		lose(p, text_format("the process died of signal %d (%s)", WTERMSIG(status),
				    strsignal(WTERMSIG(status))));
	else if (p->reader.running || (*rest && !only_skipped(p)))
		lose(p, text_format("the process exited with status %d", WEXITSTATUS(status)));
	free(rest);
	rest = left(p);
	/* Skipped tests have had their chance. */
	p->is_done = !*rest || (!timed_out && WIFEXITED(status) && only_skipped(p));
	free(rest);
}

static void look_at(struct process *p, const struct pollfd *poll, const struct test_options *options)
{
	char data[65536];
	if (poll->revents) {
		ssize_t n = read(p->out, data, sizeof data);
		if (n > 0) {
			take(p, data, (size_t)n);
			return;
		}
		if (n == 0 || errno != EINTR)
			reap(p, false, options);
	} else if (now() - p->began > options->timeout) {
		kill(-p->pid, SIGKILL);
		kill(p->pid, SIGKILL);
		reap(p, true, options);
	}
}

/* ---- all -------------------------------------------------------------------------------- */

static char *schedule_name(int i)
{
	if (i < 2)
		return text_copy(i ? "reverse" : "inorder");
	return text_format("random:%d", i - 1);
}

static struct cudasim_error *plan(const struct test_options *options, const struct words *executables,
				  struct process **ret, size_t *n)
{
	*n = executables->n * (size_t)options->schedules;
	*ret = calloc(*n + 1, sizeof **ret);
	for (size_t i = 0; i < *n; i++) {
		struct process *p = &(*ret)[i];
		p->executable = executables->at[i / (size_t)options->schedules];
		if (options->schedules > 1)
			p->schedule = schedule_name((int)(i % (size_t)options->schedules));
		if (i % (size_t)options->schedules) {
			words_append(&p->names, &p[-1].names);
		} else {
			struct cudasim_error *error = test_list(p->executable, options, &p->names);
			if (error)
				return error;
		}
		p->pattern = options->pattern;
		char *wanted = left(p);
		p->is_done = !*wanted;
		free(wanted);
	}
	return NULL;
}

static struct cudasim_error *run_all(struct process *all, size_t n, const struct test_options *options)
{
	struct pollfd polls[1024];
	struct process *of[1024];
	for (;;) {
		nfds_t running = 0;
		for (size_t i = 0; i < n; i++)
			if (all[i].pid)
				running++;
		for (size_t i = 0; i < n && running < (nfds_t)options->jobs; i++) {
			if (all[i].pid || all[i].is_done)
				continue;
			struct cudasim_error *error = launch(&all[i], options);
			if (error)
				return error;
			running++;
		}
		if (!running)
			return NULL;
		running = 0;
		for (size_t i = 0; i < n; i++)
			if (all[i].pid) {
				of[running] = &all[i];
				polls[running++] = (struct pollfd){.fd = all[i].out, .events = POLLIN};
			}
		poll(polls, running, 100);
		for (nfds_t i = 0; i < running; i++)
			look_at(of[i], &polls[i], options);
	}
}

static int order_of(const struct process *p, const char *name)
{
	for (size_t i = 0; i < p->names.n; i++)
		if (!strcmp(p->names.at[i], name))
			return (int)i;
	return (int)p->names.n;
}

static void collect(struct process *p, struct test_results *ret)
{
	/* By the order of the tests, a test that was skipped and then run once. */
	for (size_t at = 0; at <= p->names.n; at++) {
		struct test_result *best = NULL;
		for (size_t i = 0; i < p->results.n; i++)
			if (order_of(p, p->results.at[i].name) == (int)at &&
			    (!best || best->outcome == TEST_SKIPPED))
				best = &p->results.at[i];
		if (!best)
			continue;
		struct test_result *result = test_results_add(ret);
		*result = *best;
		result->executable = text_copy(p->executable);
		result->schedule = p->schedule;
	}
}

struct cudasim_error *test_run(const struct test_options *options, const struct words *executables,
			       struct test_results *ret)
{
	struct process *all;
	size_t n;
	signal(SIGPIPE, SIG_IGN);
	struct cudasim_error *error = plan(options, executables, &all, &n);
	if (!error)
		error = run_all(all, n, options);
	for (size_t i = 0; i < n && !error; i++)
		collect(&all[i], ret);
	return error; /* processes and their strings live as long as this program */
}

/* SPDX-License-Identifier: Apache-2.0 */
/* test_run.c - test executables as processes, several at once.
 *
 * A process runs one executable's tests in one order and tells by TAP what becomes of
 * them (test_read.c). Where it dies, or a test takes too long, that test has failed, and
 * another process goes on with those that are left.
 *
 * Each writes its stderr into a file of limited size, of which failed tests show their part's
 * end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "must.h"
#include "now.h"
#include "test_process.h"

enum {
	MOST_LINE = 1 << 16,   /* bytes of a line; the rest is dropped */
	MOST_ERR = 1 << 20,    /* bytes of stderr */
	LAST_WORDS = 2000,     /* of which this many are shown, */
	LAST_PYTHON = 12000,   /* or this many of a Python that has died */
};

struct process {
	const char *executable;
	char *schedule;        /* NULL: as it is */
	bool is_plain;         /* names are known when its tests have run */
	struct words names;    /* of all its tests */
	bool *is_wanted;       /* by test */
	struct test_results results;
	struct test_reader reader;
	pid_t pid;             /* 0: does not run */
	int out, err;
	char *line;            /* what has been read of the next line */
	size_t n_line;
	double began;          /* the running test, or the process, on our clock */
	size_t n_begun;        /* times that it was started */
	size_t n_kept;         /* results whose stderr has been read */
	bool is_done;
};

/* ---- what is left ----------------------------------------------------------------- */

/* By test: is no run of it needed? A skipped one is skipped where with_skipped says so. */
static bool *finished(const struct process *p, bool with_skipped)
{
	bool *ret = must(calloc(p->names.n + 1, sizeof *ret));
	for (size_t i = 0; i < p->names.n; i++)
		ret[i] = !p->is_wanted[i];
	for (size_t i = 0; i < p->results.n; i++) {
		const struct test_result *r = &p->results.at[i];
		if (r->index < p->names.n && (with_skipped || r->outcome != TEST_SKIPPED))
			ret[r->index] = true;
	}
	return ret;
}

/* The first test that is left, or names.n. */
static size_t first_left(const struct process *p, bool with_skipped)
{
	bool *over = finished(p, with_skipped);
	size_t ret = 0;
	while (ret < p->names.n && over[ret])
		ret++;
	free(over);
	return ret;
}

/* Those that are left, for CUDASIM_TEST_LEFT: "0-4,7-7,". */
static char *left(const struct process *p)
{
	bool *over = finished(p, false);
	char *ret = NULL;
	size_t size;
	FILE *out = must(open_memstream(&ret, &size));
	for (size_t i = 0; i < p->names.n; i++) {
		size_t from = i;
		if (over[i])
			continue;
		while (i + 1 < p->names.n && !over[i + 1])
			i++;
		fprintf(out, "%zu-%zu,", from, i);
	}
	free(over);
	fclose(out);
	return must(ret);
}

/* ---- processes --------------------------------------------------------------------- */

/* A terminal's two ends, which hands lines on as they are: what is printed through it is not
 * kept back until the process ends, or lost with it. */
static bool open_terminal(int ends[2])
{
	char name[64];
	struct termios how;
	ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	ends[1] = -1;
	if (ends[0] >= 0 && !grantpt(ends[0]) && !unlockpt(ends[0]) &&
	    !ptsname_r(ends[0], name, sizeof name))
		ends[1] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (ends[1] >= 0 && !tcgetattr(ends[1], &how)) {
		cfmakeraw(&how);
		tcsetattr(ends[1], TCSANOW, &how);
		return true;
	}
	return false;
}

static struct cudasim_error *launch(struct process *p, const struct test_options *options)
{
	int pipes[2];
	p->err = memfd_create("stderr", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (p->err < 0 || ftruncate(p->err, MOST_ERR) || fcntl(p->err, F_ADD_SEALS, F_SEAL_GROW) ||
	    (p->is_plain ? !open_terminal(pipes) : pipe2(pipes, O_CLOEXEC)))
		return cudasim_error_errno(errno, "test: cannot make a pipe");
	char *rest = left(p);
	pid_t pid = fork();
	if (!pid) {
		test_set_environment(options, p->schedule,
				     p->is_plain || options->command.n ? TEST_RUNS_PLAIN
								       : TEST_RUNS);
		if (!p->is_plain)
			setenv("CUDASIM_TEST_LEFT", rest, 1);
		test_become(options, p->executable, pipes[1], p->is_plain ? pipes[1] : p->err);
	}
	free(rest);
	close(pipes[1]);
	if (pid < 0)
		return cudasim_error_errno(errno, "test: cannot start a process");
	setpgid(pid, pid); /* here, too: it may be killed before it has run */
	p->n_begun++;
	p->pid = pid;
	p->out = pipes[0];
	p->n_line = 0;
	p->reader.err_from = 0;
	p->began = p->reader.began = now_seconds();
	return NULL;
}

/* ---- reading ---------------------------------------------------------------------------- */

static void take(struct process *p, const char *data, size_t n)
{
	if (!p->line)
		p->line = must(malloc(MOST_LINE + 1));
	for (size_t i = 0; i < n; i++) {
		if (data[i] != '\n') {
			if (p->n_line < MOST_LINE)
				p->line[p->n_line++] = data[i] ? data[i] : '?';
			continue;
		}
		p->line[p->n_line] = 0;
		p->n_line = 0;
		if (p->is_plain) {
			size_t n_before = p->results.n;
			test_plain_line(&p->reader, p->line, now_seconds(), &p->results);
			if (p->results.n > n_before)
				p->began = now_seconds();
			continue;
		}
		const char *before = p->reader.running;
		test_read_line(&p->reader, p->line, &p->results);
		if (p->reader.running && p->reader.running != before)
			p->began = now_seconds();
	}
}

/* Of a Python that has died: its modules, and pytest's own frames. */
static bool is_of_pytest(const char *line)
{
	return text_starts(line, "Extension modules: ") || strstr(line, "/_pytest/") ||
	       strstr(line, "/pytest/") || strstr(line, "/pluggy/") || strstr(line, "<frozen ");
}

/* The last of what a failed test wrote to stderr; our own reports are its message. */
static void keep_err(struct process *p, struct test_result *result, bool is_pytest)
{
	off_t from = result->err_from > 0 ? result->err_from : 0, to = result->err_to;
	char text[LAST_PYTHON + 1];
	off_t most = is_pytest ? LAST_PYTHON : LAST_WORDS;
	if (to - from > most)
		from = to - most;
	ssize_t n = to > from ? pread(p->err, text, (size_t)(to - from), from) : 0;
	if (n <= 0 || result->err)
		return;
	for (ssize_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = '?';
	text[n] = 0;
	char *rest = text;
	for (char *line; (line = strsep(&rest, "\n"));)
		if (*line && !text_starts(line, "cudasim: ") && !(is_pytest && is_of_pytest(line)))
			test_append(&result->err, line);
}

/* ---- ends ----------------------------------------------------------------------------- */

/* The process has ended (why) where it should not: the running test has failed, else the
 * one that would have been next, else what comes behind the tests. */
static void lose(struct process *p, const char *why)
{
	size_t next = first_left(p, true);
	if (p->reader.running) {
		p->reader.took = now_seconds() - p->began;
		test_verdict(&p->reader, TEST_FAILED, &p->results);
	} else {
		struct test_result *result = test_results_add(&p->results);
		result->index = next;
		result->name = text_copy(next < p->names.n ? p->names.at[next]
							   : "(after the last test)");
		result->outcome = TEST_FAILED;
	}
	struct test_result *result = &p->results.at[p->results.n - 1];
	test_append(&result->message, why);
	result->err_from = p->reader.err_from;
	result->err_to = lseek(p->err, 0, SEEK_CUR);
	p->reader.last = 0;
}

static bool any_failed(const struct process *p)
{
	for (size_t i = 0; i < p->results.n; i++)
		if (p->results.at[i].outcome == TEST_FAILED)
			return true;
	return false;
}

/* What is still in the pipe, which may have another writer for ever. */
static void drain(struct process *p)
{
	char data[65536];
	ssize_t n = 1;
	fcntl(p->out, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 256 && n > 0; i++) {
		n = read(p->out, data, sizeof data);
		if (n > 0)
			take(p, data, (size_t)n);
	}
	if (p->n_line)
		take(p, "\n", 1);
}

static void end(struct process *p, bool timed_out, const struct test_options *options)
{
	int status = test_reap_group(p->pid);
	char *why = NULL;
	p->pid = 0;
	drain(p);
	close(p->out);
	if (timed_out)
		why = text_format("time-out: not done after %g s", options->timeout);
	else if (WIFSIGNALED(status))
		why = text_format("the process died of signal %d (%s)", WTERMSIG(status),
				  strsignal(WTERMSIG(status)));
	else if (p->is_plain ? p->reader.number < p->reader.planned || !p->reader.planned
			     : p->reader.running || first_left(p, true) < p->names.n)
		why = text_format("the process exited with status %d", WEXITSTATUS(status));
	else if (WEXITSTATUS(status) && !any_failed(p))
		why = text_format("the process exited with status %d, though its tests passed",
				  WEXITSTATUS(status));
	if (p->is_plain) {
		test_plain_end(&p->reader, why, any_failed(p) && !timed_out && !WIFSIGNALED(status),
			       &p->results);
		close(p->err);
		p->is_done = true;
		free(why);
		return;
	}
	/* Skipped tests have had their chance, and may have another behind a test that took
	 * the process along. */
	bool again = p->reader.running || first_left(p, true) < p->names.n;
	if (why)
		lose(p, why);
	for (size_t i = p->n_kept; i < p->results.n; i++)
		if (p->results.at[i].outcome == TEST_FAILED)
			keep_err(p, &p->results.at[i], options->command.n);
	p->n_kept = p->results.n;
	close(p->err);
	p->is_done = !again || first_left(p, !why) == p->names.n || p->n_begun > p->names.n;
	free(why);
}

static void look_at(struct process *p, const struct pollfd *poll,
		    const struct test_options *options)
{
	char data[65536];
	ssize_t n = 1;
	bool ended = test_has_ended(p->pid);
	if (poll->revents && (n = read(p->out, data, sizeof data)) > 0)
		take(p, data, (size_t)n);
	if ((n <= 0 || !poll->revents) && ended)
		end(p, false, options);
	else if (now_seconds() - p->began > options->timeout)
		end(p, true, options);
	else if (n <= 0)
		usleep(1000); /* its stdout is closed, and it goes on */
}

/* ---- all -------------------------------------------------------------------------------- */

static char *schedule_name(int i)
{
	if (i < 2)
		return text_copy(i ? "reverse" : "inorder");
	return text_format("random:%d", i - 1);
}

/* An executable whose own name holds the pattern has all its tests run. */
static void choose(struct process *p, const char *pattern)
{
	p->is_wanted = must(calloc(p->names.n + 1, sizeof *p->is_wanted));
	for (size_t i = 0; i < p->names.n; i++)
		p->is_wanted[i] = test_is_wanted(p->executable, p->names.at[i], pattern);
	p->is_done = !p->is_plain && first_left(p, true) == p->names.n;
}

static struct cudasim_error *plan(const struct test_options *options,
				  const struct words *executables, struct process **ret, size_t *n)
{
	*n = executables->n * (size_t)options->schedules;
	*ret = must(calloc(*n + 1, sizeof **ret));
	for (size_t i = 0; i < *n; i++) {
		struct process *p = &(*ret)[i];
		p->executable = executables->at[i / (size_t)options->schedules];
		if (options->schedules > 1)
			p->schedule = schedule_name((int)(i % (size_t)options->schedules));
		p->is_plain = !options->command.n && test_is_plain(p->executable);
		if (i % (size_t)options->schedules) {
			words_append(&p->names, &p[-1].names);
		} else if (!p->is_plain) { /* such a one does not list them */
			struct cudasim_error *error = test_list(p->executable, options, &p->names);
			if (error)
				return error;
		}
		choose(p, options->pattern);
	}
	return NULL;
}

static struct cudasim_error *run_all(struct process *all, size_t n,
				     const struct test_options *options)
{
	struct pollfd *polls = must(calloc((size_t)options->jobs, sizeof *polls));
	struct process **of = must(calloc((size_t)options->jobs, sizeof *of));
	struct cudasim_error *error = NULL;
	while (!error && !test_interrupted()) {
		nfds_t running = 0;
		for (size_t i = 0; i < n; i++)
			if (all[i].pid)
				of[running++] = &all[i];
		for (size_t i = 0; i < n && running < (nfds_t)options->jobs && !error; i++) {
			if (all[i].pid || all[i].is_done)
				continue;
			error = launch(&all[i], options);
			if (!error)
				of[running++] = &all[i];
		}
		if (!running)
			break;
		for (nfds_t i = 0; i < running; i++)
			polls[i] = (struct pollfd){.fd = of[i]->out, .events = POLLIN};
		poll(polls, running, TEST_LOOK_MS);
		for (nfds_t i = 0; i < running; i++)
			look_at(of[i], &polls[i], options);
	}
	for (size_t i = 0; i < n; i++)
		if (all[i].pid)
			test_reap_group(all[i].pid);
	free(polls);
	free(of);
	return error;
}

/* In the order of the tests; of several results of a test the last that is not "skipped". */
static void collect(struct process *p, const struct test_options *options, struct test_results *ret)
{
	for (size_t i = 0; p->is_plain && i < p->results.n; i++) {
		struct test_result *r = &p->results.at[i];
		if (*r->name != '(' && !test_is_wanted(p->executable, r->name, options->pattern))
			continue;
		struct test_result *result = test_results_add(ret);
		*result = *r;
		result->executable = text_copy(p->executable);
		result->schedule = p->schedule;
	}
	if (p->is_plain)
		return;
	struct test_result **best = must(calloc(p->names.n + 1, sizeof *best));
	for (size_t i = 0; i < p->results.n; i++) {
		struct test_result *r = &p->results.at[i];
		size_t index = r->index < p->names.n ? r->index : p->names.n;
		if (!best[index] || best[index]->outcome == TEST_SKIPPED)
			best[index] = r;
	}
	for (size_t i = 0; i <= p->names.n; i++) {
		if (!best[i])
			continue;
		struct test_result *result = test_results_add(ret);
		*result = *best[i];
		result->executable = text_copy(p->executable);
		result->schedule = p->schedule;
	}
	free(best);
}

struct cudasim_error *test_run(const struct test_options *options, const struct words *executables,
			       struct test_results *ret)
{
	struct process *all;
	size_t n;
	signal(SIGPIPE, SIG_IGN);
	test_catch_signals();
	struct cudasim_error *error = plan(options, executables, &all, &n);
	if (!error)
		error = run_all(all, n, options);
	if (test_interrupted()) {
		/* Nothing is left running; now end as the signal asks. */
		signal(test_interrupted(), SIG_DFL);
		raise(test_interrupted());
	}
	for (size_t i = 0; i < n && !error; i++)
		collect(&all[i], options, ret);
	return error; /* processes and their strings live as long as this program */
}

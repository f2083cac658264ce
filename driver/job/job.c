/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "diagnostics.h"
#include "headers.h"
#include "library.h"
#include "prelude_make.h"
#include "served.h"
#include "step_table.h"
#include "now.h"

extern char **environ;

char *job_line(const struct job *job)
{
	char *line = words_quote(&job->words);
	if (!job->only_if)
		return line;
	char *guarded = text_format("test ! -s %s || %s", job->only_if, line);
	free(line);
	return guarded;
}

/* Replaces words of the form PREFIX$(cat FILE). */
static struct cudasim_error *expand(const struct words *words, struct words *ret)
{
	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->at[i];
		const char *start = strstr(word, "$(cat ");
		if (!start || !text_ends(word, ")")) {
			words_add(ret, word);
			continue;
		}
		char *path = text_copy_n(start + 6, strlen(start + 6) - 1);
		FILE *file = fopen(path, "re");
		if (!file) {
			struct cudasim_error *error = cudasim_error_errno(errno, "cannot open '%s'",
									  path);
			free(path);
			return error;
		}
		char *line = NULL;
		size_t size = 0;
		while (getline(&line, &size, file) > 0) {
			line[strcspn(line, "\n")] = 0;
			if (*line)
				words_addf(ret, "%.*s%s", (int)(start - word), word, line);
		}
		free(line);
		fclose(file);
		free(path);
	}
	return NULL;
}

static bool is_empty(const char *path)
{
	struct stat status;
	return !stat(path, &status) && status.st_size == 0;
}

/* Reads a temporary file from its start. The caller frees the text. */
static char *read_all(FILE *file)
{
	rewind(file);
	char *text = NULL;
	size_t size = 0, n;
	char buffer[4096];
	FILE *out = open_memstream(&text, &size);
	while (out && (n = fread(buffer, 1, sizeof buffer, file)) > 0)
		fwrite(buffer, 1, n, out);
	if (out)
		fclose(out);
	return text ? text : text_copy("");
}

/* A program that has been started; pid 0: the job was left out. */
struct running {
	const struct job *job;
	pid_t pid;
	FILE *said; /* its stderr */
	double start, taken; /* seconds */
};

/* Starts a program with its stderr in running->said. */
/* ---- signals ---------------------------------------------------------------- */

/* A signal that would end us ends the programs; what is left then is a failure like any other, and
 * is tidied up after. */
enum { MAX_CHILDREN = 256 };
static volatile pid_t children[MAX_CHILDREN]; /* 0: free */
static volatile sig_atomic_t interrupted;     /* the signal's number */

static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { N_ENDING = sizeof ending / sizeof *ending };

static void forward(int number)
{
	int errnum = errno;
	interrupted = number;
	for (size_t i = 0; i < MAX_CHILDREN; i++)
		if (children[i])
			kill(children[i], number);
	errno = errnum;
}

static void note_child(pid_t pid)
{
	for (size_t i = 0; i < MAX_CHILDREN; i++)
		if (!children[i]) {
			children[i] = pid;
			break;
		}
	if (interrupted)
		kill(pid, interrupted);
}

/* Before it is waited for: its number may be another's then. */
static void forget_child(pid_t pid)
{
	for (size_t i = 0; i < MAX_CHILDREN; i++)
		if (children[i] == pid)
			children[i] = 0;
}

static void begin_forwarding(struct sigaction *was)
{
	struct sigaction action = {.sa_handler = forward};
	for (size_t i = 0; i < N_ENDING; i++) {
		sigaction(ending[i], NULL, &was[i]);
		if (was[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &action, NULL);
	}
}

static void end_forwarding(const struct sigaction *was)
{
	for (size_t i = 0; i < N_ENDING; i++)
		sigaction(ending[i], &was[i], NULL);
}

/* A step of ours, in a fork of this process: to execute it takes longer than most steps do. */
static pid_t start_step(const struct words *words, FILE *said)
{
	fflush(NULL);
	pid_t driver = getpid(), pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < N_ENDING; i++)
		signal(ending[i], SIG_DFL);
	if (getppid() != driver || dup2(fileno(said), STDERR_FILENO) < 0)
		_exit(1);
	int status = step_main((int)words->n - 1, words->at + 1);
	fflush(NULL);
	_exit(status);
}

static struct cudasim_error *spawn(const struct words *words, const char *self,
				   struct running *running)
{
	bool is_step = words->n > 1 && !strcmp(words->at[0], self) && step_is(words->at[1]);
	if (is_step || served_is(words)) {
		running->pid = is_step ? start_step(words, running->said)
				       : served_start(words, running->said);
		if (running->pid > 0) {
			note_child(running->pid);
			return NULL;
		}
		running->pid = 0;
		return cudasim_error_errno(errno, "cannot run '%s'", words->at[0]);
	}
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(running->said), STDERR_FILENO);
	posix_spawnattr_t attributes;
	posix_spawnattr_init(&attributes);
	sigset_t defaults;
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGQUIT);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	int errnum = posix_spawnp(&running->pid, words->at[0], &actions, &attributes, words->at,
				  environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (!errnum) {
		note_child(running->pid);
		return NULL;
	}
	running->pid = 0;
	return cudasim_error_errno(errnum, "cannot run '%s'", words->at[0]);
}

/* The exit status as a shell tells it. */
static int wait_for(pid_t pid)
{
	siginfo_t info;
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	forget_child(pid);
	return child_exit_code(child_wait(pid));
}

/* A line of --time's table: nvcc's columns as far as they mean something here. */
static void note_time(const char *times, const struct job *job, double taken)
{
	FILE *file = !strcmp(times, "-") ? stdout : fopen(times, "ae");
	if (!file)
		return;
	if (file != stdout && ftell(file) == 0)
		fputs("source file name,phase name,phase input files,phase output file,metric,unit\n",
		      file);
	fprintf(file, ",%s,%s,%s,%.4f,ms\n", job->phase, job->words.at[job->words.n - 1],
		job->output ? job->output : "", taken * 1e3);
	if (file != stdout)
		fclose(file);
}

/* What is told while jobs run. */
struct talk {
	struct words seen; /* diagnostics of the source at hand that have been shown */
	FILE *kept;        /* gets all that a unit's jobs say, for the cache; or NULL */
};

/* Shows what a job said, and adds what we know about its failure. */
static void show(const struct plan *plan, const struct job *job, const char *text, int status,
		 struct talk *talk)
{
	char *told = NULL;
	size_t n;
	FILE *out = open_memstream(&told, &n);
	if (out && job->source)
		diagnostics_show(text, &talk->seen, out);
	else if (out)
		fputs(text, out);
	if (out)
		fclose(out);
	fputs(told ? told : text, stderr);
	if (talk->kept)
		fputs(told ? told : text, talk->kept);
	free(told);
	if (!status)
		return;
	if (job->links) {
		char *advice = library_advice(&plan->missing, text);
		fputs(advice, stderr);
		free(advice);
	}
	if (status > 128)
		fprintf(stderr, "cudasim: the %s (%s) was ended by signal %d (%s)\n", job->phase,
			job->words.at[0], status - 128, strsignal(status - 128));
	else if (!*text)
		fprintf(stderr, "cudasim: the %s (%s) failed with status %d\n", job->phase,
			job->words.at[0], status);
}

static struct cudasim_error *start(const struct job *job, const struct job_options *options,
				   const struct talk *talk, struct running *ret)
{
	*ret = (struct running){.job = job};
	if (job->only_if && is_empty(job->only_if))
		return NULL;
	struct words words = {0};
	struct cudasim_error *error = expand(&job->words, &words);
	if (!error && options->show) {
		char *line = words_quote(&words);
		fprintf(stderr, "#$ %s\n", line);
		free(line);
	}
	if (!error && !(ret->said = tmpfile()))
		error = cudasim_error_errno(errno, "cannot make a temporary file");
	ret->start = now_seconds();
	bool lists = talk->kept && job->headers;
	if (lists)
		headers_ask(job->headers);
	if (!error)
		error = spawn(&words, options->here->places->self, ret);
	if (lists)
		headers_ask_no_more();
	words_fini(&words);
	return error;
}

/* Tells what the program, which has ended with status own, said unless one before it
 * failed, whose status stands in *status then. */
static void finish(const struct plan *plan, const struct job_options *options,
		   struct running *running, int own, struct talk *talk, int *status)
{
	if (running->pid && !*status) {
		char *text = read_all(running->said);
		show(plan, running->job, text, own, talk);
		free(text);
		if (options->times)
			note_time(options->times, running->job, running->taken);
	}
	if (running->said)
		fclose(running->said);
	if (!*status)
		*status = own;
	if (*status && running->job->output)
		output_remove(running->job->output);
}

/* ---- jobs side by side ------------------------------------------------------ */

/* One job of a group. */
struct member {
	struct running running;
	bool started, ended;
	bool dropped; /* ended by us, since another failed */
	int status;
};

/* An earlier job of its lane has not ended yet. */
static bool must_wait(const struct plan *plan, size_t first, const struct member *members, size_t i)
{
	unsigned lane = plan->jobs[first + i].lane;
	for (size_t j = 0; lane && j < i; j++)
		if (plan->jobs[first + j].lane == lane && !members[j].ended)
			return true;
	return false;
}

/* Starts what may run, up to the number of processors, at least two at a time. */
static struct cudasim_error *start_members(const struct plan *plan,
					   const struct job_options *options,
					   const struct talk *talk, size_t first,
					   struct member *members, size_t n)
{
	long most = sysconf(_SC_NPROCESSORS_ONLN), n_running = 0;
	for (size_t i = 0; i < n; i++)
		n_running += members[i].started && !members[i].ended;
	for (size_t i = 0; i < n && n_running < (most > 2 ? most : 2); i++) {
		if (members[i].started || must_wait(plan, first, members, i))
			continue;
		struct cudasim_error *error = start(&plan->jobs[first + i], options, talk,
						    &members[i].running);
		if (error)
			return error;
		members[i].started = true;
		members[i].ended = !members[i].running.pid;
		n_running += !members[i].ended;
	}
	return NULL;
}

/* Waits for one of them, and notes how it ended. False if none runs. */
static bool wait_member(struct member *members, size_t n)
{
	bool any = false;
	for (size_t i = 0; i < n; i++)
		any |= members[i].started && !members[i].ended;
	while (any) {
		siginfo_t info;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) < 0)
			continue;
		for (size_t i = 0; i < n; i++) {
			struct member *m = &members[i];
			if (!m->started || m->ended || m->running.pid != info.si_pid)
				continue;
			m->status = wait_for(m->running.pid);
			m->running.taken = now_seconds() - m->running.start;
			m->ended = true;
			return true;
		}
		waitpid(info.si_pid, NULL, 0); /* none of ours */
	}
	return false;
}

/* After the failure of one, what the others make is for nothing, and may take minutes. */
static void drop_members(struct member *members, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct member *m = &members[i];
		if (!m->started || m->ended || m->dropped)
			continue;
		m->dropped = true;
		kill(m->running.pid, SIGTERM);
	}
}

/* What is left of a member that was ended: nothing that it said or made. */
static void forget_member(struct member *m)
{
	if (m->running.said)
		fclose(m->running.said);
	if (m->running.job->output)
		output_remove(m->running.job->output);
}

/* Runs the jobs [first, first + n) side by side; after a failure no more are
 * started, and those that run are ended. What they say is told in their order in the
 * plan. */
static struct cudasim_error *run_group(const struct plan *plan, const struct job_options *options,
				       size_t first, size_t n, struct talk *talk, int *status)
{
	struct member *members = calloc(n, sizeof *members);
	if (!members)
		return &cudasim_error_nomem;
	struct cudasim_error *error = NULL;
	bool failed = false, more = true;
	while (more) {
		if (!error && !failed)
			error = start_members(plan, options, talk, first, members, n);
		more = wait_member(members, n);
		size_t n_left = 0;
		for (size_t i = 0; i < n; i++) {
			failed |= members[i].ended && members[i].status && !members[i].dropped;
			n_left += !members[i].started;
		}
		if (failed)
			drop_members(members, n);
		more |= n_left && !failed && !error;
	}
	for (size_t i = 0; i < n; i++)
		if (members[i].dropped)
			forget_member(&members[i]);
		else if (members[i].started)
			finish(plan, options, &members[i].running, members[i].status, talk, status);
	free(members);
	return error;
}

/* Runs the job, and those that follow beside it; *i is the last one run. */
static struct cudasim_error *run_some(const struct plan *plan, const struct job_options *options,
				      size_t *i, struct talk *talk, int *status)
{
	size_t first = *i;
	while (plan->jobs[*i].beside_next && *i + 1 < plan->n_jobs)
		++*i;
	return run_group(plan, options, first, *i - first + 1, talk, status);
}

/* Runs the jobs up to `end`. */
static struct cudasim_error *run_jobs(const struct plan *plan, const struct job_options *options,
				      size_t first, size_t end, struct talk *talk, int *status)
{
	unsigned source = 0;
	struct cudasim_error *error = NULL;
	for (size_t i = first; i < end && !error && !*status; i++) {
		if (plan->jobs[i].source && plan->jobs[i].source != source) {
			words_fini(&talk->seen);
			source = plan->jobs[i].source;
		}
		error = run_some(plan, options, &i, talk, status);
	}
	return error;
}

/* Runs the unit's jobs where the cache does not have what they make. */
static struct cudasim_error *run_unit(const struct plan *plan, const struct job_options *options,
				      const struct unit *unit, struct talk *talk, int *status)
{
	char *said = NULL;
	size_t n;
	if (options->cache && cache_fetch(options->cache, plan, unit, &said)) {
		fputs(said, stderr);
		free(said);
		return NULL;
	}
	if (options->preludes)
		prelude_make(plan, unit, options->here, options->preludes, options->show);
	bool keeps = options->cache && cache_begin(options->cache, plan, unit);
	talk->kept = keeps ? open_memstream(&said, &n) : NULL;
	struct cudasim_error *error = run_jobs(plan, options, unit->first, unit->first + unit->n,
					       talk, status);
	if (talk->kept && !fclose(talk->kept) && !error && !*status)
		cache_end(options->cache, plan, unit, said);
	talk->kept = NULL;
	free(said);
	return error;
}

struct cudasim_error *jobs_run(const struct plan *plan, const struct job_options *options, int *ret)
{
	struct talk talk = {0};
	struct cudasim_error *error = NULL;
	size_t next = 0; /* job */
	*ret = 0;
	struct sigaction was[N_ENDING];
	begin_forwarding(was);
	for (size_t i = 0; i < plan->n_units && !error && !*ret; i++) {
		const struct unit *unit = &plan->units[i];
		error = run_jobs(plan, options, next, unit->first, &talk, ret);
		if (!error && !*ret)
			error = run_unit(plan, options, unit, &talk, ret);
		next = unit->first + unit->n;
	}
	if (!error && !*ret)
		error = run_jobs(plan, options, next, plan->n_jobs, &talk, ret);
	end_forwarding(was);
	if (!error && !*ret && interrupted)
		*ret = 128 + interrupted;
	words_fini(&talk.seen);
	return error;
}

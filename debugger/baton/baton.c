/* SPDX-License-Identifier: Apache-2.0 */
/* baton.c - the program and the REPL take turns.
 *
 * A pthread of the program that stops writes its stop down, gives the turn away and
 * sleeps on a futex; the REPL sleeps in poll() on an eventfd (a stop has come) and on a
 * signalfd: SIGINT is blocked everywhere, so that it is heard whatever handler the
 * program has installed. Only system calls and atomics are used on the program's side,
 * so a signal handler can stop, too. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "baton_state.h"
#include "error.h"

enum turn { TURN_PROGRAM, TURN_REPL };
static atomic_int turn = TURN_PROGRAM;
static atomic_int stopper; /* 1: a pthread of the program is stopped, or about to be */
static struct stop posted;
/* Answers; a pthread has read its own before so many others have come. */
static struct resume answers[16];
static unsigned n_answers;
static int stops_fd = -1, signals_fd = -1;
static bool started, ended, detached;
static bool asked; /* Ctrl-C came while the program ran, and its stop was another */
static pid_t own_process;

struct stop *stop_current(void)
{
	return &baton_state()->stop;
}

void interrupt_want(bool wanted)
{
	baton_state()->interrupt_wanted = wanted;
}

bool interrupt_is_wanted(void)
{
	return baton_state()->interrupt_wanted;
}

static void futex_sleep(atomic_int *at, int value)
{
	syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(atomic_int *at, int n)
{
	syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

/* ---- the program's side ---------------------------------------------------------- */

static void stopper_lock(void)
{
	int free = 0;
	while (!atomic_compare_exchange_strong(&stopper, &free, 1)) {
		futex_sleep(&stopper, 1);
		free = 0;
	}
}

static void stopper_unlock(void)
{
	atomic_store(&stopper, 0);
	futex_wake(&stopper, 1);
}

const struct resume *program_stop(const struct stop *stop)
{
	static const struct resume go = {.kind = RESUME_DETACH};
	if (detached || getpid() != own_process)
		return &go;
	int saved = errno;
	stopper_lock();
	if (detached) {
		stopper_unlock();
		return &go;
	}
	posted = *stop;
	atomic_store(&turn, TURN_REPL);
	uint64_t one = 1;
	while (write(stops_fd, &one, sizeof one) < 0 && errno == EINTR)
		;
	while (atomic_load(&turn) == TURN_REPL)
		futex_sleep(&turn, TURN_REPL);
	const struct resume *answer = &answers[n_answers % 16];
	stopper_unlock();
	errno = saved;
	return answer;
}

/* The program ends. What it printed is written by exit() only after this. */
static void on_end(int status, void *arg)
{
	(void)arg;
	fflush(NULL);
	struct stop stop = {.kind = STOP_EXITED, .exit_status = status};
	program_stop(&stop);
}

static void in_child(void)
{
	sigset_t interrupt;
	detached = true;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	pthread_sigmask(SIG_UNBLOCK, &interrupt, NULL);
}

struct cudasim_error *baton_start(void)
{
	sigset_t interrupt;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	pthread_sigmask(SIG_BLOCK, &interrupt, NULL);
	own_process = getpid();
	stops_fd = eventfd(0, EFD_CLOEXEC);
	signals_fd = signalfd(-1, &interrupt, SFD_CLOEXEC | SFD_NONBLOCK);
	if (stops_fd < 0 || signals_fd < 0)
		return cudasim_error_errno(errno, "cannot wait for the program's stops");
	pthread_atfork(NULL, NULL, in_child);
	on_exit(on_end, NULL);
	return NULL;
}

/* ---- the REPL's side --------------------------------------------------------------- */

void interrupt_forget(void)
{
	struct signalfd_siginfo info;
	while (read(signals_fd, &info, sizeof info) == sizeof info)
		;
	asked = false;
}

void interrupt_drop(void)
{
	asked = false;
}

bool interrupt_waits(void)
{
	struct pollfd wait = {.fd = signals_fd, .events = POLLIN};
	return asked || poll(&wait, 1, 0) == 1;
}

bool interrupt_or_input(int fd)
{
	struct pollfd wait[2] = {{.fd = fd, .events = POLLIN},
				 {.fd = signals_fd, .events = POLLIN}};
	while (poll(wait, 2, -1) < 0)
		;
	return wait[1].revents;
}

struct cudasim_error *interrupt_quits(void)
{
	if (!interrupt_waits())
		return NULL;
	interrupt_forget();
	return cudasim_error_new(CUDASIM_E_FAILED, "Quit");
}

void interrupt_keep(void)
{
	asked = true;
}

enum baton_event baton_wait(int milliseconds)
{
	struct pollfd wait[2] = {{.fd = stops_fd, .events = POLLIN},
				 {.fd = signals_fd, .events = POLLIN}};
	uint64_t n;
	for (;;) {
		int came = poll(wait, 2, milliseconds);
		if (!came)
			return BATON_TICK;
		if (came > 0 && wait[0].revents && read(stops_fd, &n, sizeof n) == sizeof n)
			return BATON_STOP;
		if (came > 0 && wait[1].revents)
			return BATON_INTERRUPT;
	}
}

/* What the program has printed so far stands before what the debugger says. */
static void flush_program(void)
{
	if (ftrylockfile(stdout))
		return;
	fflush_unlocked(stdout);
	funlockfile(stdout);
}

void baton_take(void)
{
	cudasim_timeout_hold(true);
	*stop_current() = posted;
	/* Whatever has stopped it: what was asked for is not for what runs next. */
	baton_state()->interrupt_wanted = false;
	asked = asked && stop_current()->kind != STOP_INTERRUPT;
	flush_program();
	if (stop_current()->kind == STOP_EXITED)
		ended = true;
	started = true;
}

/* Read in signal handlers, where no memory can be made for it. */
static _Thread_local bool is_repl __attribute__((tls_model("initial-exec")));

bool program_is_repl(void)
{
	return is_repl;
}

void baton_pthread_is_repl(void)
{
	is_repl = true;
}

bool program_is_running(void)
{
	return started && !ended && stop_current()->kind != STOP_START;
}

bool program_is_detached(void)
{
	return detached;
}

bool baton_can_give(void)
{
	return started && !ended;
}

void baton_ended(void)
{
	ended = true;
}

void baton_detach(void)
{
	detached = true;
}

void baton_give(const struct resume *how)
{
	answers[++n_answers % 16] = *how;
	cudasim_timeout_hold(false);
	atomic_store(&turn, TURN_PROGRAM);
	futex_wake(&turn, 1);
}

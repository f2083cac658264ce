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
	struct baton_turns *own = &baton_state()->turns;
	int free = 0;
	while (!atomic_compare_exchange_strong(&own->stopper, &free, 1)) {
		futex_sleep(&own->stopper, 1);
		free = 0;
	}
}

static void stopper_unlock(void)
{
	struct baton_turns *own = &baton_state()->turns;
	atomic_store(&own->stopper, 0);
	futex_wake(&own->stopper, 1);
}

const struct resume *program_stop(const struct stop *stop)
{
	struct baton_turns *own = &baton_state()->turns;
	const struct baton_hooks *hooks = baton_hooks();
	static const struct resume go = {.kind = RESUME_DETACH};
	if (own->detached || getpid() != own->own_process)
		return &go;
	if (hooks->stops)
		hooks->stops(stop);
	int saved = errno;
	stopper_lock();
	if (own->detached) {
		stopper_unlock();
		return &go;
	}
	own->posted = *stop;
	atomic_store(&own->turn, TURN_REPL);
	uint64_t one = 1;
	while (write(own->stops_fd, &one, sizeof one) < 0 && errno == EINTR)
		;
	while (atomic_load(&own->turn) == TURN_REPL)
		futex_sleep(&own->turn, TURN_REPL);
	const struct resume *answer = &own->answers[own->n_answers % 16];
	stopper_unlock();
	if (hooks->resumed && stop->launch)
		hooks->resumed(stop, answer);
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

struct baton_hooks *baton_hooks(void)
{
	return &baton_state()->hooks;
}

bool baton_is_forking(void)
{
	return baton_state()->turns.is_forking;
}

pid_t baton_fork(void)
{
	struct baton_turns *own = &baton_state()->turns;
	own->is_forking = true;
	pid_t ret = cudasim_fork();
	own->is_forking = false;
	if (!ret)
		own->own_process = getpid();
	return ret;
}

struct cudasim_error *baton_renew(void)
{
	struct baton_turns *own = &baton_state()->turns;
	own->stops_fd = eventfd(0, EFD_CLOEXEC);
	atomic_store(&own->turn, TURN_PROGRAM);
	atomic_store(&own->stopper, 0);
	own->ended = own->asked = false;
	return own->stops_fd < 0 ? cudasim_error_errno(errno, "cannot wait for the launch's stops")
				 : NULL;
}

static void in_child(void)
{
	sigset_t interrupt;
	if (baton_is_forking())
		return;
	baton_state()->turns.detached = true;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	pthread_sigmask(SIG_UNBLOCK, &interrupt, NULL);
}

struct cudasim_error *baton_start(void)
{
	struct baton_turns *own = &baton_state()->turns;
	sigset_t interrupt;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	pthread_sigmask(SIG_BLOCK, &interrupt, NULL);
	own->own_process = getpid();
	own->stops_fd = eventfd(0, EFD_CLOEXEC);
	own->signals_fd = signalfd(-1, &interrupt, SFD_CLOEXEC | SFD_NONBLOCK);
	if (own->stops_fd < 0 || own->signals_fd < 0)
		return cudasim_error_errno(errno, "cannot wait for the program's stops");
	pthread_atfork(NULL, NULL, in_child);
	on_exit(on_end, NULL);
	return NULL;
}

/* ---- the REPL's side --------------------------------------------------------------- */

void interrupt_forget(void)
{
	struct baton_turns *own = &baton_state()->turns;
	struct signalfd_siginfo info;
	while (read(own->signals_fd, &info, sizeof info) == sizeof info)
		;
	own->asked = false;
}

void interrupt_drop(void)
{
	baton_state()->turns.asked = false;
}

bool interrupt_waits(void)
{
	struct baton_turns *own = &baton_state()->turns;
	struct pollfd wait = {.fd = own->signals_fd, .events = POLLIN};
	return own->asked || poll(&wait, 1, 0) == 1;
}

bool interrupt_or_input(int fd)
{
	struct pollfd wait[2] = {{.fd = fd, .events = POLLIN},
				 {.fd = baton_state()->turns.signals_fd, .events = POLLIN}};
	while (poll(wait, 2, -1) < 0)
		;
	return wait[1].revents;
}

void baton_listen(const struct listener *listener)
{
	baton_state()->listener = *listener;
}

bool baton_heard(bool is_running)
{
	const struct listener *listener = &baton_state()->listener;
	return listener->heard && listener->heard(is_running);
}

struct cudasim_error *interrupt_quits(void)
{
	if (!interrupt_waits() && !baton_heard(false))
		return NULL;
	interrupt_forget();
	return cudasim_error_new(CUDASIM_E_FAILED, "Quit");
}

void interrupt_keep(void)
{
	baton_state()->turns.asked = true;
}

enum baton_event baton_wait(int milliseconds)
{
	struct baton_turns *own = &baton_state()->turns;
	struct pollfd wait[3] = {{.fd = own->stops_fd, .events = POLLIN},
				 {.fd = own->signals_fd, .events = POLLIN},
				 {.fd = baton_state()->listener.fd, .events = POLLIN}};
	uint64_t n;
	for (;;) {
		int came = poll(wait, 3, milliseconds);
		if (!came)
			return BATON_TICK;
		if (came > 0 && wait[0].revents && read(own->stops_fd, &n, sizeof n) == sizeof n)
			return BATON_STOP;
		if (came > 0 && wait[1].revents)
			return BATON_INTERRUPT;
		if (came > 0 && wait[2].revents)
			return BATON_INPUT;
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
	struct baton_turns *own = &baton_state()->turns;
	cudasim_timeout_hold(true);
	*stop_current() = own->posted;
	/* Whatever has stopped it: what was asked for is not for what runs next. */
	baton_state()->interrupt_wanted = false;
	own->asked = own->asked && stop_current()->kind != STOP_INTERRUPT;
	flush_program();
	if (stop_current()->kind == STOP_EXITED)
		own->ended = true;
	own->started = true;
}

/* Read in signal handlers, where no memory can be made for it. */
static _Thread_local bool is_repl __attribute__((tls_model("initial-exec")));

bool program_is_repl(void)
{
	return is_repl;
}

struct cudasim_error *baton_pthread_start(void *(*main)(void *), pthread_t *ret)
{
	enum { STACK_BYTES = 8 << 20 };
	static const int own_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sigfillset(&all);
	for (size_t i = 0; i < sizeof own_faults / sizeof *own_faults; i++)
		sigdelset(&all, own_faults[i]);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int number = pthread_create(ret, &attributes, main, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return number ? cudasim_error_errno(number, "cannot start the debugger's thread") : NULL;
}

void baton_pthread_is_repl(void)
{
	is_repl = true;
}

bool program_is_running(void)
{
	struct baton_turns *own = &baton_state()->turns;
	return own->started && !own->ended && stop_current()->kind != STOP_START;
}

bool program_is_detached(void)
{
	return baton_state()->turns.detached;
}

bool baton_can_give(void)
{
	struct baton_turns *own = &baton_state()->turns;
	return own->started && !own->ended;
}

void baton_ended(void)
{
	baton_state()->turns.ended = true;
}

void baton_detach(void)
{
	baton_state()->turns.detached = true;
}

void baton_give(const struct resume *how)
{
	struct baton_turns *own = &baton_state()->turns;
	own->answers[++own->n_answers % 16] = *how;
	cudasim_timeout_hold(false);
	atomic_store(&own->turn, TURN_PROGRAM);
	futex_wake(&own->turn, 1);
}

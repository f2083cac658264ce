/* SPDX-License-Identifier: Apache-2.0 */
/* call_guard.c - runs a function of the program so that the debugger survives it.
 *
 * Signals that the function causes on this pthread lead back here by siglongjmp; a
 * timer ends endless loops, a stack of its own lets endless recursion be told. The
 * handlers stand only while the call runs, and hand on what other pthreads get.
 *
 * Conditions call device functions on a worker, often: there no system call is made. A
 * launch's handlers ask call_guard_catches() first (cudasim_call_guard(), SIGTRAP), and the
 * REPL's pthread, which waits meanwhile, looks for calls that last (call_guard_tick()). */
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "call.h"
#include "baton.h"
#include "calls_state.h"
#include "cudasim/inspect.h"
#include "error.h"

#define SECONDS 5
#define TICKS_A_SECOND 10 /* that Ctrl-C is looked for */

void call_registers_run(struct call_registers *registers); /* call_x86_64.S */

void trap_send(pid_t tid, void *mark)
{
	siginfo_t info = {.si_signo = SIGTRAP, .si_code = SI_QUEUE, .si_pid = getpid()};
	info.si_value.sival_ptr = mark;
	syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, SIGTRAP, &info);
}

void trap_mask(int how)
{
	sigset_t traps;
	sigemptyset(&traps);
	sigaddset(&traps, SIGTRAP);
	pthread_sigmask(how, &traps, NULL);
}

static const int guarded[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGALRM};
_Static_assert(sizeof guarded / sizeof *guarded == N_GUARDED, "one old action each");

static void hand_on(int signal, siginfo_t *info, void *context)
{
	struct call_guards *own = &calls_state()->guards;
	for (size_t i = 0; i < N_GUARDED; i++) {
		if (guarded[i] != signal)
			continue;
		if (own->before[i].sa_flags & SA_SIGINFO) {
			own->before[i].sa_sigaction(signal, info, context);
		} else if (own->before[i].sa_handler == SIG_DFL) {
			sigaction(signal, &own->before[i], NULL);
			raise(signal);
		} else if (own->before[i].sa_handler != SIG_IGN) {
			own->before[i].sa_handler(signal);
		}
	}
}

static void handle(int signal, siginfo_t *info, void *context)
{
	struct call_guards *own = &calls_state()->guards;
	if (!pthread_equal(pthread_self(), own->caller)) {
		hand_on(signal, info, context);
		return;
	}
	if (signal == SIGALRM && ++own->ticks < SECONDS * TICKS_A_SECOND &&
	    !interrupt_is_wanted() && !interrupt_waits())
		return;
	own->caught = signal;
	own->caught_address = info->si_addr;
	siglongjmp(own->way_back, 1);
}

static struct cudasim_error *explain(const char *name)
{
	struct call_guards *own = &calls_state()->guards;
	switch (own->caught) {
	case SIGSEGV:
	case SIGBUS:
		return cudasim_error_new(CUDASIM_E_FAILED,
					 "Cannot access memory at address 0x%" PRIx64
					 " in the call of %s, which was "
					 "given up.",
					 (uint64_t)(uintptr_t)own->caught_address, name);
	case SIGFPE:
		return cudasim_error_new(
			CUDASIM_E_FAILED,
			"Arithmetic exception in the call of %s, which was given up.", name);
	case SIGTRAP:
		return cudasim_error_new(CUDASIM_E_FAILED,
					 "The call of %s came to a breakpoint and was given up.",
					 name);
	case SIGSYS:
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"%s cannot be called from the debugger: it waits for other threads, prints, "
			"allocates, traps, asserts or accesses a misaligned address.",
			name);
	case SIGALRM:
		if (own->ticks < SECONDS * TICKS_A_SECOND && program_is_repl())
			interrupt_forget();
		if (own->ticks < SECONDS * TICKS_A_SECOND)
			return cudasim_error_new(CUDASIM_E_FAILED,
						 "Quit: the call of %s was given up.", name);
		return cudasim_error_new(
			CUDASIM_E_FAILED,
			"The call of %s took longer than %d seconds and was given up.", name,
			SECONDS);
	default:
		return cudasim_error_new(CUDASIM_E_FAILED,
					 "The call of %s ended with signal %d and was given up.",
					 name, (int)own->caught);
	}
}

static void stop_time(timer_t timer, bool has_timer)
{
	if (has_timer)
		timer_delete(timer);
}

static bool start_time(timer_t *timer)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
	const struct timespec tick = {.tv_nsec = 1000000000 / TICKS_A_SECOND};
	const struct itimerspec when = {.it_value = tick, .it_interval = tick};
	calls_state()->guards.ticks = 0;
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	return !timer_create(CLOCK_MONOTONIC, &event, timer) &&
	       !timer_settime(*timer, 0, &when, NULL);
}

static void guard(void)
{
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < N_GUARDED; i++)
		sigaction(guarded[i], &action, &calls_state()->guards.before[i]);
}

static void unguard(void)
{
	for (size_t i = 0; i < N_GUARDED; i++)
		sigaction(guarded[i], &calls_state()->guards.before[i], NULL);
}

/* False where a signal has ended it. Nothing of its own to lose in the jump. */
static bool run(struct call_registers *registers)
{
	if (sigsetjmp(calls_state()->guards.way_back, 1))
		return false;
	call_registers_run(registers);
	return true;
}

/* ---- on a worker ------------------------------------------------------------------- */

static _Thread_local pid_t own_tid;
static char late_mark;

bool call_guard_catches(int signal, const siginfo_t *info)
{
	struct call_guards *own = &calls_state()->guards;
	bool is_late = info && info->si_code == SI_QUEUE && info->si_value.sival_ptr == &late_mark;
	if (!(atomic_load_explicit(&own->quick, memory_order_relaxed) & 1) ||
	    !pthread_equal(pthread_self(), own->caller))
		return is_late; /* the call has ended meanwhile */
	own->caught = is_late ? SIGALRM : signal;
	if (signal == SIGTRAP)
		trap_mask(SIG_UNBLOCK); /* which its handler blocks */
	siglongjmp(own->way_back, 1);
}

static void on_refusal(int signal, const void *address)
{
	calls_state()->guards.caught_address = address;
	call_guard_catches(signal, NULL);
}

void call_guard_tick(bool quit)
{
	struct call_guards *own = &calls_state()->guards;
	static uint64_t last;
	uint64_t now = atomic_load(&own->quick);
	if (!(now & 1) || now != last) {
		last = now;
		own->ticks = 0;
		if (!(now & 1) || !quit)
			return;
	}
	if (++own->ticks < SECONDS * TICKS_A_SECOND && !quit)
		return;
	trap_send(own->quick_tid, &late_mark);
}

/* The signal mask is the same at the jump in all these handlers. */
static bool run_quick(struct call_registers *registers)
{
	struct call_guards *own = &calls_state()->guards;
	bool ended = true;
	if (sigsetjmp(own->way_back, 0)) {
		ended = false;
	} else {
		atomic_fetch_add_explicit(&own->quick, 1, memory_order_relaxed);
		atomic_signal_fence(memory_order_seq_cst);
		call_registers_run(registers);
	}
	atomic_signal_fence(memory_order_seq_cst);
	atomic_fetch_add_explicit(&own->quick, 1, memory_order_relaxed);
	return ended;
}

struct cudasim_error *call_run_quick(struct call_registers *registers,
				     struct cudasim_thread *thread, const char *name)
{
	struct call_guards *own = &calls_state()->guards;
	static _Atomic bool is_set;
	if (!is_set)
		cudasim_call_guard(on_refusal);
	is_set = true;
	if (!own_tid)
		own_tid = (pid_t)syscall(SYS_gettid);
	own->caller = pthread_self();
	own->quick_tid = own_tid;
	struct cudasim_thread *self = cudasim_self_swap(thread);
	bool ended = run_quick(registers);
	cudasim_self_swap(self);
	return ended ? NULL : explain(name);
}

/* ---- anywhere ---------------------------------------------------------------------- */

struct cudasim_error *call_run(struct call *call, uint64_t code, struct cudasim_thread *thread,
			       const char *name)
{
	static char signal_stack[64 << 10];
	stack_t own = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack}, old;
	struct cudasim_error *error = NULL;
	sigset_t open, mask;
	timer_t timer;
	call->registers.code = code;
	call->n_stack += call->n_stack % 2;
	call->registers.n_stack = call->n_stack;
	call->registers.stack = call->stack;
	if (thread && thread->block->launch && !program_is_repl())
		return call_run_quick(&call->registers, thread, name);
	calls_state()->guards.caller = pthread_self();
	sigaltstack(&own, &old);
	guard();
	sigemptyset(&open);
	for (size_t i = 0; i < N_GUARDED; i++)
		sigaddset(&open, guarded[i]);
	pthread_sigmask(SIG_UNBLOCK, &open, &mask);
	bool has_timer = start_time(&timer);
	struct cudasim_thread *self = cudasim_self_swap(thread);
	if (!run(&call->registers))
		error = explain(name);
	cudasim_self_swap(self);
	stop_time(timer, has_timer);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	unguard();
	sigaltstack(&old, NULL);
	return error;
}

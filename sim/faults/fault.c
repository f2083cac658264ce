/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - signals of device code.
 *
 * A handler runs on the pthread's signal stack. Where the signal is device
 * code's own it notes what has happened and switches to the worker's stack, as
 * a waiting thread would, never to return: the frames of the thread stay as
 * they are for those who look, and the report is written where everything may
 * be called. Any other signal goes to the handler that was there before. */
#define _GNU_SOURCE
#include "fault.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "block.h"
#include "cudasim/inspect.h"
#include "dispatch.h"
#include "fault_context.h"
#include "fault_signals.h"
#include "observer.h"
#include "worker.h"

enum { N_SIGNALS = 4 };
static const int signals[N_SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction before[N_SIGNALS];

int fault_nudge_signal(void)
{
	return SIGURG; /* ignored by default, and hardly used by anybody */
}

/* ---- signals that are not ours ------------------------------------------- */

static const struct sigaction *previous(int number)
{
	for (int i = 0; i < N_SIGNALS; i++)
		if (signals[i] == number)
			return &before[i];
	return NULL;
}

static void pass_on(int number, siginfo_t *info, void *context)
{
	const struct sigaction *old = previous(number);
	if (!old)
		return;
	if (old->sa_flags & SA_SIGINFO) {
		old->sa_sigaction(number, info, context);
	} else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
		old->sa_handler(number);
	} else {
		/* The instruction faults again when we return, then for good. */
		struct sigaction plain = {.sa_handler = SIG_DFL};
		sigaction(number, &plain, NULL);
		if (info->si_code <= 0)
			raise(number);
	}
}

/* ---- what has happened --------------------------------------------------- */

static void memory_fault(struct thread *t, const siginfo_t *info, const struct fault_context *c,
			 struct fault *fault)
{
	const struct block *b = block_of(t);
	bool guard;
	fault->kind = CUDASIM_FAULT_ADDRESS;
	fault->error = ERROR_ILLEGAL_ADDRESS;
	strcpy(fault->what, "an illegal memory access was encountered");
	fault->write = c->write;
	if (info->si_code == SI_KERNEL) {
		fault->address = (void *)c->address;
		fault->address_known = c->non_canonical;
		if (c->non_canonical && !c->misaligned)
			return;
		fault->kind = CUDASIM_FAULT_MISALIGNED;
		fault->error = ERROR_MISALIGNED_ADDRESS;
		strcpy(fault->what, "misaligned address");
		return;
	}
	fault->address = info->si_addr;
	fault->address_known = true;
	fiber_holds(t->fiber, info->si_addr, &guard);
	if (guard || (c->sp < (uintptr_t)t->fiber->low &&
		      (uintptr_t)info->si_addr < (uintptr_t)t->fiber->low &&
		      (uintptr_t)info->si_addr >= c->sp - 4096)) {
		fault->kind = CUDASIM_FAULT_STACK;
		strcpy(fault->what, "stack overflow: recursion too deep or local arrays too large");
	} else if (window_guards(&b->window, info->si_addr)) {
		strcpy(fault->what, "an illegal memory access was encountered "
				    "(outside the block's shared memory)");
		if ((uintptr_t)info->si_addr >= (uintptr_t)b->window.base + WINDOW_RANGE) {
			fault->kind = CUDASIM_FAULT_ILLEGAL;
			fault->error = ERROR_ILLEGAL_INSTRUCTION;
			strcpy(fault->what, "an access far outside the block's shared memory");
		}
	}
}

static void classify(int number, struct thread *t, const siginfo_t *info,
		     const struct fault_context *c, struct fault *fault)
{
	*fault = (struct fault){.pc = c->pc, .site = t->pub.site};
	switch (number) {
	case SIGBUS:
		if (info->si_code == BUS_ADRALN) {
			fault->kind = CUDASIM_FAULT_MISALIGNED;
			fault->error = ERROR_MISALIGNED_ADDRESS;
			strcpy(fault->what, "misaligned address");
			return;
		}
		/* fall through */
	case SIGSEGV:
		memory_fault(t, info, c, fault);
		return;
	case SIGILL:
		fault->kind = CUDASIM_FAULT_ILLEGAL;
		fault->error = ERROR_ILLEGAL_INSTRUCTION;
		strcpy(fault->what, "an illegal instruction was encountered");
		return;
	default:
		fault->kind = CUDASIM_FAULT_ILLEGAL;
		fault->error = ERROR_LAUNCH_FAILURE;
		strcpy(fault->what, "an arithmetic exception of the CPU, which a GPU does not "
				    "have: a defect of cudasim");
		return;
	}
}

/* ---- memory that is closed to the host ------------------------------------ */

static _Atomic(cudasim_touch_fn *) touched;

void cudasim_touch_handle(cudasim_touch_fn *handler)
{
	atomic_store(&touched, handler);
	fault_claim();
}

/* True: the access may be made again. */
static bool is_touch(const siginfo_t *info, const void *context)
{
	cudasim_touch_fn *handler = atomic_load(&touched);
	struct fault_context c;
	if (!handler || info->si_signo != SIGSEGV || info->si_code != SEGV_ACCERR)
		return false;
	fault_context_read(context, false, &c);
	return handler(info->si_addr, c.write, c.pc);
}

/* ---- the handlers -------------------------------------------------------- */

/* The CUDA thread whose device code the signal has interrupted, or NULL. */
static struct thread *device_thread(void)
{
	struct thread *t = thread_self();
	return t && block_of(t)->worker->in_device ? t : NULL;
}

static void remember(struct thread *t, const struct fault_context *c)
{
	t->fault_pc = c->pc;
	t->fault_frame = c->frame;
	t->fault_sp = c->sp;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	struct thread *t = device_thread();
	struct fault_context c;
	struct fault fault;
	/* si_code <= 0: another process or raise() has sent it. */
	if (is_touch(info, context))
		return;
	observer_guard(number, info->si_addr);
	if (!t || info->si_code <= 0) {
		pass_on(number, info, context);
		return;
	}
	block_of(t)->worker->in_device = 0;
	/* Of addresses in rbp or rsp it is a SIGBUS. */
	fault_context_read(context, info->si_code == SI_KERNEL, &c);
	remember(t, &c);
	classify(number, t, info, &c, &fault);
	dispatch_die(t, &fault);
}

/* The watchdog wants the worker's attention. */
static void on_nudge(int number, siginfo_t *info, void *context)
{
	struct thread *t = device_thread();
	struct fault_context c;
	(void)number;
	(void)info;
	if (!t || block_of(t)->worker->in_device != IN_DEVICE ||
	    !atomic_load_explicit(&block_of(t)->run->stop, memory_order_relaxed))
		return;
	if (observer_frame) {
		observer_nudged = 1;
		return;
	}
	struct worker *worker = block_of(t)->worker;
	worker->in_device = 0;
	fault_context_read(context, false, &c);
	remember(t, &c);
	worker->event = EVENT_NONE;
	dispatch_abandon(t); /* the launch ends; nobody comes back here */
}

static bool is_ours(int number)
{
	struct sigaction now;
	return !sigaction(number, NULL, &now) && now.sa_flags & SA_SIGINFO &&
	       now.sa_sigaction == on_fault;
}

void fault_claim(void)
{
	struct sigaction action = {
		.sa_sigaction = on_fault,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};
	if (is_ours(SIGSEGV))
		return;
	for (int i = 0; i < N_SIGNALS; i++)
		if (!is_ours(signals[i]))
			sigaction(signals[i], &action, &before[i]);
}

void fault_install(void)
{
	static bool installed;
	struct sigaction action = {
		.sa_sigaction = on_nudge,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART,
	};
	fault_claim();
	if (installed)
		return;
	installed = true;
	sigaction(fault_nudge_signal(), &action, NULL);
}

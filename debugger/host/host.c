/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - a stopped host thread, and the signals of the host program.
 *
 * A host thread stops inside a signal handler and waits there for the baton; its
 * registers are those of the handler's context, which may be written. Handlers are
 * installed before libcudasim's own, which pass on whatever is not device code's. */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "error.h"
#include "host_state.h"
#include "host_text.h"
#include "host_trap.h"

/* Those that end a program that does not handle them. */
static const int fatal[] = {SIGSEGV, SIGBUS,  SIGFPE,    SIGILL,  SIGABRT, SIGTERM,   SIGHUP,
			    SIGQUIT, SIGUSR1, SIGUSR2,   SIGPIPE, SIGALRM, SIGVTALRM, SIGPROF,
			    SIGIO,   SIGPWR,  SIGSTKFLT, SIGSYS,  SIGXCPU, SIGXFSZ};
enum { N_FATAL = sizeof fatal / sizeof *fatal };
_Static_assert((int)N_FATAL == (int)HOST_N_FATAL, "one old action each");

/* ---- registers -------------------------------------------------------------- */

static const int order[17] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
	REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

void host_context_read(const ucontext_t *context, struct registers *ret)
{
	for (int i = 0; i < 17; i++)
		ret->value[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
	ret->known = (1u << 17) - 1;
}

void host_context_write(ucontext_t *context, int number, uint64_t value)
{
	context->uc_mcontext.gregs[order[number]] = (greg_t)value;
}

ucontext_t *host_stopped(void)
{
	return host_state()->stop.stopped;
}

pid_t host_stopped_tid(void)
{
	return host_state()->stop.stopped_tid;
}

bool host_registers(struct registers *ret)
{
	struct host_stop *own = &host_state()->stop;
	if (!own->stopped)
		return false;
	host_context_read(own->stopped, ret);
	return true;
}

struct cudasim_error *host_registers_set(int number, uint64_t value)
{
	struct host_stop *own = &host_state()->stop;
	if (!own->stopped)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "No registers of a host thread.");
	if (number < 0 || number > 16)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid register.");
	host_context_write(own->stopped, number, value);
	return NULL;
}

const struct resume *host_stop(ucontext_t *context, struct stop *stop)
{
	struct host_stop *own = &host_state()->stop;
	stop->host = context;
	own->stopped = context;
	own->stopped_tid = (pid_t)syscall(SYS_gettid);
	const struct resume *how = program_stop(stop);
	own->stopped = NULL;
	return how;
}

/* ---- signals of the program --------------------------------------------------- */

static void pass_on(int i, int number, siginfo_t *info, void *context)
{
	const struct sigaction *old = &host_state()->stop.before[i];
	if (program_is_detached() && old->sa_handler == SIG_DFL) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	if (old->sa_handler == SIG_IGN)
		return;
	if (old->sa_flags & SA_SIGINFO && old->sa_sigaction) {
		old->sa_sigaction(number, info, context);
		return;
	}
	if (old->sa_handler != SIG_DFL) {
		old->sa_handler(number);
		return;
	}
	/* The program would be dead now; its frames are kept, so that the REPL lives
	 * on and can run it again. */
	struct stop stop = {.kind = STOP_EXITED, .signal = number, .exit_status = 128 + number};
	for (;;)
		program_stop(&stop);
}

/* As gdb: alarms go to the program without a stop. */
bool host_signal_stops(int number)
{
	if (number == SIGALRM || number == SIGVTALRM || number == SIGPROF)
		return false;
	for (int i = 0; i < N_FATAL; i++)
		if (fatal[i] == number)
			return true;
	return false;
}

static void on_fatal(int number, siginfo_t *info, void *context)
{
	struct stop stop = {.kind = STOP_SIGNAL, .signal = number};
	if (program_is_repl()) {
		/* A bug of the debugger's own: nobody is there to tell it to. */
		signal(number, SIG_DFL);
		return;
	}
	/* Somebody else means the debugger when he ends the process. */
	if ((number == SIGTERM || number == SIGHUP || number == SIGQUIT) && info->si_code <= 0 &&
	    info->si_pid != getpid()) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	for (int i = 0; i < N_FATAL; i++) {
		if (fatal[i] != number)
			continue;
		if (host_signal_stops(number))
			host_stop(context, &stop);
		pass_on(i, number, info, context);
	}
}

/* ---- loaded late ---------------------------------------------------------------- */

/* Has the executable's entry been left for main()? Its call of the C runtime has pushed an
 * address behind it then, which stands on the first thread's stack from there on. Not where
 * the executable is ours: its own constructors open the library. Between is what
 * AddressSanitizer has marked. */
__attribute__((no_sanitize_address)) static bool entry_has_run(void)
{
	extern void *__libc_stack_end;
	enum { ENTRY_BYTES = 64 };
	uint64_t entry = getauxval(AT_ENTRY);
	for (const uint64_t *at = __builtin_frame_address(0); (const void *)at < __libc_stack_end;
	     at++)
		if (*at > entry && *at < entry + ENTRY_BYTES)
			return true;
	return false;
}

bool host_main_has_begun(void)
{
	static int known = -1;
	if (known < 0)
		known = !program_is_ours("/proc/self/exe") &&
			((pid_t)syscall(SYS_gettid) != getpid() || entry_has_run());
	return known;
}

/* Threads that the program has made already hear Ctrl-C no more, so that it comes here. */
static void block_interrupts(void)
{
	DIR *folder = opendir("/proc/self/task");
	pid_t own = (pid_t)syscall(SYS_gettid);
	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		pid_t tid = atoi(entry->d_name);
		if (tid > 0 && tid != own)
			host_trap_block_interrupt(tid);
	}
	if (folder)
		closedir(folder);
}

static void in_child(void)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};
	if (baton_is_forking())
		return;
	host_text_clear();
	host_trap_forget();
	sigaction(SIGTRAP, &plain, NULL);
	for (int i = 0; i < N_FATAL; i++)
		sigaction(fatal[i], &host_state()->stop.before[i], NULL);
}

struct cudasim_error *host_start(void)
{
	struct host_stop *own = &host_state()->stop;
	struct sigaction action = {.sa_sigaction = host_on_trap,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	own->main_thread = getpid();
	host_safe_start();
	pthread_atfork(NULL, NULL, in_child);
	sigaction(SIGTRAP, &action, NULL);
	/* On the alternate stack where there is one: the stack may be what has overflowed. */
	action.sa_sigaction = on_fatal;
	action.sa_flags |= SA_ONSTACK | SA_NODEFER;
	for (int i = 0; i < N_FATAL; i++) {
		sigaction(fatal[i], NULL, &own->before[i]);
		if (own->before[i].sa_handler != SIG_IGN)
			sigaction(fatal[i], &action, &own->before[i]);
	}
	if (host_main_has_begun())
		block_interrupts();
	return host_trap_start(getauxval(AT_ENTRY));
}

void host_start_late(void)
{
	struct stop stop = {.kind = STOP_START};
	if (!host_main_has_begun())
		return;
	program_stop(&stop);
}

void host_interrupt(bool is_urgent)
{
	host_trap_interrupt(host_state()->stop.main_thread, is_urgent);
}

bool host_interrupt_refused(void)
{
	return host_state()->traps.is_refused;
}

void host_interrupt_forget(void)
{
	host_trap_interrupt_forget();
}

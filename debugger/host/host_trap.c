/* SPDX-License-Identifier: Apache-2.0 */
/* host_trap.c - int3 and single steps of host threads, and Ctrl-C there.
 *
 * All that runs in the handler looks only at tables built before: the sites of
 * host_text.c and the rows of host_lines.c. A thread that goes on from a planted
 * int3 has the original byte put back for one instruction, which it does with the
 * trap flag set. `step` and `next` set the trap flag until another line begins; calls
 * that are not to be entered run at full speed to an int3 at their return address. */
#define _GNU_SOURCE
#include "host_trap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call.h"
#include "error.h"
#include "front.h"
#include "host_lines.h"
#include "host_state.h"
#include "host_text.h"
#include "host_unwind.h"
#include "skip.h"

enum { TRAP_FLAG = 0x100 };

struct host_breakpoint {
	struct host_breakpoint *next;
	uint64_t pc;
	bool (*hit)(void *user, const struct registers *registers, struct stop *stop);
	void *user;
};

/* ---- breakpoints -------------------------------------------------------------- */

struct cudasim_error *
host_breakpoint_add(uint64_t pc, bool (*hit)(void *, const struct registers *, struct stop *),
		    void *user, struct host_breakpoint **ret)
{
	struct host_traps *own = &host_state()->traps;
	struct host_breakpoint *b = malloc(sizeof *b);
	if (!b)
		return &cudasim_error_nomem;
	struct cudasim_error *error = host_text_plant(pc);
	if (error) {
		free(b);
		return error;
	}
	*b = (struct host_breakpoint){own->breakpoints, pc, hit, user};
	own->breakpoints = b;
	*ret = b;
	return NULL;
}

void host_breakpoint_remove(struct host_breakpoint *b)
{
	if (!b)
		return;
	for (struct host_breakpoint **at = &host_state()->traps.breakpoints; *at; at = &(*at)->next)
		if (*at == b) {
			*at = b->next;
			host_text_release(b->pc);
			free(b);
			return;
		}
}

static bool ask(uint64_t pc, const struct registers *registers, struct stop *stop)
{
	bool hit = false;
	for (struct host_breakpoint *b = host_state()->traps.breakpoints; b; b = b->next)
		if (b->pc == pc && b->hit(b->user, registers, stop))
			hit = true;
	return hit;
}

/* ---- stepping: state ------------------------------------------------------------ */

static pid_t self(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static uint64_t reg(const ucontext_t *c, int which)
{
	return (uint64_t)c->uc_mcontext.gregs[which];
}

void host_trap_flag(ucontext_t *c, bool on)
{
	if (on)
		c->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	else
		c->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

static void plant_return(uint64_t pc, uint64_t sp, bool ends)
{
	struct host_traps *own = &host_state()->traps;
	struct cudasim_error *error = host_text_plant(pc);
	if (error) {
		cudasim_error_free(error);
		return;
	}
	own->stepping.return_pc = pc;
	own->stepping.return_sp = sp;
	own->stepping.return_ends = ends;
}

static void drop_return(void)
{
	struct host_traps *own = &host_state()->traps;
	if (own->stepping.return_pc)
		host_text_release(own->stepping.return_pc);
	own->stepping.return_pc = 0;
}

static void drop_entry(void)
{
	struct host_traps *own = &host_state()->traps;
	if (own->stepping.entry)
		host_text_release(own->stepping.entry);
	own->stepping.entry = 0;
}

static void end_step(void)
{
	struct host_traps *own = &host_state()->traps;
	drop_return();
	drop_entry();
	for (unsigned i = 0; i < own->stepping.n_targets; i++)
		host_text_release(own->stepping.targets[i]);
	own->stepping.n_targets = 0;
	own->stepping.tid = 0;
}

void host_step_end(void)
{
	end_step();
}

void host_trap_forget(void)
{
	struct host_traps *own = &host_state()->traps;
	own->stepping.tid = 0;
	own->over.tid = 0;
	own->after_call.tid = 0;
	host_trap_device_forget();
}

/* ---- going on from a stop --------------------------------------------------------- */

/* The thread goes on from where its context stands. */
static void go_on(ucontext_t *c)
{
	struct host_traps *own = &host_state()->traps;
	struct trap_site *site = host_text_find(reg(c, REG_RIP));
	bool steps = own->stepping.tid == self() && !own->stepping.return_pc &&
		     !own->stepping.entry && own->stepping.kind != RESUME_LOCATION &&
		     own->stepping.kind != RESUME_FINISH;
	if (site) {
		own->over.tid = self();
		own->over.site = site;
		host_text_lift(site, false);
	}
	host_trap_flag(c, site || steps);
}

static void stop_here(ucontext_t *c, struct stop *stop)
{
	host_trap_flag(c, false);
	end_step();
	host_stop(c, stop);
	go_on(c);
}

static void stop_step(ucontext_t *c)
{
	struct stop stop = {.kind = STOP_STEP};
	struct registers registers;
	host_context_read(c, &registers);
	/* A breakpoint where the step ends is told as such. */
	if (ask(reg(c, REG_RIP), &registers, &stop))
		stop.kind = STOP_BREAKPOINT;
	stop_here(c, &stop);
}

static void stop_finish(ucontext_t *c)
{
	struct host_traps *own = &host_state()->traps;
	struct stop stop = {.kind = STOP_FINISH};
	own->result[0] = reg(c, REG_RAX);
	memcpy(&own->result[1], c->uc_mcontext.fpregs->_xmm[0].element, 8);
	stop.return_value = own->result;
	stop.returned_pc = (const void *)own->stepping.pc;
	stop_here(c, &stop);
}

/* ---- a step ------------------------------------------------------------------------- */

/* The thread is at the first instruction of what it has called. */
static void enter(ucontext_t *c)
{
	struct host_traps *own = &host_state()->traps;
	uint64_t pc = reg(c, REG_RIP), sp = reg(c, REG_RSP), back;
	uint64_t after = own->stepping.kind == RESUME_STEP && !skip_at(pc) ? host_lines_entry(pc)
									   : 0;
	memcpy(&back, (const void *)sp, 8);
	if (after && after != pc) {
		struct cudasim_error *error = host_text_plant(after);
		if (!error)
			own->stepping.entry = after;
		cudasim_error_free(error);
		host_trap_flag(c, false);
		return;
	}
	if (after) {
		stop_step(c);
		return;
	}
	plant_return(back, sp, own->stepping.kind == RESUME_NEXTI);
	host_trap_flag(c, false);
}

static bool line_is_left(const struct host_row *row, uint64_t pc, uint64_t sp, bool returned)
{
	struct host_traps *own = &host_state()->traps;
	/* Back in the caller, in the middle of its line; an epilogue alone is not enough. */
	if (returned && sp > own->stepping.sp && row)
		return true;
	if (!row || pc != row->low || !row->is_statement || !row->line)
		return false;
	if (row->line == own->stepping.line && row->file == own->stepping.file)
		return false;
	return own->stepping.kind != RESUME_UNTIL || pc > own->stepping.pc;
}

static void step_on(ucontext_t *c)
{
	struct host_traps *own = &host_state()->traps;
	uint64_t pc = reg(c, REG_RIP), sp = reg(c, REG_RSP);
	bool called = own->stepping.called, returned = own->stepping.returned;
	own->stepping.called = host_is_call(pc);
	own->stepping.returned = host_is_return(pc);
	if (called && (own->stepping.kind != RESUME_STEPI)) {
		own->stepping.called = false;
		enter(c);
		return;
	}
	if (own->stepping.kind == RESUME_STEPI || own->stepping.kind == RESUME_NEXTI) {
		stop_step(c);
		return;
	}
	const struct host_row *row = host_lines_at(pc);
	if (line_is_left(row, pc, sp, returned))
		stop_step(c);
	else
		host_trap_flag(c, true);
}

/* ---- from the entry to main() --------------------------------------------------------- */

/* The C runtime's _start loads main's address into rdi and calls
 * __libc_start_main: at the first call, rdi tells. */
static void step_to_main(ucontext_t *c)
{
	struct host_traps *own = &host_state()->traps;
	if (!host_is_call(reg(c, REG_RIP))) {
		host_trap_flag(c, true);
		return;
	}
	own->start.main = reg(c, REG_RDI);
	host_trap_flag(c, false);
	cudasim_error_free(host_text_plant(own->start.main));
	own->start.entry = 0;
}

/* main by the instruction of _start that loads its address into rdi, 0 if it is none of the
 * three that C runtimes have. */
static uint64_t main_by_code(uint64_t entry)
{
	const unsigned char *code = (const unsigned char *)entry;
	for (unsigned i = 0; i < 64; i++, code++) {
		int32_t word;
		memcpy(&word, code + 3, sizeof word);
		if (code[0] == 0x48 && code[1] == 0x8d &&
		    code[2] == 0x3d) /* lea main(%rip), %rdi */
			return (uint64_t)(code + 7 + word);
		if (code[0] == 0x48 && code[1] == 0xc7 && code[2] == 0xc7) /* mov $main, %rdi */
			return (uint64_t)(int64_t)word;
		if (code[0] == 0x48 && code[1] == 0x8b && code[2] == 0x3d) /* mov its slot, %rdi */
			return *(const uint64_t *)(code + 7 + word);
	}
	return 0;
}

/* A program that gcc linked opens libcudasim behind its entry. */
struct cudasim_error *host_trap_start(uint64_t entry)
{
	struct host_traps *own = &host_state()->traps;
	if (host_main_has_begun())
		return NULL;
	own->start.main = main_by_code(entry);
	if (own->start.main)
		return host_text_plant(own->start.main);
	own->start.entry = entry;
	return host_text_plant(entry);
}

/* ---- the handler -------------------------------------------------------------------------- */

static void on_int3(ucontext_t *c, struct trap_site *site)
{
	struct host_traps *own = &host_state()->traps;
	uint64_t pc = site->pc, sp = reg(c, REG_RSP);
	struct registers registers;
	struct stop stop = {.kind = STOP_BREAKPOINT};
	c->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
	host_context_read(c, &registers);
	if (pc == own->start.entry) {
		host_text_release(pc);
		step_to_main(c);
		return;
	}
	if (pc == own->start.main) {
		host_text_release(pc);
		own->start.main = 0;
		stop.kind = STOP_START;
		stop_here(c, &stop);
		return;
	}
	if (own->after_call.tid == self() && pc == own->after_call.pc) {
		stop.kind = STOP_CATCH;
		stop.report = own->after_call.report;
		own->after_call.tid = 0;
		host_text_release(pc);
		stop_here(c, &stop);
		return;
	}
	bool mine = own->stepping.tid == self();
	bool returned = mine && pc == own->stepping.return_pc && sp > own->stepping.return_sp;
	bool target = false;
	for (unsigned i = 0; mine && i < own->stepping.n_targets; i++)
		target = target || own->stepping.targets[i] == pc;
	if (ask(pc, &registers, &stop)) {
		stop_here(c, &stop);
	} else if (returned && own->stepping.kind == RESUME_FINISH) {
		stop_finish(c);
	} else if (target || (returned && own->stepping.return_ends) ||
		   (mine && pc == own->stepping.entry)) {
		/* Breakpoints here have been asked: a second time would be counted again. */
		stop.kind = STOP_STEP;
		stop_here(c, &stop);
	} else if (returned) {
		drop_return();
		own->stepping.called = own->stepping.returned = false;
		step_on(c);
		go_on(c);
	} else {
		bool steps = host_trap_device_reached(c);
		go_on(c);
		if (steps)
			host_trap_flag(c, true);
	}
}

static void on_single_step(ucontext_t *c)
{
	struct host_traps *own = &host_state()->traps;
	pid_t tid = self();
	host_trap_flag(c, false);
	if (own->over.tid == tid) {
		own->over.tid = 0;
		if (own->over.site->n_users)
			host_text_lift(own->over.site, true);
	}
	if (own->start.entry && reg(c, REG_RIP) < own->start.entry + 64 &&
	    reg(c, REG_RIP) >= own->start.entry)
		step_to_main(c);
	else if (host_trap_device_step(c))
		return;
	else if (own->stepping.tid == tid && !own->stepping.return_pc && !own->stepping.entry &&
		 own->stepping.kind != RESUME_LOCATION && own->stepping.kind != RESUME_FINISH)
		step_on(c);
}

/* The kernel tells a single step by a bit of register DR6, which virtual machines lose now and
 * then: the trap is then a TRAP_BRKPT. That of an int3 is SI_KERNEL. */
static bool is_single_step(const siginfo_t *info, const ucontext_t *c)
{
	return info->si_code == TRAP_TRACE ||
	       (info->si_code == TRAP_BRKPT && (reg(c, REG_EFL) & TRAP_FLAG));
}

static void on_trap(siginfo_t *info, ucontext_t *c)
{
	struct trap_site *site = host_text_find(reg(c, REG_RIP) - 1);
	bool stepped = is_single_step(info, c);
	if (info->si_code > 0 && !stepped && site) {
		on_int3(c, site);
		return;
	}
	if (stepped) {
		on_single_step(c);
		return;
	}
	/* An int3 of the program's own. */
	struct stop stop = {.kind = STOP_SIGNAL, .signal = SIGTRAP};
	stop_here(c, &stop);
}

/* ---- Ctrl-C ------------------------------------------------------------------------------- */

/* The REPL's request carries this, so that the program's own raise(SIGTRAP) is none. */
static char interrupt_mark, block_mark;
static _Thread_local unsigned handlers __attribute__((tls_model("initial-exec")));

void host_trap_interrupt(pid_t tid, bool is_urgent)
{
	host_state()->traps.is_urgent = is_urgent;
	host_state()->traps.is_refused = false;
	host_state()->traps.is_interrupted = true;
	trap_send(tid, &interrupt_mark);
}

void host_trap_block_interrupt(pid_t tid)
{
	trap_send(tid, &block_mark);
}

void host_trap_interrupt_forget(void)
{
	host_state()->traps.is_interrupted = false;
}

static void stop_interrupted(ucontext_t *c)
{
	struct stop stop = {.kind = STOP_INTERRUPT, .signal = SIGINT};
	host_state()->traps.is_interrupted = false;
	stop_here(c, &stop);
}

static bool is_to_stop(const ucontext_t *c)
{
	struct host_traps *own = &host_state()->traps;
	if (handlers != 1 || !own->is_interrupted)
		return false;
	bool may = __cudasim_self == NULL && !front_is_saying() &&
		   (own->is_urgent || host_is_safe(c));
	own->is_refused |= !may;
	return may;
}

/* A request that comes while a thread is in this handler (it is being stepped, or another
 * stop was quicker) is answered where the thread left the program's code, or not at all.
 * SIGTRAP is blocked until the thread is counted as one in the handler, and from its last look
 * for requests until the handler's return has restored the program's mask: a request is
 * delivered in the program's code or found here, never between the two. Where the thread may not
 * be stopped (host_safe.c) the request is left, and comes again. */
void host_on_trap(int number, siginfo_t *info, void *context)
{
	if (call_guard_catches(number, info))
		return;
	void *mark = info->si_code == SI_QUEUE ? info->si_value.sival_ptr : NULL;
	bool is_request = mark == &interrupt_mark || mark == &block_mark;
	if (mark == &block_mark)
		sigaddset(&((ucontext_t *)context)->uc_sigmask, SIGINT);
	if (is_request && handlers)
		return;
	handlers++;
	trap_mask(SIG_UNBLOCK);
	if (!is_request)
		on_trap(info, context);
	for (;;) {
		if (is_to_stop(context))
			stop_interrupted(context);
		trap_mask(SIG_BLOCK);
		if (!is_to_stop(context))
			break;
		trap_mask(SIG_UNBLOCK);
	}
	handlers--;
}

bool host_stop_after_call(uint64_t pc, char *report)
{
	struct host_traps *own = &host_state()->traps;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	struct cudasim_error *error = NULL;
	bool free = !own->after_call.tid && !(error = host_text_plant(pc));
	if (free) {
		own->after_call.pc = pc;
		own->after_call.report = report;
		own->after_call.tid = self();
	}
	cudasim_error_free(error);
	pthread_mutex_unlock(&lock);
	return free;
}

/* ---- resuming, on the REPL's pthread --------------------------------------------------------- */

static struct cudasim_error *return_address(const struct resume *how, uint64_t *ret)
{
	struct host_traps *own = &host_state()->traps;
	struct registers registers;
	struct frame *frames;
	size_t n;
	host_registers(&registers);
	struct cudasim_error *error = host_frames(&registers, &frames, &n);
	if (error)
		return error;
	for (size_t i = 0; i + 1 < n; i++) {
		if (how->frame && frames[i].base != how->frame)
			continue;
		if (frames[i + 1].pc == frames[i].pc && frames[i].is_inlined)
			continue;
		*ret = frames[i + 1].pc;
		own->stepping.return_sp = frames[i].base;
		own->stepping.pc = frames[i].pc;
		free(frames);
		return NULL;
	}
	free(frames);
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "\"finish\" not meaningful in the outermost frame.");
}

static struct cudasim_error *resume_finish(const struct resume *how)
{
	uint64_t back;
	struct cudasim_error *error = return_address(how, &back);
	if (!error)
		plant_return(back, host_state()->traps.stepping.return_sp, true);
	return error;
}

static struct cudasim_error *resume_location(const struct resume *how)
{
	struct host_traps *own = &host_state()->traps;
	struct cudasim_error *error = host_text_plant(how->host_pc);
	if (error)
		return error;
	own->stepping.targets[own->stepping.n_targets++] = how->host_pc;
	uint64_t back;
	if (how->frame && !(error = return_address(how, &back)))
		plant_return(back, own->stepping.return_sp, true);
	cudasim_error_free(error); /* in main() there is nothing to return to */
	return NULL;
}

static void resume_step(const ucontext_t *c)
{
	struct host_traps *own = &host_state()->traps;
	const struct host_row *row = host_lines_at(reg(c, REG_RIP));
	own->stepping.line = row ? row->line : 0;
	own->stepping.file = row ? row->file : NULL;
	own->stepping.pc = reg(c, REG_RIP);
	own->stepping.sp = reg(c, REG_RBP) > reg(c, REG_RSP) &&
					   reg(c, REG_RBP) - reg(c, REG_RSP) < 1 << 20
				   ? reg(c, REG_RBP)
				   : reg(c, REG_RSP);
	own->stepping.called = host_is_call(reg(c, REG_RIP));
	own->stepping.returned = host_is_return(reg(c, REG_RIP));
}

struct cudasim_error *host_resume(const struct resume *how)
{
	struct host_traps *own = &host_state()->traps;
	ucontext_t *c = host_stopped();
	struct cudasim_error *error = NULL;
	if (!c || how->kind == RESUME_CONTINUE || how->kind == RESUME_DETACH)
		return NULL;
	host_lines_load();
	end_step();
	memset(&own->stepping, 0, sizeof own->stepping);
	own->stepping.kind = how->kind;
	if (how->kind == RESUME_FINISH)
		error = resume_finish(how);
	else if (how->kind == RESUME_LOCATION && how->host_pc)
		error = resume_location(how);
	else if (how->kind != RESUME_LOCATION)
		resume_step(c);
	/* The handler recognises its thread: the one that waits in it. */
	if (!error)
		own->stepping.tid = host_stopped_tid();
	return error;
}

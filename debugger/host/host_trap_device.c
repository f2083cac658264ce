/* SPDX-License-Identifier: Apache-2.0 */
/* host_trap_device.c - stepi and nexti of a device thread.
 *
 * The thread executes one instruction with the trap flag set. Where that leads out of
 * device code (a call of the instrumentation, of libcudasim), or for nexti into a callee,
 * the flag is taken away and an int3 planted where the call returns to: what lies between
 * runs at full speed, and other CUDA threads that the scheduler moves meanwhile are not
 * stepped. All of them run on one pthread, so whose int3 it is tells __cudasim_self, and
 * the stack pointer tells recursion. */
#define _GNU_SOURCE
#include <link.h>
#include <string.h>

#include "error.h"
#include "host_state.h"
#include "host_text.h"
#include "host_trap.h"

static uint64_t reg(const ucontext_t *c, int which)
{
	return (uint64_t)c->uc_mcontext.gregs[which];
}

static void drop_target(void)
{
	struct host_device_step *own = &host_state()->device;
	if (own->target)
		host_text_release(own->target);
	own->target = 0;
}

static bool plant_target(uint64_t pc, uint64_t sp)
{
	struct host_device_step *own = &host_state()->device;
	struct cudasim_error *error = host_text_plant(pc);
	cudasim_error_free(error);
	if (error)
		return false;
	own->target = pc;
	own->target_sp = sp;
	return true;
}

void host_trap_device_end(void)
{
	struct host_device_step *own = &host_state()->device;
	if (!own->thread)
		return;
	drop_target();
	own->thread = NULL;
}

void host_trap_device_forget(void)
{
	struct host_device_step *own = &host_state()->device;
	own->target = 0;
	own->thread = NULL;
}

/* The code of the object that holds the kernel: of what libcudasim does between the
 * device's instructions nothing is looked up, for libdw may be at work where it was
 * interrupted. */
static int find_text(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct host_device_step *own = &host_state()->device;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t low = info->dlpi_addr + segment->p_vaddr, pc = *(const uint64_t *)arg;
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || pc < low ||
		    pc >= low + segment->p_memsz)
			continue;
		own->text_low = low;
		own->text_high = low + segment->p_memsz;
		return 1;
	}
	return 0;
}

static bool is_device_code(uint64_t pc)
{
	struct host_device_step *own = &host_state()->device;
	if (pc < own->text_low || pc >= own->text_high)
		return false;
	const struct function *function = symbols_function_at(pc);
	return function && function->is_device;
}

static void arm(struct cudasim_thread *thread, bool over_calls, uint64_t pc, uint64_t frame)
{
	struct host_device_step *own = &host_state()->device;
	const struct function *function = symbols_function_at(pc);
	own->thread = thread;
	own->over_calls = over_calls;
	own->frame = frame;
	own->low = function ? function->low : 0;
	own->high = function ? function->high : 0;
	own->pc = pc;
}

/* It stands in a callback, or has not begun: its steps begin where it comes back into its
 * own code. */
void host_trap_device(struct cudasim_thread *thread, bool over_calls)
{
	struct host_device_step *own = &host_state()->device;
	struct cudasim_thread_status status;
	uint64_t entry = (uint64_t)thread->block->launch->kernel->entry[CUDASIM_BODY_WATCHED];
	dl_iterate_phdr(find_text, &entry);
	cudasim_thread_status(thread, &status);
	host_trap_device_end();
	arm(thread, over_calls, status.pc ? status.pc : entry, status.frame);
	own->started = status.pc != 0;
	if (!plant_target(own->pc, 0))
		own->thread = NULL;
}

/* Is the thread inside something that the frame where nexti began has called? */
static bool is_below(const ucontext_t *c)
{
	struct host_device_step *own = &host_state()->device;
	uint64_t pc = reg(c, REG_RIP);
	bool same = pc >= own->low && pc < own->high && reg(c, REG_RBP) == own->frame;
	return !same && reg(c, REG_RSP) < own->frame;
}

/* True where it goes on by another instruction. */
static bool stop(ucontext_t *c)
{
	uint64_t pc = reg(c, REG_RIP);
	struct stop stop = {.kind = STOP_STEP,
			    .thread = __cudasim_self,
			    .launch = __cudasim_self->block->launch};
	host_trap_device_end();
	host_trap_flag(c, false);
	cudasim_thread_interrupted(stop.thread, pc, reg(c, REG_RBP), reg(c, REG_RSP));
	const struct resume *how = host_stop(c, &stop);
	cudasim_thread_interrupted(stop.thread, 0, 0, 0);
	if (how->kind != RESUME_STEPI && how->kind != RESUME_NEXTI)
		return false;
	arm(__cudasim_self, how->kind == RESUME_NEXTI, pc, reg(c, REG_RBP));
	host_state()->device.started = true;
	return true;
}

/* The instruction at device.pc is done. */
static void arrived(ucontext_t *c)
{
	struct host_device_step *own = &host_state()->device;
	uint64_t pc = reg(c, REG_RIP), sp = reg(c, REG_RSP), back;
	bool called = host_is_call(own->pc), returned = host_is_return(own->pc);
	bool ours = is_device_code(pc);
	own->pc = pc;
	if (ours && !(own->over_calls && is_below(c))) {
		host_trap_flag(c, stop(c));
		return;
	}
	host_trap_flag(c, false);
	/* Out of the kernel: the thread ends, which control_step.c notices. */
	if (returned && !ours) {
		host_trap_device_end();
		return;
	}
	/* Where a function jumps out, the address that its caller pushed is on top, too. */
	memcpy(&back, (const void *)sp, sizeof back);
	if ((called || !ours) && is_device_code(back) && plant_target(back, sp))
		return;
	host_trap_flag(c, true);
}

bool host_trap_device_reached(ucontext_t *c)
{
	struct host_device_step *own = &host_state()->device;
	uint64_t pc = reg(c, REG_RIP);
	if (!own->thread || __cudasim_self != own->thread || pc != own->target ||
	    reg(c, REG_RSP) <= own->target_sp)
		return false;
	drop_target();
	if (!own->started || own->pc != pc) {
		/* Back from a call, or at the kernel's beginning. */
		own->started = true;
		own->pc = pc;
		if (!(own->over_calls && is_below(c)))
			return stop(c);
	}
	return true;
}

bool host_trap_device_step(ucontext_t *c)
{
	struct host_device_step *own = &host_state()->device;
	if (!own->thread || __cudasim_self != own->thread || own->target)
		return false;
	arrived(c);
	return true;
}

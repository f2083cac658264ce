/* SPDX-License-Identifier: Apache-2.0 */
/* host_unwind.c - frames of host code by libdwfl's unwinder, which reads call
 * frame information of the process's own files.
 *
 * A host thread that launched a kernel is unwound from a copy of its stack, made
 * inside the launching call: by the time somebody asks, the frames between may be
 * gone. The copy is bounded; deeper frames are read from the stack itself, which
 * still stands while the launch blocks its caller. */
#define _GNU_SOURCE
#include "host_unwind.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "error.h"
#include "frames_state.h"
#include "own_files.h"

enum { MAX_FRAMES = 256, COPY_BYTES = 64 << 10, N_REGISTERS = 17 };

/* ---- the process's files --------------------------------------------------- */

void host_unwind_refresh(void)
{
	struct frames_unwind *own = &frames_state()->unwind;
	if (!own->dwfl)
		own->dwfl = dwfl_begin(&own_files);
	if (!own->dwfl)
		return;
	dwfl_report_begin_add(own->dwfl);
	own_files_report(own->dwfl);
	dwfl_report_end(own->dwfl, NULL, NULL);
}

Dwfl *host_unwind_dwfl(void)
{
	struct frames_unwind *own = &frames_state()->unwind;
	if (!own->dwfl)
		host_unwind_refresh();
	return own->dwfl;
}

/* ---- unwinding -------------------------------------------------------------- */

/* What is being unwound: first registers, and a copy of a piece of the stack. */
struct walk {
	const struct registers *registers;
	const unsigned char *copy;
	uint64_t copy_low, copy_bytes;
	bool given;
	struct frame *frames;
	size_t n, max;
};

static pid_t next_thread(Dwfl *d, void *arg, void **thread)
{
	(void)d;
	struct walk *walk = frames_state()->unwind.walking;
	if (!walk || walk->given)
		return 0;
	walk->given = true;
	*thread = arg;
	return getpid();
}

static bool get_thread(Dwfl *d, pid_t tid, void *arg, void **thread)
{
	(void)d, (void)tid;
	*thread = arg;
	return true;
}

static bool memory_read(Dwfl *d, Dwarf_Addr address, Dwarf_Word *ret, void *arg)
{
	(void)d, (void)arg;
	const struct walk *walk = frames_state()->unwind.walking;
	if (walk->copy && address >= walk->copy_low &&
	    address + sizeof *ret <= walk->copy_low + walk->copy_bytes) {
		memcpy(ret, walk->copy + (address - walk->copy_low), sizeof *ret);
		return true;
	}
	return cudasim_memory_read((void *)address, ret, sizeof *ret) == sizeof *ret;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	(void)arg;
	const struct registers *r = frames_state()->unwind.walking->registers;
	Dwarf_Word words[N_REGISTERS];
	for (int i = 0; i < N_REGISTERS; i++)
		words[i] = r->value[i];
	dwfl_thread_state_register_pc(thread, r->value[16]);
	return dwfl_thread_state_registers(thread, 0, N_REGISTERS, words);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_registers,
};

static int add_frame(Dwfl_Frame *state, void *arg)
{
	struct walk *walk = arg;
	Dwarf_Addr pc;
	bool activation;
	if (!dwfl_frame_pc(state, &pc, &activation) || !pc || walk->n >= walk->max)
		return DWARF_CB_ABORT;
	struct frame *frame = &walk->frames[walk->n];
	*frame = (struct frame){.level = (uint32_t)walk->n, .pc = pc};
	/* The first frame's pc is the next instruction; all others' are return addresses. */
	frame->lookup = walk->n && !activation ? pc - 1 : pc;
	for (unsigned i = 0; i < N_REGISTERS - 1; i++) {
		Dwarf_Word word;
		if (dwfl_frame_reg(state, i, &word))
			continue;
		frame->registers.value[i] = word;
		frame->registers.known |= 1u << i;
	}
	frame->registers.value[16] = pc;
	frame->registers.known |= 1u << 16;
	frame->base = frame->registers.value[7];
	walk->n++;
	return DWARF_CB_OK;
}

/* Names and lines, and inlined calls made frames of their own. */
static void describe(struct frame *frame)
{
	struct line line;
	frame->function = symbols_function_at(frame->lookup);
	frame->n_scopes = symbols_scopes(frame->lookup, &frame->scopes);
	if (symbols_line_at(frame->lookup, &line)) {
		frame->file = line.file;
		frame->line = line.line;
		frame->at_line_start = frame->lookup == frame->pc && frame->pc == line.low;
	}
	const char *name = NULL, *mangled, *file;
	uint64_t offset;
	if (frame->function)
		name = frame->function->name;
	else if (symbols_symbol_at(frame->lookup, &name, &mangled, &offset, &file))
		(void)mangled;
	frame->name = name ? name : "??";
}

/* Launch stubs may have been inlined: drops their frames of those that one machine frame
 * stands for. Returns how many are left. */
static size_t without_stubs(struct frame *frames, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (!strstr(frames[i].name, "__device_stub__"))
			frames[kept++] = frames[i];
	/* The innermost one stands in the middle of its line. */
	if (kept && kept < n)
		frames[0].at_line_start = false;
	return kept;
}

static struct cudasim_error *finish_frames(const struct walk *walk, size_t from, struct frame **ret,
					   size_t *n)
{
	size_t max = 1, level = 0;
	for (size_t i = from; i < walk->n; i++) {
		describe(&walk->frames[i]);
		max += 1 + frame_n_inlined(&walk->frames[i]);
	}
	struct frame *all = calloc(max, sizeof *all);
	if (!all)
		return &cudasim_error_nomem;
	for (size_t i = from; i < walk->n; i++) {
		level += without_stubs(all + level, frame_expand(&walk->frames[i], all + level));
		/* Nothing below main() belongs to the program. */
		if (!strcmp(walk->frames[i].name, "main"))
			break;
	}
	frames_number(all, level);
	*ret = all;
	*n = level;
	return NULL;
}

static struct cudasim_error *walk_stack(struct walk *walk)
{
	struct frames_unwind *own = &frames_state()->unwind;
	static bool attached;
	host_unwind_dwfl();
	walk->frames = calloc(MAX_FRAMES, sizeof *walk->frames);
	walk->max = MAX_FRAMES;
	if (!walk->frames)
		return &cudasim_error_nomem;
	own->walking = walk;
	if (!attached) {
		attached = own->dwfl && dwfl_attach_state(own->dwfl, NULL, getpid(),
							  &thread_callbacks, &own->walking);
		if (!attached) {
			own->walking = NULL;
			return cudasim_error_new(CUDASIM_E_FAILED,
						 "Cannot unwind the host's stack: %s",
						 dwfl_errmsg(-1));
		}
	}
	dwfl_getthread_frames(own->dwfl, getpid(), add_frame, walk);
	own->walking = NULL;
	return NULL;
}

struct cudasim_error *host_frames(const struct registers *registers, struct frame **ret, size_t *n)
{
	struct walk walk = {.registers = registers};
	*ret = NULL;
	*n = 0;
	struct cudasim_error *error = walk_stack(&walk);
	if (!error)
		error = finish_frames(&walk, 0, ret, n);
	free(walk.frames);
	return error;
}

/* ---- the stack of a launch --------------------------------------------------- */

struct launch_stack {
	struct launch_stack *next;
	uint64_t id; /* the launch's */
	struct registers registers;
	uint64_t low, n_bytes;
	unsigned char *copy;
};

static uint64_t stack_end(void)
{
	static _Thread_local uint64_t end;
	pthread_attr_t attr;
	void *low;
	size_t size;
	if (end || pthread_getattr_np(pthread_self(), &attr))
		return end;
	if (!pthread_attr_getstack(&attr, &low, &size))
		end = (uint64_t)low + size;
	pthread_attr_destroy(&attr);
	return end;
}

static void registers_of(const ucontext_t *context, struct registers *ret)
{
	/* In the order of DWARF's numbers. */
	static const int order[N_REGISTERS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	for (int i = 0; i < N_REGISTERS; i++)
		ret->value[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
	ret->known = (1u << N_REGISTERS) - 1;
}

/* Device code's launches have the stack of the host's that they come from, where that has
 * not ended (as it has for the tail stream). */
static void inherit(uint64_t id, uint64_t parent)
{
	struct frames_unwind *own = &frames_state()->unwind;
	pthread_mutex_lock(&own->stacks_lock);
	const struct launch_stack *from = own->stacks;
	while (from && from->id != parent)
		from = from->next;
	struct launch_stack *stack = from ? malloc(sizeof *stack) : NULL;
	unsigned char *copy = stack ? malloc(from->n_bytes ? from->n_bytes : 1) : NULL;
	if (copy) {
		*stack = *from;
		stack->id = id;
		stack->copy = memcpy(copy, from->copy, from->n_bytes);
		stack->next = own->stacks;
		own->stacks = stack;
	} else {
		free(stack);
	}
	pthread_mutex_unlock(&own->stacks_lock);
}

/* memcpy() that AddressSanitizer does not watch: between the stack's variables is what it has
 * marked. */
__attribute__((no_sanitize_address)) static void copy_stack(uint64_t *to, const uint64_t *from,
							    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i] = from[i];
		__asm__ volatile("" : : : "memory"); /* or the compiler makes a memcpy() of it */
	}
}

__attribute__((noinline)) void host_launch_submitted(struct cudasim_launch *launch)
{
	struct frames_unwind *own = &frames_state()->unwind;
	if (launch->parent) {
		inherit(launch->id, launch->parent->id);
		return;
	}
	ucontext_t here;
	struct launch_stack *stack = calloc(1, sizeof *stack);
	if (!stack || getcontext(&here)) {
		free(stack);
		return;
	}
	registers_of(&here, &stack->registers);
	stack->id = launch->id;
	stack->low = stack->registers.value[7];
	uint64_t end = stack_end();
	stack->n_bytes = end > stack->low ? end - stack->low : 0;
	if (stack->n_bytes > COPY_BYTES)
		stack->n_bytes = COPY_BYTES;
	stack->copy = malloc(stack->n_bytes ? stack->n_bytes : 1);
	if (!stack->copy) {
		free(stack);
		return;
	}
	copy_stack((void *)stack->copy, (const void *)stack->low,
		   stack->n_bytes / sizeof(uint64_t));
	pthread_mutex_lock(&own->stacks_lock);
	stack->next = own->stacks;
	own->stacks = stack;
	pthread_mutex_unlock(&own->stacks_lock);
}

void host_launch_ended(struct cudasim_launch *launch)
{
	struct frames_unwind *own = &frames_state()->unwind;
	pthread_mutex_lock(&own->stacks_lock);
	for (struct launch_stack **at = &own->stacks, *stack; (stack = *at);) {
		if (stack->id != launch->id) {
			at = &stack->next;
			continue;
		}
		*at = stack->next;
		free(stack->copy);
		free(stack);
	}
	pthread_mutex_unlock(&own->stacks_lock);
}

/* Does pc lie in one of cudasim's own libraries? */
static bool is_own(uint64_t pc)
{
	Dwfl_Module *module = dwfl_addrmodule(frames_state()->unwind.dwfl, pc);
	const char *name =
		module ? dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL;
	const char *slash = name ? strrchr(name, '/') : NULL;
	return slash && !strncmp(slash + 1, "libcudasim", 10);
}

/* The host stub that clang makes for each kernel says nothing to anybody. */
static bool is_stub(uint64_t pc)
{
	const char *name, *mangled, *file;
	uint64_t offset;
	return symbols_symbol_at(pc, &name, &mangled, &offset, &file) && name &&
	       strstr(mangled ? mangled : name, "__device_stub__");
}

struct cudasim_error *frames_of_launch(struct cudasim_launch *launch, struct frame **ret, size_t *n)
{
	struct frames_unwind *own = &frames_state()->unwind;
	*ret = NULL;
	*n = 0;
	pthread_mutex_lock(&own->stacks_lock);
	struct launch_stack *stack = own->stacks;
	while (stack && stack->id != launch->id)
		stack = stack->next;
	pthread_mutex_unlock(&own->stacks_lock);
	if (!stack)
		return NULL;
	struct walk walk = {.registers = &stack->registers,
			    .copy = stack->copy,
			    .copy_low = stack->low,
			    .copy_bytes = stack->n_bytes};
	struct cudasim_error *error = walk_stack(&walk);
	size_t from = 0;
	while (!error && from < walk.n &&
	       (is_own(walk.frames[from].lookup) || is_stub(walk.frames[from].lookup)))
		from++;
	if (!error)
		error = finish_frames(&walk, from, ret, n);
	free(walk.frames);
	return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* stack.c - the frames of the focus, and which of them is selected.
 *
 * Device frames come from frame pointers (inspect.h), get names and scopes from
 * DWARF, and are split where a call was inlined. The innermost frame's line is
 * the site where the thread stands: a line hook's return address belongs to the
 * statement, but is in the middle of its code. All other lines come from the line
 * table; code that was inlined from files without sites counts to the line of the
 * user's code that it stands in, as it does for sites. */
#include "stack_state.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "focus.h"
#include "host.h"
#include "host_unwind.h"
#include "symbols_dwarf.h"

struct thread_view *thread_view(void)
{
	return &stack_state()->view;
}

enum { RBP = 6, RIP = 16 };

/* ---- one frame ---------------------------------------------------------------- */

static bool is_users_line(uint64_t pc, struct line *ret)
{
	return symbols_line_at(pc, ret) && ret->line && path_is_users(ret->file);
}

/* The line of the user's source that pc belongs to: its own row, or the nearest
 * before it in the function. */
static bool users_line_at(const struct function *function, uint64_t pc, struct line *ret)
{
	struct line row, first;
	if (!symbols_line_at(pc, &first))
		return false;
	*ret = row = first;
	if (!function || !path_is_users(function->file ? function->file : ""))
		return row.line != 0;
	while (!row.line || !path_is_users(row.file)) {
		if (row.low <= function->low || !symbols_line_at(row.low - 1, &row))
			return first.line != 0;
	}
	*ret = row;
	return true;
}

/* A thread that waits inside a call has the return address for its pc, which may
 * already be the next line's: then the byte before belongs to where it is. */
static uint64_t lookup_of_innermost(uint64_t pc, const struct cudasim_site *site)
{
	struct line line;
	if (!site || !is_users_line(pc, &line) || line.line == site->line)
		return pc;
	return is_users_line(pc - 1, &line) && line.line == site->line ? pc - 1 : pc;
}

static void describe(struct frame *frame, const struct cudasim_site *site, bool at_start)
{
	struct line line;
	frame->function = symbols_function_at(frame->lookup);
	frame->n_scopes = symbols_scopes(frame->lookup, &frame->scopes);
	if (site && at_start) {
		frame->file = site->file;
		frame->line = site->line;
		frame->at_line_start = true;
	} else if (users_line_at(frame->function, frame->lookup, &line)) {
		frame->file = line.file;
		frame->line = line.line;
		frame->at_line_start = frame->lookup == frame->pc && line.low == frame->pc;
	} else if (site) {
		frame->file = site->file;
		frame->line = site->line;
	}
	/* Sites are there without debug information, too. */
	frame->name = frame->function ? frame->function->name : site ? site->function : "??";
	frame->is_kernel = frame->function && frame->function->is_kernel;
}

/* ---- a thread's ------------------------------------------------------------------ */

static struct cudasim_error *machine_frames(struct cudasim_thread *thread,
					    struct cudasim_frame **ret, size_t *n)
{
	size_t max = 64, found;
	*ret = NULL;
	for (;; max = found) {
		struct cudasim_frame *grown = realloc(*ret, max * sizeof *grown);
		if (!grown) {
			free(*ret);
			return &cudasim_error_nomem;
		}
		*ret = grown;
		found = cudasim_thread_frames(thread, *ret, max);
		if (found <= max)
			break;
	}
	*n = found;
	return NULL;
}

static struct frame device_frame(struct cudasim_thread *thread, const struct cudasim_frame *machine,
				 bool innermost)
{
	struct frame frame = {.pc = machine->pc,
			      .lookup = machine->exact ? machine->pc : machine->pc - 1,
			      .base = machine->frame,
			      .is_device = true,
			      .thread = thread,
			      .launch = thread->block->launch};
	bool at_start = false;
	const struct cudasim_site *site = innermost ? thread_view()->place(thread, &at_start)
						    : NULL;
	if (innermost && !at_start && machine->exact)
		frame.lookup = lookup_of_innermost(machine->pc, site);
	frame.registers.value[RBP] = machine->frame;
	frame.registers.value[RIP] = machine->pc;
	frame.registers.known = 1u << RBP | 1u << RIP;
	describe(&frame, site, at_start);
	return frame;
}

/* The outermost frame is the kernel's, also where nothing else is known of it. */
static void name_kernel(struct frame *frame)
{
	if (frame->function || !frame->launch || !frame->launch->kernel)
		return;
	frame->name = frame->launch->kernel->display;
	frame->is_kernel = true;
}

struct cudasim_error *frames_of_thread(struct cudasim_thread *thread, struct frame **ret, size_t *n)
{
	struct cudasim_frame *machine;
	size_t n_machine = 0, first = thread_view()->has_returned(thread), max = 0, level = 0;
	*ret = NULL;
	*n = 0;
	struct cudasim_error *error = machine_frames(thread, &machine, &n_machine);
	if (error)
		return error;
	struct frame *plain = calloc(n_machine + 1, sizeof *plain), *all = NULL;
	size_t n_plain = 0;
	for (size_t i = first; plain && i < n_machine; i++) {
		struct frame frame = device_frame(thread, &machine[i], i == 0);
		/* What calls a kernel is cudasim's own. */
		if (n_plain && plain[n_plain - 1].is_kernel && !frame.function)
			break;
		max += 1 + frame_n_inlined(&frame);
		plain[n_plain++] = frame;
	}
	free(machine);
	/* ... which without debug information shows only in that it is the outermost. */
	if (n_plain > 1 && !plain[n_plain - 1].function && !plain[n_plain - 2].is_kernel)
		n_plain--;
	if (n_plain)
		name_kernel(&plain[n_plain - 1]);
	if (plain)
		all = calloc(max + 1, sizeof *all);
	if (!all) {
		free(plain);
		return &cudasim_error_nomem;
	}
	for (size_t i = 0; i < n_plain; i++)
		level += frame_expand(&plain[i], all + level);
	free(plain);
	frames_number(all, level);
	*ret = all;
	*n = level;
	return NULL;
}

/* ---- the focus's ------------------------------------------------------------------- */

void frames_forget(void)
{
	struct stack_frames *own = &stack_state()->frames;
	free(own->frames);
	memset(own, 0, sizeof *own);
}

static void keep_device(struct cudasim_thread *thread, struct cudasim_launch *launch)
{
	struct stack_frames *own = &stack_state()->frames;
	struct frame *host = NULL, *grown;
	size_t n_host = 0;
	cudasim_error_free(frames_of_thread(thread, &own->frames, &own->n));
	if (!own->n || !launch)
		return;
	cudasim_error_free(frames_of_launch(launch, &host, &n_host));
	grown = n_host ? realloc(own->frames, (own->n + n_host) * sizeof *grown) : NULL;
	if (grown) {
		own->frames = grown;
		memcpy(grown + own->n, host, n_host * sizeof *host);
		for (size_t i = 0; i < n_host; i++)
			grown[own->n + i].level = (uint32_t)(own->n + i);
		own->n += n_host;
	}
	free(host);
}

/* At catch launch and exit no thread is focused: the host's frames of the launch. */
static void keep_launch(struct cudasim_launch *launch)
{
	struct stack_frames *own = &stack_state()->frames;
	cudasim_error_free(frames_of_launch(launch, &own->frames, &own->n));
	for (size_t i = 0; i < own->n; i++)
		own->frames[i].level = (uint32_t)i;
}

size_t frames_of_focus(const struct frame **ret)
{
	struct stack_frames *own = &stack_state()->frames;
	const struct focus *focus = focus_get();
	struct cudasim_thread *thread = focus->is_device ? focus->thread : NULL;
	struct registers registers;
	if (own->is_known && own->thread != thread)
		frames_forget();
	if (!own->is_known) {
		own->is_known = true;
		own->thread = thread;
		if (thread)
			keep_device(thread, focus->launch);
		else if (program_is_running() && host_registers(&registers))
			cudasim_error_free(host_frames(&registers, &own->frames, &own->n));
		else if (program_is_running() && stop_current()->launch)
			keep_launch(stop_current()->launch);
	}
	*ret = own->frames;
	return own->n;
}

const struct frame *frame_selected(void)
{
	struct stack_frames *own = &stack_state()->frames;
	const struct frame *frames;
	size_t n = frames_of_focus(&frames);
	return own->selected < n ? &frames[own->selected] : NULL;
}

struct cudasim_error *frame_select(uint32_t level)
{
	const struct frame *frames;
	size_t n = frames_of_focus(&frames);
	if (!n)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No stack.");
	if (level >= n)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No frame at level %u.", level);
	stack_state()->frames.selected = level;
	return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* dap_stack.c - the stack of a thread: of a CUDA thread its device frames, a label for the launch
 * of the kernel, and the frames of the host from which it was launched. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dap_views.h"
#include "error.h"
#include "frame_print.h"
#include "host.h"
#include "host_unwind.h"
#include "stack.h"

/* ---- the frames of this stop --------------------------------------------------------- */

void dap_stacks_forget(void)
{
	struct dap_stacks *own = &dap_state()->stacks;
	for (size_t i = 0; i < own->n; i++)
		free(own->list[i].frames);
	free(own->list);
	own->list = NULL;
	own->n = 0;
}

/* Whether a label stands below the device frames: one frame more for the client. */
static bool has_label(const struct dap_stack *stack)
{
	return stack->n_device && stack->launch;
}

static struct cudasim_error *append_launch(struct dap_stack *stack)
{
	struct frame *host = NULL;
	size_t n = 0;
	struct cudasim_error *error = frames_of_launch(stack->launch, &host, &n);
	struct frame *more = n ? realloc(stack->frames, (stack->n + n) * sizeof *more) : NULL;
	if (more) {
		memcpy(more + stack->n, host, n * sizeof *host);
		stack->frames = more;
		stack->n += n;
	}
	free(host);
	/* A launch whose host stack was not kept has device frames all the same. */
	cudasim_error_free(error);
	return NULL;
}

static struct cudasim_error *frames_now(struct dap_stack *stack, struct cudasim_thread *thread)
{
	struct registers registers;
	if (thread) {
		struct cudasim_error *error = frames_of_thread(thread, &stack->frames, &stack->n);
		stack->n_device = stack->n;
		stack->launch = thread->block->launch;
		return error ? error : append_launch(stack);
	}
	stack->launch = stop_current()->launch;
	if (stack->launch)
		return append_launch(stack);
	if (host_registers(&registers))
		return host_frames(&registers, &stack->frames, &stack->n);
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "No stack.");
}

static struct cudasim_error *stack_of(int64_t id, const struct dap_stack **ret)
{
	struct dap_stacks *own = &dap_state()->stacks;
	struct cudasim_thread *thread;
	for (size_t i = 0; i < own->n; i++)
		if (own->list[i].thread == id) {
			*ret = &own->list[i];
			return NULL;
		}
	struct cudasim_error *error = dap_thread_of(id, &thread);
	if (error)
		return error;
	struct dap_stack *list = realloc(own->list, (own->n + 1) * sizeof *list);
	if (!list)
		return &cudasim_error_nomem;
	own->list = list;
	struct dap_stack *stack = &list[own->n];
	*stack = (struct dap_stack){.thread = id, .first = own->next};
	error = frames_now(stack, thread);
	if (error) {
		free(stack->frames);
		return error;
	}
	own->next += (int64_t)stack->n + has_label(stack);
	own->n++;
	*ret = stack;
	return NULL;
}

/* The frame at a place of the client's list; NULL: the label. */
static const struct frame *frame_at(const struct dap_stack *stack, size_t place)
{
	if (has_label(stack) && place == stack->n_device)
		return NULL;
	return &stack->frames[place - (has_label(stack) && place > stack->n_device)];
}

static const struct dap_stack *stack_with(int64_t id)
{
	const struct dap_stacks *own = &dap_state()->stacks;
	for (size_t i = 0; i < own->n; i++) {
		const struct dap_stack *stack = &own->list[i];
		if (id >= stack->first && id < stack->first + (int64_t)stack->n + has_label(stack))
			return stack;
	}
	return NULL;
}

struct cudasim_error *dap_frame_of(int64_t id, const struct frame **ret)
{
	const struct dap_stack *stack = stack_with(id);
	if (!stack)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "There is no frame %lld: it was of an earlier stop.",
					 (long long)id);
	*ret = frame_at(stack, (size_t)(id - stack->first));
	return *ret ? NULL
		    : cudasim_error_new(CUDASIM_E_ARGUMENT,
					"The launch of a kernel is no frame with variables.");
}

int64_t dap_frame_id(const struct frame *frame)
{
	const struct dap_stacks *own = &dap_state()->stacks;
	for (size_t i = 0; i < own->n; i++) {
		const struct dap_stack *stack = &own->list[i];
		for (size_t k = 0; k < stack->n; k++)
			if (&stack->frames[k] == frame)
				return stack->first + (int64_t)k +
				       (has_label(stack) && k >= stack->n_device);
	}
	return 0;
}

struct cudasim_error *dap_frame_select(int64_t id)
{
	const struct dap_stack *stack = stack_with(id);
	const struct frame *frame;
	struct cudasim_error *error = dap_frame_of(id, &frame);
	if (error)
		return error;
	error = dap_thread_focus(stack->thread);
	return error ? error : frame_select((uint32_t)(frame - stack->frames));
}

/* ---- contexts ---------------------------------------------------------------------------- */

struct context dap_context_in(const struct frame *frame)
{
	struct context ret = {.frame = frame};
	if (frame && frame->is_device) {
		ret.thread = frame->thread;
		ret.launch = frame->launch;
	}
	return ret;
}

/* The selected frame of the focus. Its copy here lives as long as the stop, the stack's own only as
 * long as the focus. */
static struct cudasim_error *context_of_selected(struct context *ret)
{
	const struct frame *selected = frame_selected();
	const struct dap_stack *stack;
	*ret = context_of_focus();
	ret->frame = NULL;
	if (!selected)
		return NULL;
	uint32_t level = selected->level;
	struct cudasim_error *error = stack_of(dap_focused_thread(), &stack);
	if (!error && level < stack->n)
		*ret = dap_context_in(&stack->frames[level]);
	return error;
}

struct cudasim_error *dap_context_of(const json_t *arguments, struct context *ret)
{
	const struct frame *frame;
	const json_t *id = json_object_get(arguments, "frameId");
	if (!json_is_integer(id))
		return context_of_selected(ret);
	struct cudasim_error *error = dap_frame_of(json_integer_value(id), &frame);
	if (!error)
		*ret = dap_context_in(frame);
	return error;
}

/* ---- stackTrace --------------------------------------------------------------------------- */

static json_t *name_of(const struct frame *frame, const json_t *format)
{
	struct dap_buffer buffer;
	FILE *out = dap_open(&buffer);
	if (!out)
		return NULL;
	fputs(frame->name, out);
	if (frame->function && dap_bool_of(format, "parameters", true)) {
		fputc('(', out);
		frame_print_arguments(out, frame);
		fputc(')', out);
	}
	if (!frame->file && !frame->is_device)
		frame_print_library(out, frame);
	if (dap_bool_of(format, "line", false) && frame->line)
		fprintf(out, " line %u", frame->line);
	return dap_close(&buffer);
}

static json_t *label_of(const struct cudasim_launch *launch)
{
	const uint32_t *g = launch->grid, *b = launch->block;
	return dap_format("launch of kernel %" PRIu64 ", %s<<<(%u,%u,%u),(%u,%u,%u)>>>",
			  focus_kernel_number(launch), launch->kernel->display, g[0], g[1], g[2],
			  b[0], b[1], b[2]);
}

static json_t *frame_entry(const struct dap_stack *stack, size_t place, const json_t *format)
{
	const struct frame *frame = frame_at(stack, place);
	struct line line;
	int shift = dap_state()->session.client.columns_from_0;
	json_int_t id = stack->first + (json_int_t)place;
	if (!frame)
		return json_pack("{s:I, s:o, s:i, s:i, s:s}", "id", id, "name",
				 label_of(stack->launch), "line", 0, "column", 0,
				 "presentationHint", "label");
	/* Inlined calls share their pc, whose column is the innermost's. */
	bool known = frame->file && !frame->is_inlined && symbols_line_at(frame->lookup, &line) &&
		     line.line == frame->line && line.column;
	int column = frame->file ? (known ? (int)line.column : 1) - shift : 0;
	json_t *ret = json_pack("{s:I, s:o, s:o, s:i, s:o}", "id", id, "name",
				name_of(frame, format), "line",
				frame->file ? dap_line(frame->line) : json_integer(0), "column",
				column, "instructionPointerReference", dap_address(frame->pc));
	json_t *module = dap_module_id(frame->lookup);
	if (module)
		json_object_set_new(ret, "moduleId", module);
	if (frame->file)
		json_object_set_new(ret, "source", dap_source_of(frame->file));
	else
		json_object_set_new(ret, "presentationHint", json_string("subtle"));
	return ret;
}

struct cudasim_error *dap_stack_trace(const json_t *arguments, json_t **ret)
{
	const struct dap_stack *stack;
	int64_t id;
	struct cudasim_error *error = dap_need_integer(arguments, "threadId", &id);
	if (!error)
		error = stack_of(id, &stack);
	if (error)
		return error;
	int64_t start = dap_integer_of(arguments, "startFrame", 0);
	int64_t levels = dap_integer_of(arguments, "levels", 0);
	int64_t total = (int64_t)stack->n + has_label(stack);
	if (start < 0 || levels < 0)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "\"startFrame\" and \"levels\" are not negative.");
	int64_t end = levels && levels < total - start ? start + levels : total;
	json_t *frames = json_array();
	for (int64_t i = start; i < end; i++)
		json_array_append_new(frames, frame_entry(stack, (size_t)i,
							  json_object_get(arguments, "format")));
	*ret = json_pack("{s:o, s:I}", "stackFrames", frames, "totalFrames", (json_int_t)total);
	return NULL;
}

/* ---- scopes --------------------------------------------------------------------------------- */

static void add_scope(json_t *list, const char *name, const char *hint, const struct frame *frame,
		      enum dap_container_kind kind, bool is_expensive)
{
	struct dap_container container = {.kind = kind, .frame = frame};
	json_t *scope = json_pack("{s:s, s:I, s:b}", "name", name, "variablesReference",
				  (json_int_t)dap_container_new(&container), "expensive",
				  is_expensive);
	if (hint)
		json_object_set_new(scope, "presentationHint", json_string(hint));
	json_array_append_new(list, scope);
}

struct cudasim_error *dap_scopes(const json_t *arguments, json_t **ret)
{
	const struct frame *frame = NULL;
	int64_t id;
	struct cudasim_error *error = dap_need_integer(arguments, "frameId", &id);
	if (!error)
		error = dap_frame_of(id, &frame);
	if (error)
		return error;
	json_t *list = json_array();
	if (frame->n_scopes) {
		add_scope(list, "Locals", "locals", frame, DAP_LOCALS, false);
		add_scope(list, "Arguments", "arguments", frame, DAP_ARGUMENTS, false);
	}
	if (frame->is_device)
		add_scope(list, "CUDA", NULL, frame, DAP_CUDA, false);
	add_scope(list, "Registers", "registers", frame, DAP_REGISTERS, true);
	*ret = json_pack("{s:o}", "scopes", list);
	return NULL;
}

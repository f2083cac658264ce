/* SPDX-License-Identifier: Apache-2.0 */
/* command_frame.c - what stands in the selected frame: info frame, args, locals. */
#include <inttypes.h>
#include <regex.h>
#include <string.h>

#include "command_stack.h"
#include "console.h"
#include "error.h"
#include "frame_print.h"
#include "stack.h"

/* ---- variables -------------------------------------------------------------------- */

/* A regular expression of the names to print; without one, all. */
struct filter {
	bool given;
	regex_t regex;
};

static struct cudasim_error *filter_init(struct filter *filter, const char *text)
{
	while (!strncmp(text, "-q", 2) && (!text[2] || text[2] == ' '))
		text += 2 + strspn(text + 2, " ");
	filter->given = *text;
	if (!*text)
		return NULL;
	int code = regcomp(&filter->regex, text, REG_EXTENDED | REG_NOSUB);
	if (!code)
		return NULL;
	char why[256];
	regerror(code, &filter->regex, why, sizeof why);
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid regexp: %s", why);
}

static bool passes(const struct filter *filter, const char *name)
{
	return !filter || !filter->given || !regexec(&filter->regex, name, 0, NULL, 0);
}

static void filter_fini(struct filter *filter)
{
	if (filter->given)
		regfree(&filter->regex);
}

static size_t print_scope(FILE *out, const struct frame *frame, const struct scope *scope,
			  bool arguments, int indent, const struct filter *filter)
{
	size_t n = 0;
	for (size_t i = 0; i < scope->n_variables; i++) {
		const struct variable *variable = &scope->variables[i];
		if (variable->is_argument != arguments || variable->is_template ||
		    (variable->is_artificial && !arguments) || !passes(filter, variable->name))
			continue;
		fprintf(out, "%*s%s = ", indent, "", variable->name);
		frame_variable_print(out, frame, variable);
		fputc('\n', out);
		n++;
	}
	return n;
}

/* An inlined call's arguments belong to its frame's arguments, so scopes of the frame
 * itself have locals only. */
static size_t print_locals(FILE *out, const struct frame *frame, int indent,
			   const struct filter *filter)
{
	size_t n = 0;
	for (size_t i = 0; i < frame->n_scopes; i++)
		n += print_scope(out, frame, &frame->scopes[i], false, indent, filter);
	return n;
}

void frame_print_locals(FILE *out, const struct frame *frame, int indent)
{
	if (!print_locals(out, frame, indent, NULL))
		fputs("No locals.\n", out);
}

static size_t print_arguments(FILE *out, const struct frame *frame, int indent,
			      const struct filter *filter)
{
	return print_scope(out, frame, &frame->scopes[frame->n_scopes - 1], true, indent, filter);
}

/* What print finds in the selected frame under the names that argument asks for; kind is what is
 * printed, in the plural. */
static struct cudasim_error *info_variables(const char *argument, const char *kind,
					    size_t (*print)(FILE *out, const struct frame *frame,
							    int indent,
							    const struct filter *filter))
{
	const struct frame *frame = frame_selected();
	struct filter filter;
	if (!frame)
		return no_frame();
	if (!frame->n_scopes) {
		fputs("No symbol table info available.\n", console());
		return NULL;
	}
	struct cudasim_error *error = filter_init(&filter, argument);
	if (error)
		return error;
	if (!print(console(), frame, 0, &filter))
		fprintf(console(), "No %s%s.\n", filter.given ? "matching " : "", kind);
	filter_fini(&filter);
	return NULL;
}

struct cudasim_error *command_info_locals(const char *argument)
{
	return info_variables(argument, "locals", print_locals);
}

struct cudasim_error *command_info_args(const char *argument)
{
	return info_variables(argument, "arguments", print_arguments);
}

/* ---- info frame ----------------------------------------------------------------------- */

/* What the caller's frame calls it: on a device, the pair of saved rbp and return
 * address ends it. */
static uint64_t frame_top(const struct frame *frame)
{
	return frame->is_device ? frame->base + 16 : frame->base;
}

static void print_around(const struct frame *frame, const struct frame *frames, size_t n)
{
	const struct frame *above = frame->level + 1 < n ? &frames[frame->level + 1] : NULL;
	if (frame->is_kernel)
		fputs(" Outermost frame of the kernel: launched by the host", console());
	else if (!above)
		fputs(" Outermost frame: outermost", console());
	else if (frame->is_inlined)
		fprintf(console(), " inlined into frame %u", above->level);
	else
		fprintf(console(), " called by frame at 0x%" PRIx64, frame_top(above));
	if (frame->level)
		fprintf(console(), "%s caller of frame at 0x%" PRIx64,
			above || frame->is_kernel ? "," : "\n",
			frame_top(&frames[frame->level - 1]));
	fputc('\n', console());
}

static void print_saved_pc(const struct frame *frame, const struct frame *frames, size_t n)
{
	uint32_t level = frame->level;
	while (frames[level].is_inlined && level + 1 < n)
		level++;
	if (frames[level].is_kernel || level + 1 >= n)
		fputs("; saved pc = <not saved>\n", console());
	else
		fprintf(console(), "; saved pc = 0x%" PRIx64 "\n", frames[level + 1].pc);
}

struct cudasim_error *command_info_frame(const char *argument)
{
	const struct frame *frames, *frame = frame_selected();
	if (*argument)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "info frame takes no argument: select the frame first.");
	if (!frame)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No stack.");
	size_t n = frames_of_focus(&frames);
	uint64_t top = frame_top(frame);
	fprintf(console(), "Stack level %u, frame at 0x%" PRIx64 ":\n pc = 0x%" PRIx64,
		frame->level, top, frame->pc);
	fputs(" in ", console());
	frame_name_print(console(), frame->name);
	if (frame->file)
		fprintf(console(), " (%s:%u)", frame->file, frame->line);
	print_saved_pc(frame, frames, n);
	print_around(frame, frames, n);
	fprintf(console(), " source language c++.\n Arglist at 0x%" PRIx64 ", args: ", frame->base);
	frame_print_arguments(console(), frame);
	fprintf(console(), "\n Locals at 0x%" PRIx64 ",", frame->base);
	if (frame->is_device)
		fprintf(console(),
			" Saved registers:\n  rbp at 0x%" PRIx64 ", rip at 0x%" PRIx64 "\n",
			frame->base, frame->base + 8);
	else
		fputc('\n', console());
	return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* stop_report.c - what is said when the program has stopped.
 *
 * Order and forms are cuda-gdb's: for a breakpoint the switch of focus, a blank line,
 * "CUDA thread hit Breakpoint 1, " with the frame on the same line; for a fault its
 * report, the signal, then the switch and the frame; for a step the source line alone
 * as long as it ends in the function where it began. */
#define _GNU_SOURCE
#include "stop_report.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame_print.h"
#include "history.h"
#include "host_unwind.h"
#include "report_state.h"
#include "signal_name.h"
#include "stack.h"

/* ---- is it the same frame as before? ---------------------------------------------- */

static void remember(void)
{
	struct report_place *own = &report_state()->place;
	const struct frame *frames;
	size_t n = frames_of_focus(&frames), n_device = 0;
	memset(own, 0, sizeof *own);
	if (!n)
		return;
	while (n_device < n && frames[n_device].is_device)
		n_device++;
	own->function = frames[0].function;
	own->name = frames[0].name;
	own->n_frames = n_device ? n_device : n;
	own->is_device = n_device > 0;
}

void stop_remember_frame(void)
{
	remember();
}

/* Whether the innermost frame is another one than was remembered; remembers it. */
static bool frame_is_new(void)
{
	struct report_place *own = &report_state()->place;
	const struct function *function = own->function;
	const char *name = own->name;
	size_t n_frames = own->n_frames;
	bool is_device = own->is_device;
	remember();
	return function != own->function || n_frames != own->n_frames ||
	       is_device != own->is_device || !name || !own->name || strcmp(name, own->name);
}

/* ---- the place --------------------------------------------------------------------- */

/* The frame's line and its source; or the source line alone. */
static void print_place(FILE *out, bool with_frame)
{
	const struct frame *frames;
	if (!frames_of_focus(&frames))
		return;
	/* The kernel itself has returned: what is below is none of the user's code. */
	if (frames[0].is_device && !frames[0].function && !frames[0].file &&
	    stop_current()->kind != STOP_FINISH)
		return;
	if (!with_frame) {
		frame_print_place(out, &frames[0]);
		return;
	}
	frame_print(out, &frames[0], false, true);
	frame_print_source(out, &frames[0]);
}

/* Stops that no thread has made: a launch that begins or ends. */
static void print_launch(FILE *out, const struct cudasim_launch *launch)
{
	struct frame *frames = NULL;
	size_t n = 0;
	cudasim_error_free(frames_of_launch((struct cudasim_launch *)launch, &frames, &n));
	if (n) {
		frame_print(out, &frames[0], false, true);
		frame_print_source(out, &frames[0]);
	} else {
		const uint32_t *g = launch->grid, *b = launch->block;
		fprintf(out, "kernel %" PRIu64 ", %s<<<(%u,%u,%u),(%u,%u,%u)>>>\n",
			focus_kernel_number(launch), launch->kernel->display, g[0], g[1], g[2],
			b[0], b[1], b[2]);
	}
	free(frames);
}

/* ---- kinds of stops ------------------------------------------------------------------ */

static void report_breakpoint(FILE *out, const struct stop *stop)
{
	if (stop->report)
		fputs(stop->report, out);
	fprintf(out, "\n%s%s %d", focus_get()->is_device ? "CUDA thread hit " : "",
		stop->temporary ? "Temporary breakpoint" : "Breakpoint", stop->numbers[0]);
	if (stop->location)
		fprintf(out, ".%d", stop->location);
	fputs(", ", out);
	print_place(out, true);
}

static void report_catch(FILE *out, const struct stop *stop)
{
	if (stop->report)
		fputs(stop->report, out);
	if (focus_get()->is_device || !stop->launch)
		print_place(out, true);
	else
		print_launch(out, stop->launch);
}

/* The form that gdb gives signals: "SIGSEGV, Segmentation fault". */
static void report_host_signal(FILE *out, int number)
{
	char name[32];
	const char *abbreviation = signal_abbreviation(number), *text = signal_text(number);
	if (abbreviation)
		snprintf(name, sizeof name, "SIG%s", abbreviation);
	else
		snprintf(name, sizeof name, "SIG%d", number);
	report_signal(out, name, number == SIGINT ? "Interrupt" : text ? text : "Real-time event");
}

/* $_exitcode, as gdb calls it. */
static void keep_exit_status(int status)
{
	struct value value = {.type = type_base("int"), .n_bytes = sizeof status};
	memcpy(value.bytes.small, &status, sizeof status);
	if (value.type)
		convenience_set("_exitcode", &value);
}

static void report_exit(FILE *out, const struct stop *stop)
{
	if (stop->signal) {
		const char *text = signal_text(stop->signal);
		fprintf(out,
			"\nProgram terminated with signal SIG%s, %s.\nThe program no longer exists.\n",
			signal_abbreviation(stop->signal), text ? text : "");
		return;
	}
	keep_exit_status(stop->exit_status & 0xff);
	fprintf(out, "[Inferior 1 (process %d) exited ", (int)getpid());
	if (stop->exit_status & 0xff)
		fprintf(out, "with code 0%o]\n", (unsigned)stop->exit_status & 0xff);
	else
		fputs("normally]\n", out);
}

static void report_step(FILE *out, const struct stop *stop, bool is_new)
{
	if (stop->report)
		fputs(stop->report, out);
	print_place(out, is_new || stop->shows_frame);
}

/* Stops that tell the switch of focus behind their own report. */
static bool reports_first(const struct stop *stop)
{
	return stop->kind == STOP_FAULT || stop->kind == STOP_BRKPT || stop->kind == STOP_SIGNAL ||
	       stop->kind == STOP_INTERRUPT;
}

static void report_first(FILE *out, const struct stop *stop)
{
	if (stop->report)
		fputs(stop->report, out);
	if (stop->kind == STOP_FAULT && stop->fault)
		report_fault(out, stop);
	else if (stop->kind == STOP_BRKPT)
		report_host_signal(out, SIGTRAP);
	else
		report_host_signal(out, stop->signal ? stop->signal : SIGINT);
}

void stop_report(FILE *out, const struct stop *stop, const struct focus *before)
{
	bool is_new = frame_is_new();
	if (stop->kind == STOP_START)
		return;
	if (stop->kind == STOP_EXITED) {
		report_exit(out, stop);
		return;
	}
	if (reports_first(stop))
		report_first(out, stop);
	if (stop->warps_stepped)
		fprintf(out,
			"warning: Warp(s) other than the current warp had to be single-stepped:"
			"0x%016" PRIx64 "\n",
			stop->stepped_mask);
	focus_announce(out, before);
	switch (stop->kind) {
	case STOP_BREAKPOINT:
		report_breakpoint(out, stop);
		break;
	case STOP_LAUNCH:
		fputs("\nCUDA thread hit application kernel entry function breakpoint, ", out);
		print_place(out, true);
		break;
	case STOP_CATCH:
		report_catch(out, stop);
		break;
	case STOP_STEP:
		report_step(out, stop, is_new);
		break;
	case STOP_WATCHPOINT:
		if (stop->report)
			fputs(stop->report, out);
		print_place(out, true);
		break;
	default:
		print_place(out, true);
		break;
	}
}

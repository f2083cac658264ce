/* SPDX-License-Identifier: Apache-2.0 */
/* command_cuda.c - choosing the focus, and the settings of cuda. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "command_cuda.h"
#include "command_data.h"
#include "console.h"
#include "cuda_state.h"
#include "error.h"
#include "frame_print.h"
#include "run.h"
#include "setting.h"
#include "stack.h"
#include "stop_report.h"
#include "text.h"

static struct cudasim_error *no_focus(void)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 program_is_running() ? "Focus not set on any active CUDA kernel."
						      : "The program is not being run.");
}

/* ---- the focus --------------------------------------------------------------------- */

static void tell_place(void)
{
	const struct frame *frames;
	if (frames_of_focus(&frames))
		frame_print_place(console(), &frames[0]);
	displays_show(console());
}

static void move_to(struct cudasim_thread *thread)
{
	struct focus before = *focus_get();
	focus_set(thread->block->launch, thread);
	focus_announce(console(), &before);
	stop_remember_frame();
	tell_place();
}

static struct cudasim_error *select_coordinates(const struct coordinates *c)
{
	struct cudasim_thread *thread = coordinates_find(c);
	if (!thread)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Invalid coordinates requested. CUDA focus unchanged.");
	if (focus_get()->is_device && thread == focus_get()->thread)
		fputs("CUDA focus unchanged.\n", console());
	else
		move_to(thread);
	return NULL;
}

static struct cudasim_error *command_cuda(const char *argument)
{
	struct coordinates c;
	bool selects = false;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "\"cuda\" must be followed by the name of a coordinate: "
					 "device, sm, warp, lane, kernel, grid, cluster, block, "
					 "thread, clusterDim.");
	struct cudasim_error *error = coordinates_parse(argument, "cuda", &c);
	if (error)
		return error;
	for (unsigned i = 0; i < c.n; i++)
		selects |= c.has_value[c.names[i]];
	if (selects && program_is_running())
		return select_coordinates(&c);
	if (selects || !focus_get()->is_device)
		return no_focus();
	coordinates_print(console(), &c);
	return NULL;
}

/* ---- thread next-divergent ------------------------------------------------------------ */

struct next {
	uint64_t pc;
	const struct cudasim_site *site;
	struct cudasim_thread *from, *first, *after; /* first: of all; after: behind from */
	bool passed;
};

static bool stands_elsewhere(void *user, struct cudasim_thread *thread)
{
	struct next *next = user;
	const struct cudasim_site *site;
	uint64_t pc = thread_pc(thread, &site);
	if (thread == next->from) {
		next->passed = true;
		return true;
	}
	if (pc == next->pc && site == next->site)
		return true;
	if (!next->first)
		next->first = thread;
	if (next->passed && !next->after)
		next->after = thread;
	return !next->after;
}

/* The next thread that stands elsewhere: of the warp if there is one, else of the
 * block, else of the kernel; behind the last the first follows. */
static struct cudasim_error *command_next_divergent(const char *argument)
{
	static const enum coordinate within[] = {COORDINATE_KERNEL, COORDINATE_BLOCK,
						 COORDINATE_WARP};
	if (*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "\"thread next-divergent\" takes no argument.");
	if (!focus_get()->is_device)
		return no_focus();
	for (int finest = 2; finest >= 0; finest--) {
		struct next next = {.from = focus_get()->thread};
		struct coordinates c = {.n = 0};
		next.pc = thread_pc(next.from, &next.site);
		for (int i = 0; i <= finest; i++)
			coordinates_default(&c, within[i]);
		coordinates_each_thread(&c, stands_elsewhere, &next);
		struct cudasim_thread *found = next.after ? next.after : next.first;
		if (!found)
			continue;
		move_to(found);
		return NULL;
	}
	fputs("All threads of the kernel are at the same place. CUDA focus unchanged.\n",
	      console());
	return NULL;
}

/* ---- settings ---------------------------------------------------------------------------- */

static void launch_blocking_changed(void)
{
	cudasim_launch_blocking(cuda_state()->settings.launch_blocking);
}

__attribute__((constructor)) static void add_settings(void)
{
	const struct setting settings[] = {
		{.name = "cuda launch_blocking",
		 .kind = SETTING_BOOL,
		 .value = &cuda_state()->settings.launch_blocking,
		 .show = "The host waits for each kernel: %s.",
		 .summary =
			 "Whether a launching call of the host returns only when the kernel is over.",
		 .changed = launch_blocking_changed},
		{.name = "cuda coalescing",
		 .kind = SETTING_BOOL,
		 .value = &cuda_state()->coalescing,
		 .show = "Coalescing of the CUDA commands output is %s.",
		 .summary =
			 "Whether info cuda threads and blocks fold rows that follow each other."},
		{.name = "cuda gather-threads",
		 .kind = SETTING_NUMBER,
		 .value = &run_settings()->gather_threads,
		 .show = "At most %s threads are begun to gather the grid around a stop.",
		 .summary = "How many threads may be in flight while the grid gathers for a stop."},
	};
	settings_add(settings, sizeof settings / sizeof *settings);
}

/* Settings of cuda-gdb that speak of hardware: what is so here, whatever they say. */
static const struct {
	const char *name, *text;
} fixed[] = {
	{"memcheck", "Every access is checked where the program runs under `cudasim check`; the "
		     "debugger stops at illegal and misaligned ones in any case."},
	{"software_preemption", "There is no display to share the device with, so nothing has "
				"to be preempted."},
	{"notify", "There are no host threads to choose among."},
	{"gpu_busy_check", "There is no GPU that a display could use."},
	{"disassemble_from", "Code is that of the watched bodies, as x86-64."},
	{"disassemble_per", "Code is that of the watched bodies, as x86-64."},
	{"hide_internal_frame", "There are no internal frames."},
	{"context_events", "Contexts are made without being announced."},
	{"defer_kernel_launch_notifications", "Kernels are known from their launch on."},
	{"hide_internal_frames", "There are no internal frames."},
	{"single_stepping_optimizations", "A step runs at full speed up to the next line."},
	{"step_divergent_lanes", "set step-unit selects what a step moves."},
	{"stop_signal", "Ctrl-C stops at the next line of the program."},
	{"thread_selection", "The lowest thread that made the stop gets the focus."},
	{"value_extrapolation", "Every variable is in memory during its lifetime."},
	{"ptx_cache", "There is no PTX to cache."},
	{"use_gpu_software_debugger", "There is no GPU."},
	{"collect_stats", "No statistics are kept."},
};

static struct cudasim_error *set_cuda(const char *argument)
{
	char name[64], *text;
	const char *rest = argument;
	bool found;
	/* The command hides the settings that begin with its name. */
	if (asprintf(&text, "cuda %s", argument) < 0)
		return &cudasim_error_nomem;
	struct cudasim_error *error = setting_assign(text, &found);
	free(text);
	if (found)
		return error;
	if (!text_word(&rest, name, sizeof name))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "\"set cuda\" must be followed by the name of a setting.");
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		if (strcmp(fixed[i].name, name))
			continue;
		fprintf(console(), "cuda %s cannot be set in a simulator: %s\n", name,
			fixed[i].text);
		return NULL;
	}
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "Undefined set cuda command: \"%s\".  Try \"help set cuda\".",
				 name);
}

/* ---- the table ------------------------------------------------------------------------------ */

#define INFO(word, function, what, about)                                                          \
	{.name = "info cuda " word,                                                                \
	 .run = function,                                                                          \
	 .usage = "info cuda " word " [FILTER]",                                                   \
	 .summary = what,                                                                          \
	 .text = about,                                                                            \
	 .example = "info cuda " word}

const struct command commands_cuda[] = {
	{.name = "cuda",
	 .run = command_cuda,
	 .usage = "cuda device|sm|warp|lane|kernel|grid|cluster|block|thread [VALUE] ...",
	 .summary = "Print or select the CUDA focus.",
	 .text = "Names alone print the focus's coordinates. With values the focus moves to\n"
		 "the thread that has them, and is nearest to the focus in what is not given.\n"
		 "A value is a number, +N or -N from the focus's, or (x,y,z).",
	 .example = "cuda block (1,0,0) thread (32,0,0)"},
	{.name = "thread next-divergent",
	 .run = command_next_divergent,
	 .repeats = true,
	 .usage = "thread next-divergent",
	 .summary = "Move the focus to the next thread at another place.",
	 .text = "Looks in the focused warp, then in its block, then in its kernel.",
	 .example = "thread next-divergent"},
	{.name = "set cuda",
	 .run = set_cuda,
	 .usage = "set cuda SETTING VALUE",
	 .summary = "Settings of the simulated device and of how kernels are debugged.",
	 .example = "set cuda break_on_launch application"},
	{.name = "info cuda",
	 .run = info_cuda,
	 .usage = "info cuda WHAT [FILTER]",
	 .summary = "What the simulated devices do.",
	 .text = "WHAT: devices, sms, warps, lanes, kernels, grids, blocks, threads, clusters,\n"
		 "barriers, pipeline, shared, launches, launch trace, contexts, managed, line.\n"
		 "FILTER: coordinates as in `cuda`, also with `all` for a value.",
	 .example = "info cuda threads block (1,0,0)"},
	INFO("devices", info_devices, "The simulated devices.", NULL),
	INFO("sms", info_sms, "The multiprocessors that blocks are on.", NULL),
	INFO("warps", info_warps, "The warps on the focused multiprocessor.",
	     "Active lanes are where the warp's first one is, divergent ones elsewhere."),
	INFO("lanes", info_lanes, "The lanes of the focused warp.", NULL),
	INFO("kernels", info_kernels, "The kernels in flight.", NULL),
	INFO("grids", info_kernels, "The kernels in flight.", NULL),
	INFO("blocks", info_blocks, "The blocks in flight of the focused kernel.", NULL),
	INFO("threads", info_threads, "The places of the threads of the focused kernel.",
	     "Consecutive threads at one place are one row. Threads that have ended or have\n"
	     "not started are not listed."),
	INFO("clusters", info_clusters, "The clusters in flight of the focused kernel.", NULL),
	INFO("barriers", info_barriers, "What the lanes of the focused warp wait for.",
	     "Then each barrier of the kernel's blocks that threads wait at."),
	INFO("pipeline", info_pipeline, "The mbarriers in the shared memory of the focused block.",
	     "Parity is that of the phase that has not ended, Arrived and Expected count its\n"
	     "arrivals, Bytes are those of copies that it still waits for. Found are variables of\n"
	     "type cuda::barrier, cuda::pipeline_shared_state, __mbarrier_t and CUTLASS's barriers,\n"
	     "and whatever threads wait for. - is an object that is not initialized."),
	INFO("launches", info_launches, "The launches in flight, and how far they are.", NULL),
	INFO("launch trace", info_launch_trace, "The focused kernel and its parents.", NULL),
	INFO("launch children", info_launch_children, "Kernels launched by the focused one.", NULL),
	INFO("contexts", info_contexts, "The devices' contexts.", NULL),
	INFO("managed", info_managed, "The __managed__ variables and their values.", NULL),
	{.name = "info shared",
	 .aliases = "info cuda shared",
	 .run = info_shared,
	 .usage = "info shared",
	 .summary = "The shared memory of the focused block by its variables.",
	 .text = "Offsets are those that addresses of shared variables show. For the libraries of the\n"
		 "program see info sharedlibrary.",
	 .example = "info shared"},
	{.name = "info cuda line",
	 .run = info_line_of,
	 .completer = COMPLETE_LOCATION,
	 .usage = "info cuda line LOCATION",
	 .summary = "The code of a line.",
	 .example = "info cuda line tour.cu:8"},
	{0},
};

#define TOPIC(word, what, value)                                                                   \
	{.name = "cuda " word,                                                                     \
	 .usage = "cuda " word " [" value "]",                                                     \
	 .summary = what,                                                                          \
	 .text = "Without a value it is printed; with one the focus moves there. Several\n"        \
		 "coordinates may follow each other.",                                             \
	 .example = "cuda " word}
const struct command topics_cuda[] = {
	TOPIC("device", "Print or select the device.", "N | +N | -N"),
	TOPIC("sm", "Print or select the multiprocessor that the block is on.", "N | +N | -N"),
	TOPIC("warp", "Print or select the warp, counted within its block.", "N | +N | -N"),
	TOPIC("lane", "Print or select the lane of the warp.", "N | +N | -N"),
	TOPIC("kernel", "Print or select the kernel, numbered by its launch.", "N | +N | -N"),
	TOPIC("grid", "Print or select the grid, numbered from 1 in its device.", "N | +N | -N"),
	TOPIC("cluster", "Print or select the cluster.", "(X,Y,Z) | +N | -N"),
	TOPIC("block", "Print or select the block.", "(X,Y,Z) | +N | -N"),
	TOPIC("thread", "Print or select the thread.", "(X,Y,Z) | +N | -N"),
	TOPIC("clusterDim", "Print the size of the clusters.", "(X,Y,Z)"),
	{0},
};

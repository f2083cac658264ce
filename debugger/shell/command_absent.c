/* SPDX-License-Identifier: Apache-2.0 */
/* command_absent.c - commands of gdb that are not here, each with the reason and what to
 * do instead. They are looked for last and have to be written out, so that they change
 * no abbreviation. */
#include <string.h>

#include "command_table.h"
#include "error.h"
#include "text.h"

/* Names have a blank before and behind. */
static const struct {
	const char *names, *why;
} absent[] = {
	{" compare-sections load flushregs ",
	 "the program is this process, nothing was loaded into another target"},
	{" file exec-file symbol-file add-symbol-file remove-symbol-file target core-file core "
	 "sharedlibrary nosharedlibrary add-symbol-file-from-memory section ",
	 "the debugger runs in the program's process: start another one with `cudasim debug PROGRAM'"},
	{" info_target info_files info_auxv info_os info_inferiors info_connections info_core ",
	 "there is one process: see info proc and info sharedlibrary"},
	{" inferior add-inferior remove-inferiors clone-inferior disconnect ",
	 "there is one process, in which the debugger runs"},
	{" generate-core-file gcore ", "use print, x or set logging to keep what you see"},
	{" thread info_threads thread_apply thread_find thread_name taas tfaas ",
	 "host threads are not listed: `cuda thread' and `info cuda threads' are about those of kernels, "
	 "`print -each-thread' evaluates in all of them"},
	{" frame_apply faas ", "use up, down and backtrace"},
	{" reverse-stepi reverse-nexti rsi rni ",
	 "what is recorded is gone through by lines: use reverse-step"},
	{" starti ", "the debugger begins at main(): use start"},
	{" return ",
	 "a frame cannot be left early, what it has to undo would be left undone: use finish"},
	{" handle ", "which signals stop is fixed: see info signals"},
	{" trace tp tr tra trac ftrace strace tstart tstop tstatus tdump tfind tsave tvariable collect "
	 "passcount while-stepping stepping ws teval actions info_tracepoints info_tvariables tpoint ",
	 "there are no tracepoints: use dprintf, or breakpoints with commands"},
	{" hbreak thbreak ", "use break: there are no hardware breakpoints"},
	{" macro info_macro info_macros ", "debug information has no macros"},
	{" python python-interactive py pi guile gu guile-repl gr compile expression jit-reader-load ",
	 "there is no interpreter: use define, if, while and cudasim_host() in device code"},
	{" tui layout focus fs refresh winheight winname info_win ",
	 "there is no window interface: use list, display and heat"},
	{" info_float info_vector info_all-registers ",
	 "info registers shows the registers that are known"},
	{" info_program info_exceptions info_modules info_tasks info_terminal "
	 "info_static-tracepoint-markers info_probes info_classic-memory info_mem mem ",
	 "it has no information here: see info proc, backtrace and info cuda kernels"},
	{" maintenance maint mt monitor ", "commands for gdb's own developers"},
	{" stop interrupt ", "use Ctrl-C"},
	{" demangle-style add-auto-load-safe-path add-auto-load-scripts-directory info_auto-load path "
	 "info_copying info_warranty info_extensions dont-repeat ",
	 "it is not needed here"},
	{" print-object po info_selectors info_classes ",
	 "Objective-C is not supported: use print"},
	{" explore explore_type explore_value ", "use print, ptype and their options"},
	{" edit ", "use list and an editor of your own"},
	{" queue-signal ", "device threads have no signals: see info signals"},
	{" memory-tag ", "x86-64 has no memory tags"},
	{" remote flash-erase info_dcache ", "there is no remote target"},
	{" task task_apply ", "Ada is not supported"},
	{" info_common info_module ", "Fortran is not supported"},
	{" overlay ov ovly ", "there are no overlays"},
	{" interpreter-exec new-ui ", "there is one interface, this one"},
	{" define-prefix ", "names of definitions are one word"},
	{" agent-printf ", "use dprintf"},
	{" break-range ", "use break"},
	{" info_pretty-printer info_type-printers info_unwinder info_xmethod info_frame-filter "
	 "info_guile info_gu ",
	 "there is no interpreter: containers are printed by the debugger itself, print/r prints their "
	 "members"},
	{" save_tracepoints save_gdb-index unset_exec-wrapper unset_tdesc unset_substitute-path function "
	 "jit-reader-unload ",
	 "there is nothing of that kind here"},
	{" bookmark goto-bookmark info_bookmarks ", "use checkpoint and restart"},
	{" info_tp ", "there are no tracepoints: use dprintf, or breakpoints with commands"},
	{" kill_inferiors detach_inferiors ", "there is one process: use kill and detach"},
	{" frame_view select-frame_view ", "frames are found, not made"},
	{" autostep info_autosteps delete_autosteps ",
	 "each memory access is seen: a fault stops at the access itself"},
	{" enable_frame-filter disable_frame-filter enable_pretty-printer disable_pretty-printer "
	 "enable_type-printer disable_type-printer enable_unwinder disable_unwinder enable_xmethod "
	 "disable_xmethod ",
	 "there is no Python: containers are printed by the debugger itself, print/r prints their "
	 "members"},
	{" enable_mem disable_mem delete_mem enable_probes disable_probes delete_tracepoints "
	 "delete_tr delete_tvariable delete_bookmark ",
	 "there is nothing of that kind here"},
	{" winwidth update + - < > ", "there is no window interface: use list, display and heat"},
};

static const char *find(const char *name)
{
	char wanted[132];
	snprintf(wanted, sizeof wanted, " %s ", name);
	for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
		if (strstr(absent[i].names, wanted))
			return absent[i].why;
	return NULL;
}

const char *command_absent_pair(const char *line)
{
	char first[64], second[48], both[128];
	if (!text_word(&line, first, sizeof first) || !text_word(&line, second, sizeof second))
		return NULL;
	snprintf(both, sizeof both, "%s_%s", first, second);
	return find(both);
}

const char *command_absent(const char *line)
{
	char first[64];
	/* Two words first: `thread apply' and `thread' may have different reasons. */
	const char *why = command_absent_pair(line);
	return why || !text_word(&line, first, sizeof first) ? why : find(first);
}

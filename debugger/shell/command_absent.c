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
	{" info_program info_exceptions info_modules info_selectors info_tasks info_terminal "
	 "info_static-tracepoint-markers info_probes info_classic-memory info_mem mem ",
	 "it has no information here: see info proc, backtrace and info cuda kernels"},
	{" maintenance maint mt monitor ", "commands for gdb's own developers"},
	{" stop ", "use Ctrl-C"},
	{" strings demangle-style add-auto-load-safe-path ", "it is not needed here"},
};

const char *command_absent(const char *line)
{
	char first[64], both[128], wanted[132];
	const char *rest = line;
	if (!text_word(&rest, first, sizeof first))
		return NULL;
	char second[48] = "";
	text_word(&rest, second, sizeof second);
	snprintf(both, sizeof both, "%s_%s", first, second);
	/* Two words first: `thread apply' and `thread' may have different reasons. */
	const char *const names[] = {both, first};
	for (size_t k = 0; k < 2; k++) {
		snprintf(wanted, sizeof wanted, " %s ", names[k]);
		for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
			if (strstr(absent[i].names, wanted))
				return absent[i].why;
	}
	return NULL;
}

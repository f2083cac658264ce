/* SPDX-License-Identifier: Apache-2.0 */
/* settings_fixed.c - settings of gdb that cannot vary here. Setting one to what is so anyhow
 * is no error and says nothing, so that command files written for gdb go through; any other
 * value is refused with the reason. They are looked for behind the settings that are there,
 * and have to be written out, as gdb's own files do. */
#include <ctype.h>
#include <string.h>

#include "command_table.h"
#include "console.h"
#include "error.h"
#include "text.h"

static const char off[] = " off 0 no disable ", on[] = " on 1 yes enable ";
/* Whatever is said, nothing here would change. */
static const char any[] = "*";

static const struct fixed {
	const char *name, *values; /* the values that are so, with blanks around each; or any */
	const char *why;
} fixed[] = {
	/* threads and processes */
	{"non-stop", off, "a stop gathers the whole grid"},
	{"scheduler-locking", " off replay ", "set step-unit selects what a step moves"},
	{"schedule-multiple", off, "there is one process"},
	{"print thread-events", off, "host threads are not announced"},
	{"print inferior-events", any, ""},
	{"follow-fork-mode", " parent ", "children of fork() are not debugged"},
	{"follow-exec-mode", any, ""},
	{"detach-on-fork", on, "children of fork() are not debugged"},
	{"libthread-db-search-path", any, ""},
	{"mi-async", off, "there is no machine interface"},
	{"target-async", off, "commands wait until the program stops"},
	{"observer", off, "the debugger may always change the program's state"},
	{"exec-done-display", off, "commands wait until the program stops"},
	/* starting */
	{"startup-with-shell", on, "run's arguments are always read by a shell"},
	{"disable-randomization", on,
	 "addresses are the same in each run, so that sessions repeat"},
	{"exec-wrapper", NULL, "set environment changes what the program inherits"},
	{"cwd", NULL, "use cd, which the next run begins in"},
	{"may-call-functions", on, "calls in expressions are always allowed"},
	{"unwindonsignal", on, "a call in an expression that fails is undone"},
	{"stop-on-solib-events", off, "libraries are opened without a stop"},
	/* files */
	{"auto-load", any, ""},
	{"auto-solib-add", on, "libraries are known when they are opened"},
	{"sysroot", NULL, "the program is this process, its files are those that it has open"},
	{"solib-search-path", NULL,
	 "the program is this process, its files are those that it has open"},
	{"solib-absolute-prefix", NULL,
	 "the program is this process, its files are those that it has open"},
	{"debug-file-directory", any, ""},
	{"debuginfod", any, ""},
	{"index-cache", any, ""},
	{"substitute-path", NULL,
	 "use directory FOLDER: sources are looked for by their names there"},
	{"basenames-may-differ", any, ""},
	{"filename-display", " relative ", "files are shown as they were given to the compiler"},
	{"source open", on, "list shows sources"},
	{"build-id-verbosity", any, ""},
	{"write", off, "the executable is not written to"},
	/* printing */
	{"style enabled", off, "only heat has colours, and on a terminal alone"},
	{"style sources", off, "sources have no colours"},
	{"style", any, ""},
	{"max-value-size", any, ""},
	{"print demangle", on, "names are C++'s"},
	{"print asm-demangle", on, "names are C++'s"},
	{"print sevenbit-strings", off, "other bytes of strings are printed as they are"},
	{"print null-stop", off, "arrays of char are printed up to their trailing zeros"},
	{"print vtbl", off, "print/a shows where a virtual table's entries lead"},
	{"print entry-values", " default no ", "parameters have the values that they have now"},
	{"print symbol-filename", off, "use info symbol and info line"},
	{"print max-symbolic-offset", any, ""},
	{"print pascal_static-members", any, ""},
	{"print raw-frame-arguments", any, ""},
	{"print raw-values", any, ""},
	{"print finish", on, "finish prints the value"},
	{"print nibbles", off, "print/t has no gaps"},
	{"print characters", " elements ", "print elements limits strings, too"},
	{"print type", any, ""},
	{"print frame-info", " auto ", "frames are shown as usual"},
	{"input-radix", " 10 ", "write 0x before hexadecimal numbers"},
	{"output-radix", " 10 ", "print/x and display/x show hexadecimal numbers"},
	{"radix", " 10 ", "print/x and display/x show hexadecimal numbers"},
	{"charset", any, ""},
	{"host-charset", any, ""},
	{"target-charset", any, ""},
	{"target-wide-charset", any, ""},
	/* expressions */
	{"language", " auto local c c++ ", "expressions are C++"},
	{"case-sensitive", " auto on ", "names are C++'s"},
	{"check", any, ""},
	{"overload-resolution", on, "calls choose among overloads"},
	{"opaque-type-resolution", on, "incomplete types are looked for"},
	{"multiple-symbols", " all ", "a name means all functions of that name"},
	{"coerce-float-to-double", any, ""},
	{"cp-abi", any, ""},
	/* stopping and stepping */
	{"can-use-hw-watchpoints", any, ""},
	{"breakpoint always-inserted", any, ""},
	{"breakpoint auto-hw", any, ""},
	{"breakpoint condition-evaluation", any, ""},
	{"step-mode", off, "functions without lines are stepped over"},
	{"skip-solib-deps", any, ""},
	{"displaced-stepping", any, ""},
	{"backtrace", NULL, "bt N shows so many frames, and it ends at main()"},
	/* the command line */
	{"history size", any, ""},
	{"history filename", NULL,
	 "the history has its place in ~/.local/state/cudasim, or XDG_STATE_HOME"},
	{"history expansion", off, "! at a line's beginning is a shell's command"},
	{"history remove-duplicates", any, ""},
	{"editing", on, "lines are edited on a terminal, and elsewhere read as they are"},
	{"trace-commands", off, "use echo in command files"},
	{"verbose", off, "there is no further output"},
	{"complaints", any, ""},
	{"annotate", off, "there are no annotations"},
	{"suppress-cli-notifications", off, "each command reports its effect"},
	{"startup-quietly", any, ""},
	{"python", any, ""},
	{"guile", any, ""},
	{"extension-language", any, ""},
	{"script-extension", any, ""},
	{"tui", any, ""},
	{"ada", any, ""},
	/* targets */
	{"architecture", " auto i386:x86-64 ", "the program is this process"},
	{"endian", " auto little ", "the program is this process"},
	{"osabi", any, ""},
	{"remote", any, ""},
	{"remotetimeout", any, ""},
	{"tcp", any, ""},
	{"serial", any, ""},
	{"dcache", any, ""},
	{"code-cache", any, ""},
	{"stack-cache", any, ""},
	{"record", any, ""},
	{"watchdog", any, ""},
	{"debug", any, ""},
};

/* The setting with whose words text begins; *rest is behind them. */
static const struct fixed *find(const char *text, const char **rest)
{
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		const char *at = text;
		const char *name = fixed[i].name;
		while (*name && *at) {
			size_t n = strcspn(name, " ");
			if (strncmp(at, name, n) != 0 || (at[n] && !isspace((unsigned char)at[n])))
				break;
			at = text_skip(at + n);
			name += n + (name[n] == ' ');
		}
		if (!*name) {
			*rest = at;
			return &fixed[i];
		}
	}
	return NULL;
}

struct cudasim_error *setting_fixed_assign(const char *argument, bool *found)
{
	const char *value;
	const struct fixed *f = find(argument, &value);
	*found = f;
	if (!f || f->values == any)
		return NULL;
	char wanted[64];
	/* `set non-stop` alone switches on. */
	snprintf(wanted, sizeof wanted, " %s ", *value ? value : "on");
	if (f->values && strstr(f->values, wanted))
		return NULL;
	return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "%s cannot be set here: %s.", f->name,
				 f->why);
}

bool setting_fixed_show(const char *argument)
{
	const char *rest;
	const struct fixed *f = find(argument, &rest);
	if (!f || *rest)
		return false;
	if (f->values == any || !f->values)
		fprintf(console(), "%s means nothing here%s%s.\n", f->name, *f->why ? ": " : "",
			f->why);
	else
		fprintf(console(), "%s is %.*s: %s.\n", f->name, (int)strcspn(f->values + 1, " "),
			f->values + 1, f->why);
	return true;
}

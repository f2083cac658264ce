/* SPDX-License-Identifier: Apache-2.0 */
/* command_host.c - commands that show the machine below: the x86-64 code of the
 * watched bodies and of the host program, registers, files, signals. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "console.h"
#include "error.h"
#include "expression.h"
#include "host.h"
#include "signal_name.h"
#include "stack.h"
#include "text.h"

static const char *const names[17] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip",
};
/* The order in which gdb lists them. */
static const int listed[17] = {0, 3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

/* Said once before host code is shown for device code. */
static void say_host_code(const struct frame *frame)
{
	static bool said;
	if (said || !frame || !frame->is_device)
		return;
	said = true;
	fprintf(console(), "(The simulator has no SASS: this is the x86-64 code of the kernel's "
			   "watched body.)\n");
}

/* ---- info registers --------------------------------------------------------- */

static void print_register(const struct frame *frame, int i)
{
	uint64_t value = frame->registers.value[i];
	if (!(frame->registers.known >> i & 1)) {
		fprintf(console(), "%-15s<not saved>\n", names[i]);
		return;
	}
	char hex[24];
	snprintf(hex, sizeof hex, "0x%" PRIx64, value);
	fprintf(console(), "%-15s%-19s", names[i], hex);
	const char *name, *mangled, *file;
	uint64_t offset;
	if (i == 6 || i == 7)
		fprintf(console(), "%s", hex);
	else if (i != 16)
		fprintf(console(), "%" PRId64, (int64_t)value);
	else if (symbols_symbol_at(value, &name, &mangled, &offset, &file))
		fprintf(console(), "%s <%s+%" PRIu64 ">", hex, name, offset);
	fputc('\n', console());
}

static struct cudasim_error *info_registers(const char *argument)
{
	const struct frame *frame = frame_selected();
	char word[32];
	if (!frame)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "The program has no registers now.");
	say_host_code(frame);
	if (!*argument)
		for (int i = 0; i < 17; i++)
			if (frame->registers.known >> listed[i] & 1 || !frame->is_device)
				print_register(frame, listed[i]);
	while (text_word(&argument, word, sizeof word)) {
		const char *wanted = *word == '$' ? word + 1 : word;
		int i = 0;
		if (!strcmp(wanted, "pc"))
			wanted = "rip";
		else if (!strcmp(wanted, "sp"))
			wanted = "rsp";
		else if (!strcmp(wanted, "fp"))
			wanted = "rbp";
		while (i < 17 && strcmp(names[i], wanted) != 0)
			i++;
		if (i == 17)
			return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid register `%s'",
						 wanted);
		print_register(frame, i);
	}
	return NULL;
}

/* ---- disassemble ------------------------------------------------------------ */

static void print_line(uint64_t pc, uint64_t *at_line)
{
	struct line line;
	if (!symbols_line_at(pc, &line) || line.line == *at_line)
		return;
	*at_line = line.line;
	fprintf(console(), "%s:%u\n", line.file, line.line);
}

static void dump(uint64_t low, uint64_t high, uint64_t current, bool lines)
{
	uint64_t at_line = 0;
	while (low < high) {
		if (lines)
			print_line(low, &at_line);
		uint64_t next = host_disassemble(console(), low, 1, current);
		if (next == low)
			return;
		low = next;
	}
}

/* The function that text means: at an address, or by name. */
static struct cudasim_error *find_code(const char *text, uint64_t *pc)
{
	const struct function *function;
	if (symbols_functions(text, &function, 1)) {
		*pc = function->low;
		return NULL;
	}
	int64_t value;
	struct cudasim_error *error = evaluate_integer(text, &value);
	if (!error)
		*pc = (uint64_t)value;
	return error;
}

static struct cudasim_error *range_of(char *text, uint64_t *low, uint64_t *high)
{
	int64_t value;
	char *comma = strchr(text, ',');
	*comma++ = 0;
	struct cudasim_error *error = evaluate_integer(text, &value);
	if (error)
		return error;
	*low = (uint64_t)value;
	bool length = *text_skip(comma) == '+';
	error = evaluate_integer(length ? strchr(comma, '+') + 1 : comma, &value);
	if (!error)
		*high = (length ? *low : 0) + (uint64_t)value;
	return error;
}

static struct cudasim_error *disassemble(const char *argument)
{
	const struct frame *frame = frame_selected();
	uint64_t pc = frame ? frame->pc : 0, low, high;
	bool lines = false;
	while (*argument == '/') {
		lines = lines || strcspn(argument, "ms ") < strcspn(argument, " ");
		argument = text_skip(argument + strcspn(argument, " "));
	}
	if (!*argument && !frame)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "No frame selected.");
	if (strchr(argument, ',')) {
		char *copy = strdup(argument);
		struct cudasim_error *error = copy ? range_of(copy, &low, &high)
						   : &cudasim_error_nomem;
		free(copy);
		if (error)
			return error;
		fprintf(console(), "Dump of assembler code from 0x%" PRIx64 " to 0x%" PRIx64 ":\n",
			low, high);
	} else {
		uint64_t place = frame ? frame->lookup : 0;
		struct cudasim_error *error = *argument ? find_code(argument, &place) : NULL;
		if (error)
			return error;
		const struct function *function = symbols_function_at(place);
		if (!function)
			return cudasim_error_new(CUDASIM_E_NOTFOUND,
						 "No function contains specified address.");
		low = function->low;
		high = function->high;
		fprintf(console(), "Dump of assembler code for function %s:\n",
			function->signature);
	}
	say_host_code(frame);
	dump(low, high, pc, lines);
	fputs("End of assembler dump.\n", console());
	return NULL;
}

/* ---- info sharedlibrary, proc, signals ---------------------------------------- */

static struct cudasim_error *info_sharedlibrary(const char *argument)
{
	regex_t wanted;
	int code = regcomp(&wanted, argument, REG_EXTENDED | REG_NOSUB);
	if (code) {
		char reason[128];
		regerror(code, &wanted, reason, sizeof reason);
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid regexp: %s: \"%s\"", reason,
					 argument);
	}
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096], path[3072], last[3072] = "";
	size_t n = 0;
	while (maps && fgets(line, sizeof line, maps)) {
		uint64_t from, to;
		char flags[8];
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %3071s", &from, &to,
			   flags, path) != 4 ||
		    flags[2] != 'x' || *path != '/' || !strstr(path, ".so") ||
		    !strcmp(path, last) || regexec(&wanted, path, 0, NULL, 0))
			continue;
		strcpy(last, path);
		if (!n++)
			fprintf(console(), "%-18s  %-18s  Shared Object Library\n", "From", "To");
		fprintf(console(), "0x%016" PRIx64 "  0x%016" PRIx64 "  %s\n", from, to, path);
	}
	regfree(&wanted);
	if (!maps)
		return cudasim_error_new(CUDASIM_E_SYSTEM, "Cannot read the process's maps.");
	fclose(maps);
	if (!n)
		fputs(*argument ? "No shared libraries matched.\n"
				: "No shared libraries loaded at this time.\n",
		      console());
	return NULL;
}

static struct cudasim_error *info_proc(const char *argument)
{
	(void)argument;
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	fprintf(console(), "process %d\n", (int)getpid());
	if (n > 0)
		fprintf(console(), "exe = '%.*s'\n", (int)n, path);
	if (getcwd(path, sizeof path))
		fprintf(console(), "cwd = '%s'\n", path);
	return NULL;
}

/* Of one signal that the user names, by its number too, or of all. Real-time signals
 * never stop the program. */
static struct cudasim_error *info_signals(const char *argument)
{
	char *end;
	long number = strtol(argument, &end, 10);
	bool any = false;
	if (*argument && !*end && (number < 1 || number > 15))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Only signals 1-15 are valid as numeric signals.\n"
					 "Use \"info signals\" for a list of symbolic signals.");
	if (*argument && *end && strncmp(argument, "SIG", 3) != 0)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No symbol \"%s\" in current context.",
					 argument);
	fputs("Signal        Stop\tPrint\tPass to program\tDescription\n", console());
	for (int i = 1; i < 32; i++) {
		char name[16];
		snprintf(name, sizeof name, "SIG%s", signal_abbreviation(i));
		if (*argument && i != number && strcmp(name, argument) != 0)
			continue;
		bool own = i == SIGTRAP || i == SIGINT, stops = own || host_signal_stops(i);
		fprintf(console(), "%-13s %s\t%s\t%s\t\t%s\n", name, stops ? "Yes" : "No",
			stops ? "Yes" : "No", own ? "No" : "Yes",
			i == SIGINT ? "Interrupt" : signal_text(i));
		any = true;
	}
	if (!any)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "There is no signal %s, or it never stops "
					 "the program.",
					 argument);
	return NULL;
}

const struct command commands_host[] = {
	{.name = "disassemble",
	 .run = disassemble,
	 .takes_format = true,
	 .completer = COMPLETE_EXPRESSION,
	 .usage = "disassemble [/s] [FUNCTION | ADDRESS | START,END | START,+LENGTH]",
	 .summary = "Show the x86-64 code of a function.",
	 .text = "For device code this is the kernel's watched body, compiled for the host: the\n"
		 "simulator has no SASS. /s shows source lines between.",
	 .example = "disassemble pull"},
	{.name = "info registers",
	 .aliases = "info r",
	 .run = info_registers,
	 .usage = "info registers [NAME ...]",
	 .summary = "Show the host CPU's registers in the selected frame.",
	 .text = "Of a device thread those that the frame has kept: rip, rsp and rbp.",
	 .example = "info registers rip"},
	{.name = "info sharedlibrary",
	 .aliases = "info dll",
	 .run = info_sharedlibrary,
	 .usage = "info sharedlibrary [REGEXP]",
	 .summary = "List the libraries in the process.",
	 .example = "info sharedlibrary libc"},
	{.name = "info proc",
	 .run = info_proc,
	 .usage = "info proc",
	 .summary = "Show the process's number, file and folder.",
	 .example = "info proc"},
	{.name = "info signals",
	 .aliases = "info handle,info signal",
	 .run = info_signals,
	 .usage = "info signals [SIGNAL]",
	 .summary = "Show which signals stop the program.",
	 .example = "info signals SIGSEGV"},
	{0},
};

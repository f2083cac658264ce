/* SPDX-License-Identifier: Apache-2.0 */
/* debug_options.c - the options of `cudasim debug`: gdb's, each with what becomes of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "debug.h"
#include "manual.h"

enum kind {
	PLAIN,   /* text is the session's word */
	FILE_OF,  /* a command file */
	COMMAND,  /* a command */
	SILENT,   /* text is a command that says nothing, the value is behind it */
	FOLDER,   /* to change to, now */
	ACCEPTED, /* nothing to do */
	ACCEPTED_VALUE,
	REFUSED, /* text is the reason */
	REFUSED_VALUE,
};

static const struct row {
	const char *names; /* with a blank before and behind each; one dash or two */
	enum kind kind;
	bool early; /* before the others */
	const char *text;
	const char *help; /* of what is not refused */
} rows[] = {
	{" x command ", FILE_OF, false, "file", "run the commands in FILE first"},
	{" ex eval-command ", COMMAND, false, "command",
	 "run COMMAND first; -x and -ex run in their order"},
	{" ix init-command ", FILE_OF, true, "file", "as -x, before all -x and -ex"},
	{" iex init-eval-command ", COMMAND, true, "command", "as -ex, before all -x and -ex"},
	{" batch ", PLAIN, false, "batch",
	 "run these without questions, then end and kill the program"},
	{" return-child-result ", PLAIN, false, "return-child-result",
	 "the exit status is the program's"},
	{" q quiet silent ", PLAIN, false, "quiet", "no greeting"},
	{" nx n ", PLAIN, false, "no-rc", "do not read .cudasimrc"},
	{" nh ", PLAIN, false, "no-home-rc", "do not read the one in the home folder"},
	{" cd ", FOLDER, false, "folder", "change to FOLDER first"},
	{" d directory ", SILENT, false, "directory", "search for sources in FOLDER as well"},
	{" t tty ", SILENT, false, "tty", "the terminal of the program's standard streams"},
	{" nw nowindows readnow r readnever write ", ACCEPTED, false, NULL,
	 "there are no windows, and symbols are read when they are needed"},
	{" b l D data-directory cuda-use-lockfile ", ACCEPTED_VALUE, false, "value",
	 "there is no line, no data folder and no lock"},
	{" p pid ", REFUSED_VALUE, false,
	 "the debugger runs in the program's process and cannot attach to another: use cudasim debug PROGRAM",
	 NULL},
	{" c core ", REFUSED_VALUE, false,
	 "kernels leave no core dumps; a core of the process is for gdb: gdb PROGRAM CORE", NULL},
	{" s symbols e exec se ", REFUSED_VALUE, false, "PROGRAM has its own symbols", NULL},
	{" tui w windows ", REFUSED, false, "there is no window interface", NULL},
	{" i interpreter ui ", REFUSED_VALUE, false,
	 "there is no machine interface: use -x, -ex and -batch", NULL},
	{" f fullname annotate statistics configuration dbx python P ", REFUSED, false,
	 "it is not supported", NULL},
	{" batch-silent ", REFUSED, false, "use -batch, and send the output to /dev/null", NULL},
};

/* ---- for the manual ----------------------------------------------------------------------- */

/* "x command" as "-x, --command". */
static void write_names(const char *names, char *ret, size_t size)
{
	size_t at = 0;
	ret[0] = '\0';
	while (*(names += strspn(names, " ")) && at < size) {
		int n = (int)strcspn(names, " ");
		at += (size_t)snprintf(ret + at, size - at, "%s%s%.*s", at ? ", " : "",
				       at && n > 2 ? "--" : "-", n, names);
		names += n;
	}
}

static const char *placeholder(const struct row *row)
{
	switch (row->kind) {
	case FILE_OF:
		return "FILE";
	case COMMAND:
		return "COMMAND";
	case SILENT:
		return strcmp(row->text, "tty") ? "FOLDER" : "FILE";
	case FOLDER:
		return "FOLDER";
	default:
		return NULL;
	}
}

static bool option(size_t i, struct manual_option *ret)
{
	enum { N_ROWS = sizeof rows / sizeof *rows };
	static char names[128];
	if (i == N_ROWS)
		*ret = (struct manual_option)MANUAL_OPTION("--args", NULL,
							   "PROGRAM follows; may be omitted");
	if (i >= N_ROWS)
		return i == N_ROWS;
	const struct row *row = &rows[i];
	bool refused = row->kind == REFUSED || row->kind == REFUSED_VALUE;
	write_names(row->names, names, sizeof names);
	*ret = (struct manual_option){
		.names = names,
		.value = placeholder(row),
		.text = refused ? row->text : row->help,
		.status = refused                                                ? MANUAL_REFUSED
			  : row->kind == ACCEPTED || row->kind == ACCEPTED_VALUE ? MANUAL_ACCEPTED
										 : MANUAL_DONE,
	};
	return true;
}

static const struct manual_row examples[] = {
	{"cudasim debug ./app 1000", NULL},
	{"cudasim debug -batch -ex 'break kernel' -ex run -ex 'info locals' ./app", NULL},
	{"mpirun -n 4 cudasim debug -batch -x commands ./app", NULL},
	{0},
};
static const struct manual_row files[] = {
	{"~/.cudasimrc", "commands that run first, unless -nx or -nh is given"},
	{".cudasimrc", "the same of the current folder, unless -nx is given"},
	{"~/.local/state/cudasim/debug_history",
	 "the lines that were typed, or below XDG_STATE_HOME where that is set"},
	{0},
};
const struct manual debug_manual = {
	.name = "debug",
	.summary = "run a program in the debugger",
	.usage = "[OPTIONS] PROGRAM [ARGUMENTS]",
	.text = "Opens the debugger before PROGRAM starts. `cudasim cc` has to have built PROGRAM. Its "
		"kernels have lines and variables; its host code has them if it was built with `-g`. "
		"PROGRAM may also be one that loads such code later (python3), or a script that ends "
		"by executing one; breakpoints are pending until then. Under mpirun each rank has its "
		"own debugger: pass the commands with `-batch -x FILE`, since only one rank has the "
		"terminal.\n"
		"The options are gdb's. Each may begin with one dash or two, and its value may follow "
		"it or stand behind `=`.",
	.option = option,
	.notes =
		"`CUDASIM_DEBUG=1 ./app` also opens the debugger. `CUDASIM=0 cudasim debug` starts the "
		"vendor's cuda-gdb with the same arguments. In the debugger `help` lists the "
		"commands. The manual is docs/debugger.md, installed as share/doc/cudasim/debugger.md.",
	.examples = examples,
	.files = files,
	.variables = "CUDASIM CUDASIM_DEBUG CUDASIM_DEVICE CUDASIM_ENGINE CUDASIM_SCHEDULE",
	.see = "cc check run",
};

/* ---- reading them --------------------------------------------------------------------------- */

static const struct row *row_of(const char *word, size_t n)
{
	char name[40];
	if (!n || snprintf(name, sizeof name, " %.*s ", (int)n, word) >= (int)sizeof name)
		return NULL;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strstr(rows[i].names, name))
			return &rows[i];
	return NULL;
}

static bool wants_value(enum kind kind)
{
	return kind == FILE_OF || kind == COMMAND || kind == SILENT || kind == FOLDER ||
	       kind == ACCEPTED_VALUE;
}

static struct cudasim_error *add_file(FILE *out, const char *name)
{
	char *path = realpath(name, NULL);
	if (!path)
		return cudasim_error_errno(errno, "cannot open the command file '%s'", name);
	fprintf(out, "x %s\n", path);
	free(path);
	return NULL;
}

static struct cudasim_error *apply(const struct row *row, const char *word, const char *value,
				   FILE *out)
{
	switch (row->kind) {
	case PLAIN:
		fprintf(out, "%s\n", row->text);
		break;
	case FILE_OF:
		return add_file(out, value);
	case COMMAND:
	case SILENT:
		if (strchr(value, '\n'))
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "%s takes one line; use -x FILE for more", word);
		fprintf(out, "%s %s%s%s\n", row->kind == COMMAND ? "ex" : "silent",
			row->kind == COMMAND ? "" : row->text, row->kind == COMMAND ? "" : " ",
			value);
		break;
	case FOLDER:
		if (chdir(value))
			return cudasim_error_errno(errno, "cannot change to '%s'", value);
		break;
	case ACCEPTED:
	case ACCEPTED_VALUE:
		break;
	case REFUSED:
	case REFUSED_VALUE:
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "cudasim debug has no option '%s': %s", word, row->text);
	}
	return NULL;
}

/* *late has what stands behind all that is early. */
static struct cudasim_error *read_all(int n, char **arguments, FILE *early, FILE *late, int *ret)
{
	int i = 1;
	for (; i < n && arguments[i][0] == '-'; i++) {
		char *whole = arguments[i];
		const char *word = whole + 1 + (whole[1] == '-'), *value = NULL;
		if (!strcmp(whole, "--") || !strcmp(word, "args")) {
			i++;
			break;
		}
		size_t length = strcspn(word, "=");
		const struct row *row = row_of(word, length);
		if (!row)
			return cudasim_error_new(
				CUDASIM_E_ARGUMENT,
				"cudasim debug has no option '%s'; `cudasim help debug` lists them",
				whole);
		if (word[length])
			value = word + length + 1;
		else if (wants_value(row->kind) && ++i < n)
			value = arguments[i];
		if (wants_value(row->kind) && !value)
			return cudasim_error_new(CUDASIM_E_ARGUMENT, "'%s' needs a %s", whole,
						 row->kind == SILENT ? "path" : row->text);
		if (value && !wants_value(row->kind) && row->kind != REFUSED &&
		    row->kind != REFUSED_VALUE)
			return cudasim_error_new(CUDASIM_E_ARGUMENT, "'%.*s' takes no value",
						 (int)(word + length - whole), whole);
		struct cudasim_error *error = apply(row, whole, value, row->early ? early : late);
		if (error)
			return error;
	}
	*ret = i;
	if (i >= n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "no program to debug; see `cudasim help debug`");
	return NULL;
}

struct cudasim_error *debug_options(int n, char **arguments, FILE *out, int *ret)
{
	char *text = NULL;
	size_t size;
	FILE *late = open_memstream(&text, &size);
	if (!late)
		return &cudasim_error_nomem;
	struct cudasim_error *error = read_all(n, arguments, out, late, ret);
	if (fclose(late) && !error)
		error = &cudasim_error_nomem;
	if (!error)
		fputs(text, out);
	free(text);
	return error;
}

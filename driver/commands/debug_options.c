/* SPDX-License-Identifier: Apache-2.0 */
/* debug_options.c - the options of `cudasim debug`: gdb's, each with what becomes of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug.h"

const char debug_usage[] =
	"usage: cudasim debug [OPTIONS] PROGRAM [ARGUMENTS]\n"
	"\n"
	"Opens the debugger before PROGRAM starts. cudasim cc has to have built PROGRAM. Its kernels\n"
	"have lines and variables; its host code has them if it was built with -g. PROGRAM may also\n"
	"be one that loads such code later (python3), or a script that ends by executing one;\n"
	"breakpoints are pending until then. Under mpirun each rank has its own debugger: pass the\n"
	"commands with -batch -x FILE, since only one rank has the terminal.\n"
	"\n"
	"  -x FILE       run the commands in FILE first\n"
	"  -ex COMMAND   run COMMAND first; -x and -ex run in their order\n"
	"  -ix FILE, -iex COMMAND\n"
	"                the same, before those\n"
	"  -batch        run these without questions, then end and kill the program\n"
	"  -return-child-result\n"
	"                the exit status is the program's\n"
	"  -q            no greeting\n"
	"  -nx, -nh      do not read .cudasimrc, or not the one in the home folder\n"
	"  -cd FOLDER    change to FOLDER first\n"
	"  -d FOLDER     search for sources in FOLDER as well\n"
	"  -tty FILE     the terminal of the program's standard streams\n"
	"  --args        PROGRAM follows; may be omitted\n"
	"\n"
	"gdb's long forms (--command=FILE, --eval-command=COMMAND, ...) are accepted as well. Options\n"
	"that are not supported (-p, -c, -tui, ...) are refused with the reason.\n"
	"\n"
	"  cudasim debug ./app 1000\n"
	"  cudasim debug -batch -ex 'break kernel' -ex run -ex 'info locals' ./app\n"
	"\n"
	"CUDASIM_DEBUG=1 ./app also opens the debugger. CUDASIM=0 cudasim debug starts the vendor's\n"
	"cuda-gdb with the same arguments. In the debugger `help` lists the commands;\n"
	"docs/debugger.md is the manual.\n";

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
} rows[] = {
	{" q quiet silent ", PLAIN, false, "quiet"},
	{" batch ", PLAIN, false, "batch"},
	{" return-child-result ", PLAIN, false, "return-child-result"},
	{" nx n ", PLAIN, false, "no-rc"},
	{" nh ", PLAIN, false, "no-home-rc"},
	{" x command ", FILE_OF, false, "file"},
	{" ex eval-command ", COMMAND, false, "command"},
	{" ix init-command ", FILE_OF, true, "file"},
	{" iex init-eval-command ", COMMAND, true, "command"},
	{" cd ", FOLDER, false, "folder"},
	{" d directory ", SILENT, false, "directory"},
	{" t tty ", SILENT, false, "tty"},
	{" nw nowindows readnow r readnever write ", ACCEPTED, false, NULL},
	{" b l D data-directory cuda-use-lockfile ", ACCEPTED_VALUE, false, "value"},
	{" p pid ", REFUSED_VALUE, false,
	 "the debugger runs in the program's process and cannot attach to another: use cudasim debug PROGRAM"},
	{" c core ", REFUSED_VALUE, false,
	 "kernels leave no core dumps; a core of the process is for gdb: gdb PROGRAM CORE"},
	{" s symbols e exec se ", REFUSED_VALUE, false, "PROGRAM has its own symbols"},
	{" tui w windows ", REFUSED, false, "there is no window interface"},
	{" i interpreter ui ", REFUSED_VALUE, false,
	 "there is no machine interface: use -x, -ex and -batch"},
	{" f fullname annotate statistics configuration dbx python P ", REFUSED, false,
	 "it is not supported"},
	{" batch-silent ", REFUSED, false, "use -batch, and send the output to /dev/null"},
};

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

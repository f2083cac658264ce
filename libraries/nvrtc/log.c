/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - clang's messages as a program finds them in NVRTC's log.
 *
 * Headers that the program has given as texts go by their names, not by the paths of the files that
 * they were written to. That a header is missing, or that a name expression means nothing, is said in
 * NVRTC's words: programs look for them, and Jitify compiles again with that header. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "nvrtc.h"

/* The line without what stands before `folder`/NAME's NAME. */
static void write_without(FILE *out, const char *line, const char *folder)
{
	size_t n = strlen(folder);
	for (const char *at; (at = strstr(line, folder)) && at[n] == '/'; line = at + n + 1)
		fwrite(line, 1, (size_t)(at - line), out);
	fputs(line, out);
}

/* FILE:LINE:COLUMN: fatal error: 'NAME' file not found. The line is cut. */
static bool write_missing(FILE *out, char *line, const char *folder)
{
	static const char before[] = ": fatal error: '", behind[] = "' file not found\n";
	char *name = strstr(line, before), *end = name ? strstr(name, behind) : NULL;
	char *column = end ? memrchr(line, ':', (size_t)(name - line)) : NULL;
	char *number = column ? memrchr(line, ':', (size_t)(column - line)) : NULL;
	if (!number)
		return false;
	*number++ = *column = *end = 0;
	write_without(out, line, folder);
	fprintf(out, "(%s): catastrophic error: cannot open source file \"%s\"\n", number,
		name + sizeof before - 1);
	return true;
}

/* Of the errors in an expression the first has its text behind it, whose number *said holds then. */
static void write_expression(FILE *out, const char *line, const struct nvrtc_program *p,
			     size_t *said)
{
	size_t number;
	bool is_new = sscanf(line, NVRTC_EXPRESSION "%zu:", &number) == 1 && number != *said &&
		      number && number <= p->n_names && strstr(line, ": error: ");
	if (!is_new)
		return;
	fprintf(out,
		NVRTC_EXPRESSION "%zu: error: Error in parsing name expression for lowered name "
				 "lookup. Input name expression was: \"%s\"\n",
		number, p->names[number - 1].expression);
	*said = number;
}

char *nvrtc_log_read(const struct nvrtc_program *p, const char *path, const char *folder)
{
	FILE *in = fopen(path, "re");
	char *text = NULL, *line = NULL;
	size_t n = 0, room = 0, said = 0;
	FILE *out = in ? open_memstream(&text, &n) : NULL;
	while (out && getline(&line, &room, in) > 0)
		if (!write_missing(out, line, folder)) {
			write_without(out, line, folder);
			write_expression(out, line, p, &said);
		}
	if (in)
		fclose(in);
	free(line);
	if (out && fclose(out)) {
		free(text);
		text = NULL;
	}
	return text;
}

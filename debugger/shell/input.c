/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - see input.h. A pipe is read byte by byte: what follows a line belongs to
 * whoever reads next, which may be the program. */
#define _GNU_SOURCE
#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console.h"
#include "error.h"
#include "lineedit.h"
#include "shell_state.h"

struct input {
	struct input *below;
	char *name;
	char **lines;
	size_t n, at;
	bool is_file;
};

void input_start(int fd)
{
	shell_state()->inputs.lowest = fd;
}

int input_descriptor(void)
{
	return shell_state()->inputs.lowest;
}

bool input_is_terminal(void)
{
	struct shell_inputs *own = &shell_state()->inputs;
	return !own->top && isatty(own->lowest);
}

size_t input_depth(void)
{
	return shell_state()->inputs.depth;
}

static void pop(void)
{
	struct shell_inputs *own = &shell_state()->inputs;
	struct input *in = own->top;
	own->top = in->below;
	own->depth--;
	for (size_t i = 0; i < in->n; i++)
		free(in->lines[i]);
	free(in->lines);
	free(in->name);
	free(in);
}

void input_drop(size_t to)
{
	while (shell_state()->inputs.depth > to)
		pop();
}

const char *input_place(void)
{
	struct shell_inputs *own = &shell_state()->inputs;
	static char place[512];
	if (!own->top || !own->top->is_file)
		return "";
	snprintf(place, sizeof place, "%s:%zu: ", own->top->name, own->top->at);
	return place;
}

/* ---- reading ------------------------------------------------------------------- */

static char *read_descriptor(void)
{
	size_t n = 0, max = 128;
	char *line = malloc(max);
	for (;;) {
		char c;
		ssize_t got = read(shell_state()->inputs.lowest, &c, 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got != 1 && !n) {
			free(line);
			return NULL;
		}
		if (!line || got != 1 || c == '\n')
			break;
		if (n + 2 > max) {
			char *more = realloc(line, max *= 2);
			if (!more)
				break;
			line = more;
		}
		line[n++] = c;
	}
	if (line)
		line[n] = 0;
	return line;
}

char *input_line(const char *prompt)
{
	struct shell_inputs *own = &shell_state()->inputs;
	if (own->top) {
		if (own->top->at < own->top->n)
			return strdup(own->top->lines[own->top->at++]);
		pop();
		return NULL;
	}
	if (isatty(own->lowest))
		return lineedit_read(prompt);
	fputs(prompt, console());
	fflush(console());
	return read_descriptor();
}

/* ---- pushing -------------------------------------------------------------------- */

static struct input *push(const char *name)
{
	struct shell_inputs *own = &shell_state()->inputs;
	struct input *in = calloc(1, sizeof *in);
	if (!in)
		return NULL;
	in->name = strdup(name);
	in->below = own->top;
	own->top = in;
	own->depth++;
	return in;
}

static void add(struct input *in, const char *line)
{
	char **more = realloc(in->lines, (in->n + 1) * sizeof *in->lines);
	if (!more)
		return;
	in->lines = more;
	in->lines[in->n] = strdup(line);
	if (in->lines[in->n])
		in->n++;
}

void input_push(const char *name, const char *const *lines, size_t n)
{
	struct input *in = push(name);
	for (size_t i = 0; in && i < n; i++)
		add(in, lines[i]);
}

struct cudasim_error *input_push_file(const char *path)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "%s: %s.", path, strerror(errno));
	struct input *in = push(path);
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	while (in && (n = getline(&line, &size, file)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		add(in, line);
	}
	if (in)
		in->is_file = true;
	free(line);
	fclose(file);
	return in ? NULL : &cudasim_error_nomem;
}

/* The outermost input's lines come last. */
static void save(FILE *out, const char *prefix, const struct input *in)
{
	for (; in; in = in->below)
		for (size_t i = in->at; i < in->n; i++)
			fprintf(out, "%s%s\n", prefix, in->lines[i]);
}

void input_save(FILE *out, const char *prefix)
{
	save(out, prefix, shell_state()->inputs.top);
}

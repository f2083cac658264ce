/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint_actions.c - the commands of breakpoints, run once the command that moved
 * the program is done.
 *
 * Such commands may move the program themselves (`continue` at their end is common) and
 * so come to the next breakpoint's commands. Those take the place of what was left, and
 * run from the same loop, so that a session of a million silent stops needs no stack. */
#include <stdlib.h>
#include <string.h>

#include "breakpoint_commands.h"
#include "error.h"
#include "text.h"

static struct {
	char **lines;
	size_t n, next;
	uint64_t generation; /* counts replacements */
	bool running;
} waiting;

static void forget(void)
{
	for (size_t i = 0; i < waiting.n; i++)
		free(waiting.lines[i]);
	free(waiting.lines);
	waiting.lines = NULL;
	waiting.n = waiting.next = 0;
	waiting.generation++;
}

static bool is_silent(const struct breakpoint *b)
{
	return b->n_commands && (!strcmp(text_skip(b->commands[0]), "silent") ||
				 !strcmp(text_skip(b->commands[0]), "quiet"));
}

bool actions_silent(const struct stop *stop)
{
	if (stop->kind == STOP_EXITED)
		return false;
	for (int i = 0; i < 8 && stop->numbers[i]; i++) {
		const struct breakpoint *b = breakpoint_find(stop->numbers[i]);
		if (b && b->n_commands)
			return is_silent(b);
	}
	return false;
}

void actions_queue(const struct stop *stop)
{
	size_t n = 0;
	forget();
	for (int i = 0; i < 8 && stop->numbers[i]; i++) {
		const struct breakpoint *b = breakpoint_find(stop->numbers[i]);
		n += b ? b->n_commands : 0;
	}
	if (!n || stop->kind == STOP_EXITED)
		return;
	waiting.lines = calloc(n, sizeof *waiting.lines);
	if (!waiting.lines)
		return;
	for (int i = 0; i < 8 && stop->numbers[i]; i++) {
		const struct breakpoint *b = breakpoint_find(stop->numbers[i]);
		for (size_t k = b ? is_silent(b) : 0; b && k < b->n_commands; k++) {
			waiting.lines[waiting.n] = strdup(b->commands[k]);
			if (waiting.lines[waiting.n])
				waiting.n++;
		}
	}
}

static bool begins(const char *line, const char *word)
{
	size_t n = strlen(word);
	return !strncmp(line, word, n) && (!line[n] || line[n] == ' ' || line[n] == '\t');
}

/* How many lines from the next one on belong together: 1, or a whole if, while,
 * commands or define. */
static size_t chunk(void)
{
	size_t i = waiting.next;
	int depth = 0;
	do {
		const char *line = text_skip(waiting.lines[i++]);
		if (begins(line, "if") || begins(line, "while") || begins(line, "commands") ||
		    begins(line, "define") || begins(line, "document"))
			depth++;
		else if (begins(line, "end"))
			depth--;
	} while (depth > 0 && i < waiting.n);
	return i - waiting.next;
}

bool actions_are_running(void)
{
	return waiting.running;
}

struct cudasim_error *actions_run(void)
{
	struct cudasim_error *error = NULL;
	if (waiting.running)
		return NULL;
	waiting.running = true;
	while (!error && waiting.next < waiting.n) {
		size_t n = chunk();
		char **lines = waiting.lines + waiting.next, *copy[1];
		waiting.next += n;
		if (n > 1) {
			/* Not a place to move from: the lines must outlive the chunk. */
			uint64_t generation = waiting.generation;
			char **kept = waiting.lines;
			size_t n_kept = waiting.n, next = waiting.next;
			waiting.lines = NULL;
			waiting.n = waiting.next = 0;
			error = commands_execute((const char *const *)lines, n);
			if (waiting.generation == generation) {
				waiting.lines = kept;
				waiting.n = n_kept;
				waiting.next = next;
			} else {
				for (size_t i = 0; i < n_kept; i++)
					free(kept[i]);
				free(kept);
			}
			continue;
		}
		copy[0] = lines[0];
		lines[0] = NULL;
		error = command_execute(copy[0]);
		free(copy[0]);
	}
	forget();
	waiting.running = false;
	return error;
}

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
#include "breakpoint_commands_state.h"
#include "error.h"
#include "text.h"

static void forget(void)
{
	struct waiting_commands *own = &breakpoint_commands_state()->waiting;
	for (size_t i = 0; i < own->n; i++)
		free(own->lines[i]);
	free(own->lines);
	own->lines = NULL;
	own->n = own->next = 0;
	own->generation++;
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
	struct waiting_commands *own = &breakpoint_commands_state()->waiting;
	size_t n = 0;
	forget();
	for (int i = 0; i < 8 && stop->numbers[i]; i++) {
		const struct breakpoint *b = breakpoint_find(stop->numbers[i]);
		n += b ? b->n_commands : 0;
	}
	if (!n || stop->kind == STOP_EXITED)
		return;
	own->lines = calloc(n, sizeof *own->lines);
	if (!own->lines)
		return;
	for (int i = 0; i < 8 && stop->numbers[i]; i++) {
		const struct breakpoint *b = breakpoint_find(stop->numbers[i]);
		for (size_t k = b ? is_silent(b) : 0; b && k < b->n_commands; k++) {
			own->lines[own->n] = strdup(b->commands[k]);
			if (own->lines[own->n])
				own->n++;
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
	struct waiting_commands *own = &breakpoint_commands_state()->waiting;
	size_t i = own->next;
	int depth = 0;
	do {
		const char *line = text_skip(own->lines[i++]);
		if (begins(line, "if") || begins(line, "while") || begins(line, "commands") ||
		    begins(line, "define") || begins(line, "document"))
			depth++;
		else if (begins(line, "end"))
			depth--;
	} while (depth > 0 && i < own->n);
	return i - own->next;
}

bool actions_are_running(void)
{
	return breakpoint_commands_state()->waiting.running;
}

struct cudasim_error *actions_run(void)
{
	struct waiting_commands *own = &breakpoint_commands_state()->waiting;
	struct cudasim_error *error = NULL;
	if (own->running)
		return NULL;
	own->running = true;
	while (!error && own->next < own->n) {
		size_t n = chunk();
		char **lines = own->lines + own->next, *copy[1];
		own->next += n;
		if (n > 1) {
			/* Not a place to move from: the lines must outlive the chunk. */
			uint64_t generation = own->generation;
			char **kept = own->lines;
			size_t n_kept = own->n, next = own->next;
			own->lines = NULL;
			own->n = own->next = 0;
			error = commands_execute((const char *const *)lines, n);
			if (own->generation == generation) {
				own->lines = kept;
				own->n = n_kept;
				own->next = next;
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
	own->running = false;
	return error;
}

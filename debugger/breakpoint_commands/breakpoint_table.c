/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint_table.c - info breakpoints, in cuda-gdb's columns. */
#include <inttypes.h>
#include <string.h>

#include "breakpoint_commands.h"
#include "breakpoint_commands_state.h"
#include "console.h"
#include "error.h"
#include "stops_state.h"
#include "text.h"

static const char *disposition(const struct breakpoint *b)
{
	static const char *const names[] = {[KEEP] = "keep", [DELETE] = "del", [DISABLE] = "dis"};
	return names[b->disposition];
}

static const char *type(const struct breakpoint *b)
{
	switch (b->kind) {
	case KIND_WATCHPOINT:
		return watchpoint_type(b);
	case KIND_CATCHPOINT:
		return "catchpoint";
	default:
		return b->format ? "dprintf" : "breakpoint";
	}
}

static void print_place(const struct breakpoint_location *l)
{
	const struct program_location *p = &l->place;
	const char *function = p->function ? p->function->signature : NULL;
	if (!function && p->site)
		function = p->site->function;
	/* Without debug information addresses of lines are not known, in the host's code lines. */
	if (l->pc)
		fprintf(console(), "0x%016" PRIx64 " ", l->pc);
	else
		fprintf(console(), "%-18s ", "<not known>");
	if (function)
		fprintf(console(), "in %s ", function);
	const char *symbol, *mangled, *file;
	uint64_t offset;
	if (p->file)
		fprintf(console(), "at %s:%" PRIu32, p->file, p->line);
	else if (symbols_symbol_at(l->pc, &symbol, &mangled, &offset, &file))
		fprintf(console(), "<%s+%" PRIu64 ">", symbol, offset);
	fputc('\n', console());
}

static void print_head(const struct breakpoint *b)
{
	fprintf(console(), "%-7d %-*s %-4s %-3c ", b->number,
		breakpoint_commands_state()->columns.type_width, type(b), disposition(b),
		b->enabled ? 'y' : 'n');
	if (b->kind != KIND_BREAKPOINT) {
		fprintf(console(), "%-18s ", "");
		fprintf(console(), "%s\n", b->text);
		return;
	}
	struct breakpoint_location *l = b->locations;
	if (!l)
		fprintf(console(), "%-18s %s\n", "<PENDING>", b->text);
	else if (l->next || !l->enabled || l->no_condition)
		fprintf(console(), "%-18s \n", "<MULTIPLE>");
	else
		print_place(l);
}

static bool opens_block(const char *line)
{
	static const char *const words[] = {"if", "while", "commands", "define", "document"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		if (!strncmp(line, words[i], n) && (!line[n] || line[n] == ' '))
			return true;
	}
	return false;
}

static void print_commands(const struct breakpoint *b)
{
	int depth = 0;
	for (size_t i = 0; i < b->n_commands; i++) {
		const char *line = text_skip(b->commands[i]);
		bool is_else = !strcmp(line, "else");
		if ((is_else || !strcmp(line, "end")) && depth)
			depth--;
		fprintf(console(), "        %*s%s\n", 2 * depth, "", line);
		if (is_else || opens_block(line))
			depth++;
	}
}

static void print_details(const struct breakpoint *b)
{
	if (b->condition)
		fprintf(console(), "\tstop only if %s\n", b->condition);
	if (b->filter.has_thread || b->filter.has_block) {
		fputs("\tstop only in", console());
		filter_print(console(), &b->filter);
		fputc('\n', console());
	}
	if (b->hits)
		fprintf(console(), "\t%s already hit %" PRIu64 " time%s\n",
			b->kind == KIND_CATCHPOINT ? "catchpoint" : "breakpoint", b->hits,
			b->hits == 1 ? "" : "s");
	if (b->ignore)
		fprintf(console(), "\tignore next %" PRIu64 " hits\n", b->ignore);
	/* One more is what the disposition says already. */
	if (b->disposition == DISABLE && b->enable_count > 1)
		fprintf(console(), "\tdisable after %s %" PRIu64 " hits\n",
			b->ignore ? "additional" : "next", b->enable_count);
	if (b->format)
		fprintf(console(), "        printf %s\n", b->format);
	print_commands(b);
}

static void print_locations(const struct breakpoint *b)
{
	struct breakpoint_location *l = b->locations;
	if (!l || (!l->next && l->enabled && !l->no_condition))
		return;
	for (; l; l = l->next) {
		char number[32];
		snprintf(number, sizeof number, "%d.%d", b->number, l->number);
		fprintf(console(), "%-7s %-*s %-4s %-3s ", number,
			breakpoint_commands_state()->columns.type_width, "", "",
			l->no_condition ? (l->enabled ? "y*" : "N*") : (l->enabled ? "y" : "n"));
		print_place(l);
	}
}

static bool is_named(const char *numbers, int number)
{
	char word[64];
	while (text_word(&numbers, word, sizeof word)) {
		int first = 0, last = 0;
		int n = sscanf(word, "%d-%d", &first, &last);
		if (number >= first && number <= (n == 2 ? last : first))
			return true;
	}
	return false;
}

static struct cudasim_error *exists(void *user, struct breakpoint *b, int location)
{
	(void)user, (void)b, (void)location;
	return NULL;
}

static bool is_shown(const struct breakpoint *b, const char *numbers, bool watchpoints)
{
	return (!watchpoints || b->kind == KIND_WATCHPOINT) &&
	       (!*numbers || is_named(numbers, b->number));
}

static struct cudasim_error *print_table(const char *numbers, bool watchpoints)
{
	struct breakpoint_columns *own = &breakpoint_commands_state()->columns;
	size_t n = 0;
	bool condition_nowhere = false;
	own->type_width = 14;
	if (*numbers) {
		struct cudasim_error *error = breakpoint_numbers(numbers, exists, NULL);
		if (error)
			return error;
	}
	for (struct breakpoint *b = stops_state()->breakpoints; b; b = b->next)
		if (is_shown(b, numbers, watchpoints) && (int)strlen(type(b)) > own->type_width)
			own->type_width = (int)strlen(type(b));
	for (struct breakpoint *b = stops_state()->breakpoints; b; b = b->next) {
		if (!is_shown(b, numbers, watchpoints))
			continue;
		if (!n++)
			fprintf(console(), "%-7s %-*s %-4s %-3s %-18s %s\n", "Num", own->type_width,
				"Type", "Disp", "Enb", "Address", "What");
		print_head(b);
		print_details(b);
		print_locations(b);
		for (struct breakpoint_location *l = b->locations; l; l = l->next)
			condition_nowhere = condition_nowhere || l->no_condition;
	}
	if (condition_nowhere)
		fputs("(*): Breakpoint condition is invalid at this location.\n", console());
	if (!n)
		fputs(watchpoints ? "No watchpoints.\n" : "No breakpoints or watchpoints.\n",
		      console());
	return NULL;
}

struct cudasim_error *command_info_breakpoints(const char *argument)
{
	return print_table(argument, false);
}

struct cudasim_error *command_info_watchpoints(const char *argument)
{
	return print_table(argument, true);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* command_list.c - list, and info line, source, sources.
 *
 * A place for list is a line of a file, whether it has code or not, so numbers are
 * read here; functions and addresses are what location_find() says of them. */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "command_stack.h"
#include "console.h"
#include "error.h"
#include "location.h"
#include "source_list.h"
#include "source_state.h"
#include "stack.h"
#include "symbols_dwarf.h"
#include "symbols_state.h"
#include "value.h"

struct spot {
	const char *file;
	uint32_t line;
	const char *function; /* signature, NULL where a line was named */
	uint64_t pc;          /* where an address was named, else 0 */
};

/* ---- reading places ----------------------------------------------------------------- */

static struct cudasim_error *find_main(struct spot *ret)
{
	*ret = (struct spot){0};
	ret->file = location_main(&ret->line);
	return ret->file
		       ? NULL
		       : cudasim_error_new(CUDASIM_E_NOTFOUND,
					   "No symbol table is loaded.  Use the \"file\" command.");
}

/* The file that numbers count in: the place's, the selected frame's, or main()'s. */
static struct cudasim_error *default_spot(struct spot *ret)
{
	const struct list_place *place = list_place();
	const struct frame *frame;
	if (place->file) {
		*ret = (struct spot){.file = place->file, .line = place->last};
		return NULL;
	}
	frame = frame_selected();
	if (frame && frame->file) {
		*ret = (struct spot){.file = frame->file, .line = frame->line};
		return NULL;
	}
	return find_main(ret);
}

static bool number_of(const char *text, uint32_t *ret)
{
	char *end;
	if (!isdigit((unsigned char)*text))
		return false;
	unsigned long number = strtoul(text, &end, 10);
	if (*end || number > UINT32_MAX)
		return false;
	*ret = (uint32_t)number;
	return true;
}

static struct cudasim_error *named_spots(const char *text, struct spot **ret, size_t *n)
{
	struct program_location *places;
	size_t n_places;
	bool by_address = *text == '*';
	struct cudasim_error *error = location_find(text, &places, &n_places);
	if (error)
		return error;
	*ret = calloc(n_places + 1, sizeof **ret);
	*n = 0;
	for (size_t i = 0; *ret && i < n_places; i++) {
		const struct program_location *place = &places[i];
		struct spot spot = {
			.file = place->file, .line = place->line, .pc = by_address ? place->pc : 0};
		if (!place->file || !place->line)
			continue;
		if (!by_address && place->function && place->function->file &&
		    place->function->line) {
			spot.file = place->function->file;
			spot.line = place->function->line;
			spot.function = place->function->signature;
		}
		size_t k = 0;
		while (k < *n && (strcmp((*ret)[k].file, spot.file) || (*ret)[k].line != spot.line))
			k++;
		if (k == *n)
			(*ret)[(*n)++] = spot;
	}
	free(places);
	if (!*ret)
		return &cudasim_error_nomem;
	if (*n)
		return NULL;
	free(*ret);
	*ret = NULL;
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "No line number known for %s.", text);
}

static struct cudasim_error *one_spot(struct spot spot, struct spot **ret, size_t *n)
{
	*ret = malloc(sizeof **ret);
	if (!*ret)
		return &cudasim_error_nomem;
	**ret = spot;
	*n = 1;
	return NULL;
}

/* All places that text may mean; from: where +N counts from (0: the last line shown). */
static struct cudasim_error *find_spots(const char *text, const struct spot *from,
					struct spot **ret, size_t *n)
{
	struct spot spot;
	uint32_t number;
	bool plus = *text == '+', minus = *text == '-';
	const char *colon = strrchr(text, ':');
	if (number_of(text + (plus || minus), &number)) {
		struct cudasim_error *error = default_spot(&spot);
		if (error)
			return error;
		if (from)
			spot.file = from->file;
		uint32_t base = from ? from->line : spot.line;
		spot.line = plus            ? base + number
			    : !minus        ? number
			    : base > number ? base - number
					    : 1;
		return one_spot(spot, ret, n);
	}
	if (colon && number_of(colon + 1, &number) && colon > text && colon[-1] != ':') {
		char *name = strndup(text, (size_t)(colon - text));
		const char *file = name ? symbols_file(name, NULL) : NULL;
		struct cudasim_error *error =
			file ? one_spot((struct spot){.file = file, .line = number}, ret, n)
			     : cudasim_error_new(CUDASIM_E_NOTFOUND, "No source file named %s.",
						 name ? name : text);
		free(name);
		return error;
	}
	return named_spots(text, ret, n);
}

/* One place; several are an error that lists them. */
static struct cudasim_error *find_spot(const char *what, const char *text, const struct spot *from,
				       struct spot *ret)
{
	struct spot *spots;
	size_t n;
	struct cudasim_error *error = find_spots(text, from, &spots, &n);
	if (error)
		return error;
	if (n == 1)
		*ret = spots[0];
	else if (!n)
		error = cudasim_error_new(CUDASIM_E_NOTFOUND, "No such place: %s", text);
	else
		error = cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Specified %s line '%s' is ambiguous:\nfile: \"%s\", line number: %u, symbol: "
			"\"%s\"\nfile: \"%s\", line number: %u, symbol: \"%s\"",
			what, text, spots[0].file, spots[0].line,
			spots[0].function ? spots[0].function : "???", spots[1].file, spots[1].line,
			spots[1].function ? spots[1].function : "???");
	free(spots);
	return error;
}

/* ---- list ------------------------------------------------------------------------------ */

static uint32_t shown_at_once(void)
{
	return source_state()->list_size ? source_state()->list_size : UINT32_MAX / 2;
}

static struct cudasim_error *list_from(const char *file, uint32_t from)
{
	uint32_t first = from ? from : 1;
	return list_lines(console(), file, first, first + shown_at_once() - 1);
}

static struct cudasim_error *list_around(const struct spot *spot)
{
	uint32_t half = shown_at_once() / 2;
	return list_from(spot->file, spot->line > half ? spot->line - half : 1);
}

static struct cudasim_error *list_on(void)
{
	const struct list_place *place = list_place();
	struct spot spot;
	if (!place->file) {
		struct cudasim_error *error = default_spot(&spot);
		return error ? error : list_around(&spot);
	}
	if (place->next > source_n_lines(place->file) && source_found(place->file))
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "Line number %u out of range; \"%s\" has %u lines.",
					 place->next, place->file, source_n_lines(place->file));
	return list_from(place->file, place->next);
}

/* The lines before what was shown first; then `list -` goes on before these. */
static struct cudasim_error *list_back(void)
{
	const struct list_place *place = list_place();
	struct spot spot;
	struct cudasim_error *error;
	if (!place->file) {
		if ((error = default_spot(&spot)))
			return error;
		source_place_set(spot.file, spot.line);
	}
	if (place->first <= 1)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "Already at the start of %s.",
					 place->file);
	uint32_t to = place->first - 1, n = shown_at_once();
	return list_lines(console(), place->file, to >= n ? to - n + 1 : 1, to);
}

static struct cudasim_error *list_frame(void)
{
	const struct frame *frame = frame_selected();
	struct spot spot;
	struct cudasim_error *error;
	if (frame && frame->file)
		spot = (struct spot){.file = frame->file, .line = frame->line};
	else if ((error = find_main(&spot)))
		return error;
	return list_around(&spot);
}

static char *trimmed(const char *text, size_t n)
{
	while (n && (*text == ' ' || *text == '\t')) {
		text++;
		n--;
	}
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	return strndup(text, n);
}

static struct cudasim_error *list_between(const char *first, const char *last)
{
	struct spot from, to;
	struct cudasim_error *error;
	if (!*first && !*last)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "No line given: list FIRST,LAST");
	if (*first && (error = find_spot("first", first, NULL, &from)))
		return error;
	if (!*last)
		return list_from(from.file, from.line);
	if ((error = find_spot("last", last, *first ? &from : NULL, &to)))
		return error;
	if (!*first) {
		uint32_t n = shown_at_once();
		return list_lines(console(), to.file, to.line >= n ? to.line - n + 1 : 1, to.line);
	}
	if (strcmp(from.file, to.file))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Specified first and last lines are in different files.");
	if (to.line < from.line)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Second line precedes first");
	return list_lines(console(), from.file, from.line ? from.line : 1, to.line);
}

/* The comma between two places: not one within template arguments or parameters. */
static const char *comma_of(const char *text)
{
	int depth = 0;
	for (; *text; text++) {
		if (strchr("<([", *text))
			depth++;
		else if (strchr(">)]", *text) && depth)
			depth--;
		else if (*text == ',' && !depth)
			return text;
	}
	return NULL;
}

static void print_address(const struct spot *spot)
{
	const struct function *function = symbols_function_at(spot->pc);
	fprintf(console(), "0x%" PRIx64 " is in %s (%s:%u).\n", spot->pc,
		function ? function->name : "??", spot->file, spot->line);
}

struct cudasim_error *command_list(const char *argument)
{
	struct spot *spots = NULL;
	size_t n = 0;
	const char *comma = comma_of(argument);
	if (!*argument || !strcmp(argument, "+"))
		return list_on();
	if (!strcmp(argument, "-"))
		return list_back();
	if (!strcmp(argument, "."))
		return list_frame();
	if (comma) {
		char *first = trimmed(argument, (size_t)(comma - argument));
		char *last = trimmed(comma + 1, strlen(comma + 1));
		struct cudasim_error *error = first && last ? list_between(first, last)
							    : &cudasim_error_nomem;
		free(first);
		free(last);
		return error;
	}
	struct cudasim_error *error = find_spots(argument, NULL, &spots, &n);
	for (size_t i = 0; !error && i < n; i++) {
		if (n > 1)
			fprintf(console(), "file: \"%s\", line number: %u, symbol: \"%s\"\n",
				spots[i].file, spots[i].line,
				spots[i].function ? spots[i].function : "???");
		if (spots[i].pc)
			print_address(&spots[i]);
		error = list_around(&spots[i]);
	}
	free(spots);
	return error;
}

/* ---- info line ---------------------------------------------------------------------------- */

static uint64_t end_of_line(const struct line *line)
{
	struct line next;
	uint64_t end = line->high;
	while (symbols_line_at(end, &next) && next.low == end && next.line == line->line &&
	       !strcmp(next.file, line->file) && next.high > end)
		end = next.high;
	return end;
}

static void print_range(const struct program_location *place, uint32_t asked)
{
	struct line line;
	const char *file = place->file ? place->file : "??";
	fprintf(console(), "Line %u of \"%s\" ", asked, file);
	if (!place->pc) {
		fputs("has no address.\n", console());
		return;
	}
	bool is_code = asked == place->line && symbols_line_at(place->pc, &line);
	fprintf(console(), "%s address 0x%" PRIx64, is_code ? "starts at" : "is at", place->pc);
	value_print_symbol(console(), place->pc);
	if (!is_code) {
		fputs(" but contains no code.\n", console());
		return;
	}
	uint64_t end = end_of_line(&line);
	fprintf(console(), " and ends at 0x%" PRIx64, end);
	value_print_symbol(console(), end);
	fputs(".\n", console());
}

/* The line number that was asked for, where it was one: the place may be a later line. */
static uint32_t asked_line(const char *text, uint32_t otherwise)
{
	uint32_t number;
	const char *colon = strrchr(text, ':');
	return number_of(colon ? colon + 1 : text, &number) ? number : otherwise;
}

struct cudasim_error *command_info_line(const char *argument)
{
	struct program_location *places;
	size_t n;
	char text[32] = "";
	const struct frame *frame = frame_selected();
	const struct function *only = NULL;
	if (!*argument) {
		struct spot spot;
		struct cudasim_error *error = default_spot(&spot);
		if (error)
			return error;
		/* Where the focus stands on that line, its own function's code is meant. */
		if (frame && frame->line == spot.line)
			only = frame->function;
		snprintf(text, sizeof text, "%u", spot.line);
		argument = text;
	}
	struct cudasim_error *error = location_find(argument, &places, &n);
	if (error)
		return error;
	bool is_there = false;
	for (size_t i = 0; i < n; i++)
		is_there |= only && places[i].function == only;
	for (size_t i = 0; i < n; i++)
		if (!is_there || places[i].function == only)
			print_range(&places[i], asked_line(argument, places[i].line));
	free(places);
	return NULL;
}

/* ---- info source, sources -------------------------------------------------------------------- */

/* The compile unit that has lines of the file, for what only DWARF's own entries tell. */
static struct unit *unit_of(const char *path)
{
	for (size_t i = 0; i < symbols_state()->n_files; i++)
		for (size_t k = 0; k < symbols_state()->files[i]->n_units; k++) {
			struct unit *unit = &symbols_state()->files[i]->units[k];
			const char *name = dwarf_diename(&unit->die);
			const char *slash = name ? strrchr(name, '/') : NULL,
				   *end = strrchr(path, '/');
			if (name && !strcmp(slash ? slash + 1 : name, end ? end + 1 : path))
				return unit;
		}
	return NULL;
}

struct cudasim_error *command_info_source(const char *argument)
{
	(void)argument;
	struct spot spot;
	struct cudasim_error *error = default_spot(&spot);
	if (error) {
		cudasim_error_free(error);
		fputs("No current source file.\n", console());
		return NULL;
	}
	const char *path = source_path(spot.file), *found = source_found(spot.file);
	struct unit *unit = unit_of(path);
	Dwarf_Attribute producer;
	fprintf(console(), "Current source file is %s\n", spot.file);
	if (unit && *unit->directory)
		fprintf(console(), "Compilation directory is %s\n", unit->directory);
	fprintf(console(), "Located in %s\n", found ? found : path);
	if (found)
		fprintf(console(), "Contains %u line%s.\n", source_n_lines(spot.file),
			source_n_lines(spot.file) == 1 ? "" : "s");
	fputs("Source language is c++.\n", console());
	if (unit && dwarf_attr(&unit->die, DW_AT_producer, &producer))
		fprintf(console(), "Producer is %s.\n", dwarf_formstring(&producer));
	if (unit) {
		Dwarf_Half version = 0;
		if (!dwarf_cu_info(unit->die.cu, &version, NULL, NULL, NULL, NULL, NULL, NULL))
			fprintf(console(), "Compiled with DWARF %u debugging format.\n", version);
	}
	fputs("Does not include preprocessor macro info.\n", console());
	return NULL;
}

struct sources {
	regex_t *regex;
	size_t n;
	const char *last;
};

static void print_source(void *user, const char *file, const char *path)
{
	struct sources *all = user;
	const char *name = path ? path : file;
	if (all->last && !strcmp(all->last, name))
		return;
	if (all->regex && regexec(all->regex, name, 0, NULL, 0))
		return;
	fprintf(console(), "%s%s", all->n++ ? ", " : "", name);
	all->last = name;
}

struct cudasim_error *command_info_sources(const char *argument)
{
	struct sources all = {0};
	regex_t regex;
	if (*argument) {
		if (regcomp(&regex, argument, REG_EXTENDED | REG_NOSUB))
			return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid regexp: %s",
						 argument);
		all.regex = &regex;
	}
	if (all.regex)
		fprintf(console(), "Source files matching regular expression \"%s\":\n\n",
			argument);
	else
		fputs("Source files for which symbols have been read in:\n\n", console());
	symbols_each_file(print_source, &all);
	fputc('\n', console());
	if (all.regex)
		regfree(&regex);
	return NULL;
}

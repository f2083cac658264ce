/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_line.c - from addresses to lines and back, and source files.
 *
 * A unit's line table is read when it is first needed, into rows sorted by
 * address. Files are found through the tables' lists of names, which cost little
 * to read. */
#include <stdlib.h>
#include <string.h>

#include "symbols_dwarf.h"
#include "symbols_state.h"

static int by_address(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	/* An end of one sequence comes before the begin of the next. */
	return x->ends != y->ends ? (x->ends ? -1 : 1) : (x->line > y->line) - (x->line < y->line);
}

static void read_lines(struct unit *unit)
{
	Dwarf_Lines *lines;
	size_t n;
	if (unit->lines_read)
		return;
	unit->lines_read = true;
	if (dwarf_getsrclines(&unit->die, &lines, &n) || !n)
		return;
	unit->rows = memory_new(n * sizeof *unit->rows);
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr address;
		bool ends = false;
		if (!line || dwarf_lineaddr(line, &address) || dwarf_lineendsequence(line, &ends))
			continue;
		unit->rows[unit->n_rows++] = (struct row){address + unit->file->bias, line, ends};
	}
	qsort(unit->rows, unit->n_rows, sizeof *unit->rows, by_address);
}

/* The last row at or before pc, or n_rows. */
static size_t row_at(const struct unit *unit, uint64_t pc)
{
	size_t low = 0, high = unit->n_rows;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (unit->rows[middle].address <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : unit->n_rows;
}

static uint32_t row_line(const struct row *row)
{
	int line = 0;
	return dwarf_lineno(row->line, &line) || line < 0 ? 0 : (uint32_t)line;
}

static const struct path *row_path(struct unit *unit, const struct row *row)
{
	Dwarf_Files *table;
	size_t number;
	return dwarf_line_file(row->line, &table, &number) ? NULL : unit_path(unit, number);
}

static bool row_flag(const struct row *row, int (*get)(Dwarf_Line *, bool *))
{
	bool flag = false;
	return !get(row->line, &flag) && flag;
}

bool symbols_line_at(uint64_t pc, struct line *ret)
{
	struct unit *unit = unit_at(pc);
	if (!unit)
		return false;
	read_lines(unit);
	size_t i = row_at(unit, pc);
	if (i == unit->n_rows || unit->rows[i].ends)
		return false;
	const struct row *row = &unit->rows[i];
	const struct path *path;
	int column = 0;
	uint32_t number = row_line(row), call = hidden_call(pc, &path);
	if (call)
		number = call;
	else
		path = row_path(unit, row);
	/* The compiler's own code has line 0. */
	if (!path || !number)
		return false;
	if (!call)
		dwarf_linecol(row->line, &column);
	*ret = (struct line){.file = path->given,
			     .path = path->path,
			     .line = number,
			     .column = (uint32_t)column,
			     .low = row->address,
			     .high = row->address + 1,
			     .is_statement = row_flag(row, dwarf_linebeginstatement)};
	for (; i < unit->n_rows; i++)
		if (unit->rows[i].address > pc) {
			ret->high = unit->rows[i].address;
			break;
		}
	return true;
}

/* ---- files --------------------------------------------------------------------- */

/* Files of all units, each path once. */
struct source {
	const char *file, *path;
	struct unit **units; /* that list it */
	size_t n_units, capacity;
	uint32_t next;       /* in the table: index + 1 */
};

static struct source *source_of(const struct path *path)
{
	struct symbols_sources *own = &symbols_state()->sources;
	uint32_t *head = &own->source_heads[name_hash(path->path, strlen(path->path)) % 4096];
	for (uint32_t i = *head; i; i = own->sources[i - 1].next)
		if (!strcmp(own->sources[i - 1].path, path->path))
			return &own->sources[i - 1];
	own->sources = memory_grow(own->sources, own->n_sources, &own->sources_capacity,
				   sizeof *own->sources);
	own->sources[own->n_sources] =
		(struct source){.file = path->given, .path = path->path, .next = *head};
	*head = (uint32_t)++own->n_sources;
	return &own->sources[own->n_sources - 1];
}

static void add_unit(struct unit *unit)
{
	unit_path(unit, 0);
	for (size_t i = 0; i < unit->n_paths; i++) {
		if (!unit->paths[i].path)
			continue;
		struct source *source = source_of(&unit->paths[i]);
		if (source->n_units && source->units[source->n_units - 1] == unit)
			continue; /* listed twice: number 0 and 1 in DWARF 5 */
		source->units = memory_grow(source->units, source->n_units, &source->capacity,
					    sizeof *source->units);
		source->units[source->n_units++] = unit;
	}
}

static void read_sources(void)
{
	struct symbols_sources *own = &symbols_state()->sources;
	if (own->n_files_seen > symbols_state()->n_files) /* a test has begun anew */
		own->n_files_seen = own->n_sources = 0,
		memset(own->source_heads, 0, sizeof own->source_heads);
	for (; own->n_files_seen < symbols_state()->n_files; own->n_files_seen++) {
		struct file *file = symbols_state()->files[own->n_files_seen];
		for (size_t i = 0; i < file->n_units && !file->is_own; i++)
			add_unit(&file->units[i]);
	}
}

/* Does the path end in name, at a slash? */
static bool ends_in(const char *path, const char *name)
{
	size_t n = strlen(path), k = strlen(name);
	return k && n >= k && !strcmp(path + n - k, name) &&
	       (n == k || path[n - k - 1] == '/' || *name == '/');
}

const char *symbols_file(const char *name, bool *ret_ambiguous)
{
	struct symbols_sources *own = &symbols_state()->sources;
	const struct source *found = NULL;
	bool ambiguous = false;
	read_sources();
	while (!strncmp(name, "./", 2))
		name += 2;
	for (size_t i = 0; i < own->n_sources; i++) {
		const struct source *s = &own->sources[i];
		if (!strcmp(s->file, name)) {
			found = s;
			ambiguous = false;
			break;
		}
		if (!ends_in(s->path, name))
			continue;
		ambiguous |= found && strcmp(found->file, s->file);
		if (!found)
			found = s;
	}
	if (ret_ambiguous)
		*ret_ambiguous = ambiguous;
	return found ? found->file : NULL;
}

void symbols_each_file(void (*f)(void *user, const char *file, const char *path), void *user)
{
	struct symbols_sources *own = &symbols_state()->sources;
	read_sources();
	for (size_t i = 0; i < own->n_sources; i++)
		f(user, own->sources[i].file, own->sources[i].path);
}

/* ---- host lines ------------------------------------------------------------------ */

/* As gdb does: where the compiler says so, else the second line of the function. */
uint64_t symbols_after_prologue(const struct function *function)
{
	struct unit *unit = unit_at(function->low);
	if (!unit)
		return function->low;
	read_lines(unit);
	size_t begin = row_at(unit, function->low);
	for (size_t i = begin; i < unit->n_rows && unit->rows[i].address < function->high; i++)
		if (row_flag(&unit->rows[i], dwarf_lineprologueend))
			return unit->rows[i].address;
	for (size_t i = begin; i < unit->n_rows && unit->rows[i].address < function->high; i++)
		if (unit->rows[i].address > function->low && !unit->rows[i].ends &&
		    row_line(&unit->rows[i]) && row_flag(&unit->rows[i], dwarf_linebeginstatement))
			return unit->rows[i].address;
	return function->low;
}

struct hosting {
	const struct source *source;
	uint64_t *ret;
	const struct function **functions;
	size_t n, max;
};

static bool is_in(struct unit *unit, const struct row *row, const struct source *source)
{
	const struct path *path = row_path(unit, row);
	return path && (path->path == source->path || !strcmp(path->path, source->path));
}

static const struct function *host_function(uint64_t address)
{
	const struct function *f = symbols_function_at(address);
	return f && !f->is_device && !function_is_stub(f) ? f : NULL;
}

/* The first line from `line` on that has code; 0 where there is none. */
static uint32_t next_line(const struct source *source, uint32_t line)
{
	uint32_t best = 0;
	for (size_t u = 0; u < source->n_units; u++) {
		struct unit *unit = source->units[u];
		unit_scan(unit);
		if (unit->is_device)
			continue;
		read_lines(unit);
		for (size_t i = 0; i < unit->n_rows; i++) {
			uint32_t at = row_line(&unit->rows[i]);
			if (!unit->rows[i].ends && at >= line && (!best || at < best) &&
			    row_flag(&unit->rows[i], dwarf_linebeginstatement) &&
			    is_in(unit, &unit->rows[i], source) &&
			    host_function(unit->rows[i].address))
				best = at;
		}
	}
	return best;
}

static void add_place(struct hosting *h, uint64_t address)
{
	const struct function *function = host_function(address);
	if (!function)
		return;
	if (address == function->low)
		address = symbols_after_prologue(function);
	for (size_t i = 0; i < h->n; i++)
		if (h->functions[i] == function) {
			if (address < h->ret[i])
				h->ret[i] = address;
			return;
		}
	if (h->n == h->max)
		return;
	h->functions[h->n] = function;
	h->ret[h->n++] = address;
}

static void add_places(struct hosting *h, struct unit *unit, uint32_t line)
{
	for (size_t i = 0; i < unit->n_rows; i++)
		if (!unit->rows[i].ends && row_line(&unit->rows[i]) == line &&
		    row_flag(&unit->rows[i], dwarf_linebeginstatement) &&
		    is_in(unit, &unit->rows[i], h->source))
			add_place(h, unit->rows[i].address);
}

size_t symbols_host_lines(const char *file, uint32_t line, uint64_t *ret, size_t max,
			  uint32_t *ret_line)
{
	struct symbols_sources *own = &symbols_state()->sources;
	size_t total = 0;
	read_sources();
	for (size_t i = 0; i < own->n_sources; i++) {
		const struct source *source = &own->sources[i];
		if (strcmp(source->file, file) && strcmp(source->path, file))
			continue;
		uint32_t at = next_line(source, line);
		if (!at)
			continue;
		if (ret_line)
			*ret_line = at;
		struct hosting h = {.source = source, .ret = ret + total, .max = max - total};
		h.functions = calloc(h.max + 1, sizeof(*h.functions));
		for (size_t u = 0; h.functions && u < source->n_units; u++)
			if (!source->units[u]->is_device)
				add_places(&h, source->units[u], at);
		free(h.functions);
		total += h.n;
	}
	return total;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* host_lines.c - see host_lines.h. Made from every line table of the process's
 * files but those of cudasim's own libraries and of device code (a unit that has a
 * function of a body of device code is left out as a whole). */
#define _GNU_SOURCE
#include "host_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "host_state.h"
#include "host_unwind.h"

struct entry {
	uint64_t pc, after;
};

static void *grow(void *array, size_t n, size_t *max, size_t size)
{
	if (n < *max)
		return array;
	size_t more = *max ? *max * 2 : 4096;
	void *ret = realloc(array, more * size);
	if (ret)
		*max = more;
	return ret;
}

static void add_row(uint64_t low, uint64_t high, const char *file, int line, bool statement)
{
	struct host_rows *own = &host_state()->lines;
	if (low >= high)
		return;
	struct host_row *more = grow(own->rows, own->n_rows, &own->max_rows, sizeof *own->rows);
	if (!more)
		return;
	own->rows = more;
	own->rows[own->n_rows++] = (struct host_row){low, high, file, (uint32_t)line, statement};
}

static int by_low(const void *a, const void *b)
{
	const struct host_row *x = a, *y = b;
	return x->low < y->low ? -1 : x->low > y->low;
}

static int by_pc(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static int add_function(Dwarf_Die *die, void *bias)
{
	struct host_rows *own = &host_state()->lines;
	Dwarf_Addr low;
	if (dwarf_lowpc(die, &low) || !low)
		return DWARF_CB_OK;
	Dwarf_Addr *points = NULL;
	int n = dwarf_entry_breakpoints(die, &points);
	struct entry *more = grow(own->entries, own->n_entries, &own->max_entries,
				  sizeof *own->entries);
	if (more) {
		own->entries = more;
		uint64_t shift = *(Dwarf_Addr *)bias;
		own->entries[own->n_entries++] = (struct entry){low + shift,
								(n > 0 ? points[0] : low) + shift};
	}
	free(points);
	return DWARF_CB_OK;
}

static int is_device(Dwarf_Die *die, void *user)
{
	Dwarf_Addr low;
	uint64_t bias = *(Dwarf_Addr *)user;
	const struct function *function;
	if (dwarf_lowpc(die, &low) || !low)
		return DWARF_CB_OK;
	function = symbols_function_at(low + bias);
	if (!function || function->is_device)
		*(Dwarf_Addr *)user = ~0ull;
	return DWARF_CB_ABORT;
}

static bool unit_is_host(Dwarf_Die *unit, Dwarf_Addr bias)
{
	Dwarf_Addr mark = bias;
	dwarf_getfuncs(unit, is_device, &mark, 0);
	return mark == bias;
}

static void add_unit(Dwarf_Die *unit, Dwarf_Addr bias)
{
	Dwarf_Lines *lines;
	size_t n;
	if (!unit_is_host(unit, bias) || dwarf_getsrclines(unit, &lines, &n))
		return;
	for (size_t i = 0; i + 1 < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Line *next = dwarf_onesrcline(lines, i + 1);
		Dwarf_Addr low, high;
		int number;
		bool statement, end;
		if (dwarf_lineaddr(line, &low) || dwarf_lineaddr(next, &high) ||
		    dwarf_lineno(line, &number) || dwarf_linebeginstatement(line, &statement) ||
		    dwarf_lineendsequence(line, &end) || end || !number)
			continue;
		add_row(low + bias, high + bias, dwarf_linesrc(line, NULL, NULL), number,
			statement);
	}
	dwarf_getfuncs(unit, add_function, &bias, 0);
}

void host_lines_load(void)
{
	struct host_rows *own = &host_state()->lines;
	Dwfl *dwfl = host_unwind_dwfl();
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;
	if (own->n_rows || !dwfl)
		return;
	while ((unit = dwfl_nextcu(dwfl, unit, &bias)))
		add_unit(unit, bias);
	if (own->n_rows)
		qsort(own->rows, own->n_rows, sizeof *own->rows, by_low);
	if (own->n_entries)
		qsort(own->entries, own->n_entries, sizeof *own->entries, by_pc);
}

const struct host_row *host_lines_at(uint64_t pc)
{
	struct host_rows *own = &host_state()->lines;
	size_t low = 0, high = own->n_rows;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (own->rows[mid].low <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	return low && pc < own->rows[low - 1].high ? &own->rows[low - 1] : NULL;
}

uint64_t host_lines_entry(uint64_t pc)
{
	struct host_rows *own = &host_state()->lines;
	size_t low = 0, high = own->n_entries;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (own->entries[mid].pc < pc)
			low = mid + 1;
		else
			high = mid;
	}
	return low < own->n_entries && own->entries[low].pc == pc ? own->entries[low].after : 0;
}

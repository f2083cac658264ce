/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_die.c - attributes of DIEs. */
#include <string.h>

#include "symbols_dwarf.h"
#include "symbols_state.h"

Dwarf_Die die_make(const struct unit *unit, const unsigned char *at)
{
	return (Dwarf_Die){.addr = (void *)at, .cu = unit->die.cu};
}

struct unit *die_unit(Dwarf_Die *die)
{
	static struct hash units; /* by Dwarf_CU */
	struct unit *unit = hash_get(&units, die->cu);
	if (unit)
		return unit;
	for (size_t i = 0; i < symbols_state()->n_files; i++) {
		for (size_t j = 0; j < symbols_state()->files[i]->n_units; j++) {
			unit = &symbols_state()->files[i]->units[j];
			if (unit->die.cu == die->cu) {
				hash_put(&units, die->cu, unit);
				return unit;
			}
		}
	}
	return NULL;
}

bool die_reference(Dwarf_Die *die, unsigned attribute, Dwarf_Die *ret)
{
	Dwarf_Attribute found;
	return dwarf_attr_integrate(die, attribute, &found) && dwarf_formref_die(&found, ret);
}

bool die_flag(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;
	bool flag = false;
	return dwarf_attr_integrate(die, attribute, &found) && !dwarf_formflag(&found, &flag) &&
	       flag;
}

int64_t die_number(Dwarf_Die *die, unsigned attribute, int64_t absent)
{
	Dwarf_Attribute found;
	Dwarf_Sword value;
	Dwarf_Word word;
	if (!dwarf_attr_integrate(die, attribute, &found))
		return absent;
	/* Signed forms only are signed: data1 of 200 is 200. */
	unsigned form = dwarf_whatform(&found);
	if (form == DW_FORM_sdata || form == DW_FORM_implicit_const)
		return dwarf_formsdata(&found, &value) ? absent : value;
	return dwarf_formudata(&found, &word) ? absent : (int64_t)word;
}

const char *die_linkage(Dwarf_Die *die)
{
	Dwarf_Attribute found;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &found) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &found))
		return dwarf_formstring(&found);
	return NULL;
}

/* ---- files ------------------------------------------------------------------- */

/* libdw puts the unit's folder before names, but not before relative folders. */
static const char *absolute(const struct unit *unit, const char *path)
{
	return *path == '/' || !*unit->directory ? path
						 : memory_format("%s/%s", unit->directory, path);
}

static const char *given(const struct unit *unit, const char *path)
{
	size_t n = strlen(unit->directory);
	return n && !strncmp(path, unit->directory, n) && path[n] == '/' ? path + n + 1 : path;
}

static void read_paths(struct unit *unit)
{
	Dwarf_Files *table;
	size_t n;
	unit->paths_read = true;
	if (dwarf_getsrcfiles(&unit->die, &table, &n))
		return;
	unit->paths = memory_new(n * sizeof *unit->paths);
	unit->n_paths = n;
	for (size_t i = 0; i < n; i++) {
		const char *path = dwarf_filesrc(table, i, NULL, NULL);
		if (!path || !strcmp(path, "???")) /* number 0 before DWARF 5 */
			continue;
		unit->paths[i].path = absolute(unit, path);
		unit->paths[i].given = given(unit, unit->paths[i].path);
	}
}

const struct path *unit_path(struct unit *unit, uint64_t number)
{
	if (!unit->paths_read)
		read_paths(unit);
	return number < unit->n_paths && unit->paths[number].path ? &unit->paths[number] : NULL;
}

/* dwarf_decl_file() takes number 0 for none, as it was before DWARF 5. */
const char *die_file(Dwarf_Die *die, const char **ret_path)
{
	Dwarf_Attribute found;
	Dwarf_Word number;
	if (ret_path)
		*ret_path = NULL;
	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &found) || dwarf_formudata(&found, &number))
		return NULL;
	Dwarf_Die at = {.cu = found.cu};
	struct unit *unit = die_unit(&at);
	const struct path *path = unit ? unit_path(unit, number) : NULL;
	if (ret_path && path)
		*ret_path = path->path;
	return path ? path->given : NULL;
}

/* ---- code --------------------------------------------------------------------- */

size_t die_pieces(struct unit *unit, Dwarf_Die *die,
		  void (*f)(void *user, uint64_t low, uint64_t high), void *user)
{
	struct {
		uint64_t low, high;
	} some[64];
	Dwarf_Addr base, low, high, entry = 0;
	ptrdiff_t offset = 0;
	size_t n = 0, first = 0;
	/* Code that the linker has dropped is left at 0. */
	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		if (!low || low >= high)
			continue;
		if (n < 64) {
			some[n].low = low + unit->file->bias;
			some[n++].high = high + unit->file->bias;
		} else {
			f(user, low + unit->file->bias, high + unit->file->bias);
		}
	}
	if (n > 1 && !dwarf_entrypc(die, &entry))
		for (size_t i = 0; i < n; i++)
			if (some[i].low == entry + unit->file->bias)
				first = i;
	for (size_t i = 0; i < n; i++) {
		size_t j = i == 0 ? first : i == first ? 0 : i;
		f(user, some[j].low, some[j].high);
	}
	return n;
}

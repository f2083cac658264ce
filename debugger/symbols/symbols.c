/* SPDX-License-Identifier: Apache-2.0 */
/* symbols.c - the files that are mapped, their compile units, and the code that
 * each covers.
 *
 * libdwfl tells the files and where they lie; debug information is taken from
 * the files themselves only: no search for separate files, none over the
 * network. clang writes no .debug_aranges, so the units' own ranges are read. */
#define _GNU_SOURCE
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "own_files.h"
#include "symbols_dwarf.h"
#include "symbols_state.h"

/* Bytes of DIEs that are scanned in well under 0.1 s. */
enum { MAX_SCANNED_AT_LOAD = 8 << 20 };

/* ---- files ------------------------------------------------------------------ */

struct covering {
	struct unit *unit;
	size_t capacity;
};

static void add_cover(void *user, uint64_t low, uint64_t high)
{
	struct covering *covering = user;
	struct file *file = covering->unit->file;
	file->covers = memory_grow(file->covers, file->n_covers, &covering->capacity,
				   sizeof *file->covers);
	file->covers[file->n_covers++] = (struct cover){low, high, covering->unit};
}

static int by_low(const void *a, const void *b)
{
	const struct cover *x = a, *y = b;
	return (x->low > y->low) - (x->low < y->low);
}

/* A unit that does not say which code it covers is scanned for its functions. */
static void cover(struct covering *covering, struct unit *unit)
{
	covering->unit = unit;
	if (die_pieces(unit, &unit->die, add_cover, covering))
		return;
	if (!dwarf_hasattr(&unit->die, DW_AT_stmt_list))
		return;
	unit_scan(unit);
	for (size_t i = 0; i < unit->n_pieces; i++)
		add_cover(covering, unit->pieces[i].low, unit->pieces[i].high);
}

static void unit_init(struct unit *unit, struct file *file, const Dwarf_Die *die,
		      const unsigned char *end)
{
	unit->file = file;
	unit->die = *die;
	unit->end = end;
	unit->number = ++symbols_state()->units.n_units;
	Dwarf_Attribute attribute;
	const char *directory = dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute)
					? dwarf_formstring(&attribute)
					: NULL;
	unit->directory = directory ? directory : "";
}

/* The section of the DIEs as libdw reads it. libdw does not check that a unit ends
 * within it. */
static Elf_Data *info_data(Dwarf *dwarf)
{
	Elf *elf = dwarf_getelf(dwarf);
	Elf_Scn *section = NULL;
	size_t names;
	if (!elf || elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;
		if (name && (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")))
			return elf_getdata(section, NULL);
	}
	return NULL;
}

/* Where the DIEs of die's unit end: dwarf_get_units() does not say. *ret_cut: the
 * section ends before that. False where it is none of the section's. */
static bool unit_end(Dwarf *dwarf, const Elf_Data *info, Dwarf_Die *die, const unsigned char **ret,
		     bool *ret_cut)
{
	/* dwarf_cuoffset() is the DIE's distance from its unit's header. */
	Dwarf_Off first = dwarf_dieoffset(die), next, start = first - dwarf_cuoffset(die), abbrevs;
	size_t header;
	Dwarf_Half version;
	uint8_t address_size, offset_size;
	const unsigned char *at = die->addr, *begin = info ? info->d_buf : NULL;
	if (!begin || at < begin || at >= begin + info->d_size ||
	    dwarf_next_unit(dwarf, start, &next, &header, &version, &abbrevs, &address_size,
			    &offset_size, NULL, NULL) ||
	    next <= first)
		return false;
	uint64_t left = (uint64_t)(begin + info->d_size - at);
	*ret_cut = next - first > left;
	*ret = at + (*ret_cut ? left : next - first);
	return true;
}

static void read_units(struct file *file)
{
	Dwarf_CU *cu = NULL, *next = NULL;
	Dwarf_Die die;
	uint8_t kind;
	const Elf_Data *info = info_data(file->dwarf);
	size_t n = 0, capacity = 0;
	struct {
		Dwarf_Die die;
		const unsigned char *end;
	} *found = NULL;
	int more;
	while (!(more = dwarf_get_units(file->dwarf, cu, &next, NULL, &kind, &die, NULL))) {
		cu = next;
		if (kind != DW_UT_compile && kind != DW_UT_partial)
			continue;
		const unsigned char *end;
		bool cut = false, known = unit_end(file->dwarf, info, &die, &end, &cut);
		if (!known || cut)
			file->damage = "a compile unit is cut off";
		if (!known)
			continue;
		found = memory_grow(found, n, &capacity, sizeof *found);
		found[n].die = die;
		found[n++].end = end;
	}
	if (more < 0)
		file->damage = "its compile units are cut off";
	file->units = memory_new((n + 1) * sizeof *file->units);
	struct covering covering = {0};
	for (size_t i = 0; i < n; i++) {
		struct unit *unit = &file->units[file->n_units++];
		unit_init(unit, file, &found[i].die, found[i].end);
		cover(&covering, unit);
	}
	free(found);
	if (file->n_covers)
		qsort(file->covers, file->n_covers, sizeof *file->covers, by_low);
}

/* Where its last segment ends: what is zero at the start is no part of the file's
 * own mappings. */
static uint64_t end_of(Elf *elf, uint64_t elf_bias, uint64_t high)
{
	size_t n = 0;
	if (!elf || elf_getphdrnum(elf, &n))
		return high;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr header;
		uint64_t end;
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    __builtin_add_overflow(header.p_vaddr + elf_bias, header.p_memsz, &end))
			continue;
		if (end > high)
			high = end;
	}
	return high;
}

struct file *file_new(const char *path, Elf *elf, Dwarf *dwarf, uint64_t low, uint64_t high,
		      uint64_t bias, uint64_t elf_bias)
{
	struct file *file = memory_new(sizeof *file);
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	file->path = memory_text(path, strlen(path));
	file->elf = elf;
	file->dwarf = dwarf;
	file->low = low;
	file->high = end_of(elf, elf_bias, high);
	file->bias = bias;
	file->elf_bias = elf_bias;
	file->is_own = !strncmp(name, "libcudasim", strlen("libcudasim"));
	if (dwarf)
		read_units(file);
	symbols_state()->files = memory_grow(symbols_state()->files, symbols_state()->n_files,
					     &symbols_state()->units.files_capacity,
					     sizeof *symbols_state()->files);
	symbols_state()->files[symbols_state()->n_files++] = file;
	index_forget();
	return file;
}

struct file *file_at(uint64_t pc)
{
	for (size_t i = 0; i < symbols_state()->n_files; i++)
		if (pc >= symbols_state()->files[i]->low && pc < symbols_state()->files[i]->high)
			return symbols_state()->files[i];
	return NULL;
}

struct unit *unit_at(uint64_t pc)
{
	const struct file *file = file_at(pc);
	size_t low = 0, high = file ? file->n_covers : 0;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (file->covers[middle].low <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	/* Covers may overlap in odd files: look back a little. */
	for (size_t i = low, tries = 8; i-- > 0 && tries--;)
		if (pc < file->covers[i].high)
			return file->covers[i].unit;
	return NULL;
}

/* ---- load ------------------------------------------------------------------- */

static int add_module(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr start,
		      void *arg)
{
	(void)name, (void)start, (void)arg;
	if (*user)
		return DWARF_CB_OK;
	Dwarf_Addr low, high, elf_bias = 0, bias = 0;
	const char *path = NULL, *module_name = dwfl_module_info(module, NULL, &low, &high, NULL,
								 NULL, &path, NULL);
	GElf_Addr main_bias;
	Elf *elf = dwfl_module_getelf(module, &main_bias);
	if (!elf)
		return DWARF_CB_OK;
	elf_bias = main_bias;
	Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &path, NULL);
	*user = file_new(path          ? path
			 : module_name ? module_name
				       : "",
			 elf, dwarf, low, high, bias, elf_bias);
	return DWARF_CB_OK;
}

/* Scans the file's units, unless that would take long; then damage shows when its
 * units are asked for. */
static void look_for_damage(struct file *file)
{
	size_t bytes = 0;
	for (size_t i = 0; i < file->n_units; i++)
		bytes += (size_t)(file->units[i].end -
				  (const unsigned char *)file->units[i].die.addr);
	for (size_t i = 0; i < file->n_units && bytes <= MAX_SCANNED_AT_LOAD; i++)
		unit_scan(&file->units[i]);
}

static const char *missing(void)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n > 0 ? n : 0] = 0;
	for (size_t i = 0; i < symbols_state()->n_files; i++) {
		if (strcmp(symbols_state()->files[i]->path, self))
			continue;
		look_for_damage(symbols_state()->files[i]);
		if (symbols_state()->files[i]->damage)
			return memory_format(
				"warning: the debug information in %s is damaged (%s); "
				"what cannot be read is left out.",
				self, symbols_state()->files[i]->damage);
		return symbols_state()->files[i]->n_units
			       ? NULL
			       : memory_format("(No debugging symbols found in %s)", self);
	}
	return NULL;
}

struct cudasim_error *symbols_load(const char **ret_missing)
{
	struct symbols_units *own = &symbols_state()->units;
	if (ret_missing)
		*ret_missing = NULL;
	if (!own->dwfl)
		own->dwfl = dwfl_begin(&own_files);
	if (!own->dwfl)
		return cudasim_error_new(CUDASIM_E_FAILED, "cannot read debug information: %s",
					 dwfl_errmsg(-1));
	symbols_state()->is_stale = false;
	dwfl_report_begin_add(own->dwfl);
	int failed = own_files_report(own->dwfl);
	if (dwfl_report_end(own->dwfl, NULL, NULL) || failed > 0)
		return cudasim_error_errno(failed > 0 ? failed : 0,
					   "cannot read the list of mapped files");
	if (failed)
		return cudasim_error_new(CUDASIM_E_FAILED,
					 "cannot read the list of mapped files: %s",
					 dwfl_errmsg(-1));
	dwfl_getmodules(own->dwfl, add_module, NULL, 0);
	if (ret_missing)
		*ret_missing = missing();
	return NULL;
}

void symbols_expect_more(void)
{
	symbols_state()->is_stale = true;
}

struct cudasim_error *symbols_refresh(void)
{
	return symbols_state()->is_stale ? symbols_load(NULL) : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* symbols.c - the files that are mapped, their compile units, and the code that
 * each covers.
 *
 * libdwfl tells the files and where they lie; debug information is taken from
 * the files themselves only: no search for separate files, none over the
 * network. clang writes no .debug_aranges, so the units' own ranges are read. */
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols_dwarf.h"

struct file **files;
size_t n_files;
static size_t files_capacity;
static uint32_t n_units;
static Dwfl *dwfl;

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
	unit->number = ++n_units;
	Dwarf_Attribute attribute;
	const char *directory = dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute)
		? dwarf_formstring(&attribute) : NULL;
	unit->directory = directory ? directory : "";
}

/* Where the DIEs of the unit at `offset` end: dwarf_get_units() does not say. */
static bool unit_end(Dwarf *dwarf, Dwarf_Die *die, const unsigned char **ret)
{
	Dwarf_Off first = dwarf_dieoffset(die), next, start = first - dwarf_cuoffset(die);
	size_t header;
	Dwarf_Half version;
	Dwarf_Off abbrevs;
	uint8_t address_size, offset_size;
	/* dwarf_cuoffset() is the DIE's distance from its unit's header. */
	if (dwarf_next_unit(dwarf, start, &next, &header, &version, &abbrevs, &address_size,
			    &offset_size, NULL, NULL) || next <= first)
		return false;
	*ret = (const unsigned char *)die->addr + (next - first);
	return true;
}

static void read_units(struct file *file)
{
	Dwarf_CU *cu = NULL, *next = NULL;
	Dwarf_Die die;
	uint8_t kind;
	size_t n = 0, capacity = 0;
	struct { Dwarf_Die die; const unsigned char *end; } *found = NULL;
	while (dwarf_get_units(file->dwarf, cu, &next, NULL, &kind, &die, NULL) == 0) {
		cu = next;
		if (kind != DW_UT_compile && kind != DW_UT_partial)
			continue;
		const unsigned char *end;
		if (!unit_end(file->dwarf, &die, &end))
			continue;
		found = memory_grow(found, n, &capacity, sizeof *found);
		found[n].die = die;
		found[n++].end = end;
	}
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
	files = memory_grow(files, n_files, &files_capacity, sizeof *files);
	files[n_files++] = file;
	index_forget();
	return file;
}

struct file *file_at(uint64_t pc)
{
	for (size_t i = 0; i < n_files; i++)
		if (pc >= files[i]->low && pc < files[i]->high)
			return files[i];
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

static int find_nothing(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **ret)
{
	(void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)ret;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = find_nothing,
};

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
	*user = file_new(path ? path : module_name ? module_name : "", elf, dwarf, low, high,
			 bias, elf_bias);
	return DWARF_CB_OK;
}

static const char *missing(void)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n > 0 ? n : 0] = 0;
	for (size_t i = 0; i < n_files; i++)
		if (!strcmp(files[i]->path, self))
			return files[i]->n_units ? NULL
				: memory_format("(No debugging symbols found in %s)", self);
	return NULL;
}

struct cudasim_error *symbols_load(const char **ret_missing)
{
	if (ret_missing)
		*ret_missing = NULL;
	if (!dwfl)
		dwfl = dwfl_begin(&callbacks);
	if (!dwfl)
		return cudasim_error_new(CUDASIM_E_FAILED, "cannot read debug information: %s",
					 dwfl_errmsg(-1));
	dwfl_report_begin_add(dwfl);
	int failed = dwfl_linux_proc_report(dwfl, getpid());
	if (dwfl_report_end(dwfl, NULL, NULL) || failed > 0)
		return cudasim_error_errno(failed > 0 ? failed : 0,
					   "cannot read the list of mapped files");
	if (failed)
		return cudasim_error_new(CUDASIM_E_FAILED, "cannot read the list of mapped files: %s",
					 dwfl_errmsg(-1));
	dwfl_getmodules(dwfl, add_module, NULL, 0);
	if (ret_missing)
		*ret_missing = missing();
	return NULL;
}

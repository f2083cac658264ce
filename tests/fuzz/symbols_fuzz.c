/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_fuzz.c - the debugger's reader of DWARF on damaged files.
 *
 * The input is a list of damages to one of two shared objects made of
 * symbols_sample.cpp (SYMBOLS_FUZZ_BASES, parted by a colon): bytes and words of
 * debug sections overwritten, sections cut short. Then everything is asked for
 * that a session could ask for. Nothing that the reader keeps is ever freed, so
 * memory grows with each input: run with -fork=1 -ignore_ooms=1 to look for long. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cudasim/inspect.h"
#include "symbols_dwarf.h"
#include "symbols_state.h"

enum { MAX_SECTIONS = 16, BIAS = 0x10000000, MAX_PLACES = 400 };

struct base {
	unsigned char *bytes;
	size_t n;
	size_t sections[MAX_SECTIONS]; /* offsets of the headers of debug sections */
	size_t n_sections;
};
static struct base bases[2];

struct symbols_state *symbols_state(void)
{
	static struct symbols_state state;
	return &state;
}

/* ---- a program without device code, whose memory cannot be read ------------------ */

void cudasim_modules(const struct cudasim_module *const **ret, size_t *n)
{
	*ret = NULL;
	*n = 0;
}

size_t cudasim_memory_read(const void *address, void *to, size_t n)
{
	/* Anything may stand there. */
	if ((uintptr_t)address % 7 == 0)
		return 0;
	memset(to, (int)((uintptr_t)address & 255), n);
	return n;
}

struct cudasim_error *cudasim_variable_find(const struct cudasim_module *module, const char *name,
					    uint32_t device, void **address,
					    const struct cudasim_variable **ret)
{
	(void)module, (void)device, (void)address, (void)ret;
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "no variable %s", name);
}

/* ---- damaged copies ----------------------------------------------------------------- */

static void base_read(struct base *base, const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &status)) {
		perror(path);
		exit(1);
	}
	base->n = (size_t)status.st_size;
	base->bytes = malloc(base->n);
	if (!base->bytes || read(fd, base->bytes, base->n) != (ssize_t)base->n)
		exit(1);
	close(fd);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)base->bytes;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(base->bytes + header->e_shoff);
	const char *names = (const char *)base->bytes + sections[header->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < header->e_shnum && base->n_sections < MAX_SECTIONS; i++)
		if (!strncmp(names + sections[i].sh_name, ".debug_", 7))
			base->sections[base->n_sections++] = header->e_shoff + i * sizeof *sections;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	const char *paths = getenv("SYMBOLS_FUZZ_BASES"),
		   *colon = paths ? strchr(paths, ':') : NULL;
	if (!colon) {
		fputs("SYMBOLS_FUZZ_BASES names no two files\n", stderr);
		exit(1);
	}
	base_read(&bases[0], strndup(paths, (size_t)(colon - paths)));
	base_read(&bases[1], colon + 1);
	return 0;
}

/* One damage is 8 bytes: what, which section, where (3), value (3). */
static void damage(const struct base *base, unsigned char *copy, const uint8_t *how)
{
	static const uint32_t interesting[] = {0,          1,          0x7f,      0x80,
					       0xff,       0x7fff,     0xffff,    0x7fffffff,
					       0x80000000, 0xfffffff0, 0xffffffff};
	Elf64_Shdr *section = (Elf64_Shdr *)(copy + base->sections[how[1] % base->n_sections]);
	uint32_t where = how[2] | (uint32_t)how[3] << 8 | (uint32_t)how[4] << 16;
	uint32_t value = how[5] | (uint32_t)how[6] << 8 | (uint32_t)how[7] << 16;
	if (section->sh_size < 8)
		return;
	unsigned char *at = copy + section->sh_offset + where % (section->sh_size - 4);
	switch (how[0] % 6) {
	case 0:
		*at = how[5];
		break;
	case 1:
		*at ^= (unsigned char)(1u << (how[5] & 7));
		break;
	case 2:
		memcpy(at, &value, 3);
		break;
	case 3:
		memcpy(at, &interesting[how[5] % (sizeof interesting / sizeof *interesting)], 4);
		break;
	case 4:
		section->sh_size = where % section->sh_size;
		break;
	case 5: /* a piece of the section over another */
		memmove(at, copy + section->sh_offset + value % (section->sh_size - 4), 4);
		break;
	}
}

/* ---- all that a session could ask --------------------------------------------------- */

static FILE *nowhere;
static size_t n_places;

static void ask_variable(const struct variable *v, uint64_t pc)
{
	struct location location;
	struct registers registers = {.known = 0x1ffff};
	uint64_t address;
	unsigned char bytes[64];
	for (int i = 0; i < 17; i++)
		registers.value[i] = 0x7fff0000u + 64 * (unsigned)i;
	registers.value[16] = pc;
	type_print(nowhere, v->type, STORAGE_LOCAL, true);
	struct cudasim_error *error = symbols_location(v, pc, &location);
	if (!error) {
		cudasim_error_free(location_address(&location, &registers, &address));
		cudasim_error_free(location_bytes(&location, &registers, bytes, sizeof bytes));
		cudasim_error_free(location_address(&location, NULL, &address));
	}
	cudasim_error_free(error);
	cudasim_error_free(symbols_global_address(v, 0, &address));
}

static void ask_place(uint64_t pc)
{
	const struct scope *scopes;
	struct line line;
	if (n_places++ > MAX_PLACES)
		return;
	size_t n = symbols_scopes(pc, &scopes);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < scopes[i].n_variables; j++)
			ask_variable(&scopes[i].variables[j], pc);
	symbols_line_at(pc, &line);
}

static void ask_function(void *user, const struct function *f)
{
	const struct function *all[4];
	(void)user;
	type_print(nowhere, symbols_function_type(f), STORAGE_GENERIC, true);
	symbols_after_prologue(f);
	symbols_functions(f->name, all, 4);
	uint64_t step = (f->high - f->low) / 24 + 1;
	for (uint64_t pc = f->low; pc < f->high && pc - f->low < 24 * step; pc += step)
		ask_place(pc);
}

static void ask_global(void *user, const struct variable *v)
{
	const struct variable *all[4];
	(void)user;
	if (n_places++ > MAX_PLACES)
		return;
	ask_variable(v, 0);
	symbols_globals(v->name, all, 4);
}

static void ask_type(void *user, const struct type *type, const struct type_place *place)
{
	(void)place;
	int64_t value;
	const struct type *other;
	(void)user;
	type_print(nowhere, type, STORAGE_SHARED, true);
	type_equal(type, type_target(type));
	if (type->name)
		symbols_type(type->name, NULL);
	for (size_t i = 0; i < type->n_enumerators && i < 4; i++)
		symbols_enumerator(type->enumerators[i].name, NULL, &other, &value);
}

static void ask_file(void *user, const char *file, const char *path)
{
	uint64_t places[4];
	uint32_t line;
	(void)user, (void)path;
	symbols_host_lines(file, 40, places, 4, &line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	const struct base *base = &bases[data[0] & 1];
	unsigned char *copy = malloc(base->n);
	if (!copy || !nowhere)
		return 0;
	memcpy(copy, base->bytes, base->n);
	for (size_t i = 1; i + 8 <= size; i += 8)
		damage(base, copy, data + i);
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)copy, base->n);
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	symbols_state()->n_files = 0;
	n_places = 0;
	index_forget();
	file_new("fuzzed", elf, dwarf, BIAS, BIAS + 0x100000, BIAS, BIAS);
	symbols_each_function(ask_function, NULL);
	symbols_each_global(ask_global, NULL);
	symbols_each_type(ask_type, NULL);
	symbols_each_file(ask_file, NULL);
	for (uint64_t pc = BIAS; pc < BIAS + 0x3000; pc += 61)
		ask_place(pc);
	symbols_state()->n_files = 0;
	return 0;
}

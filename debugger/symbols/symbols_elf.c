/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_elf.c - symbols of the ELF files. */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols_dwarf.h"
#include "symbols_state.h"

/* Of two symbols at one address the better one comes last. */
static int by_address(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (!x->size != !y->size)
		return x->size ? 1 : -1;
	if (x->is_global != y->is_global)
		return x->is_global ? 1 : -1;
	return -strcmp(x->name, y->name);
}

static void read_table(struct file *file, Elf_Scn *section, const GElf_Shdr *header,
		       size_t *capacity)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	for (size_t i = 1; i < n; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, (int)i, &symbol))
			break;
		unsigned type = GELF_ST_TYPE(symbol.st_info);
		const char *name = elf_strptr(file->elf, header->sh_link, symbol.st_name);
		if (!name || !*name || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS ||
		    type == STT_SECTION || type == STT_FILE || type == STT_TLS)
			continue;
		file->symbols = memory_grow(file->symbols, file->n_symbols, capacity,
					    sizeof *file->symbols);
		file->symbols[file->n_symbols++] =
			(struct elf_symbol){.address = symbol.st_value + file->elf_bias,
					    .size = symbol.st_size,
					    .name = name,
					    .is_code = type == STT_FUNC || type == STT_GNU_IFUNC,
					    .is_global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL};
	}
}

static bool read_tables(struct file *file, unsigned type)
{
	Elf_Scn *section = NULL;
	size_t capacity = 0;
	while ((section = elf_nextscn(file->elf, section))) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			read_table(file, section, &header, &capacity);
	}
	return file->n_symbols > 0;
}

static void read_symbols(struct file *file)
{
	if (file->symbols_read)
		return;
	file->symbols_read = true;
	if (file->elf && !read_tables(file, SHT_SYMTAB))
		read_tables(file, SHT_DYNSYM);
	if (file->n_symbols)
		qsort(file->symbols, file->n_symbols, sizeof *file->symbols, by_address);
}

const struct elf_symbol *file_symbol(struct file *file, uint64_t address)
{
	read_symbols(file);
	size_t low = 0, high = file->n_symbols;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (file->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* One that holds the address, before one that only precedes it. */
	for (size_t i = low, tries = 16; i-- > 0 && tries--;)
		if (address - file->symbols[i].address < file->symbols[i].size)
			return &file->symbols[i];
	/* One without a size reaches to the next. */
	return low && !file->symbols[low - 1].size ? &file->symbols[low - 1] : NULL;
}

/* Behind "__cudasim_", 32 hexadecimal digits, "_", a word and "_"; else name. */
static const char *skip_prefix(const char *name)
{
	static const char prefix[] = "__cudasim_";
	static const char *const words[] = {"code_", "function_", "entry_", "var_", "vtable_"};
	if (strncmp(name, prefix, sizeof prefix - 1))
		return name;
	const char *p = name + sizeof prefix - 1;
	if (strspn(p, "0123456789abcdef") != 32 || p[32] != '_')
		return name;
	p += 33;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strncmp(p, words[i], strlen(words[i])))
			return p + strlen(words[i]);
	return name;
}

const char *symbol_body(const char *name)
{
	static const char *const bodies[] = {"watched", "v3", "v4"};
	const char *dot = strrchr(name, '.');
	for (size_t i = 0; dot && i < sizeof bodies / sizeof *bodies; i++)
		if (!strcmp(dot + 1, bodies[i]))
			return dot + 1;
	return "";
}

const char *symbol_plain(const char *name)
{
	static struct hash known;
	const char *plain = skip_prefix(name), *body = symbol_body(plain);
	if (!*body)
		return plain;
	char *cut = hash_get(&known, name);
	if (!cut) {
		cut = (char *)memory_text(plain, (size_t)(body - plain) - 1);
		hash_put(&known, name, cut);
	}
	return cut;
}

bool symbols_symbol_at(uint64_t address, const char **ret_name, const char **ret_mangled,
		       uint64_t *ret_offset, const char **ret_file)
{
	struct file *file = file_at(address);
	const struct elf_symbol *symbol = file ? file_symbol(file, address) : NULL;
	if (!symbol)
		return false;
	const char *plain = symbol_plain(symbol->name);
	if (ret_name)
		*ret_name = symbols_demangle(plain);
	if (ret_mangled)
		*ret_mangled = plain;
	if (ret_offset)
		*ret_offset = address - symbol->address;
	if (ret_file)
		*ret_file = file->path;
	return true;
}

size_t symbols_code_named(const char *name, uint64_t *ret, size_t max)
{
	size_t n = 0;
	for (size_t f = 0; f < symbols_state()->n_files; f++) {
		if (symbols_state()->files[f]->is_own)
			continue;
		file_symbol(symbols_state()->files[f], symbols_state()->files[f]->low);
		for (size_t i = 0; i < symbols_state()->files[f]->n_symbols; i++) {
			const struct elf_symbol *symbol = &symbols_state()->files[f]->symbols[i];
			if (!symbol->is_code || strcmp(symbol->name, name) != 0)
				continue;
			if (n < max)
				ret[n] = symbol->address;
			n++;
		}
	}
	return n;
}

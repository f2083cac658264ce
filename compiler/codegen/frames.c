/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c - reads .stack_sizes: for each function its address, as a
 * relocation against its section, then its frame's size in ULEB128. */
#include "frames.h"

#include <assert.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct object {
	const unsigned char *data;
	const Elf64_Shdr *sections;
	const char *section_names;
	const Elf64_Sym *symbols;
	size_t n_symbols;
	const char *symbol_names;
};

static bool is_named(const struct object *o, const Elf64_Shdr *section, const char *name)
{
	return !strcmp(o->section_names + section->sh_name, name);
}

/* A function symbol's name by section and offset; NULL if there is none. */
static const char *function_at(const struct object *o, unsigned section, uint64_t offset)
{
	for (size_t i = 0; i < o->n_symbols; i++) {
		const Elf64_Sym *s = &o->symbols[i];
		if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx == section &&
		    s->st_value == offset)
			return o->symbol_names + s->st_name;
	}
	return NULL;
}

static uint64_t read_uleb128(const unsigned char *p)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 64; shift += 7, p++) {
		value |= (uint64_t)(*p & 0x7f) << shift;
		if (!(*p & 0x80))
			break;
	}
	return value;
}

static void read_sizes(const struct object *o, const Elf64_Shdr *relocations, struct frames *ret)
{
	const Elf64_Shdr *sizes = &o->sections[relocations->sh_info];
	const Elf64_Rela *rela = (const void *)(o->data + relocations->sh_offset);
	size_t n = relocations->sh_size / sizeof(*rela);
	ret->list = realloc(ret->list, (ret->n + n + 1) * sizeof(*ret->list));
	assert(ret->list);
	for (size_t i = 0; i < n; i++) {
		const Elf64_Sym *base = &o->symbols[ELF64_R_SYM(rela[i].r_info)];
		const char *name = function_at(o, base->st_shndx,
					       base->st_value + (uint64_t)rela[i].r_addend);
		if (!name || rela[i].r_offset + 9 > sizes->sh_size)
			continue;
		uint64_t size = read_uleb128(o->data + sizes->sh_offset + rela[i].r_offset + 8);
		char *copy = strdup(name);
		assert(copy);
		ret->list[ret->n++] = (struct frame){copy, size};
	}
}

static int compare(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static void read_object(const unsigned char *data, struct frames *ret)
{
	const Elf64_Ehdr *header = (const void *)data;
	struct object o = {.data = data, .sections = (const void *)(data + header->e_shoff)};
	o.section_names = (const char *)data + o.sections[header->e_shstrndx].sh_offset;
	unsigned n = header->e_shnum ? header->e_shnum : (unsigned)o.sections[0].sh_size;
	for (unsigned i = 0; i < n; i++) {
		const Elf64_Shdr *s = &o.sections[i];
		if (s->sh_type != SHT_SYMTAB)
			continue;
		o.symbols = (const void *)(data + s->sh_offset);
		o.n_symbols = s->sh_size / sizeof(*o.symbols);
		o.symbol_names = (const char *)data + o.sections[s->sh_link].sh_offset;
	}
	for (unsigned i = 0; i < n; i++) {
		if (o.sections[i].sh_type == SHT_RELA &&
		    is_named(&o, &o.sections[i], ".rela.stack_sizes"))
			read_sizes(&o, &o.sections[i], ret);
	}
	if (ret->n)
		qsort(ret->list, ret->n, sizeof(*ret->list), compare);
}

struct cudasim_error *frames_read(const char *path, struct frames *ret)
{
	*ret = (struct frames){0};
	struct cudasim_error *error = NULL;
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return cudasim_error_errno(errno, "%s", path);
	if (fstat(fd, &status)) {
		error = cudasim_error_errno(errno, "%s", path);
	} else {
		void *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data == MAP_FAILED) {
			error = cudasim_error_errno(errno, "%s", path);
		} else {
			read_object(data, ret);
			munmap(data, (size_t)status.st_size);
		}
	}
	close(fd);
	return error;
}

void frames_free(struct frames *frames)
{
	for (size_t i = 0; i < frames->n; i++)
		free(frames->list[i].name);
	free(frames->list);
}

uint64_t frames_size(const struct frames *frames, const char *name)
{
	struct frame key = {.name = (char *)name};
	const struct frame *found =
		frames->n ? bsearch(&key, frames->list, frames->n, sizeof(key), compare) : NULL;
	return found ? found->size : 0;
}

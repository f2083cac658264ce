/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "object.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "seal.h"

static struct cudasim_error *corrupt(const char *name)
{
	return cudasim_error_new(CUDASIM_E_FORMAT, "'%s' is not a valid object file: %s", name,
				 elf_errmsg(-1));
}

/* What follows the register prefix in the undefined symbol that has it. */
static const char *find_registers(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	size_t prefix = strlen(OBJECT_REGISTER_PREFIX);
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	for (size_t i = 0; i < n; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx != SHN_UNDEF)
			continue;
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name && !strncmp(name, OBJECT_REGISTER_PREFIX, prefix))
			return name + prefix;
	}
	return NULL;
}

static struct cudasim_error *read_object(Elf *elf, const char *name, const char *wanted,
					 struct object_code *ret, bool *has_code)
{
	*ret = (struct object_code){.name = name};
	*has_code = false;
	GElf_Ehdr header;
	size_t names;
	if (!gelf_getehdr(elf, &header) || elf_getshdrstrndx(elf, &names))
		return corrupt(name);
	if (header.e_type != ET_REL)
		return NULL;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr about;
		if (!gelf_getshdr(section, &about))
			return corrupt(name);
		const char *title = elf_strptr(elf, names, about.sh_name);
		if (!title)
			return corrupt(name);
		if (about.sh_type == SHT_SYMTAB && !ret->registers)
			ret->registers = find_registers(elf, section, &about);
		ret->has_gpu |= text_starts(title, OBJECT_GPU_SECTION);
		*has_code |= !strcmp(title, OBJECT_BITCODE_SECTION);
		if (strcmp(title, wanted))
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		if (!data || !data->d_buf || !data->d_size)
			return corrupt(name);
		if (!seal_open(data->d_buf, data->d_size, &ret->bitcode, &ret->n_bytes))
			return cudasim_error_new(
				CUDASIM_E_FORMAT,
				"'%s': its device code is damaged, or of another version of "
				"cudasim: compile it again",
				name);
	}
	return NULL;
}

/* What is visited, and by whom. */
struct visit {
	const char *section;
	object_visitor *visit;
	void *context;
};

static struct cudasim_error *visit_object(Elf *elf, const char *name, const struct visit *v)
{
	struct object_code code;
	bool has_code;
	struct cudasim_error *error = read_object(elf, name, v->section, &code, &has_code);
	return error || !has_code ? error : v->visit(&code, v->context);
}

static struct cudasim_error *visit_archive(int fd, Elf *archive, const char *path,
					   const struct visit *v)
{
	struct cudasim_error *error = NULL;
	Elf_Cmd command = ELF_C_READ;
	Elf *member;
	while (!error && (member = elf_begin(fd, command, archive))) {
		Elf_Arhdr *about = elf_getarhdr(member);
		if (about && elf_kind(member) == ELF_K_ELF) {
			char *name = text_format("%s(%s)", path, about->ar_name);
			error = visit_object(member, name, v);
			free(name);
		}
		command = elf_next(member);
		elf_end(member);
	}
	return error;
}

/* What -ltoir made: the bitcode of such a section alone. */
static struct cudasim_error *visit_sealed(Elf *file, const char *path, const struct visit *v)
{
	static const unsigned char vendors[] = {0xed, 0x43, 0x4e, 0x7f};
	struct object_code code = {.name = path};
	size_t n = 0;
	const char *bytes = elf_rawfile(file, &n);
	if (bytes && n >= sizeof vendors && !memcmp(bytes, vendors, sizeof vendors))
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"'%s': NVIDIA's compiler generated this LTO-IR, and its licence does not allow "
			"translating it: build the source with cudasim cc -ltoir instead",
			path);
	if (!bytes || !seal_open(bytes, n, &code.bitcode, &code.n_bytes))
		return cudasim_error_new(
			CUDASIM_E_FORMAT,
			"'%s' is not a product of cudasim cc -ltoir, or is damaged", path);
	return v->visit(&code, v->context);
}

static struct cudasim_error *open_elf(const char *path, int *fd, Elf **ret)
{
	elf_version(EV_CURRENT);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return cudasim_error_errno(errno, "cannot open '%s'", path);
	*ret = elf_begin(*fd, ELF_C_READ_MMAP, NULL);
	if (*ret)
		return NULL;
	close(*fd);
	return corrupt(path);
}

struct cudasim_error *object_visit(const char *path, const char *section, object_visitor *visit,
				   void *context)
{
	struct visit v = {section, visit, context};
	int fd;
	Elf *elf;
	struct cudasim_error *error = open_elf(path, &fd, &elf);
	if (error)
		return error;
	if (elf_kind(elf) == ELF_K_AR)
		error = visit_archive(fd, elf, path, &v);
	else if (elf_kind(elf) == ELF_K_ELF)
		error = visit_object(elf, path, &v);
	else if (text_ends(path, ".ltoir"))
		error = visit_sealed(elf, path, &v);
	elf_end(elf);
	close(fd);
	return error;
}

struct cudasim_error *object_registers(const char *path, char **ret)
{
	int fd;
	Elf *elf;
	*ret = NULL;
	struct cudasim_error *error = open_elf(path, &fd, &elf);
	if (error)
		return error;
	struct object_code code = {0};
	bool has_code;
	if (elf_kind(elf) == ELF_K_ELF)
		error = read_object(elf, path, OBJECT_BITCODE_SECTION, &code, &has_code);
	if (!error && code.registers)
		*ret = text_copy(code.registers);
	elf_end(elf);
	close(fd);
	return error;
}

struct cudasim_error *object_has_section(const char *path, const char *section, bool *ret)
{
	int fd;
	Elf *elf;
	size_t names = 0;
	*ret = false;
	struct cudasim_error *error = open_elf(path, &fd, &elf);
	if (error)
		return error;
	if (elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names))
		error = corrupt(path);
	for (Elf_Scn *at = NULL; !error && !*ret && (at = elf_nextscn(elf, at));) {
		GElf_Shdr about;
		const char *title = gelf_getshdr(at, &about) ? elf_strptr(elf, names, about.sh_name)
							     : NULL;
		if (!title)
			error = corrupt(path);
		else
			*ret = !strcmp(title, section);
	}
	elf_end(elf);
	close(fd);
	return error;
}

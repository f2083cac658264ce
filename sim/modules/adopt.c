/* SPDX-License-Identifier: Apache-2.0 */
/* adopt.c - takes over the calls of the CUDA runtime, the driver, NVRTC and nvJitLink that the dynamic
 * linker has bound to NVIDIA's libraries, in a program that was linked with those.
 *
 * Each loaded object lists in its relocations where the address of an imported function is
 * stored (System V ABI, AMD64 supplement, chapters 4 and 5). Those of functions that libcudasim
 * and the libraries beside it have are stored anew; what the linker has made read-only meanwhile is
 * made writable for that.
 * A function that is neither NVIDIA's nor ours, as from an LD_PRELOAD, stays. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cudasim/abi.h"
#include "error.h"
#include "log.h"

#ifndef __x86_64__
#error "relocations of other architectures are not written yet"
#endif

struct object {
	uintptr_t base;
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * tables[2];
	const ElfW(Versym) * versions; /* NULL: its symbols have none, as below */
	const ElfW(Verneed) * needed;
	size_t bytes[2];
	uintptr_t sealed, sealed_end; /* read-only after relocation */
};

static void *self; /* libcudasim's handle */

/* Libraries beside libcudasim, opened where a program calls one of their functions. */
static struct beside {
	const char *prefix, *name; /* nvrtcVersion() is in libcudasim-nvrtc.so */
	void *handle;
} beside[] = {
	{"nvrtc", "nvrtc", NULL},
	{"nvJitLink", "nvjitlink", NULL},
	{"__nvJitLink", "nvjitlink", NULL},
	{"nvvm", "nvvm", NULL},
};

static bool is_vendors(const char *path)
{
	static const char *const names[] = {"libcudart.so", "libcuda.so", "libnvrtc.so",
					    "libnvJitLink.so", "libnvvm.so"};
	const char *name = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* In the same folder, or in the build tree in a folder of its own. */
static void *open_beside(const char *name)
{
	Dl_info about;
	char path[PATH_MAX];
	if (!dladdr((void *)(uintptr_t)open_beside, &about) || !about.dli_fname)
		return NULL;
	char *real = realpath(about.dli_fname, NULL);
	int n = real ? (int)(strrchr(real, '/') + 1 - real) : 0;
	void *ret = NULL;
	if (real &&
	    snprintf(path, sizeof path, "%.*slibcudasim-%s.so", n, real, name) < (int)sizeof path)
		ret = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (real && !ret &&
	    snprintf(path, sizeof path, "%.*s../libraries/%s/libcudasim-%s.so", n, real, name,
		     name) < (int)sizeof path)
		ret = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(real);
	return ret;
}

static void *function_of(struct beside *library, const char *name)
{
	if (!library->handle)
		library->handle = open_beside(library->name);
	if (!library->handle) {
		log_error(cudasim_error_new(CUDASIM_E_NOTFOUND,
					    "the program calls %s, and libcudasim-%s.so cannot be "
					    "opened: %s",
					    name, library->name, dlerror()));
		exit(1);
	}
	return dlsym(library->handle, name);
}

/* The version of a symbol that the object was linked with, NULL if it has none. */
static const char *version_of(const struct object *object, size_t symbol)
{
	if (!object->versions || !object->needed)
		return NULL;
	ElfW(Versym) wanted = object->versions[symbol] & 0x7fff;
	const char *at = (const char *)object->needed;
	for (;;) {
		const ElfW(Verneed) *library = (const void *)at;
		const char *entry = at + library->vn_aux;
		for (unsigned i = 0; i < library->vn_cnt; i++) {
			const ElfW(Vernaux) *version = (const void *)entry;
			if (version->vna_other == wanted)
				return object->strings + version->vna_name;
			entry += version->vna_next;
		}
		if (!library->vn_next)
			return NULL;
		at += library->vn_next;
	}
}

/* Ours of this name, in that version if there are several (api/cuda_12), where it is to be called; else NULL. */
static void *ours(const char *name, const char *version)
{
	Dl_info about;
	void *mine = NULL;
	for (size_t i = 0; i < sizeof beside / sizeof *beside && !mine; i++)
		if (!strncmp(name, beside[i].prefix, strlen(beside[i].prefix)))
			mine = function_of(&beside[i], name);
	bool runtimes = !strncmp(name, "cu", 2) || !strncmp(name, "__cuda", 6);
	void *plain = runtimes ? dlsym(self, name) : NULL;
	if (runtimes && version)
		mine = dlvsym(self, name, version);
	if (!mine)
		mine = plain;
	void *now = mine ? dlsym(RTLD_DEFAULT, name) : NULL;
	bool others = now && now != mine && now != plain && dladdr(now, &about) &&
		      !is_vendors(about.dli_fname);
	return others ? NULL : mine;
}

static void store(const struct object *object, void **at, void *value)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)at & ~(page - 1);
	bool sealed = (uintptr_t)at >= object->sealed && (uintptr_t)at < object->sealed_end;
	if (*at == value)
		return;
	if (sealed && mprotect((void *)start, page, PROT_READ | PROT_WRITE)) {
		log_error(cudasim_error_errno(errno, "cannot take over calls of the CUDA runtime"));
		exit(1);
	}
	*at = value;
	if (sealed)
		mprotect((void *)start, page, PROT_READ);
}

static void adopt_table(const struct object *object, const ElfW(Rela) * table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t index = ELF64_R_SYM(table[i].r_info);
		const ElfW(Sym) *symbol = &object->symbols[index];
		uint32_t type = ELF64_R_TYPE(table[i].r_info);
		if (symbol->st_shndx != SHN_UNDEF ||
		    (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT &&
		     type != R_X86_64_64))
			continue;
		char *value = ours(object->strings + symbol->st_name, version_of(object, index));
		if (value)
			store(object, (void **)(object->base + table[i].r_offset),
			      value + (type == R_X86_64_64 ? table[i].r_addend : 0));
	}
}

/* The loader stores addresses there, but in what the kernel has loaded (the vDSO) they
 * are still relative. */
static const void *place(const struct object *object, uintptr_t value)
{
	return (const void *)(value < object->base ? object->base + value : value);
}

static void read_dynamic(struct object *object, const ElfW(Dyn) * dynamic)
{
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		uintptr_t value = dynamic->d_un.d_val;
		if (dynamic->d_tag == DT_SYMTAB)
			object->symbols = place(object, value);
		else if (dynamic->d_tag == DT_STRTAB)
			object->strings = place(object, value);
		else if (dynamic->d_tag == DT_JMPREL)
			object->tables[0] = place(object, value);
		else if (dynamic->d_tag == DT_PLTRELSZ)
			object->bytes[0] = value;
		else if (dynamic->d_tag == DT_RELA)
			object->tables[1] = place(object, value);
		else if (dynamic->d_tag == DT_RELASZ)
			object->bytes[1] = value;
		else if (dynamic->d_tag == DT_VERSYM)
			object->versions = place(object, value);
		else if (dynamic->d_tag == DT_VERNEED)
			object->needed = place(object, value);
	}
}

static int adopt_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	struct object object = {.base = info->dlpi_addr};
	const ElfW(Dyn) *dynamic = NULL;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t start = object.base + header->p_vaddr;
		if (header->p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)start;
		if (header->p_type == PT_GNU_RELRO) {
			object.sealed = start;
			object.sealed_end = start + header->p_memsz;
		}
	}
	if (!dynamic)
		return 0;
	read_dynamic(&object, dynamic);
	for (int i = 0; object.symbols && object.strings && i < 2; i++)
		if (object.tables[i])
			adopt_table(&object, object.tables[i],
				    object.bytes[i] / sizeof *object.tables[i]);
	return 0;
}

void __cudasim_adopt(void)
{
	Dl_info about;
	if (dladdr((void *)(uintptr_t)__cudasim_adopt, &about))
		self = dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!self) {
		log_error(cudasim_error_new(CUDASIM_E_SYSTEM, "libcudasim does not find itself: %s",
					    dlerror()));
		exit(1);
	}
	dl_iterate_phdr(adopt_object, NULL);
}

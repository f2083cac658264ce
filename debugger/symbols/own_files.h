/* SPDX-License-Identifier: Apache-2.0 */
/* own_files.h - libdwfl's callbacks for this process's own files, without a look for files of
 * debug information elsewhere (that may ask servers). Each shared object has its own. */
#ifndef CUDASIM_DEBUGGER_OWN_FILES_H
#define CUDASIM_DEBUGGER_OWN_FILES_H

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

/* Device code that the program loaded is a file in memory (sim/modules/loaded.c), whose name in
 * the list of mappings cannot be opened; the linker knows it by its descriptor. */
static inline int own_files_find_elf(Dwfl_Module *module, void **user, const char *name,
				     Dwarf_Addr base, char **file, Elf **elf)
{
	static const char memory[] = "/memfd:", descriptor[] = "/proc/self/fd/";
	Dl_info info;
	if (strncmp(name, memory, sizeof memory - 1) || !dladdr((void *)(uintptr_t)base, &info) ||
	    !info.dli_fname || strncmp(info.dli_fname, descriptor, sizeof descriptor - 1))
		return dwfl_linux_proc_find_elf(module, user, name, base, file, elf);
	*file = strdup(info.dli_fname);
	return *file ? open(*file, O_RDONLY | O_CLOEXEC) : -1;
}

static inline int own_files_find_none(Dwfl_Module *module, void **user, const char *name,
				      Dwarf_Addr base, const char *file, const char *link,
				      GElf_Word crc, char **ret)
{
	(void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)ret;
	return -1;
}

static const Dwfl_Callbacks own_files = {
	.find_elf = own_files_find_elf,
	.find_debuginfo = own_files_find_none,
};

#endif

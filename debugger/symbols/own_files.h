/* SPDX-License-Identifier: Apache-2.0 */
/* own_files.h - libdwfl's callbacks for this process's own files, without a look for files of
 * debug information elsewhere (that may ask servers). Each shared object has its own. */
#ifndef CUDASIM_DEBUGGER_OWN_FILES_H
#define CUDASIM_DEBUGGER_OWN_FILES_H

#include <dlfcn.h>
#include <errno.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The next file's mappings in /proc/self/maps: where its text ends. *executed: one can be executed, as the loader
 * has made it. */
static inline const char *own_files_group(const char *text, bool *executed)
{
	char file[4096] = "", own[4096], rights[5];
	unsigned long long offset;
	*executed = false;
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		own[0] = rights[0] = 0;
		offset = 0;
		sscanf(line, "%*x-%*x %4s %llx %*s %*s%4095[^\n]", rights, &offset, own);
		if (line != text && (!offset || strcmp(own, file)))
			return line;
		strcpy(file, own);
		*executed |= rights[2] == 'x';
	}
	return text + strlen(text);
}

/* Report the files that the loader has mapped, between dwfl_report_begin_add() and dwfl_report_end(). libdwfl reads
 * files by mapping them as well, from their beginning; taken for modules, these would reach over what lies behind
 * them. Returns 0, an errno, or -1 for dwfl_errmsg(). */
static inline int own_files_report(Dwfl *dwfl)
{
	char *maps = NULL, *kept = NULL;
	size_t room = 0, n = 0;
	bool executed;
	FILE *in = fopen("/proc/self/maps", "re"), *out = open_memstream(&kept, &n);
	int failed = in && out && getdelim(&maps, &room, 0, in) > 0 ? 0 : errno ? errno : EIO;
	for (const char *at = maps, *end; !failed && *at; at = end) {
		end = own_files_group(at, &executed);
		if (executed)
			fwrite(at, 1, (size_t)(end - at), out);
	}
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	FILE *filtered = failed ? NULL : fmemopen(kept, n, "r");
	if (filtered) {
		failed = dwfl_linux_proc_maps_report(dwfl, filtered);
		fclose(filtered);
	} else if (!failed) {
		failed = errno;
	}
	free(maps);
	free(kept);
	return failed;
}

static const Dwfl_Callbacks own_files = {
	.find_elf = own_files_find_elf,
	.find_debuginfo = own_files_find_none,
};

#endif

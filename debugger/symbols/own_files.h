/* SPDX-License-Identifier: Apache-2.0 */
/* own_files.h - libdwfl's callbacks for this process's own files, without a look for files of
 * debug information elsewhere (that may ask servers). Each shared object has its own. */
#ifndef CUDASIM_DEBUGGER_OWN_FILES_H
#define CUDASIM_DEBUGGER_OWN_FILES_H

#include <elfutils/libdwfl.h>

static inline int own_files_find_none(Dwfl_Module *module, void **user, const char *name,
				      Dwarf_Addr base, const char *file, const char *link,
				      GElf_Word crc, char **ret)
{
	(void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)ret;
	return -1;
}

static const Dwfl_Callbacks own_files = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = own_files_find_none,
};

#endif

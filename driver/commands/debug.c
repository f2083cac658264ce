/* SPDX-License-Identifier: Apache-2.0 */
/* debug.c - `cudasim debug`: runs a program with the debugger in it. The debugger opens
 * before the program's main(); its options go there one a line, in a file in memory that
 * CUDASIM_DEBUG_SESSION names (debugger/repl/session.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "debug.h"
#include "environment.h"
#include "manual.h"
#include "places.h"
#include "vendor_tools.h"
#include "words.h"

/* ---- is it a program that can be debugged? ------------------------------------------ */

/* Does it name libcudasim.so? Among the libraries that it needs, or, where gcc linked it, in
 * an object of ours, which opens it (compiler/attach). */
static bool names_cudasim(Elf *elf)
{
	static const char name[] = "libcudasim.so";
	size_t size = 0;
	const char *bytes = elf_rawfile(elf, &size);
	return bytes && memmem(bytes, size, name, sizeof name - 1);
}

static struct cudasim_error *check_elf(const char *path, int file)
{
	GElf_Ehdr header;
	struct cudasim_error *error = NULL;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return cudasim_error_new(CUDASIM_E_SYSTEM, "libelf: %s", elf_errmsg(-1));
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		error = cudasim_error_new(
			CUDASIM_E_FORMAT,
			"'%s' is not an executable that cudasim cc has built: it is not an ELF file",
			path);
	else if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		error = cudasim_error_new(
			CUDASIM_E_FORMAT,
			"'%s' is an object file, not an executable: link it with cudasim cc", path);
	else if (!names_cudasim(elf))
		error = cudasim_error_new(
			CUDASIM_E_FORMAT,
			"'%s' is not linked with libcudasim.so: build it with cudasim cc instead of nvcc",
			path);
	elf_end(elf);
	return error;
}

struct cudasim_error *debug_check_program(const char *path)
{
	struct stat about;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return cudasim_error_errno(errno, "cannot open '%s'", path);
	struct cudasim_error *error = NULL;
	if (fstat(file, &about))
		error = cudasim_error_errno(errno, "cannot read '%s'", path);
	else if (!S_ISREG(about.st_mode))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "'%s' is not a file", path);
	else
		error = check_elf(path, file);
	if (!error && access(path, X_OK))
		error = cudasim_error_errno(errno, "cannot run '%s'", path);
	close(file);
	return error;
}

/* What is no program of ours may load code of ours later, or execute such a program: the
 * debugger gets there before its main() with libcudasim preloaded. Where the loader does not
 * do that, *why says so. */
static bool can_preload(const char *path, struct cudasim_error **why)
{
	GElf_Phdr segment;
	char start[2] = "";
	bool ret = false;
	size_t n = 0;
	*why = NULL;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0 || access(path, X_OK))
		goto out;
	if (pread(file, start, 2, 0) == 2 && !memcmp(start, "#!", 2)) {
		ret = true;
		goto out;
	}
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n && !ret; i++)
		ret = gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP;
	if (n && !ret)
		*why = cudasim_error_new(
			CUDASIM_E_FORMAT,
			"'%s' is not linked with libcudasim.so, and as it is linked statically it cannot "
			"load code of cudasim cc either",
			path);
	elf_end(elf);
out:
	if (file >= 0)
		close(file);
	return ret;
}

/* The debugger takes both away again, so that what the program starts is not concerned. */
static struct cudasim_error *preload(void)
{
	struct places places;
	struct cudasim_error *error = environment_enter_if_found();
	if (!error)
		error = places_find(&places);
	if (error)
		return error;
	const char *before = getenv("LD_PRELOAD");
	/* Blanks separate the list's names. A path with one is left to the folder of names, which
	 * the environment has as the first of the loader's. */
	char *library = strchr(places.library, ' ')
				? text_copy("libcudasim.so")
				: text_format("%s/libcudasim.so", places.library);
	char *all = before && *before ? text_format("%s:%s", library, before) : text_copy(library);
	if (setenv("LD_PRELOAD", all, 1) || setenv("CUDASIM_DEBUG_PRELOAD", library, 1))
		error = &cudasim_error_nomem;
	free(all);
	free(library);
	places_fini(&places);
	return error;
}

/* Any program, then: its own code, or what it loads. */
struct cudasim_error *debug_prepare(const char *program)
{
	struct cudasim_error *why, *error = debug_check_program(program);
	if (!error)
		return environment_enter_names();
	if (error->code != CUDASIM_E_FORMAT)
		return error;
	if (!can_preload(program, &why)) {
		if (why)
			cudasim_error_free(error);
		return why ? why : error;
	}
	cudasim_error_free(error);
	return preload();
}

struct cudasim_error *debug_find_program(const char *name, char **ret)
{
	const char *path = getenv("PATH");
	*ret = NULL;
	if (strchr(name, '/') || !access(name, F_OK) || !path) {
		*ret = realpath(name, NULL);
		return *ret ? NULL : cudasim_error_errno(errno, "cannot open '%s'", name);
	}
	for (const char *end; *path && !*ret; path = *end ? end + 1 : end) {
		char full[PATH_MAX];
		end = strchrnul(path, ':');
		if (snprintf(full, sizeof full, "%.*s/%s", (int)(end - path), path, name) <
			    (int)sizeof full &&
		    !access(full, X_OK))
			*ret = realpath(full, NULL);
	}
	return *ret ? NULL
		    : cudasim_error_new(CUDASIM_E_NOTFOUND, "there is no program '%s'", name);
}

/* ---- handing over ---------------------------------------------------------------------- */

/* The file must be there after exec: no close on exec. */
struct cudasim_error *debug_hand_over(const char *options, size_t n)
{
	char path[64];
	int file = memfd_create("cudasim debug", 0);
	if (file < 0 || write(file, options, n) != (ssize_t)n || lseek(file, 0, SEEK_SET))
		return cudasim_error_errno(errno, "cannot pass the options to the debugger");
	/* Beyond the numbers that scripts use. */
	int high = fcntl(file, F_DUPFD, 20);
	if (high >= 0)
		close(file);
	snprintf(path, sizeof path, "/proc/self/fd/%d", high >= 0 ? high : file);
	if (setenv("CUDASIM", "1", 1) || setenv("CUDASIM_DEBUG", "1", 1) ||
	    setenv("CUDASIM_DEBUG_SESSION", path, 1))
		return &cudasim_error_nomem;
	return NULL;
}

struct cudasim_error *command_debug(int n, char **arguments, int *ret)
{
	char *options = NULL, *program = NULL;
	size_t size;
	int at;
	*ret = 0;
	if (n == 2 && (!strcmp(arguments[1], "--help") || !strcmp(arguments[1], "-h") ||
		       !strcmp(arguments[1], "-help"))) {
		manual_print(stdout, &debug_manual);
		return NULL;
	}
	if (vendor_tools_wanted())
		return vendor_tool_run("cuda-gdb", n, arguments);
	if (n == 2 && (!strcmp(arguments[1], "-v") || !strcmp(arguments[1], "-version") ||
		       !strcmp(arguments[1], "--version"))) {
		puts("cudasim " CUDASIM_VERSION);
		return NULL;
	}
	FILE *out = open_memstream(&options, &size);
	if (!out)
		return &cudasim_error_nomem;
	struct cudasim_error *error = debug_options(n, arguments, out, &at);
	if (fclose(out) && !error)
		error = &cudasim_error_nomem;
	if (!error)
		error = debug_find_program(arguments[at], &program);
	if (!error)
		error = debug_prepare(program);
	if (!error)
		error = debug_hand_over(options, size);
	if (!error) {
		/* The same addresses in each run, as under gdb: sessions can be repeated. */
		personality(ADDR_NO_RANDOMIZE | (unsigned long)personality(0xffffffff));
		execv(program, arguments + at);
		error = cudasim_error_errno(errno, "cannot run '%s'", program);
	}
	free(options);
	free(program);
	return error;
}

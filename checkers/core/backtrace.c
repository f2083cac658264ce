/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "backtrace.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callers.h"

/* ---- taking ---------------------------------------------------------------- */

/* Code of cudasim's libraries, as address ranges. */
enum { MAX_OWN = 4 };
static struct {
	uint64_t low, high;
} own[MAX_OWN];
static int n_own;

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	/* It may have been opened by a link with NVIDIA's name. */
	char real[PATH_MAX];
	const char *path = realpath(info->dlpi_name, real) ? real : info->dlpi_name;
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	(void)size, (void)data;
	if (strncmp(name, "libcudasim", 10) || n_own == MAX_OWN)
		return 0;
	uint64_t low = UINT64_MAX, high = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD)
			continue;
		if (info->dlpi_addr + p->p_vaddr < low)
			low = info->dlpi_addr + p->p_vaddr;
		if (info->dlpi_addr + p->p_vaddr + p->p_memsz > high)
			high = info->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	own[n_own].low = low;
	own[n_own++].high = high;
	return 0;
}

bool backtrace_is_own(uint64_t pc)
{
	for (int i = 0; i < n_own; i++)
		if (pc >= own[i].low && pc < own[i].high)
			return true;
	return false;
}

void backtrace_take(uint64_t ret[BACKTRACE_MAX])
{
	enum { SKIPPED = 16 };
	void *frames[BACKTRACE_MAX + SKIPPED];
	int n = callers_take(frames, BACKTRACE_MAX + SKIPPED), kept = 0;
	for (int i = 0; i < n && kept < BACKTRACE_MAX; i++)
		if (!backtrace_is_own((uint64_t)(uintptr_t)frames[i]))
			ret[kept++] = (uint64_t)(uintptr_t)frames[i];
	if (kept < BACKTRACE_MAX)
		ret[kept] = 0;
}

/* ---- naming ---------------------------------------------------------------- */

static cudasim_symbolize_fn *found;
static cudasim_symbol_name_fn *found_name;
static cudasim_symbol_folder_fn *found_folder;

void backtrace_start(void)
{
	/* Installed beside this library; in its own room of the build tree. */
	static const char *const places[] = {CUDASIM_SYMBOLIZER, "../debugger/" CUDASIM_SYMBOLIZER};
	Dl_info info;
	char path[PATH_MAX];
	void *first[1];
	callers_take(first, 1); /* opens the unwinder now, not in the middle of a crash */
	dl_iterate_phdr(look_at, NULL);
	if (!dladdr(places, &info) || !info.dli_fname)
		return;
	const char *slash = strrchr(info.dli_fname, '/');
	int dir = slash ? (int)(slash - info.dli_fname) : 0;
	for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
		int n = snprintf(path, sizeof path, "%.*s%s%s", dir, info.dli_fname, dir ? "/" : "",
				 places[i]);
		void *handle = n < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
		if (!handle)
			continue;
		*(void **)&found = dlsym(handle, "cudasim_symbolize");
		*(void **)&found_name = dlsym(handle, "cudasim_symbol_name");
		*(void **)&found_folder = dlsym(handle, "cudasim_symbol_folder");
	}
}

size_t backtrace_places(uint64_t pc, struct cudasim_symbol *ret, size_t max)
{
	return found ? found(pc, ret, max) : 0;
}

size_t backtrace_device(const uint64_t *frames, bool inlined, struct cudasim_symbol *ret,
			size_t max)
{
	size_t n = 0;
	if (inlined) {
		n = frames[0] ? backtrace_places(frames[0] - 1, ret, max) : 0;
		n = n < max ? n : max;
		/* The loop itself has no name. */
		return n && !*ret[n - 1].function ? n - 1 : n;
	}
	for (int i = 0; i < BACKTRACE_MAX && frames[i] && n < max; i++)
		n += backtrace_places(frames[i] - 1, &ret[n], 1) > 0;
	return n;
}

bool backtrace_folder(uint64_t pc, char *text, size_t size)
{
	return found_folder && found_folder(pc, text, size);
}

const char *backtrace_file(const char *path, bool strip_paths)
{
	const char *slash = strip_paths ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path;
}

bool backtrace_host_line(uint64_t pc, size_t index, bool strip_paths, char *text, size_t size,
			 bool *is_main)
{
	enum { INLINED = 8 };
	struct cudasim_symbol symbols[INLINED];
	Dl_info info = {0};
	bool known = dladdr((void *)(uintptr_t)(pc - 1), &info) && info.dli_fname;
	size_t n = backtrace_places(pc - 1, symbols, INLINED);
	const char *in = known ? backtrace_file(info.dli_fname, strip_paths) : "?";
	unsigned long long offset = known ? pc - (uint64_t)(uintptr_t)info.dli_fbase : pc;
	*is_main = false;
	if (index >= n) {
		if (index)
			return false;
		char symbol[256];
		const char *name = found_name && found_name(pc - 1, symbol, sizeof symbol) ? symbol
				   : known && info.dli_sname ? info.dli_sname
							     : "";
		*is_main = !strcmp(name, "main");
		snprintf(text, size, "%s%s[0x%llx] in %s", name, *name ? " " : "", offset, in);
		return true;
	}
	const struct cudasim_symbol *s = &symbols[index];
	const char *name = *s->function              ? s->function
			   : known && info.dli_sname ? info.dli_sname
						     : "?";
	*is_main = !strcmp(name, "main");
	if (*s->file && s->line)
		snprintf(text, size, "%s in %s:%u [0x%llx] in %s", name,
			 backtrace_file(s->file, strip_paths), s->line, offset, in);
	else
		snprintf(text, size, "%s [0x%llx] in %s", name, offset, in);
	return true;
}

bool backtrace_is_stub(const char *line)
{
	/* Also in a namespace: "geo::__device_stub__kernel in ...". */
	const char *stub = strstr(line, "__device_stub__"), *blank = strchr(line, ' ');
	return stub && (!blank || stub < blank);
}

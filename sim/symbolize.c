/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "symbolize.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* What libcudasim-symbolizer.so exports under the name cudasim_symbolize. */
typedef bool symbolize_fn(uint64_t pc, char *text, size_t size);

static symbolize_fn *found;

/* Beside libcudasim.so when installed; in its own room of the build tree. */
static const char *const places[] = {
	"libcudasim-symbolizer.so", "cudasim/libcudasim-symbolizer.so",
	"../debugger/libcudasim-symbolizer.so", "../checkers/libcudasim-symbolizer.so",
};

static void find(void)
{
	Dl_info own;
	char path[PATH_MAX];
	if (!dladdr(places, &own) || !own.dli_fname)
		return;
	const char *slash = strrchr(own.dli_fname, '/');
	int dir = slash ? (int)(slash - own.dli_fname) : 0;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		int n = snprintf(path, sizeof path, "%.*s%s%s", dir, own.dli_fname,
				 dir ? "/" : "", places[i]);
		void *handle = n < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
		if (!handle)
			continue;
		/* An object pointer that is a function's: POSIX allows it. */
		*(void **)&found = dlsym(handle, "cudasim_symbolize");
		if (found)
			return;
	}
}

bool symbolize(uint64_t pc, char *text, size_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, find);
	return found && found(pc, text, size);
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "symbolize.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer.h"

static cudasim_symbolize_fn *found;

enum { SYMBOLIZE_INLINED = 4 };

/* Beside libcudasim.so when installed; in its own room of the build tree. */
static const char *const places[] = {
	CUDASIM_SYMBOLIZER,
	"cudasim/" CUDASIM_SYMBOLIZER,
	"../debugger/" CUDASIM_SYMBOLIZER,
};

static void find(void)
{
	Dl_info own;
	char path[PATH_MAX], here[PATH_MAX];
	/* Where it lies, not the link by which a program may have opened it. */
	if (!dladdr(places, &own) || !own.dli_fname || !realpath(own.dli_fname, here))
		return;
	int dir = (int)(strrchr(here, '/') - here);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		int n = snprintf(path, sizeof path, "%.*s/%s", dir, here, places[i]);
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
	struct cudasim_symbol places_of_pc[SYMBOLIZE_INLINED];
	pthread_once(&once, find);
	size_t n = found ? found(pc, places_of_pc, SYMBOLIZE_INLINED) : 0, used = 0;
	for (size_t i = 0; i < n && i < SYMBOLIZE_INLINED && used < size; i++) {
		const struct cudasim_symbol *s = &places_of_pc[i];
		used += (size_t)snprintf(text + used, size - used, "%s%s (%s:%u)",
					 i ? ", inlined in " : "", *s->function ? s->function : "?",
					 *s->file ? s->file : "?", s->line);
	}
	return n;
}

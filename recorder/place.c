/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "callers.h"
#include "hash.h"
#include "recorder.h"
#include "symbolizer.h"

enum { FRAMES = 12, INLINED = 4 };

static cudasim_symbolize_fn *symbolizer;
static char own_folder[PATH_MAX];

/* Beside this library when installed, in its own room of the build tree. */
static void find(void)
{
	static const char *const places[] = {"", "../debugger/"};
	static bool done;
	Dl_info own;
	if (done)
		return;
	done = true;
	if (!dladdr(places, &own) || !own.dli_fname)
		return;
	const char *slash = strrchr(own.dli_fname, '/');
	snprintf(own_folder, sizeof own_folder, "%.*s",
		 slash ? (int)(slash - own.dli_fname) + 1 : 0, own.dli_fname);
	for (size_t i = 0; i < sizeof places / sizeof *places && !symbolizer; i++) {
		char path[PATH_MAX];
		if (snprintf(path, sizeof path, "%s%s" CUDASIM_SYMBOLIZER, own_folder, places[i]) >=
		    (int)sizeof path)
			continue;
		void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (handle)
			*(void **)&symbolizer = dlsym(handle, "cudasim_symbolize");
	}
}

/* cudaMalloc<T>() and its kin, which only hand on to the runtime. */
static bool is_toolkit_header(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;
	return !strcmp(name, "cuda_runtime.h") || !strcmp(name, "cuda_runtime_api.h");
}

/* NULL where the place is the toolkit's or this library's. */
static char *describe(uint64_t pc)
{
	struct cudasim_symbol symbols[INLINED];
	Dl_info object, own;
	char *text = NULL;
	size_t n = symbolizer ? symbolizer(pc - 1, symbols, INLINED) : 0;
	if (!dladdr((void *)(uintptr_t)pc, &object) || !object.dli_fname ||
	    (dladdr(own_folder, &own) && own.dli_fbase == object.dli_fbase))
		return NULL;
	for (size_t i = 0; i < n && i < INLINED; i++) {
		const char *slash = strrchr(symbols[i].file, '/');
		if (!*symbols[i].file || is_toolkit_header(symbols[i].file))
			continue;
		if (asprintf(&text, "%s (%s:%u)", *symbols[i].function ? symbols[i].function : "?",
			     slash ? slash + 1 : symbols[i].file, symbols[i].line) < 0)
			return NULL;
		return text;
	}
	const char *slash = strrchr(object.dli_fname, '/');
	if (n && *symbols[0].file)
		return NULL;
	if (asprintf(&text, "%s+0x%llx", slash ? slash + 1 : object.dli_fname,
		     (unsigned long long)(pc - (uintptr_t)object.dli_fbase)) < 0)
		return NULL;
	return text;
}

const char *place_of_caller(void)
{
	static struct hash known; /* by return address */
	void *frames[FRAMES];
	find();
	int n = callers_take(frames, FRAMES);
	for (int i = 0; i < n; i++) {
		static char nowhere[1];
		char *text = hash_get(&known, frames[i]);
		if (!text) {
			text = describe((uint64_t)(uintptr_t)frames[i]);
			if (!hash_put(&known, frames[i], text ? text : nowhere))
				return "";
		}
		if (text && *text)
			return text;
	}
	return "";
}

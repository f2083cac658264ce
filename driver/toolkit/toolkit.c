/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "toolkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* CUDA_VERSION from include/cuda.h, 0 if it does not say. */
static unsigned read_version(const char *include)
{
	char *path = text_format("%s/cuda.h", include);
	FILE *file = fopen(path, "re");
	free(path);
	unsigned version = 0;
	char line[1024];
	while (file && !version && fgets(line, sizeof line, file))
		if (sscanf(line, "#define CUDA_VERSION %u", &version) != 1)
			version = 0;
	if (file)
		fclose(file);
	return version;
}

/* The first of root + each ending that exists, links resolved; NULL if none. */
static char *first_of(const char *root, const char *const *endings)
{
	for (; *endings; endings++) {
		char *path = text_format("%s/%s", root, *endings);
		char *real = realpath(path, NULL);
		free(path);
		if (real)
			return real;
	}
	return NULL;
}

/* Says in *why what is missing, or fills ret. why is the caller's to free. */
static bool try_root(const char *root, const char *found_by, char **why, struct toolkit *ret)
{
	static const char *const runtime_header[] = {"include/cuda_runtime.h", NULL};
	static const char *const include[] = {"include", NULL};
	static const char *const cccl[] = {"include/cccl", "include", NULL};
	static const char *const libdevice[] = {"nvvm/libdevice/libdevice.10.bc", NULL};
	char *probe = first_of(root, runtime_header);
	if (!probe) {
		*why = text_format("%s: no include/cuda_runtime.h in %s", found_by, root);
		return false;
	}
	free(probe);
	struct toolkit found = {
		.root = realpath(root, NULL),
		.include = first_of(root, include),
		.cccl = first_of(root, cccl),
		.libdevice = first_of(root, libdevice),
		.found_by = text_copy(found_by),
	};
	found.version = found.include ? read_version(found.include) : 0;
	char *header = text_format("%s/cuda/std/version", found.cccl ? found.cccl : "");
	if (found.version / 1000 != TOOLKIT_MAJOR)
		*why = text_format("%s: %s contains CUDA %u.%u, but CUDA %d is needed", found_by,
				   root, found.version / 1000, found.version % 1000 / 10,
				   TOOLKIT_MAJOR);
	else if (!found.libdevice)
		*why = text_format("%s: no nvvm/libdevice/libdevice.10.bc in %s", found_by, root);
	else if (access(header, R_OK))
		*why = text_format("%s: no headers of CCCL (cuda/std) in %s", found_by, root);
	else
		*ret = found;
	free(header);
	if (!*why)
		return true;
	toolkit_fini(&found);
	return false;
}

/* Of the folders that toolkit_tree_make() fills? */
static bool is_ours(const char *root)
{
	char *mark = text_format("%s/lib64/libcudasim.so", root);
	struct stat about;
	bool ours = !lstat(mark, &about);
	free(mark);
	return ours;
}

/* Every nvcc on PATH. Cudasim's own is one too; the search goes on behind it. */
static bool try_path(const char *path, struct words *notes, struct toolkit *ret)
{
	struct words folders = {0};
	words_split(&folders, path, ':');
	bool done = false;
	for (size_t i = 0; i < folders.n && !done; i++) {
		char *nvcc = text_format("%s/nvcc", folders.at[i]);
		char *real = access(nvcc, X_OK) ? NULL : realpath(nvcc, NULL);
		free(nvcc);
		if (!real)
			continue;
		for (int up = 0; up < 2; up++)
			if (strrchr(real, '/'))
				*strrchr(real, '/') = 0;
		char *why = NULL;
		done = !is_ours(real) && try_root(*real ? real : "/", "nvcc on PATH", &why, ret);
		if (why && notes)
			words_add(notes, why);
		free(why);
		free(real);
	}
	words_fini(&folders);
	return done;
}

static bool try_hint(const char *root, const char *found_by, struct words *notes,
		     struct toolkit *ret)
{
	if (!root || !*root)
		return false;
	char *why = NULL;
	bool done = try_root(root, found_by, &why, ret);
	if (why && notes)
		words_add(notes, why);
	free(why);
	return done;
}

struct cudasim_error *toolkit_find(const struct toolkit_hints *hints, struct words *notes,
				   struct toolkit *ret)
{
	*ret = (struct toolkit){0};
	if (hints->cudasim_toolkit && *hints->cudasim_toolkit) {
		char *why = NULL;
		if (try_root(hints->cudasim_toolkit, "CUDASIM_TOOLKIT", &why, ret))
			return NULL;
		struct cudasim_error *error = cudasim_error_new(CUDASIM_E_NOTFOUND, "%s", why);
		free(why);
		return error;
	}
	if (try_hint(hints->cuda_home, "CUDA_HOME", notes, ret) ||
	    try_hint(hints->cuda_path, "CUDA_PATH", notes, ret) ||
	    (hints->path && try_path(hints->path, notes, ret)) ||
	    try_hint(hints->usual, "usual place", notes, ret) ||
	    try_hint(hints->wheels, "vendor's wheels beside", notes, ret) ||
	    try_hint(hints->cache, "vendor's wheels", notes, ret))
		return NULL;
	return cudasim_error_new(
		CUDASIM_E_NOTFOUND,
		"no CUDA %d toolkit found: set CUDASIM_TOOLKIT to its folder, or run "
		"`cudasim fetch-toolkit`; `cudasim doctor` lists the searched folders",
		TOOLKIT_MAJOR);
}

char *toolkit_cache_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (cache && *cache == '/')
		return text_format("%s/cudasim/toolkit-13.0", cache);
	return home && *home ? text_format("%s/.cache/cudasim/toolkit-13.0", home) : NULL;
}

struct toolkit_hints toolkit_hints_here(const struct places *places)
{
	return (struct toolkit_hints){
		.cudasim_toolkit = getenv("CUDASIM_TOOLKIT"),
		.cuda_home = getenv("CUDA_HOME"),
		.cuda_path = getenv("CUDA_PATH"),
		.path = getenv("PATH"),
		.usual = "/usr/local/cuda",
		.wheels = access(places->wheels, F_OK) ? NULL : places->wheels,
		.cache = toolkit_cache_folder(),
	};
}

void toolkit_fini(struct toolkit *toolkit)
{
	free(toolkit->root);
	free(toolkit->include);
	free(toolkit->cccl);
	free(toolkit->libdevice);
	free(toolkit->found_by);
	*toolkit = (struct toolkit){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "toolkit.h"

#include <ctype.h>
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
	char *tools = text_format("%s/bin", root);
	if (found.version < TOOLKIT_FIRST || found.version >= TOOLKIT_END)
		*why = text_format("%s: %s contains CUDA %u.%u, but CUDA " TOOLKIT_RANGE
				   " is needed",
				   found_by, root, found.version / 1000, found.version % 1000 / 10);
	else if (!found.libdevice)
		*why = text_format("%s: no nvvm/libdevice/libdevice.10.bc in %s", found_by, root);
	else if (access(header, R_OK))
		*why = text_format("%s: no headers of CCCL (cuda/std) in %s", found_by, root);
	else if (access(tools, X_OK))
		*why = text_format("%s: no folder bin in %s, without which clang refuses it",
				   found_by, root);
	else
		*ret = found;
	free(header);
	free(tools);
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

/* The wheels in the user's cache: those of the default version, else of the newest. */
static bool try_cache(const char *cache, struct words *notes, struct toolkit *ret)
{
	static const char found_by[] = "vendor's wheels";
	if (!cache)
		return false;
	char *root = text_format("%s/toolkit-%u.%u", cache, TOOLKIT_DEFAULT / 1000,
				 TOOLKIT_DEFAULT % 1000 / 10);
	bool done = try_hint(root, found_by, notes, ret);
	free(root);
	for (unsigned version = TOOLKIT_END; !done && version >= TOOLKIT_FIRST; version -= 10) {
		root = text_format("%s/toolkit-%u.%u", cache, version / 1000, version % 1000 / 10);
		done = !access(root, X_OK) && try_hint(root, found_by, notes, ret);
		free(root);
	}
	return done;
}

unsigned toolkit_version(const char *text)
{
	unsigned major, minor;
	char end;
	if (!text || !isdigit((unsigned char)*text) || strlen(text) > 5 ||
	    sscanf(text, "%u.%u%c", &major, &minor, &end) != 2 || minor > 99)
		return 0;
	char *plain = text_format("%u.%u", major, minor);
	bool same = !strcmp(text, plain);
	free(plain);
	return same ? major * 1000 + minor * 10 : 0;
}

/* The toolkits that cudasim was tried with, and their nvcc's third number (toolkit_wheels). */
static const struct {
	unsigned version, build;
} tried[] = {
	{12040, 131}, {12050, 82}, {12060, 85}, {12080, 93}, {12090, 86}, {13000, 88},
	{13010, 115}, {13020, 86}, {13030, 73}, {13040, 92}, {13050, 37},
};

bool toolkit_is_tried(unsigned version)
{
	for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
		if (tried[i].version == version)
			return true;
	return false;
}

unsigned toolkit_build(unsigned version)
{
	for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
		if (tried[i].version == version)
			return tried[i].build;
	return 0;
}

/* CUDASIM_TOOLKIT has to be right. */
static struct cudasim_error *find_named(const struct toolkit_hints *hints, struct toolkit *ret)
{
	const char *name = hints->cudasim_toolkit;
	char *root = toolkit_version(name) && access(name, F_OK)
			     ? text_format("%s/toolkit-%s", hints->cache ? hints->cache : "", name)
			     : text_copy(name);
	char *why = NULL;
	struct cudasim_error *error = NULL;
	if (!try_root(root, "CUDASIM_TOOLKIT", &why, ret)) {
		bool missing = strcmp(root, name) && access(root, F_OK);
		error = missing ? cudasim_error_new(CUDASIM_E_NOTFOUND,
						    "CUDASIM_TOOLKIT: no CUDA %s in %s; `cudasim "
						    "fetch-toolkit --version %s` fetches it",
						    name, hints->cache, name)
				: cudasim_error_new(CUDASIM_E_NOTFOUND, "%s", why);
	}
	free(root);
	free(why);
	return error;
}

struct cudasim_error *toolkit_find(const struct toolkit_hints *hints, struct words *notes,
				   struct toolkit *ret)
{
	*ret = (struct toolkit){0};
	if (hints->cudasim_toolkit && *hints->cudasim_toolkit)
		return find_named(hints, ret);
	if (try_hint(hints->cuda_home, "CUDA_HOME", notes, ret) ||
	    try_hint(hints->cuda_path, "CUDA_PATH", notes, ret) ||
	    (hints->path && try_path(hints->path, notes, ret)) ||
	    try_hint(hints->usual, "usual place", notes, ret) ||
	    try_hint(hints->wheels, "vendor's wheels beside", notes, ret) ||
	    try_cache(hints->cache, notes, ret))
		return NULL;
	return cudasim_error_new(
		CUDASIM_E_NOTFOUND,
		"no toolkit of CUDA " TOOLKIT_RANGE
		" found: set CUDASIM_TOOLKIT to its folder, or run "
		"`cudasim fetch-toolkit`; `cudasim doctor` lists the searched folders");
}

char *toolkit_cache_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (cache && *cache == '/')
		return text_format("%s/cudasim", cache);
	return home && *home ? text_format("%s/.cache/cudasim", home) : NULL;
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

struct cudasim_error *toolkit_print_release(const char *about)
{
	struct places places;
	struct cudasim_error *error = places_find(&places);
	if (error)
		return error;
	struct toolkit_hints hints = toolkit_hints_here(&places);
	struct toolkit toolkit;
	unsigned version = TOOLKIT_DEFAULT;
	error = toolkit_find(&hints, NULL, &toolkit);
	if (!error)
		version = toolkit.version;
	cudasim_error_free(error);
	toolkit_fini(&toolkit);
	free((char *)hints.cache);
	places_fini(&places);
	unsigned major = version / 1000, minor = version % 1000 / 10;
	printf("%s\nCuda compilation tools, release %u.%u, V%u.%u.%u\n", about, major, minor, major,
	       minor, toolkit_build(version));
	return NULL;
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

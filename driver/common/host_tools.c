/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "host_tools.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "words.h"

bool host_tools_is_cudasim(const char *path)
{
	char *real = realpath(path, NULL), *self = realpath("/proc/self/exe", NULL);
	bool ret = real && self && !strcmp(real, self);
	free(real);
	free(self);
	return ret;
}

char *host_tools_which(const char *name)
{
	const char *path = getenv("PATH");
	struct words folders = {0};
	words_split(&folders, path ? path : "/usr/bin:/bin", ':');
	char *found = NULL;
	for (size_t i = 0; i < folders.n && !found; i++) {
		char *candidate = text_format("%s/%s", folders.at[i], name);
		if (!access(candidate, X_OK) && !host_tools_is_cudasim(candidate))
			found = candidate;
		else
			free(candidate);
	}
	words_fini(&folders);
	return found;
}

/* The last file that one of the patterns matches: the highest version. */
static char *last_match(const char *const *patterns)
{
	for (; *patterns; patterns++) {
		glob_t found;
		char *path = NULL;
		if (!glob(*patterns, 0, NULL, &found) && found.gl_pathc)
			path = text_copy(found.gl_pathv[found.gl_pathc - 1]);
		globfree(&found);
		if (path)
			return path;
	}
	return NULL;
}

/* The folder of the file that last_match() finds. */
static char *folder_of_last(const char *const *patterns)
{
	char *path = last_match(patterns), *slash = path ? strrchr(path, '/') : NULL;
	if (slash)
		*slash = 0;
	return path;
}

/* The library of our clang if it is there, else another LLVM's: the interface to
 * compiled code only grows, and keeps its number 5. */
static void find_openmp(const char *bundle, struct host_tools *ret)
{
	static const char *const libraries[] = {
		"/usr/lib/llvm-" CUDASIM_LLVM "/lib/libomp.so",
		"/usr/lib/llvm-*/lib/libomp.so",
		"/usr/lib/*/libomp.so.5",
		NULL,
	};
	static const char *const own_header[] = {
		"/usr/lib/llvm-" CUDASIM_LLVM "/lib/clang/" CUDASIM_LLVM "/include/omp.h", NULL};
	static const char *const headers[] = {
		"/usr/lib/llvm-*/lib/clang/*/include/omp.h",
		NULL,
	};
	static const char *const gcc_headers[] = {"/usr/lib/gcc/*/*/include/omp.h", NULL};
	/* Of the tools that cudasim brings along it lies beside libcudasim, its header among clang's. */
	char *brought = text_format("%s/../../../libomp.so.5", bundle);
	ret->openmp_library = realpath(brought, NULL);
	free(brought);
	char *own = ret->openmp_library ? text_copy("") : last_match(own_header);
	if (!ret->openmp_library)
		ret->openmp_library = last_match(libraries);
	/* Only omp.h may come from there, so it gets a folder of its own by way of
	 * -idirafter: every other header is found before. */
	if (!own)
		ret->openmp_include = folder_of_last(headers);
	/* -idirafter here as well. */
	ret->gcc_include = folder_of_last(gcc_headers);
	free(own);
}

/* The name that runs a program on PATH, or without one the path of clang. */
static char *name_or_clang(const char *name, const char *clang)
{
	char *path = host_tools_which(name);
	char *ret = text_copy(path ? name : clang);
	free(path);
	return ret;
}

struct cudasim_error *host_tools_find(const char *bundle, struct host_tools *ret)
{
	char *brought = text_format("%s/clang++-" CUDASIM_LLVM, bundle);
	*ret = (struct host_tools){.clang = access(brought, X_OK)
						    ? host_tools_which("clang++-" CUDASIM_LLVM)
						    : text_copy(brought)};
	free(brought);
	if (!ret->clang)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "clang++-" CUDASIM_LLVM
					 " is not on PATH (Debian's package clang-" CUDASIM_LLVM
					 ")");
	ret->host_c = name_or_clang("gcc", ret->clang);
	ret->host_cxx = name_or_clang("g++", ret->clang);
	find_openmp(bundle, ret);
	return NULL;
}

static void leave_audit(void)
{
	static const char ours[] = "/libcudasim-redirect.so";
	const char *list = getenv("LD_AUDIT");
	struct words all = {0}, others = {0};
	if (!list || !strstr(list, ours))
		return;
	words_split(&all, list, ':');
	for (size_t i = 0; i < all.n; i++)
		if (!text_ends(all.at[i], ours))
			words_add(&others, all.at[i]);
	char *rest = text_copy(others.n ? others.at[0] : "");
	for (size_t i = 1; i < others.n; i++) {
		char *longer = text_format("%s:%s", rest, others.at[i]);
		free(rest);
		rest = longer;
	}
	if (others.n)
		setenv("LD_AUDIT", rest, 1);
	else
		unsetenv("LD_AUDIT");
	free(rest);
	words_fini(&all);
	words_fini(&others);
}

void host_tools_enter(const char *bundle)
{
	leave_audit();
	const char *path = getenv("PATH");
	if (access(bundle, X_OK))
		return;
	char *longer = text_format("%s:%s", path ? path : "/usr/bin:/bin", bundle);
	setenv("PATH", longer, 1);
	free(longer);
}

void host_tools_fini(struct host_tools *tools)
{
	free(tools->clang);
	free(tools->host_c);
	free(tools->host_cxx);
	free(tools->openmp_library);
	free(tools->openmp_include);
	free(tools->gcc_include);
	*tools = (struct host_tools){0};
}

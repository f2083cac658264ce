/* SPDX-License-Identifier: Apache-2.0 */
/* redirect.c - an auditor of the dynamic linker (rtld-audit(7)), which `cudasim run` names in
 * LD_AUDIT: who asks for one of NVIDIA's libraries, by its name or by a path of whichever folder, is
 * given cudasim's of that name. Which these are says the folder cudasim/names beside libcudasim.
 *
 * It is loaded into a namespace of its own in each process below `cudasim run`, so it needs libc
 * alone. Rejected: LD_LIBRARY_PATH alone, since Python's packages open NVIDIA's libraries from their
 * own wheels by absolute paths, and DT_RPATH comes before it; preloading ours, since a path of another
 * file is another library to the linker; a dlopen() of our own in front of libc's, which sees nothing
 * of the libraries that others need. */
#define _GNU_SOURCE
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static char names[PATH_MAX]; /* the folder */

/* Installed beside libcudasim, or in a folder of the build tree. */
static int find_names(void)
{
	static const char *const places[] = {"cudasim/names", "../../sim/cudasim/names"};
	/* dladdr() in an auditor crashes before glibc 2.32; the list that it was loaded by says the same. */
	static const char file[] = "/libcudasim-redirect.so";
	const char *list = getenv("LD_AUDIT"), *end = list ? strstr(list, file) : NULL;
	if (!end)
		return 0;
	const char *start = end;
	while (start > list && start[-1] != ':')
		start--;
	char path[PATH_MAX];
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (snprintf(path, sizeof path, "%.*s/%s", (int)(end - start), start, places[i]) <
			    (int)sizeof path &&
		    realpath(path, names))
			return 1;
	return 0;
}

/* 0: the linker goes on without it, as where a program below wants a GPU. */
EXPORT unsigned la_version(unsigned version);
unsigned la_version(unsigned version)
{
	const char *mode = getenv("CUDASIM");
	if ((mode && !strcmp(mode, "0")) || !find_names())
		return 0;
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag);
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
	/* The linker copies it before it asks again, and asks one thread at a time. */
	static char ours[PATH_MAX];
	char link[PATH_MAX];
	const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
	(void)cookie;
	/* The file itself: tools know libcudasim by its name. */
	if (flag == LA_SER_ORIG && (!strncmp(file, "libcu", 5) || !strncmp(file, "libnv", 5)) &&
	    snprintf(link, sizeof link, "%s/%s", names, file) < (int)sizeof link &&
	    realpath(link, ours))
		return ours;
	return (char *)(uintptr_t)name;
}

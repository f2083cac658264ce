/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "front.h"

bool front_find(const struct request *request, struct front_words *ret)
{
	*ret = (struct front_words){0};
	for (size_t i = 1; i + 2 < request->n_words; i++) {
		if (!strcmp(request->words[i], "-o"))
			ret->output = i;
		else if (!strcmp(request->words[i], "-include-pch"))
			ret->header = i;
		else if (!strcmp(request->words[i], "-ivfsoverlay"))
			return false; /* shows what this program alone has */
	}
	/* -Xclang -include-pch -Xclang FILE */
	return ret->output && ret->header && ret->header + 3 < request->n_words;
}

/* Variables that say nothing to clang, or are asked for anew by each request. */
static bool is_left_out(const char *variable)
{
	static const char *const names[] = {"CC_PRINT_", "PWD=", "OLDPWD=", "_=", SERVE_VARIABLE};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(variable, names[i], strlen(names[i])))
			return true;
	return false;
}

static bool add_folder(FILE *out, int folder)
{
	char link[64], path[PATH_MAX];
	snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
	ssize_t n = readlink(link, path, sizeof path);
	return n > 0 && n < (ssize_t)sizeof path && fwrite(path, 1, (size_t)n, out) == (size_t)n;
}

/* The precompiled header lies elsewhere each time. */
static bool add_content(FILE *out, const struct request *request, const char *path)
{
	int fd = openat(request->fds[SERVE_FOLDER], path, O_RDONLY | O_CLOEXEC);
	struct stat about;
	void *bytes = MAP_FAILED;
	if (fd >= 0 && !fstat(fd, &about) && about.st_size > 0)
		bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (bytes == MAP_FAILED)
		return false;
	XXH128_hash_t hash = XXH3_128bits(bytes, (size_t)about.st_size);
	munmap(bytes, (size_t)about.st_size);
	return fprintf(out, "\n%016llx%016llx", (unsigned long long)hash.high64,
		       (unsigned long long)hash.low64) > 0;
}

char *front_key(const struct request *request)
{
	struct front_words at;
	if (!front_find(request, &at))
		return NULL;
	char *ret = NULL;
	size_t n;
	FILE *out = open_memstream(&ret, &n);
	if (!out)
		return NULL;
	bool whole = add_folder(out, request->fds[SERVE_FOLDER]) &&
		     add_content(out, request, request->words[at.header + 2]);
	for (size_t i = 0; i + 1 < request->n_words; i++)
		if (i != at.output + 1 && i != at.header + 2)
			fprintf(out, "\n%s", request->words[i]);
	for (char **v = request->variables; *v; v++)
		if (!is_left_out(*v))
			fprintf(out, "\n%s", *v);
	if (fclose(out) || !whole) {
		free(ret);
		return NULL;
	}
	return ret;
}

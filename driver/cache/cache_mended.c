/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cache_mended.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache_result.h"
#include "cache_trust.h"
#include "headers.h"
#include "words.h"

enum { MAX_PATHS = 500 };

static void read_paths(const char *path, struct words *ret)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	while (file && ret->n < MAX_PATHS && getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (*line == '/' && !words_have(ret, line))
			words_add(ret, line);
	}
	free(line);
	if (file)
		fclose(file);
}

static void write_paths(const char *path, const struct words *paths)
{
	char *text;
	size_t n;
	FILE *file = open_memstream(&text, &n);
	for (size_t i = 0; file && i < paths->n; i++)
		fprintf(file, "%s\n", paths->at[i]);
	if (!file || fclose(file))
		return;
	cudasim_error_free(cache_write(path, text, n));
	free(text);
}

void cache_mended_fetch(const char *folder, const char *temporary)
{
	char *from = text_format("%s/mended", folder),
	     *to = text_format("%s/" HEADERS_MENDED, temporary);
	struct words paths = {0};
	if (cache_file_is_own(from))
		read_paths(from, &paths);
	if (paths.n)
		write_paths(to, &paths);
	words_fini(&paths);
	free(from);
	free(to);
}

void cache_mended_keep(const char *folder, const char *temporary)
{
	char *from = text_format("%s/" HEADERS_MENDED_NOW, temporary),
	     *to = text_format("%s/mended", folder);
	struct words paths = {0};
	read_paths(from, &paths);
	if (paths.n && cache_file_is_own(to)) {
		read_paths(to, &paths);
		write_paths(to, &paths);
	}
	words_fini(&paths);
	free(from);
	free(to);
}

void cache_mended_clear(const char *folder)
{
	char *path = text_format("%s/mended", folder);
	unlink(path);
	free(path);
}

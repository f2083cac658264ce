/* SPDX-License-Identifier: Apache-2.0 */
/* report_place.c - the compiler's names of files, which are relative to where it ran, as absolute
 * paths, and these as URIs. */
#define _GNU_SOURCE
#include "report_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "must.h"
#include "sarif.h"

static char root[PLACE_PATH], *real_root;

enum { PLACES = 32 }; /* of a stack */

/* file in folder, without empty parts, . and ..; "" where it does not fit. */
static void put_path(char ret[PLACE_PATH], const char *folder, const char *file)
{
	char text[PLACE_PATH];
	int n = *file == '/' ? snprintf(text, sizeof text, "%s", file)
			     : snprintf(text, sizeof text, "%s/%s", folder, file);
	size_t size = 0;
	*ret = '\0';
	if (n >= (int)sizeof text)
		return;
	char *rest = text;
	for (char *part; (part = strsep(&rest, "/"));) {
		if (!*part || !strcmp(part, "."))
			continue;
		if (!strcmp(part, "..")) {
			while (size && ret[--size] != '/')
				;
			ret[size] = '\0';
			continue;
		}
		size += (size_t)sprintf(ret + size, "/%s", part);
	}
	if (!size)
		strcpy(ret, "/");
}

const char *place_root(const char *folder)
{
	char here[PLACE_PATH];
	put_path(root, getcwd(here, sizeof here) ? here : "/", folder);
	if (!(real_root = realpath(root, NULL)))
		real_root = root;
	return root;
}

/* What follows folder and '/' in path; NULL where path is not below it. */
static const char *below(const char *folder, const char *path)
{
	size_t n = strlen(folder);
	n -= n == 1; /* of "/" */
	return !strncmp(path, folder, n) && path[n] == '/' ? path + n + 1 : NULL;
}

char *place_uri(const char *file, bool *is_below)
{
	const char *rest = below(root, file);
	char *ret, *real = rest ? NULL : realpath(file, NULL);
	if (real)
		rest = below(real_root, real);
	*is_below = rest;
	char *uri = must(sarif_uri(rest ? rest : file));
	free(real);
	if (rest || !*file)
		return uri;
	if (asprintf(&ret, "file://%s", uri) < 0)
		must_fail();
	free(uri);
	return ret;
}

char *place_line(const struct place *p)
{
	FILE *in = p->line ? fopen(p->file, "re") : NULL;
	char *line = NULL;
	size_t size = 0;
	ssize_t n = 0;
	for (unsigned i = 0; in && n >= 0 && i < p->line; i++)
		n = getline(&line, &size, in);
	if (in)
		fclose(in);
	if (!in || n < 0) {
		free(line);
		return must(strdup(""));
	}
	char *text = line + strspn(line, " \t");
	n = (ssize_t)strlen(text);
	while (n && strchr(" \t\r\n", text[n - 1]))
		n--;
	char *ret = must(strndup(text, (size_t)n));
	free(line);
	return ret;
}

/* ---- where ----------------------------------------------------------------- */

/* A relative name is of the folder in which the code at pc was compiled; where nobody knows that, or
 * no such file is there, of the root or of this process's folder. */
static void put_file(struct place *ret, const char *file, uint64_t pc)
{
	char folder[PLACE_PATH], here[PLACE_PATH], first[PLACE_PATH] = "";
	const char *folders[3] = {NULL, root, NULL};
	if (pc && *file != '/' && backtrace_folder(pc, folder, sizeof folder))
		folders[0] = folder;
	if (getcwd(here, sizeof here))
		folders[2] = here;
	for (int i = 0; i < 3; i++) {
		if (!folders[i])
			continue;
		put_path(ret->file, folders[i], file);
		if (*file == '/' || !access(ret->file, F_OK))
			return;
		if (!*first)
			strcpy(first, ret->file);
	}
	strcpy(ret->file, first);
}

/* False where the symbol has no line. */
static bool put_symbol(struct place *ret, const struct cudasim_symbol *s, uint64_t pc)
{
	*ret = (struct place){.line = s->line};
	snprintf(ret->function, sizeof ret->function, "%s", s->function);
	if (!*s->file || !s->line)
		return false;
	put_file(ret, s->file, pc);
	return *ret->file;
}

bool place_of_side(const struct finding_side *side, const uint64_t *device_frames,
		   struct place *ret)
{
	struct cudasim_symbol symbol;
	const struct cudasim_site *s = side->site;
	uint64_t pc = device_frames && device_frames[0] ? device_frames[0] - 1 : 0;
	*ret = (struct place){0};
	if (!s || !s->line)
		return pc && backtrace_places(pc, &symbol, 1) && put_symbol(ret, &symbol, pc);
	if (!pc && side->kernel)
		pc = (uint64_t)(uintptr_t)side->kernel->entry[CUDASIM_BODY_WATCHED];
	ret->line = s->line;
	ret->column = s->column;
	snprintf(ret->function, sizeof ret->function, "%s", s->function);
	put_file(ret, s->file, pc);
	return *ret->file;
}

struct place *place_device_stack(const uint64_t *frames, bool inlined, size_t *n)
{
	struct cudasim_symbol symbols[PLACES];
	struct place *ret = must(calloc(PLACES, sizeof *ret));
	size_t n_symbols = backtrace_device(frames, inlined, symbols, PLACES);
	*n = 0;
	for (size_t i = 0; i < n_symbols; i++)
		if (put_symbol(&ret[*n], &symbols[i], frames[0] - 1))
			++*n;
	return ret;
}

struct place *place_host_stack(const uint64_t *frames, size_t *n)
{
	enum { INLINED = 8 };
	struct cudasim_symbol symbols[INLINED];
	struct place *ret = must(calloc(PLACES, sizeof *ret));
	bool is_main = false;
	*n = 0;
	for (int i = 0; i < BACKTRACE_MAX && frames[i] && !is_main; i++) {
		size_t n_symbols = backtrace_places(frames[i] - 1, symbols, INLINED);
		for (size_t k = 0; k < n_symbols && *n < PLACES; k++) {
			is_main = is_main || !strcmp(symbols[k].function, "main");
			if (!backtrace_is_stub(symbols[k].function) &&
			    put_symbol(&ret[*n], &symbols[k], frames[i] - 1))
				++*n;
		}
	}
	return ret;
}

bool place_of_host(const uint64_t *frames, struct place *ret)
{
	size_t n, best = 0;
	struct place *places = place_host_stack(frames, &n);
	bool is_below = false;
	for (size_t i = 0; i < n && !is_below; i++) {
		free(place_uri(places[i].file, &is_below));
		if (is_below)
			best = i;
	}
	if (n)
		*ret = places[best];
	else
		*ret = (struct place){0};
	free(places);
	return n;
}

void place_of_program(struct place *ret)
{
	/* GitHub takes no location without a line. */
	*ret = (struct place){.line = 1};
	ssize_t n = readlink("/proc/self/exe", ret->file, sizeof ret->file - 1);
	ret->file[n < 0 ? 0 : n] = '\0';
}

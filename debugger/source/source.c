/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - lines of source files, and the place that `list` goes on from.
 *
 * A file is mapped whole when it is first asked for and cut into lines once. A
 * name that the compiler was given is looked for as the debug information
 * locates it, then along the directories of `directory`, then from the working
 * directory. */
#define _GNU_SOURCE
#include "source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "error.h"
#include "source_list.h"
#include "source_state.h"
#include "symbols.h"

/* ---- files -------------------------------------------------------------------- */

struct file_text {
	struct file_text *next;
	char *name, *path; /* path NULL: it cannot be read */
	char *text;
	const char **lines; /* n_lines + 1 */
	uint32_t n_lines;
	bool was_missed;
};

void source_directories_set(const char *text)
{
	struct source_texts *own = &source_state()->texts;
	free(own->directories);
	own->directories = text && *text ? strdup(text) : NULL;
	while (own->files) {
		/* Lines that were handed out stay: only what was not found is looked for again. */
		struct file_text **at = &own->files;
		while (*at && (*at)->path)
			at = &(*at)->next;
		if (!*at)
			break;
		struct file_text *missed = *at;
		*at = missed->next;
		free(missed->name);
		free(missed);
	}
}

const char *source_directories(void)
{
	struct source_texts *own = &source_state()->texts;
	return own->directories ? own->directories : "";
}

struct search {
	const char *name, *path;
};

static void match(void *user, const char *file, const char *path)
{
	struct search *search = user;
	if (!search->path && path && (!strcmp(file, search->name) || !strcmp(path, search->name)))
		search->path = path;
}

const char *source_path(const char *name)
{
	struct search search = {.name = name};
	symbols_each_file(match, &search);
	return search.path ? search.path : name;
}

static char *read_whole(const char *path, size_t *ret_size)
{
	struct stat status;
	FILE *in = fopen(path, "re");
	char *text = NULL;
	if (!in)
		return NULL;
	if (!fstat(fileno(in), &status) && S_ISREG(status.st_mode))
		text = malloc((size_t)status.st_size + 1);
	if (text) {
		*ret_size = fread(text, 1, (size_t)status.st_size, in);
		text[*ret_size] = 0;
	}
	fclose(in);
	return text;
}

/* dir/name, and dir/base where the name has folders of its own. */
static char *try_directory(const char *dir, size_t n, const char *name, size_t *size,
			   char **ret_path)
{
	const char *slash = strrchr(name, '/');
	const char *tails[] = {*name == '/' ? NULL : name, slash ? slash + 1 : NULL};
	for (size_t i = 0; i < 2; i++) {
		char *path = NULL, *text = NULL;
		if (!tails[i])
			continue;
		if (asprintf(&path, "%.*s/%s", (int)n, dir, tails[i]) < 0)
			return NULL;
		if ((text = read_whole(path, size))) {
			*ret_path = path;
			return text;
		}
		free(path);
	}
	return NULL;
}

static char *find_text(const char *name, size_t *size, char **ret_path)
{
	const char *path = source_path(name);
	char *text = read_whole(path, size);
	if (text) {
		*ret_path = strdup(path);
		return text;
	}
	for (const char *dir = source_state()->texts.directories; dir && *dir;) {
		size_t n = strcspn(dir, ":");
		if (n && *dir != '$' && (text = try_directory(dir, n, name, size, ret_path)))
			return text;
		dir += n + (dir[n] == ':');
	}
	if ((text = read_whole(name, size)))
		*ret_path = strdup(name);
	return text ? text : try_directory(".", 1, name, size, ret_path);
}

static void cut(struct file_text *file, size_t size)
{
	size_t n = 0;
	for (size_t i = 0; i < size; i++)
		n += file->text[i] == '\n';
	n += size && file->text[size - 1] != '\n';
	file->lines = malloc((n + 1) * sizeof *file->lines);
	if (!file->lines)
		return;
	const char *at = file->text, *end = file->text + size;
	for (size_t i = 0; i < n; i++) {
		file->lines[i] = at;
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		at = newline ? newline + 1 : end + 1;
	}
	file->lines[n] = at;
	file->n_lines = (uint32_t)n;
}

static struct file_text *file_of(const char *name)
{
	struct source_texts *own = &source_state()->texts;
	struct file_text *file = own->files;
	size_t size = 0;
	while (file && strcmp(file->name, name))
		file = file->next;
	if (file)
		return file;
	file = calloc(1, sizeof *file);
	if (!file || !(file->name = strdup(name))) {
		free(file);
		return NULL;
	}
	file->text = find_text(name, &size, &file->path);
	if (file->text)
		cut(file, size);
	file->next = own->files;
	own->files = file;
	return file;
}

const char *source_line(const char *path, uint32_t line, size_t *ret_length)
{
	const struct file_text *file = file_of(path);
	if (!file || !line || line > file->n_lines)
		return NULL;
	const char *text = file->lines[line - 1];
	size_t length = (size_t)(file->lines[line] - 1 - text);
	if (length && text[length - 1] == '\r')
		length--;
	*ret_length = length;
	return text;
}

uint32_t source_n_lines(const char *path)
{
	const struct file_text *file = file_of(path);
	return file ? file->n_lines : 0;
}

const char *source_found(const char *name)
{
	const struct file_text *file = file_of(name);
	return file ? file->path : NULL;
}

/* ---- the place --------------------------------------------------------------------- */

const struct list_place *list_place(void)
{
	return &source_state()->texts.place;
}

void source_place_set(const char *file, uint32_t line)
{
	uint32_t around = source_state()->list_size / 2;
	source_state()->texts.place = (struct list_place){.file = file,
							  .next = line > around ? line - around : 1,
							  .first = line,
							  .last = line,
							  .is_fresh = true,
							  .focus = line};
}

const char *source_place(uint32_t *ret_line)
{
	struct source_texts *own = &source_state()->texts;
	*ret_line = own->place.file ? own->place.last : 0;
	return own->place.file;
}

/* ---- printing ---------------------------------------------------------------------- */

/* A file that is not there is told of once, then by its name behind each number. */
static bool print_missing(FILE *out, struct file_text *file, const char *name, uint32_t line)
{
	if (file && file->path)
		return false;
	if (!file || file->was_missed)
		fprintf(out, "%u\tin %s\n", line, name);
	else
		fprintf(out, "%u\t%s: No such file or directory.\n", line, name);
	if (file)
		file->was_missed = true;
	return true;
}

uint32_t source_print(FILE *out, const char *name, uint32_t from, uint32_t to)
{
	struct file_text *file = file_of(name);
	if (print_missing(out, file, name, from))
		return from;
	for (uint32_t line = from; line <= to; line++) {
		size_t length = 0;
		const char *text = source_line(name, line, &length);
		if (!text)
			return line - 1;
		fprintf(out, "%u\t%.*s\n", line, (int)length, text);
	}
	return to;
}

struct cudasim_error *list_lines(FILE *out, const char *file, uint32_t from, uint32_t to)
{
	struct source_texts *own = &source_state()->texts;
	uint32_t n = source_n_lines(file);
	if (source_found(file) && from > n)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "Line number %u out of range; \"%s\" has %u lines.", from,
					 file, n);
	uint32_t last = source_print(out, file, from, to);
	uint32_t focus = own->place.file && !strcmp(own->place.file, file) ? own->place.focus : 0;
	own->place = (struct list_place){
		.file = file, .next = last + 1, .first = from, .last = last, .focus = focus};
	return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* jit_link.c - the pieces lie as files in a folder of their own, in which the compiler runs, so
 * that neither messages nor the compiler's cache know where that folder is. */
#define _GNU_SOURCE
#include "jit_link.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

#define FILE_START "ptx-input-"

/* The words of a command line; the strings between `own` and the end are its own. */
struct line {
	char **at;
	size_t n, own;
};

static bool write_piece(const char *folder, const char *file, const struct jit_piece *piece)
{
	char *path = NULL;
	if (asprintf(&path, "%s/%s", folder, file) < 0)
		return false;
	FILE *out = fopen(path, "we");
	bool written = out && fwrite(piece->data, 1, piece->size, out) == piece->size;
	if (out)
		written &= !fclose(out);
	free(path);
	return written;
}

/* Files' names in messages become the pieces' own. */
static char *tell(const char *said, const struct jit_piece *pieces, size_t n)
{
	char *ret = NULL;
	size_t size, start = strlen(FILE_START);
	FILE *out = open_memstream(&ret, &size);
	while (out && *said) {
		char *end = NULL;
		size_t i = strncmp(said, FILE_START, start) ? n : strtoul(said + start, &end, 10);
		if (i < n && end > said + start && *end == '.' &&
		    !strncmp(end + 1, pieces[i].ending, strlen(pieces[i].ending))) {
			fputs(pieces[i].name ? pieces[i].name : "application ptx input", out);
			said = end + 1 + strlen(pieces[i].ending);
		} else {
			fputc(*said++, out);
		}
	}
	if (!out || fclose(out))
		return NULL;
	if (size && ret[size - 1] == '\n')
		ret[size - 1] = 0;
	return ret;
}

static enum jit_result run(char **words, const char *folder, const struct jit_piece *pieces,
			   size_t n, char **image, size_t *n_image, char **log)
{
	char *said = NULL, *log_path = NULL, *image_path = NULL;
	enum jit_result result = JIT_NOMEM;
	if (asprintf(&log_path, "%s/log", folder) < 0)
		log_path = NULL;
	if (asprintf(&image_path, "%s/image", folder) < 0)
		image_path = NULL;
	if (!log_path || !image_path)
		goto end;
	int status = compiler_run(words, folder, log_path);
	result = JIT_NO_COMPILER;
	said = compiler_read_text(log_path);
	if (status < 0 || status == 127 || !said)
		goto end;
	*log = tell(said, pieces, n);
	result = !*log ? JIT_NOMEM : status ? JIT_FAILED : JIT_DONE;
	if (!result && image) {
		*image = compiler_read_file(image_path, n_image);
		result = *image ? JIT_DONE : JIT_NOMEM;
	}
end:
	free(said);
	free(log_path);
	free(image_path);
	return result;
}

static bool make_line(const char *const *options, bool only_looks, const struct jit_piece *pieces,
		      size_t n, struct line *ret)
{
	enum { MOST_OTHERS = 6 }; /* words beside options and files */
	size_t n_options = 0;
	while (options[n_options])
		n_options++;
	*ret = (struct line){.at = calloc(n_options + n + MOST_OTHERS + 1, sizeof *ret->at)};
	if (!ret->at || !(ret->at[0] = compiler_find()))
		return false;
	ret->at[1] = "cc";
	ret->at[2] = "-dlink";
	ret->at[3] = only_looks ? "-fdevice-syntax-only" : "-w";
	ret->at[4] = "-o";
	ret->at[5] = "image";
	memcpy(ret->at + MOST_OTHERS, options, n_options * sizeof *options);
	ret->n = ret->own = MOST_OTHERS + n_options;
	for (size_t i = 0; i < n; i++) {
		if (asprintf(&ret->at[ret->n], FILE_START "%zu.%s", i, pieces[i].ending) < 0)
			return ret->at[ret->n] = NULL, false;
		ret->n++;
	}
	return true;
}

enum jit_result jit_link(const char *const *options, const struct jit_piece *pieces, size_t n,
			 char **image, size_t *n_image, char **log)
{
	const char *tmp = getenv("TMPDIR");
	struct line line;
	char *folder = NULL;
	*log = NULL;
	bool ready = make_line(options, !image, pieces, n, &line);
	if (ready && asprintf(&folder, "%s/cudasim-ptx-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
		folder = NULL;
	bool made = ready && folder && mkdtemp(folder);
	for (size_t i = 0; i < n && made && ready; i++)
		ready = write_piece(folder, line.at[line.own + i], &pieces[i]);
	enum jit_result result = made && ready
					 ? run(line.at, folder, pieces, n, image, n_image, log)
					 : JIT_NOMEM;
	if (made)
		compiler_remove_folder(folder);
	for (size_t i = line.own; line.at && i < line.n; i++)
		free(line.at[i]);
	if (line.at)
		free(line.at[0]);
	free(line.at);
	free(folder);
	return result;
}

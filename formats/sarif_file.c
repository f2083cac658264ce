/* SPDX-License-Identifier: Apache-2.0 */
/* sarif_file.c - the file of SARIF: a head, one line for each result, and what closes both.
 *
 * A result goes where the closing text stands. Writing the file anew and renaming it would be
 * whole without the mending below, but costs the whole file for each result, and leaves copies
 * where a process is killed. */
#define _GNU_SOURCE
#include "sarif.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
static const char open_results[] = "\"results\":[";
static const char closing[] = "\n]}]}\n";

char *sarif_uri(const char *path)
{
	char *ret = malloc(3 * strlen(path) + 1), *to = ret;
	if (!ret)
		return NULL;
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;
		if (c < 0x80 && (isalnum(c) || strchr("-._~/", c)))
			*to++ = (char)c;
		else
			to += sprintf(to, "%%%02X", c);
	}
	*to = '\0';
	return ret;
}

/* A heading's anchor: small letters, and '-' for blanks. */
static void write_anchor(FILE *out, const char *section)
{
	for (; *section; section++)
		fputc(*section == ' ' ? '-' : tolower((unsigned char)*section), out);
}

static void write_rule(FILE *out, const struct sarif_rule *r)
{
	fprintf(out,
		"{\"id\":\"%s\",\"shortDescription\":{\"text\":\"%s\"},"
		"\"help\":{\"text\":\"%s Reported by %s; see '%s' in docs/CHECKERS.md.\"},",
		r->kind, r->what, r->what, r->tool, r->section);
	if (*CUDASIM_DOCS_URI) {
		fputs("\"helpUri\":\"" CUDASIM_DOCS_URI "/CHECKERS.md#", out);
		write_anchor(out, r->section);
		fputs("\",", out);
	}
	fprintf(out, "\"properties\":{\"tags\":[\"%s\"]}}", r->tool);
}

static void write_head(FILE *out, const char *root_uri)
{
	fputs("{\"$schema\":\"" SCHEMA "\",\"version\":\"2.1.0\",\"runs\":[{\n"
	      "\"tool\":{\"driver\":{\"name\":\"cudasim check\",\"version\":\"" CUDASIM_VERSION
	      "\",\"rules\":[\n",
	      out);
	for (size_t i = 0; i < sarif_n_rules; i++) {
		write_rule(out, &sarif_rules[i]);
		fputs(i + 1 < sarif_n_rules ? ",\n" : "\n]}},\n", out);
	}
	fprintf(out,
		"\"originalUriBaseIds\":{\"%%SRCROOT%%\":{\"uri\":\"file://%s%s\"}},\n"
		"\"columnKind\":\"unicodeCodePoints\",\n%s%s",
		root_uri, root_uri[strlen(root_uri) - 1] == '/' ? "" : "/", open_results, closing);
}

struct cudasim_error *sarif_begin(const char *path, const char *root)
{
	char *uri = sarif_uri(root);
	if (!uri)
		return &cudasim_error_nomem;
	struct cudasim_error *error = NULL;
	struct stat about;
	FILE *out = NULL;
	if (!stat(path, &about) && !S_ISREG(about.st_mode))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "cannot write '%s': SARIF needs an ordinary file", path);
	else if (!(out = fopen(path, "we")))
		error = cudasim_error_errno(errno, "cannot write '%s'", path);
	if (out) {
		write_head(out, uri);
		bool failed = ferror(out);
		if (fclose(out) || failed)
			error = cudasim_error_errno(errno, "cannot write '%s'", path);
	}
	free(uri);
	return error;
}

/* ---- adding ---------------------------------------------------------------- */

/* Is the line an object of JSON from its first to its last brace? */
static bool is_whole(const char *line, size_t n)
{
	int depth = 0;
	bool in_text = false;
	for (size_t i = 0; i < n && *line == '{'; i++) {
		if (in_text && line[i] == '\\')
			i++;
		else if (line[i] == '"')
			in_text = !in_text;
		else if (!in_text && (line[i] == '{' || line[i] == '}'))
			depth += line[i] == '{' ? 1 : -1;
		if (!depth && !in_text)
			return i + 1 == n;
	}
	return false;
}

/* Where the results end in a file whose end is torn; 0 where none can begin. */
static size_t end_of_results(const char *text, size_t n)
{
	const size_t head = sizeof open_results - 1;
	const char *begin = memmem(text, n, open_results, head);
	if (!begin)
		return 0;
	size_t ret = (size_t)(begin - text) + head, line = ret + 1;
	while (line < n && text[line - 1] == '\n') {
		const char *newline = memchr(text + line, '\n', n - line);
		size_t end = newline ? (size_t)(newline - text) : n, length = end - line;
		length -= length && text[line + length - 1] == ',';
		if (!is_whole(text + line, length))
			break;
		ret = line + length;
		line = end + 1;
	}
	return ret;
}

/* Where the next result goes, and the character before. */
static struct cudasim_error *find_end(int file, const char *path, off_t *ret, char *before)
{
	char end[sizeof closing]; /* with the character before */
	struct stat about;
	if (fstat(file, &about))
		return cudasim_error_errno(errno, "cannot read '%s'", path);
	size_t size = (size_t)about.st_size;
	*ret = about.st_size - (off_t)(sizeof closing - 1);
	if (size >= sizeof end && pread(file, end, sizeof end, *ret - 1) == (ssize_t)sizeof end &&
	    !memcmp(end + 1, closing, sizeof closing - 1)) {
		*before = end[0];
		return NULL;
	}
	char *text = malloc(size + 1);
	if (!text)
		return &cudasim_error_nomem;
	struct cudasim_error *error = NULL;
	size_t at = pread(file, text, size, 0) == (ssize_t)size ? end_of_results(text, size) : 0;
	if (!at)
		error = cudasim_error_new(CUDASIM_E_FORMAT,
					  "'%s' is no file of cudasim check --sarif", path);
	else
		*before = text[at - 1];
	*ret = (off_t)at;
	free(text);
	return error;
}

static struct cudasim_error *add_to(int file, const char *path, const char *result)
{
	off_t at = 0;
	char before = 0, *line = NULL;
	struct cudasim_error *error = find_end(file, path, &at, &before);
	if (error)
		return error;
	int n = asprintf(&line, "%s%s%s", before == '[' ? "\n" : ",\n", result, closing);
	if (n < 0)
		return &cudasim_error_nomem;
	if (pwrite(file, line, (size_t)n, at) != n || ftruncate(file, at + n))
		error = cudasim_error_errno(errno, "cannot write '%s'", path);
	free(line);
	return error;
}

struct cudasim_error *sarif_add(const char *path, const char *result)
{
	int file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0 || flock(file, LOCK_EX)) {
		struct cudasim_error *error = cudasim_error_errno(errno, "cannot write '%s'", path);
		if (file >= 0)
			close(file);
		return error;
	}
	struct cudasim_error *error = add_to(file, path, result);
	close(file);
	return error;
}

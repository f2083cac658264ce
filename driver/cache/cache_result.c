/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cache_result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache_digest.h"
#include "words.h"

enum { MAX_HEADER = 160 };

struct bytes {
	const char *at;
	size_t n;
};

/* A regular file's content, mapped, as it may be large; at is NULL if it cannot be read. */
static struct bytes map_file(const char *path)
{
	struct bytes ret = {0};
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return ret;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode)) {
		ret.n = (size_t)status.st_size;
		void *at = ret.n ? mmap(NULL, ret.n, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0)
				 : NULL;
		ret.at = !ret.n ? "" : at == MAP_FAILED ? NULL : at;
	}
	close(fd);
	return ret;
}

static void unmap_file(const struct bytes *file)
{
	if (file->at && file->n)
		munmap((void *)(uintptr_t)file->at, file->n);
}

struct cudasim_error *cache_write(const char *path, const void *bytes, size_t n)
{
	struct stat about;
	/* What is no ordinary file (-o /dev/null, a link) is written, never replaced. */
	bool replace = lstat(path, &about) || S_ISREG(about.st_mode);
	char *temporary = text_format(replace ? "%s.tmp-XXXXXX" : "%s", path);
	int fd = replace ? mkostemp(temporary, O_CLOEXEC)
			 : open(path, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0666);
	struct cudasim_error *error = NULL;
	if (fd < 0) {
		error = cudasim_error_errno(errno, "cannot make a file like '%s'", temporary);
		free(temporary);
		return error;
	}
	for (const char *c = bytes; n && !error;) {
		ssize_t written = write(fd, c, n);
		if (written < 0)
			error = cudasim_error_errno(errno, "cannot write '%s'", temporary);
		else
			c += written, n -= (size_t)written;
	}
	/* What the compiler would have made: readable by all that the mask lets. */
	mode_t mask = umask(0);
	umask(mask);
	if (!error && replace && fchmod(fd, 0666 & ~mask))
		error = cudasim_error_errno(errno, "cannot set the mode of '%s'", temporary);
	if (close(fd) && !error)
		error = cudasim_error_errno(errno, "cannot write '%s'", temporary);
	if (!error && replace && rename(temporary, path))
		error = cudasim_error_errno(errno, "cannot write '%s'", path);
	if (error && replace)
		unlink(temporary);
	free(temporary);
	return error;
}

struct cudasim_error *cache_result_keep(const char *path, const char *object, const char *depend,
					const char *said)
{
	struct bytes o = map_file(object), d = depend ? map_file(depend) : (struct bytes){0};
	size_t n_said = strlen(said), n = o.n + d.n + n_said;
	struct cudasim_error *error = NULL;
	char *whole = malloc(MAX_HEADER + n), *parts = whole + MAX_HEADER, digits[33];
	if (!o.at || (depend && !d.at)) {
		error = cudasim_error_new(CUDASIM_E_SYSTEM, "cannot read '%s'",
					  o.at ? depend : object);
	} else if (!whole) {
		error = &cudasim_error_nomem;
	} else {
		memcpy(parts, o.at, o.n);
		if (d.n)
			memcpy(parts + o.n, d.at, d.n);
		memcpy(parts + o.n + d.n, said, n_said);
		cache_digest(parts, n, digits);
		/* The line is as long as it is; the parts move up to it. */
		int line = snprintf(whole, MAX_HEADER, "cudasim-result-2 %s %zu %zd %zu\n", digits,
				    o.n, depend ? (ssize_t)d.n : -1, n_said);
		memmove(whole + line, parts, n);
		error = cache_write(path, whole, (size_t)line + n);
	}
	free(whole);
	unmap_file(&o);
	unmap_file(&d);
	return error;
}

/* The parts' sizes; NULL if the text is not a whole result. Else the first part. */
static const char *parts_of(const struct bytes *file, size_t *n_object, ssize_t *n_depend)
{
	char digits[33], found[33];
	size_t n_said;
	const char *line = file->at ? memchr(file->at, '\n', file->n) : NULL;
	char header[MAX_HEADER] = "";
	if (line && line - file->at < MAX_HEADER)
		memcpy(header, file->at, (size_t)(line - file->at));
	if (sscanf(header, "cudasim-result-2 %32s %zu %zd %zu", found, n_object, n_depend,
		   &n_said) != 4)
		return NULL;
	size_t n = file->n - (size_t)(line + 1 - file->at);
	if (*n_object > n || *n_depend < -1 ||
	    (*n_depend > 0 && (size_t)*n_depend > n - *n_object) ||
	    n_said != n - *n_object - (*n_depend > 0 ? (size_t)*n_depend : 0))
		return NULL;
	cache_digest(line + 1, n, digits);
	return strcmp(digits, found) ? NULL : line + 1;
}

/* The file's rest, as a text. */
static char *text_of(const struct bytes *file, const char *rest)
{
	return text_copy_n(rest, (size_t)(file->at + file->n - rest));
}

bool cache_result_restore(const char *path, const char *object, const char *depend, char **said)
{
	struct bytes file = map_file(path);
	size_t n_object;
	ssize_t n_depend;
	const char *parts = parts_of(&file, &n_object, &n_depend);
	bool done = parts && (n_depend >= 0) == (depend != NULL);
	struct cudasim_error *error = NULL;
	if (done) {
		error = cache_write(object, parts, n_object);
		if (!error && depend)
			error = cache_write(depend, parts + n_object, (size_t)n_depend);
		if (error && depend)
			output_remove(object);
		done = !error;
		cudasim_error_free(error);
	}
	if (done)
		*said = text_of(&file, parts + n_object + (depend ? (size_t)n_depend : 0));
	unmap_file(&file);
	return done;
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cache_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache_digest.h"
#include "cache_names.h"

struct text {
	const char *bytes;
	size_t n;
};

/* False if it cannot be read. Ended by unmap(). */
static bool map(const char *path, struct text *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	if (fd < 0)
		return false;
	*ret = (struct text){"", 0};
	bool done = !fstat(fd, &status) && S_ISREG(status.st_mode);
	if (done && status.st_size) {
		ret->n = (size_t)status.st_size;
		ret->bytes = mmap(NULL, ret->n, PROT_READ, MAP_PRIVATE, fd, 0);
		done = ret->bytes != MAP_FAILED;
	}
	close(fd);
	return done;
}

static void unmap(const struct text *text)
{
	if (text->n)
		munmap((void *)text->bytes, text->n);
}

static const char computed[] = "a computed __has_include";

static bool is_packaged(const char *path)
{
	return text_starts(path, "/usr/");
}

/* Whether the object depends on more than the text says; why not NULL then. */
static const char *objection(const char *path, const struct text *text, struct words *names,
			     struct words *macros)
{
	static const char *const words[] = {"__DATE__", "__TIME__", "__TIMESTAMP__",
					    ".incbin",  "#embed",   "# embed"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (memmem(text->bytes, text->n, words[i], strlen(words[i])))
			return words[i];
	/* What packaged headers ask for comes and goes with packages. */
	if (!cache_names_find(text->bytes, text->n, "__has_include", names, macros) &&
	    !is_packaged(path))
		return computed;
	return NULL;
}

static json_int_t nanoseconds(struct timespec t)
{
	return (json_int_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct timespec cache_file_now(void)
{
	/* The kernel stamps files by its coarse clock, which lags behind the fine one. */
	struct timespec now;
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return now;
}

json_t *cache_file_remember(const char *path, struct timespec begun, struct words *names,
			    struct words *macros, const char **why)
{
	char content[33];
	struct stat status;
	struct text text;
	if (stat(path, &status) || !map(path, &text)) {
		*why = "it cannot be read again";
		return NULL;
	}
	if (nanoseconds(status.st_mtim) >= nanoseconds(begun)) {
		*why = "it has just been changed";
	} else {
		*why = objection(path, &text, names, macros);
		cache_digest(text.bytes, text.n, content);
	}
	unmap(&text);
	if (*why)
		return NULL;
	return json_pack("[sIIIIs]", path, (json_int_t)status.st_size, nanoseconds(status.st_mtim),
			 nanoseconds(status.st_ctim), (json_int_t)status.st_ino, content);
}

const char *cache_file_names(const char *path, struct words *macros, struct words *names)
{
	struct text text;
	if (is_packaged(path))
		return NULL;
	if (!map(path, &text))
		return "it cannot be read again";
	bool all = true;
	/* The text may define further ones. */
	for (size_t i = 0; i < macros->n; i++)
		all &= cache_names_find(text.bytes, text.n, macros->at[i], names, macros);
	unmap(&text);
	return all ? NULL : computed;
}

const char *cache_file_content(const json_t *remembered)
{
	return json_string_value(json_array_get(remembered, 5));
}

const char *cache_file_path(const json_t *remembered)
{
	return json_string_value(json_array_get(remembered, 0));
}

bool cache_file_is_same(const json_t *remembered)
{
	const char *path, *content;
	json_int_t size, modified, changed, inode;
	struct stat status;
	if (json_unpack((json_t *)remembered, "[sIIIIs]", &path, &size, &modified, &changed, &inode,
			&content))
		return false;
	if (stat(path, &status) || status.st_size != (off_t)size)
		return false;
	if (nanoseconds(status.st_mtim) == modified && nanoseconds(status.st_ctim) == changed &&
	    (json_int_t)status.st_ino == inode)
		return true;
	struct text text;
	char now[33];
	if (!map(path, &text))
		return false;
	cache_digest(text.bytes, text.n, now);
	unmap(&text);
	return !strcmp(now, content);
}

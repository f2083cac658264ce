/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cache_trust.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "words.h"

static bool by_others(const struct stat *s)
{
	return s->st_mode & (S_IWGRP | S_IWOTH);
}

/* Who can write to a folder can put others in the place of what is in it, unless it is sticky. */
static bool leads_safely(const struct stat *s)
{
	return (s->st_uid == geteuid() || s->st_uid == 0) &&
	       (!by_others(s) || s->st_mode & S_ISVTX);
}

/* The path without links, of as much of it as is there; the caller frees it. */
static char *real_part(const char *path, bool *whole)
{
	char *part = text_copy(path), *real;
	*whole = true;
	while (!(real = realpath(part, NULL)) && errno == ENOENT && strrchr(part, '/') > part) {
		struct stat s;
		if (!lstat(part,
			   &s)) /* a link to what is not there: whose it will be nobody knows */
			break;
		*strrchr(part, '/') = '\0';
		*whole = false;
	}
	free(part);
	return real;
}

bool cache_folder_is_own(const char *folder, char **why)
{
	bool whole;
	char *path = real_part(folder, &whole), *wrong = NULL;
	struct stat s;
	*why = NULL;
	if (!path)
		wrong = text_format("'%s' cannot be followed", folder);
	else if (whole && (stat(path, &s) || !S_ISDIR(s.st_mode)))
		; /* making it will fail */
	else if (whole && s.st_uid != geteuid())
		wrong = text_format("'%s' belongs to another user", path);
	else if (whole && by_others(&s))
		wrong = text_format("others can write to '%s' (chmod -R go-w '%s')", path, path);
	char *slash = path ? strrchr(path, '/') : NULL;
	if (!whole && path)
		slash = path + strlen(path); /* what is there must lead safely, too */
	while (!wrong && slash) {
		*slash = '\0';
		const char *parent = *path ? path : "/";
		if (stat(parent, &s) || !leads_safely(&s))
			wrong = text_format("others can replace what is in '%s'", parent);
		slash = *path ? strrchr(path, '/') : NULL;
	}
	free(path);
	*why = wrong;
	return !wrong;
}

bool cache_file_is_own(const char *path)
{
	struct stat s;
	char *folder = text_copy(path);
	*strrchr(folder, '/') = '\0';
	bool own = lstat(folder, &s)
			   ? errno == ENOENT
			   : S_ISDIR(s.st_mode) && s.st_uid == geteuid() && !by_others(&s);
	free(folder);
	if (!own || lstat(path, &s))
		return own && errno == ENOENT;
	return S_ISREG(s.st_mode) && s.st_uid == geteuid() && !by_others(&s);
}

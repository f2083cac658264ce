/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "links.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "words.h"

struct cudasim_error *links_make_folder(const char *path)
{
	for (const char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
		char *part = slash ? text_copy_n(path, (size_t)(slash - path)) : text_copy(path);
		int failed = mkdir(part, 0777) && errno != EEXIST ? errno : 0;
		free(part);
		if (failed)
			return cudasim_error_errno(failed, "cannot make the folder '%s'", path);
		if (!slash)
			return NULL;
	}
}

/* A link root/name -> target; one that is right already is left alone, so that
 * several runs may meet here. */
struct cudasim_error *links_make(const char *root, const char *name, const char *target)
{
	char *path = text_format("%s/%s", root, name), now[4096];
	ssize_t n = readlink(path, now, sizeof now - 1);
	struct cudasim_error *error = NULL;
	if (n < 0 || (size_t)n != strlen(target) || strncmp(now, target, (size_t)n)) {
		char *fresh = text_format("%s.%ld", path, (long)getpid());
		if (symlink(target, fresh) || rename(fresh, path)) {
			error = cudasim_error_errno(errno, "cannot make the link '%s'", path);
			unlink(fresh);
		}
		free(fresh);
	}
	free(path);
	return error;
}

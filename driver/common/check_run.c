/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "check_run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check_session.h"
#include "sarif.h"

char *check_run_path(const char *path, bool is_pattern)
{
	char folder[PATH_MAX], *ret = NULL;
	size_t size;
	if (*path == '/')
		return strdup(path);
	FILE *out = getcwd(folder, sizeof folder) ? open_memstream(&ret, &size) : NULL;
	if (!out)
		return NULL;
	for (const char *c = folder; *c; c++)
		fprintf(out, "%s%c", is_pattern && *c == '%' ? "%" : "", *c);
	fprintf(out, "/%s", path);
	if (!fclose(out))
		return ret;
	free(ret);
	return NULL;
}

struct cudasim_error *check_run_session(const char *sarif, int *ret)
{
	char path[64];
	*ret = memfd_create(CHECK_SESSION_NAME, MFD_CLOEXEC);
	if (*ret < 0)
		return cudasim_error_errno(errno, "cannot make a file in memory");
	if (sarif && dprintf(*ret, CHECK_SESSION_FILE "%s\n", sarif) < 0)
		return cudasim_error_errno(errno, "cannot write a file in memory");
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), *ret);
	return setenv("CUDASIM_CHECK_SESSION", path, 1) ? &cudasim_error_nomem : NULL;
}

struct cudasim_error *check_run_sarif(const char *sarif, const char *root, char **ret)
{
	*ret = NULL;
	if (strchr(sarif, '%'))
		return NULL;
	char *real = realpath(root ? root : ".", NULL);
	if (!real)
		return cudasim_error_errno(errno, "there is no folder '%s'", root ? root : ".");
	struct cudasim_error *error = sarif_begin(sarif, real);
	free(real);
	if (!error && !(*ret = check_run_path(sarif, false)))
		error = &cudasim_error_nomem;
	return error;
}

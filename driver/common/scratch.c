/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "words.h"

/* What a folder's name begins with; six characters of mkdtemp's follow. Younger ones than so many
 * seconds may be about to be locked. libcudasim's own, which have no lock, hold some files for a
 * compilation that it waits for. */
static const char prefix[] = "cudasim-cc-";
static const struct {
	const char *prefix;
	time_t seconds;
} swept[] = {{prefix, 60}, {"cudasim-nvrtc-", 86400}, {"cudasim-ptx-", 86400}};

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The folder's descriptor with its lock; -1 if another has it. */
static int lock_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	close(fd);
	return -1;
}

/* Only our own user's, never through a link. */
static bool is_old(const char *path, time_t seconds)
{
	struct stat status;
	return !lstat(path, &status) && S_ISDIR(status.st_mode) && status.st_uid == getuid() &&
	       time(NULL) - status.st_mtime > seconds;
}

/* Removes it if it is one that nobody needs any more. */
static void sweep_one(const char *parent, const char *name)
{
	for (size_t i = 0; i < sizeof swept / sizeof *swept; i++) {
		size_t n = strlen(swept[i].prefix);
		if (strncmp(name, swept[i].prefix, n) || strlen(name) != n + 6)
			continue;
		char *path = text_format("%s/%s", parent, name);
		int lock = is_old(path, swept[i].seconds) ? lock_folder(path) : -1;
		if (lock >= 0) {
			remove_tree(path);
			close(lock);
		}
		free(path);
	}
}

static void sweep(const char *parent)
{
	DIR *folder = opendir(parent);
	if (!folder)
		return;
	for (struct dirent *entry; (entry = readdir(folder));)
		sweep_one(parent, entry->d_name);
	closedir(folder);
}

struct cudasim_error *scratch_new(const char *parent, struct scratch *ret)
{
	sweep(parent);
	*ret = (struct scratch){.path = text_format("%s/%sXXXXXX", parent, prefix), .lock = -1};
	if (!mkdtemp(ret->path)) {
		int errnum = errno;
		free(ret->path);
		ret->path = NULL;
		return cudasim_error_errno(
			errnum, "cannot make a folder for temporary files in '%s'", parent);
	}
	ret->lock = lock_folder(ret->path);
	return NULL;
}

void scratch_free(struct scratch *scratch)
{
	if (scratch->path)
		remove_tree(scratch->path);
	if (scratch->lock >= 0)
		close(scratch->lock);
	free(scratch->path);
	*scratch = (struct scratch){.lock = -1};
}

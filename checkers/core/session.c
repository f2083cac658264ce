/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "session.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_session.h"
#include "env.h"

static int session = -1;

/* The driver that reads it may be gone, where a process outlives its parents: then nobody
 * asks, and a line that cannot be written is none that is missed. */
static void put(const char *line, size_t n)
{
	if (session >= 0 && write(session, line, n) != (ssize_t)n) {
		close(session);
		session = -1;
	}
}

/* Is it the file that session_begin() or the driver has made? A process that has outlived them may
 * find another one under its number. */
static bool is_session(int file)
{
	char link[64], name[64];
	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	ssize_t n = readlink(link, name, sizeof name - 1);
	name[n < 0 ? 0 : n] = 0;
	return !strncmp(name, "/memfd:" CHECK_SESSION_NAME,
			sizeof "/memfd:" CHECK_SESSION_NAME - 1);
}

/* This process is the first: those that it starts write into its files. */
static void make(void)
{
	char path[64];
	session = memfd_create(CHECK_SESSION_NAME, MFD_CLOEXEC);
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), session);
	if (session >= 0)
		setenv("CUDASIM_CHECK_SESSION", path, 1);
}

void session_begin(bool shared)
{
	const char *path = env_get("CUDASIM_CHECK_SESSION");
	session = path ? open(path, O_RDWR | O_APPEND | O_CLOEXEC) : -1;
	if (session >= 0 && !is_session(session)) {
		close(session);
		session = -1;
	}
	if (session < 0 && shared)
		make();
	put(CHECK_SESSION_CHECKED, sizeof CHECK_SESSION_CHECKED - 1);
}

void session_found(void)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	if (!atomic_flag_test_and_set(&told))
		put(CHECK_SESSION_FOUND, sizeof CHECK_SESSION_FOUND - 1);
}

/* The session's lines; malloc()ed, NULL where they cannot be read. */
static char *lines(void)
{
	struct stat about;
	if (fstat(session, &about))
		return NULL;
	char *text = malloc((size_t)about.st_size + 1);
	ssize_t n = text ? pread(session, text, (size_t)about.st_size, 0) : -1;
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = 0;
	return text;
}

bool session_is_new(const char *line)
{
	if (session < 0)
		return true;
	/* One process at a time looks and writes. */
	flock(session, LOCK_EX);
	char *text = lines();
	bool is_new = !text || !strstr(text, line);
	if (is_new)
		put(line, strlen(line));
	flock(session, LOCK_UN);
	free(text);
	return is_new;
}

bool session_is_first(const char *path)
{
	char folder[PATH_MAX], line[2 * PATH_MAX + 8];
	if (*path == '/' || !getcwd(folder, sizeof folder))
		*folder = 0;
	int n = snprintf(line, sizeof line, CHECK_SESSION_FILE "%s%s%s\n", folder,
			 *folder ? "/" : "", path);
	return n >= (int)sizeof line || session_is_new(line);
}

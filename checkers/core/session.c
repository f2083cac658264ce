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

void session_begin(void)
{
	const char *path = env_get("CUDASIM_CHECK_SESSION");
	session = path ? open(path, O_RDWR | O_APPEND | O_CLOEXEC) : -1;
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

bool session_is_first(const char *path)
{
	char folder[PATH_MAX], line[2 * PATH_MAX + 8];
	if (session < 0)
		return true;
	if (*path == '/' || !getcwd(folder, sizeof folder))
		*folder = 0;
	int n = snprintf(line, sizeof line, CHECK_SESSION_FILE "%s%s%s\n", folder,
			 *folder ? "/" : "", path);
	if (n >= (int)sizeof line)
		return true;
	/* One process at a time looks and writes. */
	flock(session, LOCK_EX);
	char *text = lines();
	bool first = !text || !strstr(text, line);
	if (first)
		put(line, (size_t)n);
	flock(session, LOCK_UN);
	free(text);
	return first;
}

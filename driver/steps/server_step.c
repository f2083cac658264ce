/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host_tools.h"
#include "places.h"
#include "steps.h"

#ifndef SYS_close_range
#define SYS_close_range 436 /* on all processors; headers before Linux 5.9 do not know it */
#endif

static void close_from(int first)
{
	if (!syscall(SYS_close_range, first, ~0U, 0))
		return;
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;
	while (folder && (entry = readdir(folder))) {
		int number = atoi(entry->d_name);
		if (number >= first && number != dirfd(folder))
			close(number);
	}
	if (folder)
		closedir(folder);
}

struct cudasim_error *step_server(int n, char **arguments)
{
	if (n != 2)
		return step_usage(arguments[0]);
	struct places places;
	struct cudasim_error *error = places_find(&places);
	if (error)
		return error;
	host_tools_enter(places.tools);
	pid_t pid = 0;
	if (access(places.server, X_OK) || (pid = fork()) < 0)
		error = cudasim_error_errno(errno, "cannot run '%s'", places.server);
	if (!error && !pid) {
		/* What the program has open by chance would stay open with the server. */
		close_from(STDERR_FILENO + 2);
		/* Functions are found once, not by each job's process. */
		setenv("LD_BIND_NOW", "1", 1);
		execv(places.server, (char *[]){places.server, arguments[1], NULL});
		_exit(127);
	}
	places_fini(&places);
	return error;
}

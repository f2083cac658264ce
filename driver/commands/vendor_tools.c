/* SPDX-License-Identifier: Apache-2.0 */
#include "vendor_tools.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env.h"

bool vendor_tools_wanted(void)
{
	const char *value = env_get("CUDASIM");
	return value && !strcmp(value, "0");
}

/* Runs tool in folder, if it is there. */
static void try(const char *folder, const char *tool, char **words)
{
	char path[PATH_MAX];
	if (folder && *folder == '/' &&
	    snprintf(path, sizeof path, "%s/bin/%s", folder, tool) < (int)sizeof path)
		execv(path, words);
}

struct cudasim_error *vendor_tool_run(const char *tool, int n, char **arguments)
{
	char **words = calloc((size_t)n + 1, sizeof *words);
	if (!words)
		return &cudasim_error_nomem;
	memcpy(words, arguments, (size_t)n * sizeof *words);
	words[0] = (char *)(uintptr_t)tool;
	execvp(tool, words);
	if (errno == ENOENT) {
		try(env_get("CUDASIM_TOOLKIT"), tool, words);
		try(getenv("CUDA_HOME"), tool, words);
		try("/usr/local/cuda", tool, words);
	}
	free(words);
	if (errno == ENOENT)
		return cudasim_error_new(
			CUDASIM_E_NOTFOUND,
			"CUDASIM=0: %s of the CUDA toolkit was not found; unset CUDASIM to use the "
			"simulator's own",
			tool);
	return cudasim_error_errno(errno, "CUDASIM=0: cannot run %s", tool);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* cache_command.c - `cudasim cache`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "commands.h"
#include "env.h"
#include "manual.h"

static const struct manual_row examples[] = {
	{"cudasim cache", NULL},
	{"cudasim cache clear", NULL},
	{0},
};
static const struct manual_row files[] = {
	{"~/.cache/cudasim/objects", "the cache, or below XDG_CACHE_HOME where that is set"},
	{0},
};
const struct manual cache_manual = {
	.name = "cache",
	.summary = "print the size of cc's cache, or empty it",
	.usage = "[clear]",
	.text = "Prints the folder of the cache of `cudasim cc`, its size and its limit. `clear` "
		"empties the cache.\n"
		"CUDASIM_CACHE names another folder or turns the cache off, CUDASIM_CACHE_SIZE sets "
		"the limit (`cudasim help env`).",
	.examples = examples,
	.files = files,
	.variables = "CUDASIM_CACHE CUDASIM_CACHE_SIZE",
	.see = "cc env",
};

static double mebibytes(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

struct cudasim_error *command_cache(int n, char **arguments, int *ret)
{
	char *folder;
	uint64_t limit;
	struct cache_size size = {0};
	*ret = 0;
	if (n == 2 && (!strcmp(arguments[1], "--help") || !strcmp(arguments[1], "-h"))) {
		manual_print(stdout, &cache_manual);
		return NULL;
	}
	bool clear = n == 2 && !strcmp(arguments[1], "clear");
	if (n > 1 && !clear)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "cache: unexpected argument '%s'; see "
					 "cudasim cache --help",
					 arguments[n > 2 ? 2 : 1]);
	struct cudasim_error *error = env_check(ENV_COMPILER);
	if (!error)
		error = cache_folder(&folder, &limit);
	if (error)
		return error;
	if (!folder) {
		puts("the cache is off");
		return NULL;
	}
	char *preludes = cache_preludes_folder(folder);
	struct cache_size preludes_size = {0};
	if (clear)
		error = cache_trim(folder, 0, 0);
	if (clear && !error)
		error = cache_trim(preludes, 0, 0);
	if (!error)
		error = cache_measure(folder, &size);
	if (!error)
		error = cache_measure(preludes, &preludes_size);
	if (!error)
		printf("%s: %" PRIu64 " objects, %" PRIu64
		       " precompiled headers, %.1f of %.1f MiB\n",
		       folder, size.n_results, preludes_size.n_results,
		       mebibytes(size.bytes + preludes_size.bytes), mebibytes(limit));
	free(preludes);
	free(folder);
	return error;
}

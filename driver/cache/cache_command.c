/* SPDX-License-Identifier: Apache-2.0 */
/* cache_command.c - `cudasim cache`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "commands.h"
#include "env.h"

const char cache_usage[] =
	"usage: cudasim cache [clear]\n"
	"\n"
	"Prints the folder of the cache of cudasim cc, its size and its limit (CUDASIM_CACHE,\n"
	"CUDASIM_CACHE_SIZE: cudasim help env). clear empties the cache.\n";

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
		fputs(cache_usage, stdout);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* toolkit_commands.c - `cudasim nvcc-path`, `toolkit-path` and `fetch-toolkit`. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "manual.h"
#include "places.h"
#include "toolkit_tree.h"

static const struct manual_row nvcc_path_examples[] = {
	{"PATH=$(cudasim nvcc-path):$PATH make", NULL},
	{"cmake -B build -DCMAKE_CUDA_COMPILER=$(cudasim nvcc-path)/nvcc", NULL},
	{0},
};
const struct manual nvcc_path_manual = {
	.name = "nvcc-path",
	.summary = "print a folder with an nvcc that is cudasim cc",
	.usage = "",
	.text = "Prints a folder with an nvcc that is `cudasim cc`, for projects that call nvcc.",
	.examples = nvcc_path_examples,
	.variables = "CUDASIM_TOOLKIT",
	.see = "cc toolkit-path",
};

static const struct manual_row toolkit_path_examples[] = {
	{"CUDA_HOME=$(cudasim toolkit-path) make", NULL},
	{0},
};
const struct manual toolkit_path_manual = {
	.name = "toolkit-path",
	.summary = "print a folder that looks like a CUDA toolkit",
	.usage = "",
	.text = "Prints a folder that looks like a CUDA toolkit (bin/nvcc, include, lib64), for projects "
		"that look for one.\n"
		"Programs that other tools than `cudasim cc` link find libcudasim.so, unless cudasim "
		"is installed outside of the loader's path. Then set "
		"`LD_LIBRARY_PATH=$(cudasim toolkit-path)/lib64`.",
	.examples = toolkit_path_examples,
	.variables = "CUDASIM_TOOLKIT",
	.see = "cc nvcc-path",
};

struct cudasim_error *command_paths(int n, char **arguments, int *ret)
{
	*ret = 0;
	if (n > 1)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "%s takes no arguments", arguments[0]);
	struct places places;
	struct cudasim_error *error = places_find(&places);
	if (error)
		return error;
	struct toolkit_hints hints = toolkit_hints_here(&places);
	struct toolkit toolkit;
	char *root = NULL;
	error = toolkit_find(&hints, NULL, &toolkit);
	if (!error) {
		error = toolkit_tree_make(&places, &toolkit, &root);
		toolkit_fini(&toolkit);
	}
	if (!error)
		printf("%s%s\n", root, strcmp(arguments[0], "nvcc-path") ? "" : "/bin");
	free(root);
	free((char *)hints.cache);
	places_fini(&places);
	return error;
}

static const struct manual_row fetch_toolkit_files[] = {
	{"~/.cache/cudasim/toolkit-VERSION",
	 "the default FOLDER, or below XDG_CACHE_HOME where that is set"},
	{0},
};
static const struct manual_option fetch_toolkit_options[] = {
	MANUAL_OPTION("--version", "VERSION",
		      "the toolkit's version, one of --list; without it 13.0"),
	MANUAL_OPTION("--list", NULL,
		      "print which versions there are, and which have been fetched"),
	{0},
};
static const struct manual_row fetch_toolkit_examples[] = {
	{"cudasim fetch-toolkit --version 12.4", NULL},
	{"CUDASIM_TOOLKIT=12.4 cudasim cc x.cu -o x", NULL},
	{0},
};
const struct manual fetch_toolkit_manual = {
	.name = "fetch-toolkit",
	.summary = "fetch the CUDA toolkit's headers, as the vendor's Python wheels",
	.usage = "[--version VERSION] [FOLDER]\n--list",
	.text = "Downloads the CUDA toolkit's headers and the tools that `cudasim cc --gpu` needs, as "
		"the vendor's Python wheels, into FOLDER (default: the user's cache, where cudasim "
		"finds them). The files' hashes are pinned.\n"
		"Several versions may be there. cudasim takes that of CUDASIM_TOOLKIT, a folder or "
		"the version of one in the cache, else 13.0, else the newest. `--gpu` needs a "
		"toolkit of CUDA 13.",
	.options = fetch_toolkit_options,
	.examples = fetch_toolkit_examples,
	.files = fetch_toolkit_files,
	.variables = "CUDASIM_TOOLKIT",
	.see = "doctor cc",
};

struct cudasim_error *command_fetch_toolkit(int n, char **arguments, int *ret)
{
	(void)n;
	(void)ret;
	struct places places;
	struct cudasim_error *error = places_find(&places);
	if (error)
		return error;
	execv(places.fetch, arguments);
	error = cudasim_error_errno(errno, "cannot run '%s'", places.fetch);
	places_fini(&places);
	return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* option_manual.c - the manual of `cudasim cc`, whose options are the table's. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "manual.h"
#include "options.h"

static enum manual_joint joint(const struct option *option)
{
	switch (option->argument) {
	case OPTION_NAME:
	case OPTION_LEVEL:
		return MANUAL_GLUED;
	case OPTION_MAYBE:
		return MANUAL_OPTIONAL;
	default:
		return MANUAL_WORD;
	}
}

static bool option(size_t i, struct manual_option *ret)
{
	static const enum manual_status statuses[] = {
		[OPTION_DONE] = MANUAL_DONE,
		[OPTION_IGNORED] = MANUAL_ACCEPTED,
		[OPTION_REFUSED] = MANUAL_REFUSED,
	};
	static char names[128];
	if (i >= n_options)
		return false;
	const struct option *o = &option_table[i];
	/* A few have one name. */
	bool same = !strcmp(o->short_name, o->long_name);
	snprintf(names, sizeof names, "%s%s%s", same ? "" : o->short_name, same ? "" : ", ",
		 o->long_name);
	*ret = (struct manual_option){
		.names = names,
		.value = o->argument == OPTION_ALONE  ? NULL
			 : o->choices                 ? o->choices
			 : o->argument == OPTION_BOOL ? "true|false"
						      : o->placeholder,
		.text = o->note,
		.joint = joint(o),
		.status = statuses[o->status],
	};
	return true;
}

static const struct manual_row examples[] = {
	{"cudasim cc saxpy.cu -o saxpy && CUDASIM=1 ./saxpy", NULL},
	{"cudasim cc -g -std=c++20 -rdc=true main.cu kernels.cu -lcublas -o app", NULL},
	{"cudasim cc --gpu=sm_90 saxpy.cu -o saxpy", "for a GPU as well"},
	{"cudasim cc -cubin kernels.ptx", NULL},
	{0},
};
static const struct manual_row files[] = {
	{"~/.cache/cudasim/objects",
	 "results of compilations, for the next time (`cudasim cache`)"},
	{0},
};
static const struct manual_row others[] = {
	{"NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS",
	 "options before and behind those of the command line, as nvcc has them"},
	{"CUDA_HOME, CUDA_PATH", "where to look for the CUDA toolkit's headers"},
	{0},
};
static const struct manual_row statuses[] = {
	{"0", "everything was made"},
	{"any other", "an error, which stderr explains; with -run, the program's"},
	{0},
};

const struct manual cc_manual = {
	.name = "cc",
	.summary = "compile and link CUDA C++ for the CPU, with nvcc's options",
	.usage = "[OPTIONS] SOURCE...",
	.text = "Takes nvcc's command line. clang compiles the host code, cudasim's device compiler "
		"the kernels, and the executable is linked with libcudasim where nvcc would link "
		"libcudart. Each SOURCE is a file of CUDA C++ (.cu), C or C++, an object, a library, "
		"PTX (.ptx) or NVVM IR (.ll, .bc).\n"
		"To simulate the program, run it with `CUDASIM=1`. It can be debugged and checked as "
		"it is.\n"
		"The options are nvcc's.",
	.option = option,
	.notes = "`cudasim nvcc-path` prints a folder with an nvcc that is this command.",
	.examples = examples,
	.statuses = statuses,
	.files = files,
	.variables = "CUDASIM_CACHE CUDASIM_CACHE_SIZE CUDASIM_TOOLKIT",
	.others = others,
	.see = "nvcc-path cache debug check doctor",
};

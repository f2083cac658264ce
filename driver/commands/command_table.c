/* SPDX-License-Identifier: Apache-2.0 */
#include "command_table.h"

#include <string.h>

#include "commands.h"

const struct command_row command_table[] = {
	{&cc_manual, command_cc},
	{&cache_manual, command_cache},
	{&run_manual, command_run},
	{&python_manual, command_python},
	{&env_manual, command_env},
	{&debug_manual, command_debug},
	{&dap_manual, command_dap},
	{&check_manual, command_check},
	{&test_manual, command_test},
	{&ci_manual, command_ci},
	{&compare_manual, command_compare},
	{&profile_manual, command_profile},
	{&doctor_manual, command_doctor},
	{&nvcc_path_manual, command_paths},
	{&toolkit_path_manual, command_paths},
	{&fetch_toolkit_manual, command_fetch_toolkit},
	{&help_manual, command_help},
	{&version_manual, command_version},
	{0},
};

const struct command_row *command_named(const char *name)
{
	for (const struct command_row *row = command_table; row->manual; row++)
		if (!strcmp(row->manual->name, name))
			return row;
	return NULL;
}

static const struct manual_row examples[] = {
	{"cudasim cc saxpy.cu -o saxpy", "takes nvcc's command line"},
	{"CUDASIM=1 ./saxpy", "runs the kernels on the CPU"},
	{"cudasim debug ./saxpy", "breakpoints and steps in kernels"},
	{"cudasim check ./saxpy", "invalid accesses, races, leaks, ..."},
	{"cudasim run python3 saxpy.py", "Python's GPU packages"},
	{"PATH=$(cudasim nvcc-path):$PATH make", "a project that calls nvcc"},
	{"CUDA_HOME=$(cudasim toolkit-path) make", "one that looks for a CUDA toolkit"},
	{0},
};

const struct manual cudasim_manual = {
	.name = "",
	.summary = "run, debug and check CUDA C++ programs without a GPU",
	.usage = "COMMAND [ARGUMENTS]",
	.text = "Builds and runs CUDA C++ programs on machines without a GPU. To simulate a program of "
		"`cudasim cc`, run it with `CUDASIM=1 ./program`, any other one with `cudasim run "
		"program`.",
	.notes =
		"`cudasim help COMMAND` explains a command and its options, `cudasim help env` the "
		"CUDASIM_ variables. The manual is docs/manual.md, installed as share/doc/cudasim/manual.md.",
	.examples = examples,
};

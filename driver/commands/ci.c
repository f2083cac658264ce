/* SPDX-License-Identifier: Apache-2.0 */
/* ci.c - `cudasim ci`: the script integration/ci, which lies beside fetch-toolkit. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "manual.h"
#include "places.h"
#include "words.h"

static const struct manual_option options[] = {
	MANUAL_OPTION("--build", "COMMAND",
		      "build the project; run by bash, as the COMMAND of --test is"),
	MANUAL_OPTION("--test", "COMMAND", "run the tests (default: cudasim test)"),
	MANUAL_OPTION("--check", "TOOLS",
		      "the checkers of one run of the tests, comma between; all; or none (default: "
		      "memcheck,racecheck,initcheck,synccheck)"),
	MANUAL_OPTION("--schedules", "LIST",
		      "runs without checkers, one for each order of blocks and threads: a number "
		      "(inorder, reverse, random:1, ...) or names with commas between"),
	MANUAL_OPTION("--device", "PROFILE", "the GPU to simulate (default: h200)"),
	MANUAL_OPTION("--findings", "fail|report",
		      "whether findings that are errors fail the job (default: fail)"),
	MANUAL_OPTION("--results", "FOLDER", "what comes out (default: cudasim-results)"),
	MANUAL_OPTION("--install", "WHAT",
		      "pip installs this into --venv first: a wheel, a version of cudasim, latest "
		      "(default: nothing, this cudasim is used)"),
	MANUAL_OPTION("--venv", "FOLDER",
		      "the virtual environment of --install (default: .cudasim-venv)"),
	{0},
};
static const struct manual_row examples[] = {
	{"cudasim ci --build make --test ./tests", "any project with a makefile"},
	{"cudasim ci --build 'cmake -B build && cmake --build build' --test 'ctest --test-dir build'",
	 NULL},
	{0},
};
static const struct manual_row statuses[] = {
	{"0", "all went well"},
	{"1", "a test failed or there are findings"},
	{"2", "it could not be run"},
	{0},
};
const struct manual ci_manual = {
	.name = "ci",
	.summary = "build a project and run its tests under the checkers",
	.usage = "[OPTIONS]",
	.text = "Builds a project by its own build system and runs its own tests, for CI services. The "
		"commands find nvcc on PATH, CUDA_HOME, CUDACXX, CMAKE_CUDA_COMPILER, and CI_RESULTS, "
		"the absolute path of the results: logs, JUnit, SARIF and a summary. Nothing else is "
		"written but the cache and what --install asks for. The manual is docs/ci.md, "
		"installed as share/doc/cudasim/ci.md.",
	.options = options,
	.examples = examples,
	.statuses = statuses,
	.see = "test check",
};

struct cudasim_error *command_ci(int n, char **arguments, int *ret)
{
	(void)n;
	(void)ret;
	struct places places;
	char *own = realpath("/proc/self/exe", NULL);
	if (!own || setenv("CI_CUDASIM", own, 1))
		return cudasim_error_errno(errno, "cannot find this program");
	free(own);
	struct cudasim_error *error = places_find(&places);
	if (error)
		return error;
	const char *slash = strrchr(places.fetch, '/');
	char *script = text_format("%.*s/ci", (int)(slash - places.fetch), places.fetch);
	execv(script, arguments);
	error = cudasim_error_errno(errno, "cannot run '%s'", script);
	free(script);
	places_fini(&places);
	return error;
}

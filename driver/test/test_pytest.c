/* SPDX-License-Identifier: Apache-2.0 */
/* test_pytest.c - pytest in the place of a test executable. */
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "test.h"

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_python(const char *name)
{
	return text_starts(name, "python") && !name[6 + strspn(name + 6, "0123456789.")];
}

bool test_is_pytest(const char *word)
{
	const char *name = last_part(word);
	return !strcmp(name, "pytest") || !strcmp(name, "py.test") || is_python(name);
}

struct cudasim_error *test_prepare_pytest(const struct test_options *options,
					  struct scratch *findings)
{
	const struct words *command = &options->command;
	bool runs_pytest = !is_python(last_part(command->at[0]));
	for (size_t i = 1; i + 1 < command->n && !runs_pytest; i++)
		runs_pytest = !strcmp(command->at[i], "-m") &&
			      !strcmp(command->at[i + 1], "pytest");
	if (!runs_pytest)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "test: of Python, pytest's tests can be run: %s -m pytest",
					 command->at[0]);
	if (options->gpu)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"test: --gpu is for executables; run pytest without cudasim on a GPU");
	struct cudasim_error *error = environment_enter();
	if (error)
		return error;
	const char *before = getenv("PYTEST_ADDOPTS"), *folder = getenv("TMPDIR");
	if (options->check)
		error = scratch_new(folder && *folder ? folder : "/tmp", findings);
	if (error)
		return error;
	char *all = text_format("-p cudasim.pytest_plugin%s%s %s",
				options->check ? " --cudasim-findings=" : "",
				options->check ? findings->path : "", before ? before : "");
	if (setenv("PYTEST_ADDOPTS", all, 1))
		error = &cudasim_error_nomem;
	free(all);
	return error;
}

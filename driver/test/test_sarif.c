/* SPDX-License-Identifier: Apache-2.0 */
/* test_sarif.c - the checkers' findings of all tests in one file. */
#include <stdlib.h>

#include "check_options.h"
#include "check_run.h"
#include "env.h"
#include "test.h"

struct cudasim_error *test_prepare_sarif(const struct test_options *options)
{
	char *begun = NULL;
	int session; /* stays open until this process ends */
	struct cudasim_error *error = check_run_sarif(options->sarif, NULL, &begun);
	if (!error)
		error = check_run_session(begun, &session);
	if (error)
		return error;
	char *path = check_run_path(options->sarif, true), *root = check_run_path(".", false);
	/* As they fail no test: many tests have calls fail on purpose. */
	char *words[] = {"--sarif", path, "--sarif-root", root, "--sarif-api-errors", "no"};
	char *more = path && root ? check_options_text(sizeof words / sizeof *words, words) : NULL;
	const char *before = env_get("CUDASIM_CHECK_OPTIONS");
	char *all = more ? text_format("%s%s%s", before ? before : "", before ? " " : "", more)
			 : NULL;
	if (!all || setenv("CUDASIM_CHECK_OPTIONS", all, 1))
		error = &cudasim_error_nomem;
	free(all);
	free(more);
	free(path);
	free(root);
	free(begun);
	return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "prelude.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "steps.h"

struct cudasim_error *step_prelude(int n, char **arguments, int *ret)
{
	if (n < 5 || strcmp(arguments[1], "-o") || strcmp(arguments[3], "--"))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "%s: wrong arguments", arguments[0]);
	struct words words = {0};
	for (int i = 4; i < n; i++)
		words_add(&words, arguments[i]);
	/* -emit-llvm keeps ptxas away; the last action that clang is given is the one it takes. */
	/* Instances that the headers themselves need are made here once, not by each that includes it. */
	words_add_all(&words, "-emit-llvm", "-Xclang", "-fpch-instantiate-templates", "-Xclang",
		      "-emit-pch", "-c", "-o", arguments[2], "/dev/null", NULL);
	struct cudasim_error *error = child_run(&words, NULL, stderr, ret);
	words_fini(&words);
	return error;
}

bool prelude_use(const struct words *command, const char *prelude, struct words *ret)
{
	if (!prelude || access(prelude, R_OK))
		return false;
	bool replaced = false;
	for (size_t i = 0; i < command->n; i++) {
		if (!replaced && i + 1 < command->n && !strcmp(command->at[i], "-include") &&
		    !strcmp(command->at[i + 1], "cudasim_nvcc.h")) {
			words_add_all(ret, "-Xclang", "-include-pch", "-Xclang", prelude, NULL);
			replaced = true;
			i++;
			continue;
		}
		words_add(ret, command->at[i]);
	}
	return replaced;
}

bool prelude_has(const char *prelude, const struct words *paths)
{
	char *list = text_format("%s.headers", prelude), *line = NULL, real[PATH_MAX];
	FILE *file = paths->n ? fopen(list, "re") : NULL;
	size_t size = 0;
	bool has = false;
	while (file && !has && getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = 0;
		has = realpath(line, real) && words_have(paths, real);
	}
	if (file)
		fclose(file);
	free(line);
	free(list);
	return has;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "environment.h"

#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "toolkit_tree.h"

/* Takes value over. */
static void set(struct environment *environment, const char *name, char *value)
{
	words_add(&environment->names, name);
	words_add(&environment->values, value);
	free(value);
}

/* path before what the list has; once is enough, also for a `cudasim run` in another one. */
static void put_first(struct environment *environment, const char *name, const char *path,
		      char *(*get)(const char *name))
{
	const char *before = get(name);
	size_t n = strlen(path);
	/* As a shell looks for programs without it. */
	if (!before && !strcmp(name, "PATH"))
		before = "/usr/local/bin:/usr/bin:/bin";
	if (!before || !*before)
		set(environment, name, text_copy(path));
	else if (!strncmp(before, path, n) && (!before[n] || before[n] == ':'))
		set(environment, name, text_copy(before));
	else
		set(environment, name, text_format("%s:%s", path, before));
}

/* path behind what the list has, once: a program's own modules come first. */
static void put_last(struct environment *environment, const char *name, const char *path,
		     char *(*get)(const char *name))
{
	const char *before = get(name);
	size_t n = strlen(path), length = before ? strlen(before) : 0;
	if (!length)
		set(environment, name, text_copy(path));
	else if (length >= n && !strcmp(before + length - n, path) &&
		 (length == n || before[length - n - 1] == ':'))
		set(environment, name, text_copy(before));
	else
		set(environment, name, text_format("%s:%s", before, path));
}

/* Room for the thread-local variables of libcudasim and the checkers (1.7 KB) in programs that open
 * them late, when other libraries have taken what glibc keeps for such (1664 bytes in all). */
static void put_tunable(struct environment *environment, char *(*get)(const char *name))
{
	static const char name[] = "glibc.rtld.optional_static_tls=", value[] = "4096";
	const char *before = get("GLIBC_TUNABLES");
	if (!before || !*before)
		set(environment, "GLIBC_TUNABLES", text_format("%s%s", name, value));
	else if (strstr(before, name))
		set(environment, "GLIBC_TUNABLES", text_copy(before));
	else
		set(environment, "GLIBC_TUNABLES", text_format("%s:%s%s", before, name, value));
}

void environment_from(const struct places *places, const char *tree, const char *toolkit,
		      char *(*get)(const char *name), struct environment *ret)
{
	const char *names = places->names;
	char *beside = places_beside(places, "redirect");
	char *redirect = text_format("%s/libcudasim-redirect.so", beside);
	char *bin = text_format("%s/bin", tree);
	/* One for each family of GPUs, or one for all, by Triton's version. */
	static const char *const assemblers[] = {"TRITON_PTXAS_PATH",
						 "TRITON_PTXAS_BLACKWELL_PATH"};
	*ret = (struct environment){0};
	set(ret, "CUDASIM", text_copy("1"));
	set(ret, "CUDA_HOME", text_copy(tree));
	set(ret, "CUDA_PATH", text_copy(tree));
	set(ret, "CUDASIM_TOOLKIT", text_copy(toolkit));
	put_first(ret, "PATH", bin, get);
	put_first(ret, "LD_LIBRARY_PATH", names, get);
	put_first(ret, "LD_AUDIT", redirect, get);
	put_last(ret, "PYTHONPATH", places->python, get);
	put_tunable(ret, get);
	for (size_t i = 0; i < sizeof assemblers / sizeof *assemblers; i++)
		set(ret, assemblers[i], text_format("%s/ptxas", bin));
	set(ret, "TRITON_LIBCUDA_PATH", text_copy(names));
	free(beside);
	free(redirect);
	free(bin);
}

struct cudasim_error *environment_make(struct environment *ret)
{
	struct places places;
	struct toolkit toolkit;
	char *tree = NULL;
	struct cudasim_error *error = places_find(&places);
	if (error)
		return error;
	struct toolkit_hints hints = toolkit_hints_here(&places);
	error = toolkit_find(&hints, NULL, &toolkit);
	if (!error) {
		error = names_make(&places);
		if (!error)
			error = toolkit_tree_make(&places, &toolkit, &tree);
		if (!error)
			environment_from(&places, tree, toolkit.root, getenv, ret);
		toolkit_fini(&toolkit);
	}
	free(tree);
	free((char *)hints.cache);
	places_fini(&places);
	return error;
}

static struct cudasim_error *enter(const struct environment *environment)
{
	for (size_t i = 0; i < environment->names.n; i++)
		if (setenv(environment->names.at[i], environment->values.at[i], 1))
			return &cudasim_error_nomem;
	return NULL;
}

struct cudasim_error *environment_enter(void)
{
	struct environment environment;
	struct cudasim_error *error = environment_make(&environment);
	if (error)
		return error;
	error = enter(&environment);
	environment_fini(&environment);
	return error;
}

struct cudasim_error *environment_enter_if_found(void)
{
	struct cudasim_error *error = environment_enter();
	if (error && error->code == CUDASIM_E_NOTFOUND) {
		cudasim_error_free(error);
		error = NULL;
	}
	return error;
}

struct cudasim_error *environment_enter_names(void)
{
	struct places places;
	struct cudasim_error *error = places_find(&places);
	if (error)
		return error;
	struct environment environment = {0};
	error = names_make(&places);
	if (!error) {
		put_first(&environment, "LD_LIBRARY_PATH", places.names, getenv);
		error = enter(&environment);
	}
	environment_fini(&environment);
	places_fini(&places);
	return error;
}

void environment_fini(struct environment *environment)
{
	words_fini(&environment->names);
	words_fini(&environment->values);
}

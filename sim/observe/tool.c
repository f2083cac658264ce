/* SPDX-License-Identifier: Apache-2.0 */
/* tool.c - observers that are shared objects of their own, opened by path when
 * the process starts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "error.h"
#include "observer.h"

/* The file that path names; without a slash also one of cudasim's own tools, which lie beside
 * libcudasim.so. only_own: nothing else, whatever the current folder holds. The caller frees it; NULL
 * sets errno. */
static char *find_tool(const char *path, bool only_own)
{
	/* Installed, and in a build tree. dlopen's own search, in the system's
	 * library path, is not what a file's name on a command line means. */
	static const char *const places[] = {"cudasim", "../checkers", "../debugger"};
	char *full = only_own ? NULL : realpath(path, NULL), near[PATH_MAX], here[PATH_MAX];
	Dl_info own;
	/* Where it lies, not the link by which a program may have opened it. */
	if (full || strchr(path, '/') || !dladdr(places, &own) || !own.dli_fname ||
	    !realpath(own.dli_fname, here))
		return full;
	int dir = (int)(strrchr(here, '/') - here);
	for (size_t i = 0; i < sizeof places / sizeof *places && !full; i++)
		if (snprintf(near, sizeof near, "%.*s/%s/%s", dir, here, places[i], path) <
		    (int)sizeof near)
			full = realpath(near, NULL);
	return full;
}

static struct cudasim_error *open_tool(const char *path, bool only_own)
{
	char *full = find_tool(path, only_own);
	if (!full)
		return cudasim_error_errno(errno, "cannot open it");
	void *handle = dlopen(full, RTLD_NOW | RTLD_LOCAL);
	free(full);
	if (!handle)
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s", dlerror());
	cudasim_observer_init_fn *init;
	*(void **)&init = dlsym(handle, "cudasim_observer_init");
	if (!init)
		return cudasim_error_new(
			CUDASIM_E_FORMAT,
			"not an observer: it does not export cudasim_observer_init()");
	const struct cudasim_observer *observer = init();
	if (!observer)
		return cudasim_error_new(CUDASIM_E_FAILED,
					 "cudasim_observer_init() reports that the tool cannot "
					 "work");
	return cudasim_observer_add(observer);
}

/* Tools that a variable of their own opens. */
static const struct {
	const char *variable, *tool;
	bool worded; /* the tool reads what the variable says: all but 0 opens it */
} tools[] = {
	{"CUDASIM_CHECK", "libcudasim-check.so", true},
	{"CUDASIM_DEBUG", "libcudasim-debugger.so", false}, /* `wait` opens it as 1 does */
};

static void fail(const char *variable, const char *path, struct cudasim_error *error)
{
	fprintf(stderr, "cudasim: %s: %s: %s\n", variable, path, error->message);
	exit(1);
}

static void open_list(const char *list)
{
	char *copy = strdup(list), *rest = NULL;
	for (char *path = copy ? strtok_r(copy, ":", &rest) : NULL; path;
	     path = strtok_r(NULL, ":", &rest)) {
		struct cudasim_error *error = open_tool(path, false);
		if (error)
			fail("CUDASIM_OBSERVER", path, error);
	}
	free(copy);
}

static void start(void)
{
	const char *list = env_get("CUDASIM_OBSERVER");
	atexit(registered_finish);
	if (list)
		open_list(list);
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
		const char *value = env_get(tools[i].variable);
		uint64_t on = value && strcmp(value, "0");
		bool waits = !tools[i].worded && value && !strcmp(value, "wait");
		struct cudasim_error *error = tools[i].worded || waits
						      ? NULL
						      : env_number(tools[i].variable, 0, 1, 0, &on);
		if (!error && on)
			error = open_tool(tools[i].tool, true);
		/* A tool of our own has said why it cannot work. */
		if (error && error->code == CUDASIM_E_FAILED)
			exit(1);
		if (error)
			fail(tools[i].variable, tools[i].tool, error);
	}
}

void observe_start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, start);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - `cudasim profile`. libcudasim does the work: it knows the real libcudart. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "cudasim/profile.h"
#include "manual.h"
#include "places.h"

static const struct manual_option profile_options[] = {
	MANUAL_OPTION("--device", "N", "the number of the GPU (default 0)"),
	MANUAL_OPTION("-o", "FILE", "where to (default: standard output)"),
	{0},
};
static const struct manual_row examples[] = {
	{"cudasim profile -o here.profile", NULL},
	{"CUDASIM_DEVICE=here.profile ./app", NULL},
	{0},
};
const struct manual profile_manual = {
	.name = "profile",
	.summary = "write the properties of this machine's GPU into a file",
	.usage = "[OPTIONS]",
	.text = "Writes the properties of one of this machine's GPUs. `CUDASIM_DEVICE=FILE` simulates "
		"that GPU elsewhere. `CUDASIM_DEVICE=this` needs no file.",
	.options = profile_options,
	.examples = examples,
	.variables = "CUDASIM_DEVICE CUDASIM_LIBCUDART",
	.see = "env",
};

static struct cudasim_error *wrong(const char *word)
{
	return cudasim_error_new(
		CUDASIM_E_ARGUMENT,
		"profile: '%s' is not an option or lacks its value; see cudasim profile --help",
		word);
}

static struct cudasim_error *options(int n, char **arguments, int *device, const char **file)
{
	for (int i = 1; i < n; i++) {
		char *end;
		if (i + 1 == n)
			return wrong(arguments[i]);
		if (!strcmp(arguments[i], "-o")) {
			*file = arguments[++i];
		} else if (!strcmp(arguments[i], "--device")) {
			long value = strtol(arguments[++i], &end, 10);
			if (*end || !*arguments[i] || value < 0 || value > 1000)
				return wrong(arguments[i]);
			*device = (int)value;
		} else {
			return wrong(arguments[i]);
		}
	}
	return NULL;
}

struct cudasim_error *command_profile(int n, char **arguments, int *ret)
{
	int device = 0;
	const char *file = NULL;
	struct cudasim_error *(*write)(int, const char *);
	struct places places;
	char path[PATH_MAX];
	*ret = 0;
	if (n == 2 && (!strcmp(arguments[1], "--help") || !strcmp(arguments[1], "-h"))) {
		manual_print(stdout, &profile_manual);
		return NULL;
	}
	struct cudasim_error *error = options(n, arguments, &device, &file);
	if (!error)
		error = places_find(&places);
	if (error)
		return error;
	snprintf(path, sizeof path, "%s/libcudasim.so", places.library);
	places_fini(&places);
	/* Nothing is to be simulated. */
	unsetenv("CUDASIM_DEVICE");
	setenv("CUDASIM", "0", 1);
	void *library = dlopen(path, RTLD_NOW);
	if (!library)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "%s", dlerror());
	*(void **)&write = dlsym(library, "cudasim_profile_write");
	if (!write)
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s is of another version", path);
	return write(device, file);
}

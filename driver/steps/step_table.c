/* SPDX-License-Identifier: Apache-2.0 */
#include "step_table.h"

#include <stdio.h>
#include <string.h>

#include "steps.h"

/* Most steps have no status but their error. */
#define STEP(name)                                                                                 \
	static struct cudasim_error *run_##name(int n, char **arguments, int *ret)                 \
	{                                                                                          \
		*ret = 0;                                                                          \
		return step_##name(n, arguments);                                                  \
	}
STEP(module_id)
STEP(pack)
STEP(sign)
STEP(gather)
STEP(gpu_blob)
STEP(gpu_embed)
STEP(image)
STEP(seal)
STEP(server)

static const struct step {
	const char *name;
	struct cudasim_error *(*run)(int n, char **arguments, int *ret);
} steps[] = {
	{"cc-prelude", step_prelude},
	{"cc-device-pass", step_device_pass},
	{"cc-host-pass", step_device_pass},
	{"cc-module-id", run_module_id},
	{"cc-pack", run_pack},
	{"cc-sign", run_sign},
	{"cc-gather", run_gather},
	{"cc-gpu-blob", run_gpu_blob},
	{"cc-gpu-embed", run_gpu_embed},
	{"cc-image", run_image},
	{"cc-seal", run_seal},
	{"cc-server", run_server},
	{"cc-ptxas", step_ptxas},
};

static const struct step *find(const char *name)
{
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (!strcmp(steps[i].name, name))
			return &steps[i];
	return NULL;
}

bool step_is(const char *name)
{
	return find(name) != NULL;
}

int step_main(int n, char **arguments)
{
	int status = 0;
	struct cudasim_error *error = find(arguments[0])->run(n, arguments, &status);
	if (!error)
		return status;
	fprintf(stderr, "cudasim: %s\n", error->message);
	cudasim_error_free(error);
	return 1;
}

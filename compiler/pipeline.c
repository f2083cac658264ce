/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline.c - the order of things in the device compiler. */
#define _GNU_SOURCE
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Linker.h>

/* A pass under the name that --save-temps and --verbose show. */
struct step {
	const char *name;
	device_pass run;
};

static const struct step base_steps[] = {
	{"headers", pass_headers},
	{"libdevice", pass_libdevice},
	{"asm", pass_asm},
	{"retarget", pass_retarget},
	{"intrinsics", pass_intrinsics},
	{"runtime", pass_runtime},
	{"arithmetic", pass_arithmetic},
	{"converge", pass_converge},
	{"yield", pass_yield},
	{"layout", pass_layout},
	{NULL, NULL},
};

static const struct step plain_steps[] = {
	{"shared", pass_shared},
	{"variables", pass_variables},
	{"functions", pass_functions},
	{"kernels", pass_kernels},
	{"shared-end", pass_shared_end},
	{NULL, NULL},
};

static const struct step watched_steps[] = {
	{"watch", pass_watch},
	{"shared", pass_shared},
	{"variables", pass_variables},
	{"functions", pass_functions},
	{"debuginfo", pass_debuginfo},
	{"kernels", pass_kernels},
	{"shared-end", pass_shared_end},
	{NULL, NULL},
};

static const char *const stage_names[] = {
	[DEVICE_BASE] = "base", [DEVICE_PLAIN] = "plain", [DEVICE_V3] = "v3",
	[DEVICE_V4] = "v4", [DEVICE_WATCHED] = "watched", [DEVICE_TABLES] = "tables",
};

/* For --save-temps: DIR/STAGE-NN-PASS.ll. */
static struct cudasim_error *save(struct device_module *dm, unsigned number, const char *pass)
{
	const char *dir = dm->program->options->save_temps;
	if (!dir)
		return NULL;
	char *path, *message = NULL;
	if (asprintf(&path, "%s/%s-%02u-%s.ll", dir, stage_names[dm->stage], number, pass) < 0)
		return &cudasim_error_nomem;
	struct cudasim_error *error = NULL;
	if (LLVMPrintModuleToFile(dm->module, path, &message)) {
		error = cudasim_error_new(CUDASIM_E_SYSTEM, "%s: error: %s", path, message);
		LLVMDisposeMessage(message);
	}
	free(path);
	return error;
}

/* Our own passes must leave a valid module; a broken one is our bug, which is
 * shown with the pass's name before LLVM stumbles over it. */
static struct cudasim_error *verify(struct device_module *dm, const char *pass)
{
	char *message = NULL;
	struct cudasim_error *error = NULL;
	if (LLVMVerifyModule(dm->module, LLVMReturnStatusAction, &message))
		error = cudasim_error_new(CUDASIM_E_FAILED,
					  "error: internal: invalid IR after pass '%s' (%s): %s",
					  pass, stage_names[dm->stage], message);
	LLVMDisposeMessage(message);
	return error;
}

static struct cudasim_error *run_steps(struct device_module *dm, const struct step *steps)
{
	for (unsigned i = 0; steps[i].run; i++) {
		struct cudasim_error *error = steps[i].run(dm);
		if (!error)
			error = save(dm, i + 1, steps[i].name);
		if (!error)
			error = verify(dm, steps[i].name);
		if (error)
			return error;
	}
	if (dm->program->n_diagnoses)
		return cudasim_error_new(CUDASIM_E_FAILED, "%zu error%s generated.",
					 dm->program->n_diagnoses,
					 dm->program->n_diagnoses == 1 ? "" : "s");
	return NULL;
}

/* All inputs, linked into one module. */
static struct cudasim_error *read_inputs(struct device_module *dm)
{
	const struct device_options *options = dm->program->options;
	for (size_t i = 0; i < options->n_inputs; i++) {
		LLVMModuleRef module;
		struct cudasim_error *error = device_read_bitcode(dm, options->inputs[i], &module);
		if (error)
			return error;
		if (!dm->module)
			dm->module = module;
		else if (LLVMLinkModules2(dm->module, module))
			return cudasim_error_new(CUDASIM_E_FORMAT,
						 "%s: error: does not link with the modules before",
						 options->inputs[i]);
	}
	return save(dm, 0, "input");
}

static struct cudasim_error *run_clone(struct device_module *base, enum device_stage stage,
				       const struct step *steps)
{
	struct device_module dm = *base;
	dm.stage = stage;
	dm.module = LLVMCloneModule(base->module);
	struct cudasim_error *error = run_steps(&dm, steps);
	LLVMDisposeModule(dm.module);
	return error;
}

static void set_id_text(struct device_program *program)
{
	for (size_t i = 0; i < sizeof(program->options->id); i++)
		snprintf(program->id_text + 2 * i, 3, "%02x", program->options->id[i]);
}

struct cudasim_error *pipeline_run(const struct device_options *options)
{
	struct device_program program = {.options = options, .context = LLVMContextCreate()};
	struct device_module base = {
		.program = &program, .context = program.context, .stage = DEVICE_BASE};
	set_id_text(&program);
	struct cudasim_error *error = read_inputs(&base);
	if (!error)
		error = run_steps(&base, base_steps);
	if (!error && options->body_plain)
		error = run_clone(&base, DEVICE_PLAIN, plain_steps);
	if (!error && options->body_watched)
		error = run_clone(&base, DEVICE_WATCHED, watched_steps);
	if (base.module)
		LLVMDisposeModule(base.module);
	sites_free(&program);
	LLVMContextDispose(program.context);
	return error;
}

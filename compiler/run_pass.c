/* SPDX-License-Identifier: Apache-2.0 */
/* run_pass.c - --run-pass: a module of the stage that the pass belongs to is not kept anywhere
 * between passes; so a pass that reads, say, the layout names the passes that make it, and
 * these run on the same file first. */
#define _GNU_SOURCE
#include "run_pass.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/IRReader.h>

#include "compile_budget.h"
#include "layout.h"
#include "llvm_versions.h"
#include "loop_passes.h"
#include "names.h"
#include "pipeline.h"

/* Enough for all passes; those that have been run. */
enum { MOST = 128 };

struct runner {
	struct device_module *dm;
	const struct pipeline_pass *done[MOST];
	size_t n_done;
};

static bool is_done(const struct runner *r, const struct pipeline_pass *pass)
{
	for (size_t i = 0; i < r->n_done; i++)
		if (r->done[i] == pass)
			return true;
	return false;
}

static struct cudasim_error *run_one(struct runner *r, const char *name, size_t length,
				     bool is_need, enum pipeline_stage prefer);

/* Each of the names between commas. */
static struct cudasim_error *run_list(struct runner *r, const char *names, bool are_needs,
				      enum pipeline_stage prefer)
{
	struct cudasim_error *error = NULL;
	while (names && *names && !error) {
		size_t length = strcspn(names, ",");
		error = run_one(r, names, length, are_needs, prefer);
		names += length + (names[length] == ',');
	}
	return error;
}

/* A pass of pass_loop's (loop_passes.h), on each function of the module. False: there is none of
 * that name. */
static bool run_on_functions(struct device_module *dm, const char *name, size_t length)
{
	const struct loop_pass *pass, *found = NULL;
	for (enum loop_list list = 0; list < N_LOOP_LISTS; list++)
		for (unsigned i = 0; (pass = loop_list_pass(list, i)); i++)
			if (strlen(pass->name) == length && !memcmp(pass->name, name, length))
				found = pass;
	if (!found)
		return false;
	struct loop_runner *runner = loop_runner_new();
	struct layout_kernel kernel = {.name = NULL};
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			loop_pass_run(runner, found, f, &kernel);
	loop_runner_free(runner);
	return true;
}

static struct cudasim_error *run_one(struct runner *r, const char *name, size_t length,
				     bool is_need, enum pipeline_stage prefer)
{
	enum pipeline_stage stage;
	const struct pipeline_pass *pass = pipeline_find_step(name, length, prefer, &stage);
	if (!pass && run_on_functions(r->dm, name, length))
		return pipeline_verify(r->dm, name);
	if (!pass || r->n_done == MOST)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "error: --run-pass: '%.*s' is no pass (--print-pipeline "
					 "lists them)",
					 (int)length, name);
	if (is_need && is_done(r, pass))
		return NULL;
	struct cudasim_error *error = run_list(r, pass->needs, true, stage);
	if (error)
		return error;
	r->done[r->n_done++] = pass;
	r->dm->stage = pipeline_module(stage);
	error = pipeline_run_pass(r->dm, pass);
	if (!error)
		error = pipeline_refuse(r->dm);
	return error ? error : pipeline_verify(r->dm, pass->name);
}

static struct cudasim_error *read_input(struct device_module *dm)
{
	const char *path = dm->program->options->inputs[0];
	LLVMMemoryBufferRef buffer;
	char *message = NULL;
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message) ||
	    LLVMParseIRInContext(dm->context, buffer, &dm->module, &message)) {
		struct cudasim_error *error = cudasim_error_new(CUDASIM_E_FORMAT, "%s: error: %s",
								path, message);
		LLVMDisposeMessage(message);
		return error;
	}
	module_settle(dm->module, false);
	return NULL;
}

static struct cudasim_error *write_output(struct device_module *dm)
{
	const char *path = dm->program->options->output;
	char *text = LLVMPrintModuleToString(dm->module);
	FILE *file = path ? fopen(path, "we") : stdout;
	bool failed = !file || fputs(text, file) == EOF || fflush(file);
	if (file && path)
		failed |= fclose(file) != 0;
	LLVMDisposeMessage(text);
	return failed ? cudasim_error_errno(errno, "cannot write '%s'", path ? path : "stdout")
		      : NULL;
}

struct cudasim_error *run_pass(const struct device_options *options, const char *names)
{
	struct device_program program = {.options = options, .context = LLVMContextCreate()};
	struct device_module dm = {.program = &program, .context = program.context};
	struct runner runner = {.dm = &dm};
	name_set_id(&program);
	budget_begin();
	device_watch_diagnostics(&program);
	struct cudasim_error *error = read_input(&dm);
	if (!error)
		error = run_list(&runner, names, false, PIPELINE_BASE);
	if (!error)
		error = write_output(&dm);
	if (dm.module)
		LLVMDisposeModule(dm.module);
	sites_free(&program);
	layout_free(program.layout);
	LLVMContextDispose(program.context);
	return error;
}

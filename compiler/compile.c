/* SPDX-License-Identifier: Apache-2.0 */
/* compile.c - one run of the device compiler: the inputs become one module, the base; the
 * stages of pipeline.c make bodies of it; their objects and the tables' are linked. */
#define _GNU_SOURCE
#include "compile.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <llvm-c/Linker.h>

#include "bodies.h"
#include "compile_budget.h"
#include "flow_check.h"
#include "gpu.h"
#include "layout.h"
#include "llvm_functions.h"
#include "machine.h"
#include "names.h"
#include "nvvm_input.h"
#include "pipeline.h"
#include "ptx_input.h"
#include "rdc.h"
#include "tables.h"
#include "watched_loops.h"

/* All inputs, linked into one module. */
static struct cudasim_error *read_inputs(struct device_module *dm)
{
	const struct device_options *options = dm->program->options;
	bool has_ptx = false;
	for (size_t i = 0; i < options->n_inputs; i++) {
		LLVMModuleRef module;
		struct cudasim_error *error =
			ptx_input_is(options->inputs[i])
				? ptx_input_read(dm, options->inputs[i], &module)
				: device_read_bitcode(dm, options->inputs[i], &module);
		if (error)
			return error;
		if (ptx_input_is(options->inputs[i])) {
			has_ptx = true;
			error = dm->module ? ptx_input_compare(dm, module, options->inputs[i])
					   : NULL;
			if (error) {
				LLVMDisposeModule(module);
				return error;
			}
		}
		if (options->rdc)
			rdc_unite_statics(module);
		if (!dm->module)
			dm->module = module;
		else if (LLVMLinkModules2(dm->module, module))
			return cudasim_error_new(CUDASIM_E_FORMAT,
						 "%s: error: does not link with the modules before",
						 options->inputs[i]);
	}
	if (options->check)
		return NULL;
	if (has_ptx && !options->relocatable) {
		struct cudasim_error *error = ptx_input_check(dm);
		if (error)
			return error;
	}
	return pipeline_save(dm, 0, "input");
}

/* The jobs and objects of one compilation. */
struct build {
	struct body_job jobs[CUDASIM_N_BODIES + 1];
	size_t n_jobs;
	char *tables; /* the tables' object, or NULL */
};

static struct cudasim_error *start(struct build *build, struct device_module *dm,
				   enum device_stage stage)
{
	struct cudasim_error *error = body_start(dm, stage, &build->jobs[build->n_jobs]);
	build->n_jobs += !error;
	return error;
}

static struct cudasim_error *start_plain(struct build *build, struct device_module *base)
{
	const struct device_options *options = base->program->options;
	struct device_module dm = *base;
	dm.stage = DEVICE_PLAIN;
	dm.module = LLVMCloneModule(base->module);
	dm.large = budget_is_large(&dm);
	struct cudasim_error *error = pipeline_run_stage(&dm, PIPELINE_PLAIN);
	dm.large = budget_is_large(&dm);
	if (!error && options->body_plain)
		error = start(build, &dm, DEVICE_V3);
	if (!error && options->body_v4)
		error = start(build, &dm, DEVICE_V4);
	LLVMDisposeModule(dm.module);
	return error;
}

static struct cudasim_error *start_watched(struct build *build, struct device_module *base)
{
	struct device_module dm = *base;
	dm.stage = DEVICE_WATCHED;
	dm.module = LLVMCloneModule(base->module);
	struct cudasim_error *error = pipeline_run_stage(&dm, PIPELINE_WATCHED);
	if (!error)
		error = start(build, &dm, DEVICE_WATCHED);
	LLVMDisposeModule(dm.module);
	return error;
}

/* After start_plain(), which has found out what kernels have loops. */
static struct cudasim_error *start_watched_loops(struct build *build, struct device_module *base)
{
	if (!watched_loops_are_any(base->program->layout))
		return NULL;
	struct device_module dm = *base;
	dm.stage = DEVICE_WATCHED_LOOPS;
	dm.module = LLVMCloneModule(base->module);
	struct cudasim_error *error = pipeline_run_stage(&dm, PIPELINE_WATCHED_LOOPS);
	bool any = false;
	for (size_t i = 0; i < base->program->layout->n_kernels; i++)
		any = any || base->program->layout->kernels[i].has_watched_loop;
	dm.large = budget_is_large(&dm);
	if (!error && any)
		error = start(build, &dm, DEVICE_WATCHED_LOOPS);
	LLVMDisposeModule(dm.module);
	return error;
}

static struct cudasim_error *make_tables(struct build *build, struct device_module *base)
{
	struct device_module dm = *base;
	LLVMTargetMachineRef machine;
	dm.stage = DEVICE_TABLES;
	dm.module = module_clone_globals(base->module);
	struct cudasim_error *error = tables_build(&dm, base);
	if (!error)
		error = pipeline_save(&dm, 0, "tables");
	if (!error)
		error = pipeline_verify(&dm, "tables");
	if (!error)
		error = machine_new(&dm, &machine);
	if (!error) {
		build->tables = body_path(base->program, "tables");
		error = machine_emit(&dm, machine, build->tables);
		LLVMDisposeTargetMachine(machine);
	}
	if (!error)
		error = pipeline_refuse(&dm);
	LLVMDisposeModule(dm.module);
	return error;
}

/* All jobs, whatever happened to the others. */
static struct cudasim_error *finish_bodies(struct build *build, struct device_program *program)
{
	struct cudasim_error *first = NULL;
	for (size_t i = 0; i < build->n_jobs; i++) {
		struct cudasim_error *error = body_finish(program, &build->jobs[i]);
		if (first)
			cudasim_error_free(error);
		else
			first = error;
	}
	return first;
}

/* ld -r of all objects. */
static struct cudasim_error *link_objects(struct build *build, const struct device_options *options)
{
	const char *argv[10 + CUDASIM_N_BODIES] = {"ld", "-r", "-o", options->output};
	size_t n = 4;
	for (size_t i = 0; i < build->n_jobs; i++)
		argv[n++] = build->jobs[i].path;
	argv[n++] = build->tables;
	if (options->attach)
		argv[n++] = options->attach;
	pid_t process;
	int status, failed = posix_spawnp(&process, "ld", NULL, NULL, (char **)argv, environ);
	if (failed)
		return cudasim_error_errno(failed, "error: cannot run ld");
	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return cudasim_error_new(CUDASIM_E_FAILED, "%s: error: ld -r failed",
					 options->output);
	return NULL;
}

static void remove_temporaries(struct build *build)
{
	for (size_t i = 0; i < build->n_jobs; i++) {
		unlink(build->jobs[i].path);
		free(build->jobs[i].path);
	}
	if (build->tables)
		unlink(build->tables);
	free(build->tables);
}

static struct cudasim_error *build_objects(struct build *build, struct device_module *base)
{
	const struct device_options *options = base->program->options;
	struct cudasim_error *error = NULL, *finished;
	if (options->body_plain || options->body_v4)
		error = start_plain(build, base);
	if (!error && options->body_watched)
		error = start_watched(build, base);
	if (!error && options->body_watched && options->body_plain)
		error = start_watched_loops(build, base);
	finished = finish_bodies(build, base->program);
	if (error)
		cudasim_error_free(finished);
	else
		error = finished;
	if (!error)
		error = make_tables(build, base);
	if (!error)
		error = link_objects(build, options);
	return error;
}

static struct cudasim_error *write_ptx(struct device_module *dm)
{
	struct cudasim_error *error = pipeline_run_stage(dm, PIPELINE_PTX);
	return error ? error : gpu_emit(dm);
}

/* In the place of an object that nothing could be called in. */
static struct cudasim_error *write_nothing(const struct device_options *options)
{
	FILE *file = fopen(options->output, "we");
	if (!file || fclose(file))
		return cudasim_error_errno(errno, "cannot write '%s'", options->output);
	return NULL;
}

/* In the place of PTX with launches of kernels, for which nvcc has calls that are not documented: who
 * compiles it for a GPU, or links it with other PTX, is told by this name. */
static struct cudasim_error *write_no_ptx(const struct device_options *options)
{
	static const char name[] = "kernels_that_launch_kernels_have_no_PTX";
	FILE *file = fopen(options->output, "we");
	if (file)
		fprintf(file,
			".version 7.0\n.target sm_50\n.address_size 64\n"
			".extern .func %s();\n.visible .entry cudasim_no_PTX()\n{\n"
			"\tcall %s, ();\n\tret;\n}\n",
			name, name);
	if (!file || fclose(file))
		return cudasim_error_errno(errno, "cannot write '%s'", options->output);
	return NULL;
}

static const char *watched_refusal(const struct layout_kernel *kernel)
{
	const char *refused = watched_loop_refuse(kernel);
	return refused                   ? refused
	       : kernel->why_not_watched ? kernel->why_not_watched
					 : "has no instrumented form";
}

static void show_engines(const struct device_program *program)
{
	const struct device_layout *layout = program->layout;
	for (size_t i = 0; program->options->engines && i < layout->n_kernels; i++) {
		const struct layout_kernel *kernel = &layout->kernels[i];
		char *name = name_demangle(kernel->name, true);
		if (kernel->why_not_loop)
			fprintf(stderr, "cudasim: kernel %s runs on fibers: it %s\n", name,
				kernel->why_not_loop);
		else
			fprintf(stderr, "cudasim: kernel %s runs as %sloops%s%s%s\n", name,
				kernel->vectorized ? "vectorized " : "",
				kernel->empty ? ", of which nothing is left" : "",
				kernel->has_watched_loop
					? ""
					: "; checkers run it thread by thread: it ",
				kernel->has_watched_loop ? "" : watched_refusal(kernel));
		free(name);
	}
}

struct cudasim_error *compile_run(const struct device_options *options)
{
	struct device_program program = {.options = options, .context = LLVMContextCreate()};
	struct device_module base = {.program = &program,
				     .context = program.context,
				     .stage = options->gpu ? DEVICE_GPU : DEVICE_BASE};
	struct build build = {0};
	name_set_id(&program);
	if (options->verify_each)
		flow_check_always();
	budget_begin();
	device_watch_diagnostics(&program);
	struct cudasim_error *error = options->nvvm ? nvvm_input_run(&base) : read_inputs(&base);
	if (options->nvvm || (!error && options->check)) {
		if (base.module)
			LLVMDisposeModule(base.module);
		LLVMContextDispose(program.context);
		return error;
	}
	if (!error)
		error = pipeline_run_stage(&base, options->gpu ? PIPELINE_GPU : PIPELINE_BASE);
	if (!error)
		error = program.incomplete && options->gpu ? write_no_ptx(options)
			: program.incomplete               ? write_nothing(options)
			: options->gpu                     ? write_ptx(&base)
							   : build_objects(&build, &base);
	if (!error && !options->gpu && !program.incomplete &&
	    (options->body_plain || options->body_v4))
		show_engines(&program);
	remove_temporaries(&build);
	if (base.module)
		LLVMDisposeModule(base.module);
	sites_free(&program);
	layout_free(program.layout);
	LLVMContextDispose(program.context);
	return error;
}

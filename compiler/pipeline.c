/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline.c - the order of things in the device compiler. */
#define _GNU_SOURCE
#include "pipeline.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Linker.h>

#include "bodies.h"
#include "effort.h"
#include "flow_check.h"
#include "gpu.h"
#include "layout.h"
#include "llvm_bridge.h"
#include "machine.h"
#include "ptx_input.h"
#include "rdc.h"
#include "tables.h"

/* The error that stands for those already shown. */
static struct cudasim_error *count_diagnoses(const struct device_program *program)
{
	return cudasim_error_new(CUDASIM_E_FAILED, "%zu error%s generated.", program->n_diagnoses,
				 program->n_diagnoses == 1 ? "" : "s");
}

/* Ends the steps where something was diagnosed: what follows is long work, and in vain. */
static struct cudasim_error *refuse(struct device_module *dm)
{
	return dm->program->n_diagnoses ? count_diagnoses(dm->program) : NULL;
}

static const struct pipeline_step base_steps[] = {
	{"launches", pass_launches},
	{"builtin-variables", pass_builtin_variables},
	{"promises", pass_promises},
	{"asm-known", pass_asm_known},
	{"refuse", refuse},
	{"shared-values", pass_shared_values},
	{"headers", pass_headers},
	{"libdevice", pass_libdevice},
	{"asm-strings", pass_asm_strings},
	{"asm", pass_asm},
	{"refuse", refuse},
	{"retarget", pass_retarget},
	{"intrinsics", pass_intrinsics},
	{"runtime", pass_runtime},
	{"arithmetic", pass_arithmetic},
	{"inline", pass_inline},
	{"locals", pass_locals},
	{"converge", pass_converge},
	{"spin", pass_spin},
	{"yield", pass_yield},
	{"layout", pass_layout},
	{NULL, NULL},
};

static const struct pipeline_step plain_steps[] = {
	{"padding", pass_padding},
	{"pairs", pass_pairs},
	{"shared", pass_shared},
	{"atomics", pass_atomics},
	{"variables", pass_variables},
	{"functions", pass_functions},
	{"loop", pass_loop},
	{"kernels", pass_kernels},
	{"shared-end", pass_shared_end},
	{NULL, NULL},
};

static const struct pipeline_step watched_steps[] = {
	{"pairs", pass_pairs},
	{"watch", pass_watch},
	{"padding", pass_padding},
	{"shared", pass_shared},
	{"atomics", pass_atomics},
	{"variables", pass_variables},
	{"functions", pass_functions},
	{"debuginfo", pass_debuginfo},
	{"kernels", pass_kernels},
	{"shared-end", pass_shared_end},
	{NULL, NULL},
};

static const struct pipeline_step gpu_steps[] = {
	{"builtin-variables", pass_builtin_variables},
	{"asm-strings", pass_asm_strings},
	{"promises", pass_promises},
	{"shared-values", pass_shared_values},
	{"libdevice", pass_libdevice},
	{"gpu", pass_gpu},
	{NULL, NULL},
};

static const char *const stage_names[] = {
	[DEVICE_BASE] = "base", [DEVICE_PLAIN] = "plain", [DEVICE_V3] = "v3",
	[DEVICE_V4] = "v4", [DEVICE_WATCHED] = "watched", [DEVICE_TABLES] = "tables",
	[DEVICE_GPU] = "gpu",
};

/* Processor time, which says the same on a busy machine. */
uint64_t pipeline_now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void pipeline_show_time(const struct device_module *dm, const char *what, uint64_t start)
{
	if (dm->program->options->verbose)
		fprintf(stderr, "%-8s %-12s %8" PRIu64 " us\n", stage_names[dm->stage], what,
			pipeline_now_us() - start);
}

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
					  "error: internal: invalid IR after pass '%s' (%s)%s: %s",
					  pass, stage_names[dm->stage],
					  dm->program->options->verify_each
						  ? ""
						  : " or before it (--verify-each tells)",
					  message);
	LLVMDisposeMessage(message);
	return error;
}

struct cudasim_error *pipeline_run_steps(struct device_module *dm, const struct pipeline_step *steps)
{
	const struct device_options *options = dm->program->options;
	for (unsigned i = 0; steps[i].run; i++) {
		uint64_t start = pipeline_now_us();
		struct cudasim_error *error = steps[i].run(dm);
		pipeline_show_time(dm, steps[i].name, start);
		/* After each pass it would be a tenth of the compilation. */
		if (!error && (options->verify_each || options->save_temps || !steps[i + 1].run))
			error = verify(dm, steps[i].name);
		if (!error)
			error = save(dm, i + 1, steps[i].name);
		if (error)
			return error;
	}
	return refuse(dm);
}

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
			error = dm->module ? ptx_input_compare(dm, module, options->inputs[i]) : NULL;
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
	if (has_ptx) {
		struct cudasim_error *error = ptx_input_check(dm);
		if (error)
			return error;
	}
	return save(dm, 0, "input");
}

static void set_id_text(struct device_program *program)
{
	for (size_t i = 0; i < sizeof(program->options->id); i++)
		snprintf(program->id_text + 2 * i, 3, "%02x", program->options->id[i]);
}

/* The jobs and objects of one compilation. */
struct build {
	struct body_job jobs[CUDASIM_N_BODIES];
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
	dm.large = effort_is_large(&dm);
	struct cudasim_error *error = pipeline_run_steps(&dm, plain_steps);
	dm.large = effort_is_large(&dm);
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
	struct cudasim_error *error = pipeline_run_steps(&dm, watched_steps);
	if (!error)
		error = start(build, &dm, DEVICE_WATCHED);
	LLVMDisposeModule(dm.module);
	return error;
}

static struct cudasim_error *make_tables(struct build *build, struct device_module *base)
{
	struct device_module dm = *base;
	LLVMTargetMachineRef machine;
	dm.stage = DEVICE_TABLES;
	dm.module = bridge_clone_globals(base->module);
	struct cudasim_error *error = tables_build(&dm, base);
	if (!error)
		error = save(&dm, 0, "tables");
	if (!error)
		error = verify(&dm, "tables");
	if (!error)
		error = machine_new(&dm, &machine);
	if (!error) {
		build->tables = body_path(base->program, "tables");
		error = machine_emit(&dm, machine, build->tables);
		LLVMDisposeTargetMachine(machine);
	}
	if (!error && dm.program->n_diagnoses)
		error = count_diagnoses(dm.program);
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
	const char *argv[9 + CUDASIM_N_BODIES] = {"ld", "-r", "-o", options->output};
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

static void show_engines(const struct device_program *program)
{
	const struct device_layout *layout = program->layout;
	for (size_t i = 0; program->options->engines && i < layout->n_kernels; i++) {
		const struct layout_kernel *kernel = &layout->kernels[i];
		char *name = bridge_demangle(kernel->name, true);
		if (kernel->why_not_loop)
			fprintf(stderr, "cudasim: kernel %s runs on fibers: it %s\n", name,
				kernel->why_not_loop);
		else
			fprintf(stderr, "cudasim: kernel %s runs as %sloops%s\n", name,
				kernel->vectorized ? "vectorized " : "",
				kernel->empty ? ", of which nothing is left" : "");
		free(name);
	}
}

struct cudasim_error *pipeline_run(const struct device_options *options)
{
	struct device_program program = {.options = options, .context = LLVMContextCreate()};
	struct device_module base = {
		.program = &program, .context = program.context,
		.stage = options->gpu ? DEVICE_GPU : DEVICE_BASE};
	struct build build = {0};
	set_id_text(&program);
	if (options->verify_each)
		flow_check_always();
	effort_begin();
	device_watch_diagnostics(&program);
	struct cudasim_error *error = read_inputs(&base);
	if (!error && options->check) {
		LLVMDisposeModule(base.module);
		LLVMContextDispose(program.context);
		return NULL;
	}
	if (!error)
		error = pipeline_run_steps(&base, options->gpu ? gpu_steps : base_steps);
	if (!error)
		error = options->gpu ? gpu_emit(&base) : build_objects(&build, &base);
	if (!error && !options->gpu && (options->body_plain || options->body_v4))
		show_engines(&program);
	remove_temporaries(&build);
	if (base.module)
		LLVMDisposeModule(base.module);
	sites_free(&program);
	layout_free(program.layout);
	LLVMContextDispose(program.context);
	return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* compile_plan.c - the jobs that make one object of one source (plan.h), and those of -E, -M
 * and -MM. */
#include <stdlib.h>

#include "front.h"
#include "planner.h"

static char *absolute(const struct planner *planner, const char *path)
{
	return *path == '/' ? text_copy(path) : text_format("%s/%s", planner->here->folder, path);
}

/* Which precompiled header the step may use (planner_add_prelude()). */
static void add_prelude_option(struct planner *planner, struct job *job, const char *side)
{
	if (planner->command->syntax_only)
		return;
	words_add(&job->words, "--prelude");
	words_addf(&job->words, "%s/%s.pch", planner->here->temporary, side);
}

struct job *planner_add_device_pass(struct planner *planner, const char *path, const char *bitcode,
				    const char *overlay, const char *cuid, unsigned source)
{
	struct job *job = planner_add_job(planner, "device pass", source);
	words_add_all(&job->words, planner->here->places->self, "cc-device-pass", "--overlay",
		      overlay, "--folder", planner->here->temporary, NULL);
	if (command_makes_image(planner->command))
		words_add_all(&job->words, "--host", "none", NULL);
	add_prelude_option(planner, job, "device");
	words_add(&job->words, "--");
	front_add_device(&job->words, planner->command, planner->here,
			 planner->here->architecture->name);
	if (!planner->command->syntax_only)
		planner_add_prelude(planner, job, "device");
	if (command_is_relocatable(planner->command))
		words_addf(&job->words, "-cuid=%s", cuid);
	if (planner->command->syntax_only)
		words_add_all(&job->words, "-fsyntax-only", path, NULL);
	else
		words_add_all(&job->words, "-emit-llvm", "-c", "-o", bitcode, path, NULL);
	job->output = text_copy(bitcode);
	job->headers = text_format("%s.headers", bitcode);
	return job;
}

static void add_host_pass(struct planner *planner, const char *path, const char *blob,
			  const char *overlay, const char *object, const char *depend_object,
			  const char *cuid, unsigned source)
{
	struct job *job = planner_add_job(planner, "host pass", source);
	words_add_all(&job->words, planner->here->places->self, "cc-host-pass", "--overlay",
		      overlay, "--folder", planner->here->temporary, NULL);
	add_prelude_option(planner, job, "host");
	words_add(&job->words, "--");
	front_add_host(&job->words, planner->command, planner->here);
	planner_add_prelude(planner, job, "host");
	words_add_all(&job->words, "-ivfsoverlay", overlay, NULL);
	if (command_is_relocatable(planner->command)) {
		/* Without a device side in the same run clang's driver drops it before version 20, and adds one
		 * of its own behind it from then on if it was not given one. */
		words_add(&job->words, "-Xclang");
		words_addf(&job->words, "-cuid=%s", cuid);
		words_addf(&job->words, "-cuid=%s", cuid);
	}
	words_add_all(&job->words, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", blob, NULL);
	planner_add_depend(planner, &job->words, path, depend_object);
	words_add_all(&job->words, "-c", "-o", object, path, NULL);
	job->output = text_copy(object);
	job->headers = text_format("%s.headers", object);
}

void planner_add_module_id(struct planner *planner, const char *path, const char *identity,
			   const char *bitcode, const char *blob, const char *id)
{
	struct job *job = planner_add_job(planner, "module id", 0);
	char *source = absolute(planner, path), *target = absolute(planner, identity);
	words_add_all(&job->words, planner->here->places->self, "cc-module-id", "--blob", blob,
		      "--id", id, bitcode, source, target, NULL);
	free(source);
	free(target);
}

static void compile_cuda(struct planner *planner, const char *path, const char *object,
			 const char *stem, const char *identity, unsigned source)
{
	const char *bitcode = planner_temporary(planner, stem, ".bc");
	const char *blob = planner_temporary(planner, stem, ".blob");
	const char *id = planner_temporary(planner, stem, ".id");
	const char *overlay = planner_temporary(planner, stem, ".overlay");
	const char *host = planner_temporary(planner, stem, ".host.o");
	char *cuid = planner_cuid(path, identity);
	size_t first = planner->plan->n_jobs;

	planner_add_device_pass(planner, path, bitcode, overlay, cuid, source);
	if (planner->command->syntax_only) {
		struct job *job = planner_add_job(planner, "host pass", source);
		words_add_all(&job->words, planner->here->places->self, "cc-host-pass", "--overlay",
			      overlay, "--folder", planner->here->temporary, "--", NULL);
		front_add_host(&job->words, planner->command, planner->here);
		words_add_all(&job->words, "-ivfsoverlay", overlay, "-fsyntax-only", path, NULL);
	} else {
		const struct gpu *gpu = planner->here->gpu;
		struct gpu_unit unit = {stem, path, cuid, bitcode, source};
		planner_add_module_id(planner, path, identity, bitcode, blob, id);
		if (gpu && command_is_relocatable(planner->command))
			gpu_plan_passes(planner, &unit);
		add_host_pass(planner, path, blob, overlay, host, object, cuid, source);
		if (command_is_relocatable(planner->command)) {
			struct job *job = planner_add_job(planner, "packing", 0);
			words_add_all(&job->words, planner->here->places->self, "cc-pack", "--id",
				      id, NULL);
			for (size_t i = 0; gpu && i < gpu->n_fronts; i++) {
				char *of = gpu_unit_bitcode(planner, &unit, i);
				words_add(&job->words, "--gpu");
				words_addf(&job->words, "%s=%s", gpu->fronts[i].name, of);
				free(of);
			}
			words_add_all(&job->words, "-o", object, host, bitcode, NULL);
			job->output = text_copy(object);
		} else {
			const char *device = planner_temporary(planner, stem, ".dev.o");
			planner->plan->jobs[planner->plan->n_jobs - 1].beside_next = true;
			if (gpu)
				gpu_plan_code(planner, &unit);
			struct job *job = planner_add_job(planner, "device compiler", 0);
			words_addf(&job->words, "%s", planner->here->places->devcc);
			words_addf(&job->words, "--id=$(cat %s)", id);
			words_addf(&job->words, "--source=%s", path);
			front_add_devcc(&job->words, planner->command, planner->here,
					planner->here->architecture->number);
			if (gpu)
				words_add(&job->words, "--gpu-beside=1");
			words_add_all(&job->words, "-o", device, bitcode, NULL);
			job->output = text_copy(device);
			if (gpu) {
				const char *whole = planner_temporary(planner, stem, ".gpu.blob");
				gpu_plan_blob(planner, stem, id, whole);
				gpu_plan_embed(planner, whole, host);
			}
			job = planner_add_job(planner, "joining", 0);
			words_add_all(&job->words, "ld", "-r", "-o", object, host, device, NULL);
			job->output = text_copy(object);
		}
		planner_add_unit(planner, first, path, object);
	}
	free(cuid);
}

static void compile_host(struct planner *planner, const struct input *input, const char *object,
			 unsigned source)
{
	struct job *job = planner_add_job(planner, "host compiler", source);
	front_add_host_compiler(&job->words, planner->command, planner->here, input->kind);
	planner_add_depend(planner, &job->words, input->path, object);
	words_add_all(&job->words, "-c", "-o", object, input->path, NULL);
	job->output = text_copy(object);
}

void compile_plan(struct planner *planner, const struct input *input, const char *object,
		  const char *stem, const char *identity, unsigned source)
{
	if (input->kind == INPUT_CUDA)
		compile_cuda(planner, input->path, object, stem, identity, source);
	else
		compile_host(planner, input, object, source);
}

/* ---- the preprocessor alone -------------------------------------------------- */

/* Behind the text that -E shows, a line with the hash of the text that it does not:
 * the host's side. By that line caches that go by preprocessed text, as ccache does,
 * tell sources apart that differ for the host alone. */
static void sign_preprocessed(struct planner *planner, const char *path, const char *output,
			      unsigned source)
{
	char *stem = planner_unique_stem(planner, path);
	const char *text = planner_temporary(planner, stem, ".host.ii");
	struct job *job = planner_add_job(planner, "preprocessing", source);
	front_add_host(&job->words, planner->command, planner->here);
	words_add_all(&job->words, "-E", "-o", text, path, NULL);
	job = planner_add_job(planner, "preprocessing", 0);
	words_add_all(&job->words, planner->here->places->self, "cc-sign", text, output, NULL);
	free(stem);
}

void preprocess_plan(struct planner *planner, const struct input *input, unsigned source)
{
	const struct command *command = planner->command;
	struct job *job = planner_add_job(planner, "preprocessing", source);
	struct words *words = &job->words;
	if (input->kind == INPUT_CUDA)
		front_add_device(words, command, planner->here, planner->here->architecture->name);
	else
		front_add_host_compiler(words, command, planner->here, input->kind);
	const char *output = command->output;
	if (command->phase == PHASE_PREPROCESS) {
		words_add(words, "-E");
	} else {
		char *object = planner_default_output(planner, input->path, ".o");
		words_add_all(words, command->phase == PHASE_DEPEND ? "-M" : "-MM", "-MT",
			      command->depend_target ? command->depend_target : object, NULL);
		if (command->depend_phony)
			words_add(words, "-MP");
		if (command->depend_file)
			output = command->depend_file;
		free(object);
	}
	if (output)
		words_add_all(words, "-o", output, NULL);
	words_add(words, input->path);
	job->output = output ? text_copy(output) : NULL;
	if (command->phase == PHASE_PREPROCESS && input->kind == INPUT_CUDA)
		sign_preprocessed(planner, input->path, output, source);
}

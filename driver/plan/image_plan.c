/* SPDX-License-Identifier: Apache-2.0 */
/* image_plan.c - -ptx, -cubin, -fatbin and -ltoir: device code that programs load while they run, or
 * link before that.
 *
 *   x.bc --cudasim-devcc--> x.dev.o --ld -shared--> x.image.so
 *   x.bc --cudasim-devcc --gpu--> x.ptx
 *   x.ptx with x.image.so in comments (formats/image.h) is the product
 *
 * With -rdc=true the PTX is what others link with. Where it needs others there is no object:
 * the product is the PTX alone, which is compiled when all are there.
 *
 * NVVM IR (several files, in text or bitcode) becomes x.bc first:
 *
 *   a.ll b.bc --cudasim-devcc --nvvm--> x.bc
 *
 * It is the same for the three options, since the driver's cuModuleLoad() and its kin take each
 * of the three forms; with --gpu, -cubin and -fatbin make a fat binary with code for the GPUs,
 * whose PTX is that text. */
#include <stdlib.h>

#include "front.h"
#include "planner.h"

/* Dependencies are of the product, and the device pass is the only one that reads headers. */
static void add_pass(struct planner *planner, const char *path, const char *output,
		     const char *bitcode, const char *stem, const char *cuid, unsigned source)
{
	struct words depend = {0};
	planner_add_depend(planner, &depend, path, output);
	struct job *job = planner_add_device_pass(
		planner, path, bitcode, planner_temporary(planner, stem, ".overlay"), cuid, source);
	char *last = text_copy(job->words.at[job->words.n - 1]);
	free(job->words.at[--job->words.n]);
	words_append(&job->words, &depend);
	words_add(&job->words, last);
	free(last);
	words_fini(&depend);
}

static struct job *add_compiler(struct planner *planner, const char *phase, const char *path,
				const char *to)
{
	struct job *job = planner_add_job(planner, phase, 0);
	words_add(&job->words, planner->here->places->devcc);
	words_addf(&job->words, "--source=%s", path);
	front_add_devcc(&job->words, planner->command, planner->here,
			planner->here->architecture->number);
	words_add_all(&job->words, "-o", to, NULL);
	job->output = text_copy(to);
	return job;
}

/* By what the inputs hold and how they are called, not by where they lie: programs load code from
 * folders that are made for that. */
static void add_module_id(struct planner *planner, const struct words *inputs, const char *source,
			  const char *output, const char *stem, const char *id)
{
	struct job *job = planner_add_job(planner, "module id", 0);
	words_add_all(&job->words, planner->here->places->self, "cc-module-id", "--blob",
		      planner_temporary(planner, stem, ".blob"), "--id", id, NULL);
	words_append(&job->words, inputs);
	words_add_all(&job->words, source, output, NULL);
}

/* The shared object of a relocatable one. By the linker itself, as cudasim-devcc calls it: clang takes longer to start than to link.
 * The C library and libm, which LLVM calls, come with libcudasim; to link them as well takes four times as long.
 * What is undefined in the program cudasim-devcc has said. */
static const char *add_shared(struct planner *planner, const char *device, const char *stem)
{
	const char *object = planner_temporary(planner, stem, ".image.so");
	struct job *job = planner_add_job(planner, "linking the image", 0);
	if (command_is_relocatable(planner->command))
		job->only_if = text_copy(device);
	words_add_all(&job->words, "ld", "-shared", "--hash-style=gnu", "--build-id",
		      "--eh-frame-hdr", "-o", object, device, NULL);
	words_addf(&job->words, "-L%s", planner->here->places->library);
	words_add_all(&job->words, "-lcudasim", NULL);
	job->output = text_copy(object);
	return object;
}

static const char *add_object(struct planner *planner, const char *path, const struct words *inputs,
			      const char *stem, const char *id)
{
	const char *device = planner_temporary(planner, stem, ".dev.o");
	struct job *job = add_compiler(planner, "device compiler", path, device);
	words_addf(&job->words, "--id=$(cat %s)", id);
	if (command_is_relocatable(planner->command))
		words_add(&job->words, "--relocatable");
	words_append(&job->words, inputs);
	return add_shared(planner, device, stem);
}

/* Text, which is PTX with the object in it, if there is an object. */
static void add_packing(struct planner *planner, const char *ptx, const char *object,
			const char *stem, const char *text)
{
	struct job *job = planner_add_job(planner, "packing", 0);
	words_add_all(&job->words, planner->here->places->self, "cc-image", "--ptx", ptx, "-o",
		      text, NULL);
	if (command_is_relocatable(planner->command))
		words_add_all(&job->words, "--of", planner_temporary(planner, stem, ".dev.o"),
			      NULL);
	words_add(&job->words, object);
	job->output = text_copy(text);
}

static const char *add_ptx(struct planner *planner, const char *path, const char *bitcode,
			   const char *stem)
{
	const char *ptx = planner_temporary(planner, stem, ".ptx");
	struct job *job = add_compiler(planner, "GPU compiler", path, ptx);
	words_addf(&job->words, "--gpu=%s", planner->here->architecture->name);
	words_add(&job->words, "--gpu-alone");
	if (planner->command->device_debug)
		words_add(&job->words, "--gpu-debug");
	if (command_is_relocatable(planner->command))
		words_add(&job->words, "--relocatable");
	words_add(&job->words, bitcode);
	return ptx;
}

void image_plan_ptx(struct planner *planner, const struct words *paths, const char *output,
		    const char *stem)
{
	if (planner->command->syntax_only) {
		struct job *check = planner_add_job(planner, "device compiler", 0);
		words_add_all(&check->words, planner->here->places->devcc, "--check", "-o", output,
			      NULL);
		words_append(&check->words, paths);
		return;
	}
	const char *id = planner_temporary(planner, stem, ".id");
	size_t first = planner->plan->n_jobs;
	add_module_id(planner, paths, paths->at[0], output, stem, id);
	const char *object = add_object(planner, paths->at[0], paths, stem, id);
	/* What is linked of several has no PTX. */
	add_packing(planner, paths->n > 1 ? "/dev/null" : paths->at[0], object, stem, output);
	planner_add_unit(planner, first, paths->at[0], output)->by_content = true;
}

/* Bitcode that image_plan_link() takes. */
static void add_seal(struct planner *planner, const char *bitcode, const char *output)
{
	struct job *job = planner_add_job(planner, "packing", 0);
	words_add_all(&job->words, planner->here->places->self, "cc-seal", bitcode, output, NULL);
	job->output = text_copy(output);
}

void image_plan_ltoir(struct planner *planner, const char *path, const char *output,
		      const char *stem, unsigned source)
{
	const char *bitcode = planner_temporary(planner, stem, ".bc");
	char *cuid = planner_cuid(path, output);
	add_pass(planner, path, output, bitcode, stem, cuid, source);
	add_seal(planner, bitcode, output);
	free(cuid);
}

void image_plan_link(struct planner *planner, const struct words *paths, const struct words *ptx,
		     const char *output, const char *stem)
{
	const char *id = planner_temporary(planner, stem, ".id");
	const char *list = planner_temporary(planner, stem, ".list");
	const char *device = planner_temporary(planner, stem, ".dev.o");
	size_t first = planner->plan->n_jobs;
	struct job *job = planner_add_job(planner, "gathering", 0);
	words_add_all(&job->words, planner->here->places->self, "cc-gather", "--folder",
		      planner->here->temporary, "--list", list, "--id", id, "--image", output,
		      NULL);
	words_append(&job->words, paths);
	/* What PTX gives is never linked into PTX again. */
	const char *text = "/dev/null";
	if (!ptx->n) {
		text = planner_temporary(planner, stem, ".ptx");
		job = add_compiler(planner, "GPU compiler", output, text);
		words_addf(&job->words, "--gpu=%s", planner->here->architecture->name);
		words_add_all(&job->words, "--gpu-alone", "--rdc", NULL);
		if (planner->command->device_debug)
			words_add(&job->words, "--gpu-debug");
		words_addf(&job->words, "$(cat %s)", list);
		job->beside_next = true;
	}
	job = add_compiler(planner, "device compiler", output, device);
	words_addf(&job->words, "--id=$(cat %s)", id);
	words_add(&job->words, "--rdc");
	words_addf(&job->words, "$(cat %s)", list);
	words_append(&job->words, ptx);
	const char *object = add_shared(planner, device, stem);
	add_packing(planner, text, object, stem, output);
	planner_add_unit(planner, first, paths->at[0], output)->by_content = true;
}

void image_plan(struct planner *planner, const char *path, const char *output, const char *stem,
		unsigned source)
{
	const struct gpu *gpu = planner->command->phase == PHASE_PTX ? NULL : planner->here->gpu;
	const char *bitcode = planner_temporary(planner, stem, ".bc");
	const char *id = planner_temporary(planner, stem, ".id");
	char *cuid = planner_cuid(path, output);
	size_t first = planner->plan->n_jobs;
	add_pass(planner, path, output, bitcode, stem, cuid, source);
	planner_add_module_id(planner, path, output, bitcode,
			      planner_temporary(planner, stem, ".blob"), id);
	const char *ptx;
	if (gpu) {
		struct gpu_unit unit = {stem, path, cuid, bitcode, source};
		gpu_plan_code(planner, &unit);
		ptx = gpu_plan_ptx(planner, stem);
	} else {
		ptx = add_ptx(planner, path, bitcode, stem);
		planner->plan->jobs[planner->plan->n_jobs - 1].beside_next = true;
	}
	struct words inputs = {0};
	words_add(&inputs, bitcode);
	const char *object = add_object(planner, path, &inputs, stem, id);
	words_fini(&inputs);
	free(cuid);
	const char *text = gpu ? planner_temporary(planner, stem, ".image.ptx") : output;
	add_packing(planner, ptx, object, stem, text);
	if (gpu)
		gpu_plan_fatbin(planner, stem, text, output);
	if (!planner->command->syntax_only)
		planner_add_unit(planner, first, path, output);
}

/* NVVM IR as bitcode that is compiled like clang's. */
static void add_nvvm(struct planner *planner, const char *bitcode)
{
	const struct command *command = planner->command;
	const struct words *paths = &command->input_paths;
	struct job *job = add_compiler(planner, "NVVM IR", paths->at[0], bitcode);
	words_add(&job->words, "--nvvm");
	if (command->syntax_only)
		words_add(&job->words, "--check");
	for (size_t i = 0; i < command->lazy_modules.n; i++)
		words_addf(&job->words, "--lazy=%s", command->lazy_modules.at[i]);
	words_append(&job->words, paths);
}

void image_plan_nvvm(struct planner *planner, const char *output, const char *stem)
{
	const char *path = planner->command->input_paths.at[0];
	const char *bitcode = planner_temporary(planner, stem, ".bc");
	const char *id = planner_temporary(planner, stem, ".id");
	size_t first = planner->plan->n_jobs;
	struct words inputs = {0};
	add_nvvm(planner, bitcode);
	if (planner->command->syntax_only)
		return;
	if (planner->command->phase == PHASE_LTOIR) {
		add_seal(planner, bitcode, output);
		return;
	}
	words_add(&inputs, bitcode);
	add_module_id(planner, &inputs, path, output, stem, id);
	const char *ptx = add_ptx(planner, path, bitcode, stem);
	planner->plan->jobs[planner->plan->n_jobs - 1].beside_next = true;
	const char *object = add_object(planner, path, &inputs, stem, id);
	words_fini(&inputs);
	add_packing(planner, ptx, object, stem, output);
	planner_add_unit(planner, first, path, output)->by_content = true;
}

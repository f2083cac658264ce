/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_plan.c - the jobs that make code for real GPUs (gpu.h). */
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "planner.h"

/* Host pass and device compiler have lanes of their own (plan.c). */
enum { FIRST_LANE = 1 };

static const char *ptx_of(struct planner *planner, const char *stem, const char *front)
{
	char *ending = text_format(".%s.ptx", front);
	const char *path = planner_temporary(planner, stem, ending);
	free(ending);
	return path;
}

static const char *cubin_of(struct planner *planner, const char *stem, const char *real)
{
	char *ending = text_format(".%s.cubin", real);
	const char *path = planner_temporary(planner, stem, ending);
	free(ending);
	return path;
}

char *gpu_unit_bitcode(const struct planner *planner, const struct gpu_unit *unit, size_t front)
{
	const struct gpu_front *f = &planner->here->gpu->fronts[front];
	return f->is_shared
		       ? text_copy(unit->bitcode)
		       : text_format("%s/%s.%s.bc", planner->here->temporary, unit->stem, f->name);
}

static void add_pass(struct planner *planner, const struct gpu_unit *unit, size_t front,
		     unsigned lane)
{
	const struct gpu_front *f = &planner->here->gpu->fronts[front];
	if (f->is_shared)
		return;
	char *ending = text_format(".%s.bc", f->name),
	     *overlay = text_format(".%s.overlay", f->name);
	const char *bitcode = planner_temporary(planner, unit->stem, ending);
	struct job *job = planner_add_job(planner, "GPU device pass", unit->source);
	words_add_all(&job->words, planner->here->places->self, "cc-device-pass", "--overlay",
		      planner_temporary(planner, unit->stem, overlay), "--folder",
		      planner->here->temporary, NULL);
	if (command_makes_image(planner->command))
		words_add_all(&job->words, "--host", "none", NULL);
	words_add(&job->words, "--");
	front_add_device(&job->words, planner->command, planner->here, f->name);
	if (command_is_relocatable(planner->command))
		words_addf(&job->words, "-cuid=%s", unit->cuid);
	words_add_all(&job->words, "-emit-llvm", "-c", "-o", bitcode, unit->path, NULL);
	job->output = text_copy(bitcode);
	job->headers = text_format("%s.headers", bitcode);
	job->beside_next = true;
	job->lane = lane;
	free(ending);
	free(overlay);
}

void gpu_plan_passes(struct planner *planner, const struct gpu_unit *unit)
{
	for (size_t i = 0; i < planner->here->gpu->n_fronts; i++)
		add_pass(planner, unit, i, 0);
}

static void add_ptxas(struct planner *planner, const char *stem, size_t front, const char *only_if,
		      unsigned lane)
{
	const struct gpu *gpu = planner->here->gpu;
	const char *ptx = ptx_of(planner, stem, gpu->fronts[front].name);
	for (size_t i = 0; i < gpu->n_images; i++) {
		const struct gpu_image *image = &gpu->images[i];
		if (image->front != front)
			continue;
		const char *cubin = cubin_of(planner, stem, image->real);
		struct job *job = planner_add_job(planner, "ptxas", 0);
		words_add_all(&job->words, planner->here->places->self, "cc-ptxas", gpu->ptxas,
			      NULL);
		words_addf(&job->words, "-arch=%s", image->real);
		front_add_ptxas(&job->words, planner->command);
		if (command_makes_image(planner->command) &&
		    command_is_relocatable(planner->command))
			words_add(&job->words, "-c");
		words_add_all(&job->words, "-o", cubin, ptx, NULL);
		job->output = text_copy(cubin);
		job->only_if = only_if ? text_copy(only_if) : NULL;
		job->beside_next = lane;
		job->lane = lane;
	}
}

/* The device compiler up to its input. */
static struct job *add_compiler(struct planner *planner, const char *stem, size_t front)
{
	const struct gpu_front *f = &planner->here->gpu->fronts[front];
	const char *ptx = ptx_of(planner, stem, f->name);
	struct job *job = planner_add_job(planner, "GPU compiler", 0);
	words_add(&job->words, planner->here->places->devcc);
	front_add_devcc(&job->words, planner->command, planner->here, f->number);
	words_addf(&job->words, "--gpu=%s", f->name);
	if (planner->command->device_debug)
		words_add(&job->words, "--gpu-debug");
	words_add_all(&job->words, "-o", ptx, NULL);
	job->output = text_copy(ptx);
	return job;
}

void gpu_plan_code(struct planner *planner, const struct gpu_unit *unit)
{
	for (size_t i = 0; i < planner->here->gpu->n_fronts; i++) {
		unsigned lane = FIRST_LANE + (unsigned)i;
		add_pass(planner, unit, i, lane);
		struct job *job = add_compiler(planner, unit->stem, i);
		char *bitcode = gpu_unit_bitcode(planner, unit, i);
		words_addf(&job->words, "--source=%s", unit->path);
		if (command_makes_image(planner->command))
			words_add(&job->words, "--gpu-alone");
		if (command_is_relocatable(planner->command))
			words_add(&job->words, "--relocatable");
		words_add(&job->words, bitcode);
		free(bitcode);
		job->beside_next = true;
		job->lane = lane;
		add_ptxas(planner, unit->stem, i, NULL, lane);
	}
}

static void add_fatbinary(struct planner *planner, const char *stem, const char *fatbin,
			  bool compress)
{
	const struct gpu *gpu = planner->here->gpu;
	struct job *job = planner_add_job(planner, "fatbinary", 0);
	words_add_all(&job->words, gpu->fatbinary, "-64", "--create", fatbin, NULL);
	if (!compress)
		words_add(&job->words, "--compress=false");
	for (size_t i = 0; i < gpu->n_images; i++)
		words_addf(&job->words, "--image3=kind=elf,sm=%s,file=%s/%s.%s.cubin",
			   gpu_number(gpu->images[i].real), planner->here->temporary, stem,
			   gpu->images[i].real);
	const char *ptx = gpu->fronts[gpu->ptx].name;
	words_addf(&job->words, "--image3=kind=ptx,sm=%s,file=%s/%s.%s.ptx", gpu_number(ptx),
		   planner->here->temporary, stem, ptx);
	job->output = text_copy(fatbin);
}

const char *gpu_plan_ptx(struct planner *planner, const char *stem)
{
	const struct gpu *gpu = planner->here->gpu;
	return ptx_of(planner, stem, gpu->fronts[gpu->ptx].name);
}

void gpu_plan_fatbin(struct planner *planner, const char *stem, const char *ptx, const char *output)
{
	const char *plain = planner_temporary(planner, stem, ".fatbin");
	add_fatbinary(planner, stem, plain, false);
	struct job *job = planner_add_job(planner, "wrapping", 0);
	words_add_all(&job->words, planner->here->places->self, "cc-image", "--fatbin", plain, "-o",
		      output, ptx, NULL);
	job->output = text_copy(output);
}

void gpu_plan_blob(struct planner *planner, const char *stem, const char *id, const char *blob)
{
	const char *fatbin = planner_temporary(planner, stem, ".fatbin");
	add_fatbinary(planner, stem, fatbin, true);
	struct job *job = planner_add_job(planner, "GPU blob", 0);
	words_add_all(&job->words, planner->here->places->self, "cc-gpu-blob", "--id", id, "-o",
		      blob, fatbin, NULL);
	job->output = text_copy(blob);
}

/* clang has put the simulator's blob, and nothing else, into a section of its own, if the
 * source has device code at all. */
void gpu_plan_embed(struct planner *planner, const char *blob, const char *host)
{
	struct job *job = planner_add_job(planner, "embedding", 0);
	words_add_all(&job->words, planner->here->places->self, "cc-gpu-embed", blob, host, NULL);
}

void gpu_plan_link(struct planner *planner, const char *stem, const char *id, const char *list,
		   const char *blob)
{
	const struct gpu *gpu = planner->here->gpu;
	size_t first = planner->plan->n_jobs;
	for (size_t i = 0; i < gpu->n_fronts; i++) {
		struct job *job = add_compiler(planner, stem, i);
		words_add_all(&job->words, "--rdc", "--source=device-link", NULL);
		words_addf(&job->words, "$(cat %s/%s.%s.list)", planner->here->temporary, stem,
			   gpu->fronts[i].name);
		add_ptxas(planner, stem, i, list, 0);
	}
	gpu_plan_blob(planner, stem, id, blob);
	for (size_t i = first; i < planner->plan->n_jobs; i++)
		if (!planner->plan->jobs[i].only_if)
			planner->plan->jobs[i].only_if = text_copy(list);
}

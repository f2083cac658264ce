/* SPDX-License-Identifier: Apache-2.0 */
/* planner.h - a plan under construction; for plan.c and the *_plan.c files only. */
#ifndef CUDASIM_DRIVER_PLANNER_H
#define CUDASIM_DRIVER_PLANNER_H

#include "plan.h"

struct planner {
	const struct command *command;
	const struct surroundings *here;
	struct plan *plan;
	struct words objects; /* for the link: compiled ones and given ones */
	struct words names;   /* stems of temporary files that are taken */
};

/* Valid until the next one. */
struct job *planner_add_job(struct planner *planner, const char *phase, unsigned source);

/* A stem for an input's temporary files that no other input has. The caller frees it. */
char *planner_unique_stem(struct planner *planner, const char *path);

/* A temporary file's path, noted for removal. Lives as long as the plan. */
const char *planner_temporary(struct planner *planner, const char *stem, const char *ending);

/* Where an input's product goes without -o: the current folder, or -odir. The caller frees it. */
char *planner_default_output(const struct planner *planner, const char *path, const char *ending);

/* A pure name for a translation unit. The caller frees it. */
char *planner_cuid(const char *source, const char *object);

/* -MD and -MMD on the pass that makes `object`. */
void planner_add_depend(struct planner *planner, struct words *words, const char *path,
			const char *object);

/* Gives clang's pass a precompiled header of what every pass of the command begins with. side:
 * "device" or "host". Called when the job's words end with what the front end has put there. */
void planner_add_prelude(struct planner *planner, struct job *job, const char *side);

/* The jobs from `first` on, for the cache; valid until the next one. */
struct unit *planner_add_unit(struct planner *planner, size_t first, const char *path,
			      const char *object);

/* ---- compile_plan.c ------------------------------------------------------- */

/* The device pass; what else clang is told (-MD) may be added in front of its last word.
 * cuid is the same for both passes of one source: with -rdc clang makes names of static
 * variables of it. */
struct job *planner_add_device_pass(struct planner *planner, const char *path, const char *bitcode,
				    const char *overlay, const char *cuid, unsigned source);

void planner_add_module_id(struct planner *planner, const char *path, const char *identity,
			   const char *bitcode, const char *blob, const char *id);

/* The object of a source. stem names the temporary files. identity: what the product is for,
 * by which equal sources in one program, and in several runs, are told apart. */
void compile_plan(struct planner *planner, const struct input *input, const char *object,
		  const char *stem, const char *identity, unsigned source);

/* -E, -M, -MM: the front end alone. As with nvcc, what is shown of a .cu file is its device
 * side. */
void preprocess_plan(struct planner *planner, const struct input *input, unsigned source);

/* ---- link_plan.c ---------------------------------------------------------- */

/* What the command makes of planner->objects. */
void link_plan(struct planner *planner);

/* ---- image_plan.c --------------------------------------------------------- */

/* Device code alone, to be loaded by programs: -ptx, -cubin, -fatbin. */
void image_plan(struct planner *planner, const char *path, const char *output, const char *stem,
		unsigned source);

/* The bitcode of a source for image_plan_link(): -ltoir. */
void image_plan_ltoir(struct planner *planner, const char *path, const char *output,
		      const char *stem, unsigned source);

/* One image of all device code in paths (objects, archives, products of -ltoir) and of PTX. */
void image_plan_link(struct planner *planner, const struct words *paths, const struct words *ptx,
		     const char *output, const char *stem);

/* The same of PTX, several pieces linked with each other. */
void image_plan_ptx(struct planner *planner, const struct words *paths, const char *output,
		    const char *stem);

/* The same of NVVM IR: all of the command's inputs. */
void image_plan_nvvm(struct planner *planner, const char *output, const char *stem);

/* ---- gpu_plan.c ----------------------------------------------------------- */

/* What the GPU's jobs need of a translation unit. */
struct gpu_unit {
	const char *stem, *path, *cuid;
	const char *bitcode; /* the simulator's */
	unsigned source;
};

/* The bitcode of a front for this unit. */
char *gpu_unit_bitcode(const struct planner *planner, const struct gpu_unit *unit, size_t front);

/* Device passes for the fronts that the simulator does not share, beside the next
 * job. */
void gpu_plan_passes(struct planner *planner, const struct gpu_unit *unit);

/* PTX and code for every architecture from the bitcode, beside the next job: also
 * the device passes that it takes. */
void gpu_plan_code(struct planner *planner, const struct gpu_unit *unit);

/* The PTX that gpu_plan_code() makes for later GPUs. */
const char *gpu_plan_ptx(struct planner *planner, const char *stem);

/* That code as the fat binary `output`, with the text `ptx`, as it is, in the place of its PTX. */
void gpu_plan_fatbin(struct planner *planner, const char *stem, const char *ptx,
		     const char *output);

/* All of it as BLOB, and for a unit in the place of the blob that host has. */
void gpu_plan_blob(struct planner *planner, const char *stem, const char *id, const char *blob);
void gpu_plan_embed(struct planner *planner, const char *blob, const char *host);

/* Under -rdc=true: code from the list files STEM.NAME.list of bitcode, one front
 * after another, then the blob. */
void gpu_plan_link(struct planner *planner, const char *stem, const char *id, const char *list,
		   const char *blob);

#endif

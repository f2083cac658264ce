/* SPDX-License-Identifier: Apache-2.0 */
/* planner.h - for plan.c and gpu_plan.c only: a plan under construction. */
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

/* A temporary file's path, noted for removal. Lives as long as the plan. */
const char *planner_temporary(struct planner *planner, const char *stem, const char *ending);

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

/* All of it as BLOB, and for a unit in the place of the blob that host has. */
void gpu_plan_blob(struct planner *planner, const char *stem, const char *id, const char *blob);
void gpu_plan_embed(struct planner *planner, const char *blob, const char *host);

/* Under -rdc=true: code from the list files STEM.NAME.list of bitcode, one front
 * after another, then the blob. */
void gpu_plan_link(struct planner *planner, const char *stem, const char *id, const char *list,
		   const char *blob);

#endif

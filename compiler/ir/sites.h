/* SPDX-License-Identifier: Apache-2.0 */
/* sites.h - what the passes that announce events share of pass_sites.c, beyond
 * site_for() of device.h. */
#ifndef CUDASIM_COMPILER_SITES_H
#define CUDASIM_COMPILER_SITES_H

#include "debug_metadata.h"
#include "device.h"

/* True for a file of the toolkit's, the compiler's or cudasim's, in whose lines
 * the user is not interested. */
bool place_hidden(const struct device_program *program, const struct source_position *place);

/* The place that an instruction's events name: the innermost one that is not
 * hidden, else the innermost one. False where all are hidden or there is none;
 * *ret names the function then, and perhaps more. */
bool place_of(const struct device_program *program, LLVMValueRef instruction,
	      struct source_position *ret);
/* The DILocation of that place: the instruction's own, or one that it is inlined at. */
LLVMMetadataRef place_location(const struct device_program *program, LLVMValueRef instruction);

/* site_for() in two steps: a number, and its address as a constant. */
uint32_t site_number_for(struct device_module *dm, LLVMValueRef where, enum cudasim_site_kind kind);
LLVMValueRef site_address(struct device_module *dm, uint32_t number);

/* A site for this place alone, which comes behind all that were made before in the order in which
 * a warp comes to places. */
LLVMValueRef site_ranked(struct device_module *dm, LLVMValueRef where, enum cudasim_site_kind kind);

/* The address of the site's byte in the module's `armed`, which pass_sites
 * defines beside the array of sites as __cudasim_ID_armed. */
LLVMValueRef site_armed(struct device_module *dm, uint32_t number);

#endif

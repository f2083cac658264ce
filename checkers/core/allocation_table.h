/* SPDX-License-Identifier: Apache-2.0 */
/* allocation_table.h - how check.c fills the table of allocation.h, and how leakcheck reads
 * it. */
#ifndef CUDASIM_CHECKERS_ALLOCATION_TABLE_H
#define CUDASIM_CHECKERS_ALLOCATION_TABLE_H

#include "allocation.h"

/* Observers' slots allocated and freed. */
void allocation_made(void *tool, const struct cudasim_memory *memory);
void allocation_freed(void *tool, const struct cudasim_memory *memory);

/* Each live one in the order of allocation. visit must not allocate CUDA memory. */
void allocation_each(void (*visit)(const struct allocation *allocation));
/* The n allocations that were freed last, the latest first, but for those whose memory is in
 * use again. */
void allocation_each_freed(unsigned n, void (*visit)(const struct allocation *allocation));

#endif

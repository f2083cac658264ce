/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - CUDASIM_SUMMARY=1: what ran how often and how long, as tables on stderr at
 * exit; CUDASIM_SUMMARY=FILE.json: the same as JSON in a file. Times are the simulator's own,
 * not a GPU's. */
#ifndef CUDASIM_SIM_SUMMARY_H
#define CUDASIM_SIM_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "launch.h"

extern bool summary_enabled; /* set before main() */

static inline bool summary_on(void)
{
	return summary_enabled;
}

/* Does nothing unless summary_on(), as those below. From any thread. */
void summary_launch(const struct launch *launch);
void summary_copy(const struct cudasim_copy *what, uint64_t ns);
/* name lives as long as the process. */
void summary_api(const char *name, uint64_t ns);
/* A range or mark of NVTX. kind lives as long as the process and is one string a kind; name is
 * one pointer a name. */
void summary_range(const char *kind, const char *name, uint64_t ns);

/* Read CUDASIM_SUMMARY. CUDASIM_E_ARGUMENT where it is neither 0, 1 nor ends in .json. */
struct cudasim_error *summary_start(void);
/* Print what was gathered; once. */
void summary_print(void);

#endif

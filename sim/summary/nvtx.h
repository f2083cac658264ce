/* SPDX-License-Identifier: Apache-2.0 */
/* nvtx.h - ranges and marks of NVTX 3, for the summary.
 *
 * NVTX is headers in the program; they ask the environment for a tool when they are first used.
 * With CUDASIM_SUMMARY the tool is libcudasim itself, unless the program was given another. */
#ifndef CUDASIM_SIM_NVTX_H
#define CUDASIM_SIM_NVTX_H

/* Let programs that use NVTX find libcudasim. Before main(). */
void nvtx_offer(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* finding.h - how many findings there were: the simulator's side of cudasim/check.h. */
#ifndef CUDASIM_SIM_FINDING_H
#define CUDASIM_SIM_FINDING_H

#include "cudasim/observer.h"

/* A launch is submitted: the last one. From any host thread. */
void finding_launch(uint64_t id);
/* Warnings and notes do not count. From any pthread. */
void finding_count(const struct cudasim_finding *finding);

#endif

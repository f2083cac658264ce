/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_config.h - what the environment and this CPU ask of the scheduler. */
#ifndef CUDASIM_SIM_SCHEDULER_CONFIG_H
#define CUDASIM_SIM_SCHEDULER_CONFIG_H

#include "scheduler.h"

enum { MAX_WORKERS = 256 };

/* CUDASIM_WORKERS, CUDASIM_TIMEOUT, CUDASIM_SCHEDULE and CUDASIM_ENGINE. A random schedule's
 * seed is told on stderr. */
struct cudasim_error *scheduler_config_read(struct scheduler_config *ret);

/* The body that runs where nobody watches: CUDASIM_BODY's, or the best that this CPU has. */
struct cudasim_error *scheduler_config_body(enum cudasim_body *ret);

/* The CPUs that this process may run on, 1..MAX_WORKERS. */
uint32_t scheduler_config_cpus(void);

#endif

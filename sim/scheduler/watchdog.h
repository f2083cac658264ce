/* SPDX-License-Identifier: Apache-2.0 */
/* watchdog.h - a pthread that ends launches that run too long; hangs/watchdog.c defines it.
 *
 * It marks them; their workers see it at the next point where a thread waits
 * or gives way. Device code without such a point is interrupted by a signal to
 * its worker, again and again until the launch is over. Also started by the
 * first launch that dies, for threads of it that would loop on. */
#ifndef CUDASIM_SIM_WATCHDOG_H
#define CUDASIM_SIM_WATCHDOG_H

/* From any pthread; does nothing where it runs already. */
void watchdog_start(void);
void watchdog_stop(void);
/* The pthreads that it has. */
unsigned watchdog_runs(void);

#endif

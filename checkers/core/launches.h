/* SPDX-License-Identifier: Apache-2.0 */
/* launches.h - what checker_launch() and checker_idle() of checker.h go by; for check.c alone. */
#ifndef CUDASIM_CHECKERS_LAUNCHES_H
#define CUDASIM_CHECKERS_LAUNCHES_H

struct check_options;

/* Once, before the first launch. chosen is borrowed for good. */
void launches_start(const struct check_options *chosen);
/* A launch was submitted; one has ended. From any pthread. */
void launches_submitted(void);
void launches_ended(void);

#endif

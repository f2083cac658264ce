/* SPDX-License-Identifier: Apache-2.0 */
/* access.h - the way of an access to the checkers.
 *
 * One callback for all: what they need to know of the address is found once (shadow.h), and
 * what is right is seen here, in a few comparisons. memcheck_access.h, initcheck.h and race.h
 * declare the functions that get the rest. */
#ifndef CUDASIM_CHECKERS_ACCESS_H
#define CUDASIM_CHECKERS_ACCESS_H

#include "checker.h"

/* Once, before the first block begins: the observer whose slots the callbacks below are. It is
 * added behind the checkers'. */
void access_start(const struct cudasim_observer *observer);
/* Observers' slots want, block_begin, block_end and access. */
uint32_t access_want(void *tool, const struct cudasim_launch *launch);
void access_block_begin(void *tool, struct cudasim_block *block);
void access_block_end(void *tool, struct cudasim_block *block);
uint32_t access_lanes(void *tool, struct cudasim_block *block, uint32_t lanes,
		      const struct cudasim_lanes *accesses);
enum cudasim_verdict access_check(void *tool, struct cudasim_thread *thread,
				  const struct cudasim_access *access);

#endif

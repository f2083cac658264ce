/* SPDX-License-Identifier: Apache-2.0 */
/* race_order.h - operations of the host, for race_order.c and race_copy.c. */
#ifndef CUDASIM_CHECKERS_RACE_ORDER_H
#define CUDASIM_CHECKERS_RACE_ORDER_H

#include "race.h"

struct race_operation {
	uint64_t id;
	uint32_t stream, number;
	bool node; /* others of its graph are still to ask for it */
	struct race_clock before;
	/* Of a copy that device code asked for: its place; stream and number are its ancestor's
	 * then, and before is empty. Else NULL. */
	struct race_launch *child;
};

/* Of all that race_order.c, race_family.c and race_copy.c keep. What follows is called with it. */
extern pthread_mutex_t race_order_lock;

/* The operation of a copy that is carried out now; false where it is none that counts. The
 * caller drops ret->before. */
bool race_operation_find(const struct cudasim_copy *copy, struct race_operation *ret);
/* Whether a launch has begun that is not before the operation, and may run. */
bool race_operation_beside(const struct race_operation *operation);
/* The host waits for it. */
void race_operation_waited(const struct race_operation *operation);

/* Copies that the host has waited for are forgotten. */
void race_copy_prune(const struct race_clock *host);

#endif

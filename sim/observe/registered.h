/* SPDX-License-Identifier: Apache-2.0 */
/* registered.h - the observers that are registered, in any number, as a list in the order in which
 * they were. It is walked without a lock, by whoever reports an event: members are added at its end
 * and never freed. An observer that was removed leaves an empty member, which is taken again once
 * nobody stands behind it. */
#ifndef CUDASIM_SIM_REGISTERED_H
#define CUDASIM_SIM_REGISTERED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudasim/observer.h"

struct armed; /* sites: registered.c */

struct registered {
	_Atomic(const struct cudasim_observer *) observer; /* NULL: an empty member */
	_Atomic(struct registered *) next;
	atomic_uint in_flight; /* launches that it watches */
	uint32_t place;        /* in block->tool; no other registered observer's */
	_Atomic(struct armed *) armed;
};

extern _Atomic(struct registered *) registered_first;

static inline const struct cudasim_observer *registered_observer(const struct registered *r)
{
	return atomic_load_explicit(&r->observer, memory_order_acquire);
}

/* Each registered observer `o`, in turn; r is its member. */
#define FOR_EACH_REGISTERED(r, o)                                                                  \
	for (struct registered *r = atomic_load_explicit(&registered_first, memory_order_acquire); \
	     r; r = atomic_load_explicit(&r->next, memory_order_acquire))                          \
		for (const struct cudasim_observer *o = registered_observer(r); o; o = NULL)

/* While it is held nobody is added or removed. */
void registered_lock(void);
void registered_unlock(void);

/* Have the observer told of lines that begin at site i of the module, or no more: what
 * cudasim_site_arm() is when its arguments have been looked at. */
struct cudasim_error *registered_arm(const struct cudasim_observer *observer,
				     const struct cudasim_module *module, size_t i, bool on);
/* Whether it is to be told of the site. */
bool registered_armed(const struct registered *r, const struct cudasim_module *module,
		      const struct cudasim_site *site);
/* The module's library is being closed: another one may come to the same address. */
void registered_forget(const struct cudasim_module *module);

/* Every observer's finish(), and none is registered any more; at the process's end. */
void registered_finish(void);

#endif

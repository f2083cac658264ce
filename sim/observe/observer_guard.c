/* SPDX-License-Identifier: Apache-2.0 */
/* observer_guard.c - how a call of device code that a tool makes is given up. */
#include <signal.h>
#include <stdatomic.h>

#include "cudasim/inspect.h"
#include "observer.h"

static _Atomic(cudasim_guard_fn *) guard;

void cudasim_call_guard(cudasim_guard_fn *handler)
{
	atomic_store(&guard, handler);
}

void observer_guard(int number, const void *address)
{
	cudasim_guard_fn *handler = atomic_load(&guard);
	if (handler)
		handler(number, address);
}

void observer_refuse(void)
{
	observer_guard(SIGSYS, NULL);
	raise(SIGSYS);
}

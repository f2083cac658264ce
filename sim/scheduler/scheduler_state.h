/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_state.h - what scheduler.c (launches, sleeping, ending) and take.c (who gets which
 * blocks) share. Nobody else includes it. */
#ifndef CUDASIM_SCHEDULER_STATE_H
#define CUDASIM_SCHEDULER_STATE_H

#include <pthread.h>

#include "scheduler.h"
#include "worker.h"

struct scheduler {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct run *first, **last;
	_Atomic uint64_t epoch;
	atomic_uint sleepers;
	struct worker *workers;
	uint32_t n_workers, n_busy, n_helping;
	struct worker *helpers;
	struct scheduler_config config;
	enum cudasim_body usual; /* where nobody watches */
};

extern struct scheduler scheduler;

/* With the lock: there may be something to do, for one worker or for all. */
void scheduler_wake_locked(bool all);

static inline void pause_processor(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

static inline bool worker_stopped(const struct worker *worker)
{
	return __atomic_load_n(&worker->stop, __ATOMIC_ACQUIRE);
}

#endif

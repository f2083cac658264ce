/* SPDX-License-Identifier: Apache-2.0 */
#include "finding.h"

#include <pthread.h>
#include <stdatomic.h>

#include "cudasim/check.h"
#include "cudasim/inspect.h"

/* Launches whose findings are remembered one by one: those whose number is asked for are
 * recent. */
enum { REMEMBERED = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	uint64_t id;
	long n;
} launches[REMEMBERED];
static atomic_long total;
static atomic_bool checked;
static _Atomic uint64_t last;

void finding_launch(uint64_t id)
{
	uint64_t seen = atomic_load_explicit(&last, memory_order_relaxed);
	while (seen < id && !atomic_compare_exchange_weak(&last, &seen, id)) {}
}

void finding_count(const struct cudasim_finding *finding)
{
	if (finding->severity != CUDASIM_FINDING_ERROR)
		return;
	atomic_fetch_add(&total, 1);
	if (!finding->launch)
		return;
	pthread_mutex_lock(&lock);
	size_t i = finding->launch % REMEMBERED;
	if (launches[i].id != finding->launch) {
		launches[i].id = finding->launch;
		launches[i].n = 0;
	}
	launches[i].n++;
	pthread_mutex_unlock(&lock);
}

void cudasim_finding_checked(void)
{
	atomic_store(&checked, true);
}

long cudasim_check_findings(void)
{
	return atomic_load(&checked) ? atomic_load(&total) : CUDASIM_NOT_CHECKED;
}

long cudasim_check_launch_findings(void)
{
	uint64_t id = atomic_load(&last);
	if (!atomic_load(&checked))
		return CUDASIM_NOT_CHECKED;
	pthread_mutex_lock(&lock);
	long n = launches[id % REMEMBERED].id == id ? launches[id % REMEMBERED].n : 0;
	pthread_mutex_unlock(&lock);
	return n;
}

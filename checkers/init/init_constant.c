/* SPDX-License-Identifier: Apache-2.0 */
/* init_constant.c - __constant__ variables that nobody gave a value.
 *
 * By the language a variable without an initializer holds zeros. Kernels cannot write a
 * __constant__ one, so where it holds nothing but zeros, and no copy or set has met it on
 * the device by the time that a kernel reads it, a cudaMemcpyToSymbol() is missing: a
 * warning, for an initializer of zeros cannot be told from none. A variable that was written
 * in part is not looked at any more. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "initcheck.h"
#include "finding.h"
#include "variable.h"
#include "vector.h"

struct constant {
	uint64_t begin, end;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VECTOR(struct constant) unwritten; /* of all devices */
static _Atomic uint64_t lowest, highest; /* of all of them, for who has not got the lock */
static VECTOR(const char *) seen; /* where modules' variables begin, of each device */

static bool holds_zeros(const char *at, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (at[i])
			return false;
	return true;
}

static void add_module(const struct cudasim_module *module, const char *base)
{
	for (size_t i = 0; i < seen.n; i++)
		if (seen.at[i] == base)
			return;
	*vector_add(&seen) = base;
	for (uint64_t i = 0; i < module->n_variables; i++) {
		const struct cudasim_variable *v = &module->variables[i];
		if (!(v->flags & CUDASIM_VARIABLE_CONSTANT) ||
		    !holds_zeros(base + v->offset, v->size))
			continue;
		*vector_add(&unwritten) = (struct constant){
			.begin = (uint64_t)(uintptr_t)base + v->offset,
			.end = (uint64_t)(uintptr_t)base + v->offset + v->size,
		};
	}
}

static void set_ends(void)
{
	uint64_t low = UINT64_MAX, high = 0;
	for (size_t i = 0; i < unwritten.n; i++) {
		low = unwritten.at[i].begin < low ? unwritten.at[i].begin : low;
		high = unwritten.at[i].end > high ? unwritten.at[i].end : high;
	}
	atomic_store_explicit(&lowest, low, memory_order_relaxed);
	atomic_store_explicit(&highest, high, memory_order_relaxed);
}

/* With the lock: the variables of all modules that the device has by now. */
static void look_around(uint32_t device)
{
	const struct cudasim_module *const *modules;
	size_t n;
	cudasim_modules(&modules, &n);
	for (size_t i = 0; i < n; i++)
		if (modules[i]->n_variables && modules[i]->variables_base &&
		    modules[i]->variables_base[device])
			add_module(modules[i], modules[i]->variables_base[device]);
	set_ends();
}

static void forget(uint32_t i)
{
	unwritten.at[i] = unwritten.at[--unwritten.n];
	set_ends();
}

void init_constant_launch(const struct cudasim_launch *launch)
{
	pthread_mutex_lock(&lock);
	look_around(launch->device);
	pthread_mutex_unlock(&lock);
}

void init_constant_copied(const struct cudasim_copy *copy)
{
	uint64_t to = (uint64_t)(uintptr_t)copy->to, end = to + copy->width;
	struct cudasim_memory memory;
	bool inside, freed;
	if (!cudasim_memory_find(copy->to, &memory, &inside, &freed) ||
	    memory.kind != CUDASIM_MEMORY_VARIABLE || memory.device < 0)
		return;
	if (copy->height > 1 || copy->depth > 1)
		end = to + (copy->depth - 1) * copy->to_slice + copy->height * copy->to_pitch;
	pthread_mutex_lock(&lock);
	look_around((uint32_t)memory.device);
	for (size_t i = unwritten.n; i-- > 0;)
		if (to < unwritten.at[i].end && end > unwritten.at[i].begin)
			forget(i);
	pthread_mutex_unlock(&lock);
}

static enum cudasim_verdict report(struct cudasim_thread *thread,
				   const struct cudasim_access *access, const struct variable *v)
{
	struct finding f = {
		.tool = CHECKER_INITCHECK,
		.severity = FINDING_WARNING,
		.kind = "constant-not-copied",
		.launch = thread->block->launch,
		.thread = thread,
		.remedy = "Call cudaMemcpyToSymbol() before the launch to set it",
	};
	snprintf(f.title, sizeof f.title, "Read of a __constant__ variable that was never set");
	snprintf(f.detail, sizeof f.detail,
		 "In %s of size %llu bytes, which contains only "
		 "zeros",
		 v->words, (unsigned long long)v->size);
	finding_side_at(&f.side, thread, access);
	return finding_report(&f);
}

enum cudasim_verdict init_constant_read(struct cudasim_thread *thread,
					const struct cudasim_access *access)
{
	uint64_t address = (uint64_t)(uintptr_t)access->address;
	struct variable v;
	bool tell = false;
	if (address >= atomic_load_explicit(&highest, memory_order_relaxed) ||
	    address < atomic_load_explicit(&lowest, memory_order_relaxed) ||
	    !checker_launch(thread->block->launch) || !initcheck_again(thread, access->site))
		return CUDASIM_GO;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < unwritten.n; i++) {
		struct constant *c = &unwritten.at[i];
		if (address >= c->begin && address < c->end) {
			/* Its module may be gone, or a kernel have found a way. */
			tell = variable_global(access->address, &v) && v.begin == c->begin &&
			       v.size == c->end - c->begin &&
			       holds_zeros((const char *)(uintptr_t)c->begin, v.size);
			if (!tell)
				forget(i);
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	return tell ? report(thread, access, &v) : CUDASIM_GO;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* memcheck.c - accesses to memory that is not there for them.
 *
 * While it watches, allocations lie apart (cudasim_memory_apart()): what runs over the end of
 * one meets nobody's memory, not the next one; freed memory stays freed for long. So a launch
 * can go on behind a finding wherever there is memory to go on with. Which object an address
 * was computed from is known where the code names it (an array that is indexed):
 * memcheck_bounds(). Where only a pointer is there, an access that strides over the gap into
 * another allocation remains unseen.
 *
 * A fault that no access has explained (a trap, a failed assert, a stack that is full) is
 * reported, too. */
#include "memcheck.h"

#include <pthread.h>
#include <string.h>

#include "memory_map.h"

#define QUARANTINE (1ull << 30)

static bool start(void)
{
	cudasim_memory_apart(checker_options.padding, QUARANTINE);
	return memory_map_start();
}

static uint32_t want(void *tool, const struct cudasim_launch *launch)
{
	(void)tool;
	return checker_launch(launch)
		       ? CUDASIM_WANT_ACCESS | CUDASIM_WANT_STACK | CUDASIM_WANT_LANES
		       : 0;
}

static void allocated(void *tool, const struct cudasim_memory *memory)
{
	(void)tool;
	memory_map_add(memory->address, memory->size,
		       memory->forbidden ? MEMORY_FORBIDDEN : MEMORY_LIVE);
}

static void permission(void *tool, const struct cudasim_memory *memory)
{
	(void)tool;
	memory_map_set(memory->address, memory->forbidden ? MEMORY_FORBIDDEN : MEMORY_LIVE);
}

static void freed(void *tool, const struct cudasim_memory *memory)
{
	(void)tool;
	memory_map_free(memory->address);
}

/* A module's variables on a device, once that device has them. */
static void add_variables(const struct cudasim_module *module, uint32_t device)
{
	char *base = module->variables_base ? module->variables_base[device] : NULL;
	struct memory_range range;
	if (!base || !module->n_variables)
		return;
	if (memory_map_state((uint64_t)(uintptr_t)(base + module->variables[0].offset), &range))
		return; /* were added before */
	for (uint64_t i = 0; i < module->n_variables; i++) {
		const struct cudasim_variable *v = &module->variables[i];
		void *address = base + v->offset;
		if (v->flags & CUDASIM_VARIABLE_MANAGED) {
			/* The slot is read by the code, the storage by the program. */
			memory_map_add(address, sizeof(void *), MEMORY_CONSTANT);
			memcpy(&address, address, sizeof address);
		}
		memory_map_add(address, v->size,
			       v->flags & CUDASIM_VARIABLE_CONSTANT ? MEMORY_CONSTANT
								    : MEMORY_LIVE);
	}
}

static void launch_begin(void *tool, struct cudasim_launch *launch)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const struct cudasim_module *const *modules;
	size_t n;
	(void)tool;
	pthread_mutex_lock(&lock);
	cudasim_modules(&modules, &n);
	for (size_t i = 0; i < n; i++)
		add_variables(modules[i], launch->device);
	pthread_mutex_unlock(&lock);
}

static const struct cudasim_observer observer = {
	.version = CUDASIM_OBSERVER_VERSION,
	.name = "memcheck",
	.want = want,
	.launch_begin = launch_begin,
	.bounds = memcheck_bounds,
	.fault = memcheck_fault,
	.allocated = allocated,
	.freed = freed,
	.permission = permission,
	.bad_free = memcheck_bad_free,
	.copy = memcheck_copy,
};

const struct checker memcheck = {
	.tool = CHECKER_MEMCHECK,
	.name = "memcheck",
	.observer = &observer,
	.start = start,
};

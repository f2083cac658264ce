/* SPDX-License-Identifier: Apache-2.0 */
/* fake_runtime.c - what the scheduler asks of the runtime, for tests and benchmarks that have the
 * scheduler alone. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "cudasim/inspect.h"
#include "device.h"
#include "hang.h"
#include "memory.h"

bool cudasim_memory_find(const void *address, struct cudasim_memory *ret, bool *inside, bool *freed)
{
	(void)address, (void)ret, (void)inside, (void)freed;
	return false;
}

uint64_t hang_memory(void)
{
	return 0;
}

bool hang_waiters(uint32_t *hosts, uint32_t *others)
{
	*hosts = *others = 0;
	return false;
}

bool hang_is_shared(void)
{
	return true;
}

void *memory_reserve(struct device *device, uint64_t size)
{
	(void)device;
	void *ret = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return ret == MAP_FAILED ? NULL : ret;
}

void memory_unreserve(struct device *device, void *addr, uint64_t size)
{
	(void)device;
	munmap(addr, size);
}

void cudasim_modules(const struct cudasim_module *const **ret, size_t *n)
{
	*ret = NULL;
	*n = 0;
}

void cudasim_thread_stack(struct cudasim_thread *thread, uint64_t *low, uint64_t *high,
			  uint64_t *used)
{
	(void)thread;
	*low = *high = *used = 0;
}

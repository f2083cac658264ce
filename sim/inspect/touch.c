/* SPDX-License-Identifier: Apache-2.0 */
/* touch.c - memory that is closed to the host's code (inspect.h): who waits until it may be
 * closed, and the closing. Faults of it: fault.c. */
#include "cudasim/inspect.h"
#include "device.h"
#include "memory.h"
#include "now.h"
#include "operation.h"
#include "process.h"
#include "stream.h"

bool cudasim_wait_idle(uint64_t ns)
{
	uint64_t deadline = 0;
	if (process_state != PROCESS_READY || in_host_function())
		return false;
	for (int i = 0; i < device_count(); i++) {
		struct device *device = device_get(i);
		if (!atomic_load(&device->active) || device_idle(device))
			continue;
		if (!deadline)
			deadline = now_ns() + ns;
		if (!ns || !device_wait(device, deadline))
			return false;
	}
	for (int i = 0; i < device_count(); i++)
		if (atomic_load(&device_get(i)->active) && !device_idle(device_get(i)))
			return false;
	return true;
}

uint64_t cudasim_device_memory_close(bool closed)
{
	uint64_t n = 0;
	for (int i = 0; i < device_count(); i++)
		if (atomic_load(&device_get(i)->active))
			n += memory_close(device_get(i), closed);
	return n;
}

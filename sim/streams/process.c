/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <stdatomic.h>

#include "device.h"
#include "now.h"
#include "stream.h"

enum process_state process_state;
_Thread_local bool process_is_copying;

/* Kernels read what main() and static objects own, so work in flight ends before
 * those go, if it ends soon. */
static const uint64_t exit_patience_ns = 2000000000u;

void process_quiesce(void)
{
	static atomic_bool gave_up;
	uint64_t deadline = now_ns() + exit_patience_ns;
	if (process_state != PROCESS_READY)
		return;
	for (int i = 0; i < device_count(); i++) {
		struct device *device = device_get(i);
		if (!atomic_load(&device->active))
			continue;
		if (!atomic_load(&gave_up) && !device_wait(device, deadline))
			atomic_store(&gave_up, true);
		printf_flush(device);
	}
}

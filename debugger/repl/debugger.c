/* SPDX-License-Identifier: Apache-2.0 */
/* debugger.c - the debugger begins: an observer that libcudasim opens before main(). */
#include <stdio.h>

#include "control.h"
#include "error.h"
#include "host.h"
#include "repl.h"

const struct cudasim_observer *cudasim_observer_init(void)
{
	cudasim_last_write_want(); /* for where-is */
	struct cudasim_error *error = baton_start();
	if (!error)
		error = host_start();
	if (!error)
		error = host_end_start();
	if (!error)
		error = repl_start();
	if (error) {
		fprintf(stderr, "cudasim: the debugger cannot start: %s\n", error->message);
		cudasim_error_free(error);
		return NULL;
	}
	cudasim_launch_blocking(true);
	host_start_late();
	return &debugger_observer;
}

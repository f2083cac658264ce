/* SPDX-License-Identifier: Apache-2.0 */
/* host_unwind.h - the process's files as the host's side sees them. */
#ifndef CUDASIM_DEBUGGER_HOST_UNWIND_H
#define CUDASIM_DEBUGGER_HOST_UNWIND_H

#include <elfutils/libdwfl.h>

#include "frame.h"

/* The process's own files; read again with host_unwind_refresh() after a library was
 * opened. NULL where libdwfl fails. */
Dwfl *host_unwind_dwfl(void);
void host_unwind_refresh(void);

/* Frames from registers, outermost last; the caller frees *ret. */
struct cudasim_error *host_frames(const struct registers *registers, struct frame **ret, size_t *n);
/* The host thread's stack at a launch: keep what is needed to unwind it later;
 * called inside launch_submit() on the host thread. */
void host_launch_submitted(struct cudasim_launch *launch);
void host_launch_ended(struct cudasim_launch *launch);

/* Frames of the host's stack at the launch of `launch`; the caller frees *ret. */
struct cudasim_error *frames_of_launch(struct cudasim_launch *launch, struct frame **ret,
				       size_t *n);

#endif

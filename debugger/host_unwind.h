/* SPDX-License-Identifier: Apache-2.0 */
/* host_unwind.h - the process's files as the host's side sees them. */
#ifndef CUDASIM_DEBUGGER_HOST_UNWIND_H
#define CUDASIM_DEBUGGER_HOST_UNWIND_H

#include <elfutils/libdwfl.h>

/* The process's own files; read again with host_unwind_refresh() after a library was
 * opened. NULL where libdwfl fails. */
Dwfl *host_unwind_dwfl(void);
void host_unwind_refresh(void);

#endif

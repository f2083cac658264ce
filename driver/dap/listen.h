/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - clients that come to a port of this machine. */
#ifndef CUDASIM_DRIVER_DAP_LISTEN_H
#define CUDASIM_DRIVER_DAP_LISTEN_H

#include "error.h"

/* where: "PORT" or "ADDRESS:PORT" of the loopback; port 0: any. Prints which one it is, and
 * serves clients of this user, each in a process of its own, until a signal ends it. */
struct cudasim_error *listen_serve(const char *where);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* debug_socket.h - how `cudasim dap` and a program find each other that did not start each other:
 * a socket of this machine under the number of a process. Its name is in no file system, so
 * nothing is left behind; both sides check that the other is the same user's. */
#ifndef CUDASIM_BASE_DEBUG_SOCKET_H
#define CUDASIM_BASE_DEBUG_SOCKET_H

#include <sys/types.h>

#include "cudasim/error.h"

/* The socket of this process; *ret is closed on exec. CUDASIM_E_SYSTEM: the name is taken. */
struct cudasim_error *debug_socket_listen(pid_t pid, int *ret);

/* Who comes, closed on exec; -1 where it is another user's process, or nobody any more. Waits. */
int debug_socket_accept(int listening);

/* To the process, closed on exec. CUDASIM_E_NOTFOUND: it does not listen; CUDASIM_E_SYSTEM. */
struct cudasim_error *debug_socket_connect(pid_t pid, int *ret);

/* The process at the other end; 0: not known. */
pid_t debug_socket_peer(int fd);

#endif

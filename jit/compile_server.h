/* SPDX-License-Identifier: Apache-2.0 */
/* compile_server.h - the compile server of this process (formats/serve.h). */
#ifndef CUDASIM_JIT_COMPILE_SERVER_H
#define CUDASIM_JIT_COMPILE_SERVER_H

/* The socket to it, which `cudasim cc` is to inherit; the server is started where there is none. cudasim: the
 * executable of that name, as compiler_find() finds it. -1: there is none, and jobs are programs of their own. */
int compile_server_socket(const char *cudasim);

#endif

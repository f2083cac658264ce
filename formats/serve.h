/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h - requests to a compile server (compiler/server): one process that has the compilers' libraries loaded,
 * and the precompiled CUDA headers read, and forks for each job. A program that compiles while it runs starts one
 * (jit/compile_server.h); `cudasim cc` inherits its socket and sends it jobs instead of starting programs.
 *
 * A request is one message on a socket of type SOCK_SEQPACKET: struct serve_header, the words and the variables of the
 * environment, each ended by a NUL; with it the descriptors of enum serve_fd. The job's process answers on the
 * pipe SERVE_REPLY with its pid and then its exit status, an int32_t each. A pipe that ends sooner: no server takes the job
 * or it died; who asked then starts the program, which will say why. */
#ifndef CUDASIM_FORMATS_SERVE_H
#define CUDASIM_FORMATS_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The variable of the environment with the socket's number. Not for users. */
#define SERVE_VARIABLE "_CUDASIM_COMPILE_SERVER"

enum { SERVE_MAGIC = 0x43534d31 }; /* "CSM1": of this form of a request */

enum serve_tool {
	SERVE_DEVCC, /* cudasim-devcc */
	SERVE_CLANG, /* clang's device pass with a precompiled header: -emit-llvm, to the file after -o, of the source in the
		      * last word. Only a program without errors is an answer; the rest is left to clang. */
};

enum serve_fd { SERVE_REPLY, SERVE_OUT, SERVE_ERR, SERVE_FOLDER, SERVE_N_FDS };

enum { SERVE_MOST_BYTES = 192 * 1024 }; /* of a request; larger ones are not sent */

struct serve_header {
	uint32_t magic, tool, n_words, n_variables;
};

struct serve_job {
	int reply;
	pid_t pid; /* the job's process */
};

/* Sends a job, words ended by NULL, with this process's environment and folder; out and err are its stdout and
 * stderr. False if there is no server, or it does not take the job. */
bool serve_begin(enum serve_tool tool, char *const *words, int out, int err, struct serve_job *ret);

/* Sends a whole message to a socket; false if nobody is there. */
bool serve_send(int to, char *bytes, size_t n, const int fds[SERVE_N_FDS]);

/* Its exit status; -1 if it died without one. Ends the job's descriptor. */
int serve_wait(struct serve_job *job);

#ifdef __cplusplus
}
#endif

#endif

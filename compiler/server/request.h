/* SPDX-License-Identifier: Apache-2.0 */
/* request.h - a request of formats/serve.h in the server. */
#ifndef CUDASIM_COMPILER_SERVER_REQUEST_H
#define CUDASIM_COMPILER_SERVER_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve.h"

#ifdef __cplusplus
extern "C" {
#endif

struct request {
	enum serve_tool tool;
	char **words, **variables; /* each ended by NULL */
	size_t n_words;
	int fds[SERVE_N_FDS];
	char *bytes; /* the message */
	size_t n_bytes;
};

/* Waits for the next one. False at the socket's end; a message that is none is dropped. */
bool request_receive(int from, struct request *ret);
/* Sends it on; false if nobody is there. */
bool request_forward(const struct request *request, int to);
void request_fini(struct request *request);

/* In the process that is to do the job: takes on its folder, environment, stdout and stderr, and answers its pid. */
void request_begin(const struct request *request);
/* Answers the status, and ends the process without more ado. */
__attribute__((noreturn)) void request_end(const struct request *request, int status);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* served.h - programs as jobs of the compile server (formats/serve.h), where this process has inherited one. */
#ifndef CUDASIM_DRIVER_COMMON_SERVED_H
#define CUDASIM_DRIVER_COMMON_SERVED_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "words.h"

/* Whether there is one, and cudasim-devcc is what the words name. */
bool served_is(const struct words *words);

/* A process that waits for such a job and ends as the job does; signals that end it end the job. It has the job's
 * stderr. Where the server does not do the job the process becomes the program. Returns its pid, -1 with errno. */
pid_t served_start(const struct words *words, FILE *err);

/* clang's device pass, with what it says in err. True if it was done, without an error: else clang is to be run. */
bool served_front(const struct words *words, FILE *err);

#endif

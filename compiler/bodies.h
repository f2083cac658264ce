/* SPDX-License-Identifier: Apache-2.0 */
/* bodies.h - a body's module to an object, in a process of its own.
 *
 * Optimising and emitting is most of the work and shares nothing between
 * bodies, so each is done by a child process, at the same time. What the parent
 * needs back of every kernel comes through a pipe. */
#ifndef CUDASIM_COMPILER_BODIES_H
#define CUDASIM_COMPILER_BODIES_H

#include <sys/types.h>

#include "device.h"

/* A body being compiled. */
struct body_job {
	enum device_stage stage;
	pid_t process;
	int report;  /* the pipe's end to read from */
	char *path;  /* the object, to be deleted when linked; owned */
};

/* Start to compile dm->module as a body of this stage into an object file
 * beside the output. The module itself stays as it is. */
struct cudasim_error *body_start(struct device_module *dm, enum device_stage stage,
				 struct body_job *job);

/* Wait for it and merge what it found out into the program's layout. */
struct cudasim_error *body_finish(struct device_program *program, struct body_job *job);

/* A path beside the output for a temporary object; malloc()ed, never NULL. */
char *body_path(const struct device_program *program, const char *what);

#endif

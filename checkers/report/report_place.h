/* SPDX-License-Identifier: Apache-2.0 */
/* report_place.h - where a finding is in the source, as paths that other programs find. */
#ifndef CUDASIM_CHECKERS_REPORT_PLACE_H
#define CUDASIM_CHECKERS_REPORT_PLACE_H

#include "backtrace.h"
#include "finding.h"

/* The report of a process that dies is made on its signal stack: no large arrays there. */
enum { PLACE_PATH = 1024 };
struct place {
	char file[PLACE_PATH]; /* absolute, without . and ..; "" where not known */
	unsigned line, column; /* 1.., 0 where not known */
	char function[256];  /* "" where not known */
};

/* Once, before the functions below: the folder that URIs are relative to. Returns it as an absolute
 * path without . and .., which lives as long as the process. */
const char *place_root(const char *folder);

/* The place of a thread's event; false, and all empty, where there is none. device_frames: of the
 * same thread, or NULL. */
bool place_of_side(const struct finding_side *side, const uint64_t *device_frames,
		   struct place *ret);
/* That of a host's stack which is most likely the program's own: the innermost in a file below
 * the root, else the innermost with a line. */
bool place_of_host(const uint64_t *frames, struct place *ret);
/* The executable. */
void place_of_program(struct place *ret);

/* All places of a stack, innermost first; malloc'ed, and how many. inlined: see backtrace_device(). */
struct place *place_device_stack(const uint64_t *frames, bool inlined, size_t *n);
struct place *place_host_stack(const uint64_t *frames, size_t *n);

/* A file's URI, relative to the root if it is below it. Malloc'ed. */
char *place_uri(const char *file, bool *below);
/* The text of the line without the blanks around it, "" where it cannot be read. Malloc'ed. */
char *place_line(const struct place *p);

#endif

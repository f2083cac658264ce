/* SPDX-License-Identifier: Apache-2.0 */
/* source.h - lines of source files, and the place that `list` goes on from. */
#ifndef CUDASIM_DEBUGGER_SOURCE_H
#define CUDASIM_DEBUGGER_SOURCE_H

#include "cudasim/inspect.h"
#include "symbols.h"

/* Line of a file (1..) without its newline, or NULL; *ret_length is its length. The file
 * is looked for as compiled, then along `set directories`/`directory`. Kept until the
 * process ends. path: absolute path or the name as the compiler was given it. */
const char *source_line(const char *path, uint32_t line, size_t *ret_length);
uint32_t source_n_lines(const char *path); /* 0 where it cannot be read */

/* The default place for list, break N, info line: file NULL where there is none. A stop,
 * frame, up and down set it to the frame's line. */
void source_place_set(const char *file, uint32_t line);
const char *source_place(uint32_t *ret_line);

#endif

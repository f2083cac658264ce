/* SPDX-License-Identifier: Apache-2.0 */
/* backtrace.h - the host's call stacks, and program counters as text. */
#ifndef CUDASIM_CHECKERS_BACKTRACE_H
#define CUDASIM_CHECKERS_BACKTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer.h"

enum { BACKTRACE_MAX = 16 };

/* The calling host thread's stack as return addresses, innermost first, without the frames
 * of cudasim's own libraries; 0 behind the last where there are fewer than BACKTRACE_MAX. */
void backtrace_take(uint64_t ret[BACKTRACE_MAX]);

/* Whether the code at pc is cudasim's own. */
bool backtrace_is_own(uint64_t pc);

/* Look up where code is, from now on; before, each lookup answers 0. */
void backtrace_start(void);

/* As cudasim_symbolize() (formats/symbolizer.h); 0 where there is no symbolizer. */
size_t backtrace_places(uint64_t pc, struct cudasim_symbol *ret, size_t max);

/* The functions of a device thread's stack, innermost first; at most max. frames: pcs behind calls,
 * ended by 0 or BACKTRACE_MAX. inlined: there is one, in which all of them are (cudasim_launch's
 * looped). */
size_t backtrace_device(const uint64_t *frames, bool inlined, struct cudasim_symbol *ret,
			size_t max);
/* As cudasim_symbol_folder(); false where there is no symbolizer. */
bool backtrace_folder(uint64_t pc, char *text, size_t size);

/* One place of a host frame: "main in app.cu:12 [0x8de9] in app". index counts the calls
 * that were inlined there, innermost first. False where there are no more. *is_main says
 * that it is main itself. */
bool backtrace_host_line(uint64_t return_address, size_t index, bool strip_paths, char *text,
			 size_t size, bool *is_main);

/* The last part of a path, or all of it. */
const char *backtrace_file(const char *path, bool strip_paths);

/* Is this line, of backtrace_host_line(), the compiler's stub that launches a kernel? It is no
 * code of the program's. */
bool backtrace_is_stub(const char *line);

#endif

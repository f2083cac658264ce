/* SPDX-License-Identifier: Apache-2.0 */
/* front.h - what the core says by itself, outside of any command: the text of a dprintf, kernels
 * that begin and end, calls that fail. What a command asks for is its result. */
#ifndef CUDASIM_DEBUGGER_FRONT_H
#define CUDASIM_DEBUGGER_FRONT_H

#include <stdbool.h>
#include <stddef.h>

/* Who speaks with the user; set before the program runs. */
struct front_end {
	/* Show this text at once: what the program prints next comes behind it. On any pthread:
	 * the program's, while the front end waits for a stop, or the front end's own. */
	void (*say)(const char *text, size_t n);
};
void front_end_set(const struct front_end *end);
void front_write(const char *text, size_t n);
/* Does this pthread say something now? It may hold what the front end locks to say it: no moment
 * to stop it. Async-signal-safe. */
bool front_is_saying(void);
void front_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

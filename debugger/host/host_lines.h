/* SPDX-License-Identifier: Apache-2.0 */
/* host_lines.h - the lines of host code as one sorted table, so that the signal
 * handler that steps the host can look a pc up without libdw. */
#ifndef CUDASIM_DEBUGGER_HOST_LINES_H
#define CUDASIM_DEBUGGER_HOST_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct host_row {
	uint64_t low, high;
	const char *file;
	uint32_t line;
	bool is_statement;
};

/* Build the table, once (REPL's pthread). */
void host_lines_load(void);
/* The row of pc, NULL where it is in no host code with lines. Async-signal-safe. */
const struct host_row *host_lines_at(uint64_t pc);
/* Is pc the entry of a function with lines? Its address behind the prologue, else 0.
 * Async-signal-safe. */
uint64_t host_lines_entry(uint64_t pc);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* unwritten.h - which parts of local variables nobody has written yet.
 *
 * The watched body keeps a byte of state for each scalar of a local variable (the compiler's
 * unwritten.h). Where the states of a variable lie is noted when an expression or `info locals`
 * comes to it, so that its members and elements are known by their addresses. */
#ifndef CUDASIM_DEBUGGER_UNWRITTEN_H
#define CUDASIM_DEBUGGER_UNWRITTEN_H

#include "symbols.h"

/* The variable lies at address, which its location at pc gave; it may have no states. */
void unwritten_note(const struct variable *variable, const struct location *location, uint64_t pc,
		    uint64_t address);

/* Nobody has written any of the bytes. */
bool unwritten_at(uint64_t address, uint64_t size);

/* The debugger has written the bytes. */
void unwritten_store(uint64_t address, uint64_t size);

/* The program runs: what was noted no longer holds. Any pthread. */
void unwritten_forget(void);

#endif

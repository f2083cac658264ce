/* SPDX-License-Identifier: Apache-2.0 */
/* host_text.h - int3 instructions in the host program's own text.
 *
 * Several breakpoints may share an address; the byte is planted while somebody
 * uses it. host_text_find() and host_text_lift() are async-signal-safe; the rest
 * is called from the REPL's pthread, or before main(). */
#ifndef CUDASIM_DEBUGGER_HOST_TEXT_H
#define CUDASIM_DEBUGGER_HOST_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "cudasim/error.h"

struct trap_site {
	uint64_t pc;
	uint32_t n_users;       /* 0: free */
	unsigned char original; /* the byte that int3 has replaced */
};

struct cudasim_error *host_text_plant(uint64_t pc);
void host_text_release(uint64_t pc);
struct trap_site *host_text_find(uint64_t pc);
/* Put the original byte back for a moment (up false), or the int3 (up true). */
void host_text_lift(const struct trap_site *site, bool up);
/* The byte of the program itself at pc, below an int3 if there is one. */
unsigned char host_text_byte(uint64_t pc);
/* Of the instruction at pc, whether or not an int3 of ours stands there. */
bool host_is_call(uint64_t pc);
bool host_is_return(uint64_t pc);
/* n bytes from pc on, without our int3s; returns how many can be read. */
uint32_t host_text_read(uint64_t pc, unsigned char *to, uint32_t n);
/* In a forked child: all int3s go, nobody would answer them. */
void host_text_clear(void);

#endif

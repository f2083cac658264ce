/* SPDX-License-Identifier: Apache-2.0 */
/* symbolize.h - from a program counter to a source line.
 *
 * Done by libcudasim-symbolizer.so, which knows DWARF; it is opened when it is
 * first needed, from where libcudasim.so lies, and need not be there. */
#ifndef CUDASIM_SIM_SYMBOLIZE_H
#define CUDASIM_SIM_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "function (file:line)" of pc, then ", inlined in ..." for each call that was
 * inlined there, into text of size bytes. False where neither the
 * symbolizer nor the dynamic linker knows it. Not from signal handlers. */
bool symbolize(uint64_t pc, char *text, size_t size);

#endif

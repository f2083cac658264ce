/* SPDX-License-Identifier: Apache-2.0 */
/* library.h - functions of CUDA's headers that expressions may call though the program does
 * not: device code that is a part of the debugger (library/library.cu), so that results have a
 * kernel's bits. Compiled as without options: no --use_fast_math. */
#ifndef CUDASIM_DEBUGGER_LIBRARY_H
#define CUDASIM_DEBUGGER_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

struct cudasim_thread;

enum { LIBRARY_PARAMETERS = 4 };
struct library_function {
	const char *name, *result;                   /* C's spelling of the type */
	const char *parameters[LIBRARY_PARAMETERS];
	unsigned n;
};
/* NULL where there is none of that name. */
const struct library_function *library_find(const char *name);
/* What is called, under CALL_DEVICE. Halves are passed and returned as unsigned short. */
uint64_t library_code(const struct library_function *function);
/* A thread to call it as where none is focused. */
struct cudasim_thread *library_thread(void);

#endif

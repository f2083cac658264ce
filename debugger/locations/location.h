/* SPDX-License-Identifier: Apache-2.0 */
/* location.h - places in the program as users write them. */
#ifndef CUDASIM_DEBUGGER_LOCATION_H
#define CUDASIM_DEBUGGER_LOCATION_H

#include "cudasim/inspect.h"
#include "symbols.h"

/* A location as users write it: N, +N, -N, FILE:N, FUNCTION, FILE:FUNCTION, *ADDRESS,
 * KERNEL, TEMPLATE<ARGS>. Where it lies in device code: sites (the first LINE site of
 * the line in each function, or the first one of a function); in host code: pcs. */
struct program_location {
	const struct cudasim_site *site; /* of device code, else NULL */
	uint64_t pc;       /* of its code; 0 where it is not known */
	const struct function *function;
	const char *file;
	uint32_t line;                   /* where it really is */
};
/* The caller frees *ret. Errors in cuda-gdb's words: `Function "f" not defined.`,
 * `No source file named x.cu.`, `No line 999 in file "x.cu".`, and for an empty text
 * with no default place `No default breakpoint address now.` */
struct cudasim_error *location_find(const char *text, struct program_location **ret, size_t *n);
/* The linespec that means the same as the explicit location text ("-line 3 -source a.cu");
 * malloc'ed, NULL where text is not explicit. */
struct cudasim_error *location_explicit(const char *text, char **ret);
/* Where main() is; of a program whose host code has no debug information, where the
 * first kernel is. The file, or NULL where nothing is known. */
const char *location_main(uint32_t *ret_line);

/* The address of the statement that a LINE site of the function begins; 0 where the
 * line table does not have it. */
uint64_t site_address(const struct function *function, const struct cudasim_site *site);

#endif

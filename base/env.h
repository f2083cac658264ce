/* SPDX-License-Identifier: Apache-2.0 */
/* env.h - the CUDASIM_* environment variables: one table for the runtime, the
 * driver, `cudasim help env` and the manual. */
#ifndef CUDASIM_BASE_ENV_H
#define CUDASIM_BASE_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudasim/error.h"

/* Who reads a variable, and so reports a bad value. */
enum env_part {
	ENV_MODE,     /* CUDASIM itself: looked at by programs that use a GPU, too */
	ENV_PROGRAM,  /* a program with libcudasim, when it starts */
	ENV_COMPILER, /* `cudasim cc` and what it keeps */
};

enum env_form {
	ENV_TEXT,   /* anything; or checked by its reader alone, when the program starts */
	ENV_WORD,   /* one of `values` */
	ENV_NUMBER, /* from min to max */
	ENV_SEED,   /* any number, also as 0x... */
	ENV_BYTES,
	ENV_RANGES, /* numbers and ranges of them, with commas */
	ENV_PATHS,  /* with ':' between; one at least */
};

struct env_variable {
	const char *name;
	const char *values; /* what may stand there, for people */
	const char *help;   /* one sentence */
	enum env_part part;
	enum env_form form;
	uint64_t min, max;  /* of numbers */
};

/* Ends with a NULL name; sorted by name. */
extern const struct env_variable env_variables[];

/* The first variable of that part whose value is empty or not what its form asks for:
 * CUDASIM_E_ARGUMENT names it, the value and what may stand there. */
struct cudasim_error *env_check(enum env_part part);

/* The variable's value, NULL where it is unset or empty. name must stand in the
 * table (asserted), so that nothing is read that is not documented. */
const char *env_get(const char *name);

/* A whole number from min to max; absent where the variable is unset.
 * CUDASIM_E_ARGUMENT names the variable, the value and the range. */
struct cudasim_error *env_number(const char *name, uint64_t min, uint64_t max, uint64_t absent,
				 uint64_t *ret);

/* A size in bytes: digits, then nothing, K, M, G or T (powers of 1024). */
struct cudasim_error *env_bytes(const char *name, uint64_t absent, uint64_t *ret);

/* Call found(name, nearest) for each variable of the environment that begins
 * with CUDASIM_ and is not in the table; nearest is the table's most similar
 * name, or NULL. */
void env_misspelt(void (*found)(const char *name, const char *nearest));

#endif

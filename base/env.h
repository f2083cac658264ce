/* SPDX-License-Identifier: Apache-2.0 */
/* env.h - the CUDASIM_* environment variables: one table for the runtime, the
 * driver, `cudasim help env` and the manual. */
#ifndef CUDASIM_BASE_ENV_H
#define CUDASIM_BASE_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudasim/error.h"

struct env_variable {
	const char *name;
	const char *values; /* what may stand there, for people */
	const char *help;   /* one sentence */
};

/* Ends with a NULL name; sorted by name. */
extern const struct env_variable env_variables[];

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

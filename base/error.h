/* SPDX-License-Identifier: Apache-2.0 */
/* error.h - the error object of every function of ours that can fail.
 *
 * Such a function returns `struct cudasim_error *`, NULL for success. The
 * caller owns the object and ends it with cudasim_error_free(), hands it on,
 * or turns it into text or a cudaError_t at the border. */
#ifndef CUDASIM_BASE_ERROR_H
#define CUDASIM_BASE_ERROR_H

#include "cudasim/error.h"

/* Returned when there is no memory for an error object. */
extern struct cudasim_error cudasim_error_nomem;

/* A new error with a printf-like message; never NULL. */
struct cudasim_error *cudasim_error_new(enum cudasim_error_code code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* As above with ": " and the text of errno added; code is CUDASIM_E_SYSTEM. */
struct cudasim_error *cudasim_error_errno(int errnum, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif

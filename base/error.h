/* SPDX-License-Identifier: Apache-2.0 */
/* error.h - the error object of every function of ours that can fail.
 *
 * Such a function returns `struct cudasim_error *`, NULL for success. The
 * caller owns the object and ends it with cudasim_error_free(), hands it on,
 * or turns it into text or a cudaError_t at the border. */
#ifndef CUDASIM_BASE_ERROR_H
#define CUDASIM_BASE_ERROR_H

#include <stdbool.h>

enum cudasim_error_code {
	CUDASIM_E_NOMEM = 1,   /* out of host memory */
	CUDASIM_E_ARGUMENT,    /* a value that the caller may not give */
	CUDASIM_E_SYSTEM,      /* a system call failed; errno's text is in the message */
	CUDASIM_E_NOTFOUND,    /* a file, symbol or tool that is not there */
	CUDASIM_E_FORMAT,      /* input that is corrupt or of another version */
	CUDASIM_E_UNSUPPORTED, /* known, and not done here */
	CUDASIM_E_TAKEN,       /* the name is in use */
	CUDASIM_E_BUSY,        /* not now: something is in flight */
	CUDASIM_E_FAILED,      /* a program that we ran failed */
};

struct cudasim_error {
	enum cudasim_error_code code;
	bool is_static; /* the out-of-memory object, never freed */
	char *message;  /* one line without a final newline */
};

/* Returned when there is no memory for an error object. */
extern struct cudasim_error cudasim_error_nomem;

/* A new error with a printf-like message; never NULL. */
struct cudasim_error *cudasim_error_new(enum cudasim_error_code code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* As above with ": " and the text of errno added; code is CUDASIM_E_SYSTEM. */
struct cudasim_error *cudasim_error_errno(int errnum, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Does nothing for NULL. */
void cudasim_error_free(struct cudasim_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* error.h - the error object of every function of cudasim's that can fail.
 *
 * Such a function returns `struct cudasim_error *`, NULL for success. The
 * caller owns the object and ends it with cudasim_error_free(). */
#ifndef CUDASIM_ERROR_H
#define CUDASIM_ERROR_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* Does nothing for NULL. */
__attribute__((visibility("default"))) void cudasim_error_free(struct cudasim_error *error);

#ifdef __cplusplus
}
#endif
#endif

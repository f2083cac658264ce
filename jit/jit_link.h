/* SPDX-License-Identifier: Apache-2.0 */
/* jit_link.h - device code in pieces (PTX, what cudasim cc has made), compiled into one image by
 * `cudasim cc -dlink` as a child process. */
#ifndef CUDASIM_JIT_JIT_LINK_H
#define CUDASIM_JIT_JIT_LINK_H

#include <stddef.h>

struct jit_piece {
	const void *data;
	size_t size;
	const char *name;   /* for messages; NULL: "application ptx input" */
	const char *ending; /* how cudasim cc knows what it is: "ptx" */
};

enum jit_result {
	JIT_DONE,
	JIT_FAILED,      /* the log says why */
	JIT_NO_COMPILER, /* it cannot be run */
	JIT_NOMEM,       /* of memory or of room for files */
};

/* options: of cudasim cc, beside -dlink and -o; ended by NULL. The product is *image, a string of
 * *n_image bytes and a NUL; with an image of NULL the pieces are only looked at for errors. *log is
 * what the compiler said, with the names of pieces for those of files and no line end at its end, or
 * NULL where it has not run. The caller frees both. */
enum jit_result jit_link(const char *const *options, const struct jit_piece *pieces, size_t n,
			 char **image, size_t *n_image, char **log);

#endif

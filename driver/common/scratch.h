/* SPDX-License-Identifier: Apache-2.0 */
/* scratch.h - the folder of a compilation's temporary files.
 *
 * Its process holds a lock on it, which ends with the process however that ends. So the next
 * compilation finds the folders of those that were killed, by an old folder with no lock. */
#ifndef CUDASIM_DRIVER_SCRATCH_H
#define CUDASIM_DRIVER_SCRATCH_H

#include "error.h"

struct scratch {
	char *path; /* NULL: none */
	int lock;   /* the folder's descriptor */
};

/* A fresh folder in `parent`; what killed compilations left there is removed. */
struct cudasim_error *scratch_new(const char *parent, struct scratch *ret);

/* Removes the folder with all that is in it. */
void scratch_free(struct scratch *scratch);

#endif

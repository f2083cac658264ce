/* SPDX-License-Identifier: Apache-2.0 */
/* links.h - folders and links that several processes make at the same time. */
#ifndef CUDASIM_DRIVER_LINKS_H
#define CUDASIM_DRIVER_LINKS_H

#include "error.h"

/* With all folders above it. Errors: CUDASIM_E_SYSTEM. */
struct cudasim_error *links_make_folder(const char *path);

/* root/name -> target; one that is right already is left alone. Errors: CUDASIM_E_SYSTEM. */
struct cudasim_error *links_make(const char *root, const char *name, const char *target);

#endif

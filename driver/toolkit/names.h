/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - the folder in which cudasim's libraries have NVIDIA's names. */
#ifndef CUDASIM_DRIVER_NAMES_H
#define CUDASIM_DRIVER_NAMES_H

#include "places.h"

/* Makes the links in places->names where the installation came without them (wheels hold no
 * links); where that folder cannot be written, in one of the user's cache, which becomes
 * places->names. Does nothing where they are. Errors: CUDASIM_E_SYSTEM. */
struct cudasim_error *names_make(struct places *places);

#endif

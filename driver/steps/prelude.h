/* SPDX-License-Identifier: Apache-2.0 */
/* prelude.h - the precompiled header of what each pass of clang reads first, the CUDA headers. A pass may
 * use it, and does the same without it. */
#ifndef CUDASIM_DRIVER_STEPS_PRELUDE_H
#define CUDASIM_DRIVER_STEPS_PRELUDE_H

#include <stdbool.h>

#include "words.h"

/* clang's command with the precompiled header in the place of -include cudasim_nvcc.h. False if there is none. */
bool prelude_use(const struct words *command, const char *prelude, struct words *ret);

/* Whether one of paths is a file that the precompiled header was made of: clang refuses it where
 * another text is shown under that name. */
bool prelude_has(const char *prelude, const struct words *paths);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* diagnostics.h - what clang says in two passes over one source, said once.
 *
 * Both passes see the whole source, so most warnings and all syntax errors come
 * twice. A diagnostic is taken as one piece: the "In file included from" lines
 * before it, its own line, the source lines and the notes after it. Of equal
 * pieces of one source the first is shown. clang's closing count ("2 warnings
 * generated.") is dropped, since it would count a pass, not what is shown. */
#ifndef CUDASIM_DRIVER_DIAGNOSTICS_H
#define CUDASIM_DRIVER_DIAGNOSTICS_H

#include <stdio.h>

#include "words.h"

/* Writes to out those pieces of text that are not in seen, and adds them. */
void diagnostics_show(const char *text, struct words *seen, FILE *out);

#endif

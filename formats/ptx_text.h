/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_text.h - PTX as programs hand it in, for those who take other forms of device code, too. */
#ifndef CUDASIM_FORMATS_PTX_TEXT_H
#define CUDASIM_FORMATS_PTX_TEXT_H

#include <stdbool.h>

/* Does this look like PTX? The text ends with a NUL. */
bool ptx_is(const char *text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* irreducible_debug.cu - irreducible.cu compiled for the debugger.
 *
 * Flags: -G */
#include "irreducible.cu"

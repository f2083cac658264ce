/* SPDX-License-Identifier: Apache-2.0 */
/* irreducible_plain.cu - irreducible.cu compiled without optimisation.
 *
 * Flags: -O0 */
#include "irreducible.cu"

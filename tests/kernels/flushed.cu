/* SPDX-License-Identifier: Apache-2.0 */
/* Precision: denormals flushed, division and square root approximated.
 *
 * Flags: -ftz=true -prec-div=false -prec-sqrt=false */
#include "precision.cuh"

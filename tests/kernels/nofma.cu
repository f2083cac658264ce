/* SPDX-License-Identifier: Apache-2.0 */
/* Precision: no contraction.
 *
 * Flags: -fmad=false */
#include "precision.cuh"

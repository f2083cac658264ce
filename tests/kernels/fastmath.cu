/* SPDX-License-Identifier: Apache-2.0 */
/* Precision: what -use_fast_math changes.
 *
 * Flags: -use_fast_math */
#include "precision.cuh"

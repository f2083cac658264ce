/* SPDX-License-Identifier: Apache-2.0 */
/* half.h - the conversions that fp8.c shares with half.c. */
#ifndef CUDASIM_BUILTINS_HALF_H
#define CUDASIM_BUILTINS_HALF_H

#include "builtins.h"

float NVVM(half_to_f32_f16)(uint16_t x);
uint16_t NVVM(half_from_f32_rn_f16)(float x);

#endif

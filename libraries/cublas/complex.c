/* SPDX-License-Identifier: Apache-2.0 */
#define T float _Complex
#define R float
#define P C
#define LOWER c
#define PR S
#define LOWER_R s
#define MAGNITUDE cabsf
#define HYPOT hypotf
#define IS_COMPLEX
#include "typed.inc"

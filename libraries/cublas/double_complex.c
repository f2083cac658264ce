/* SPDX-License-Identifier: Apache-2.0 */
#define T double _Complex
#define R double
#define P Z
#define LOWER z
#define PR D
#define LOWER_R d
#define MAGNITUDE cabs
#define HYPOT hypot
#define IS_COMPLEX
#include "typed.inc"

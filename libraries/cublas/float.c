/* SPDX-License-Identifier: Apache-2.0 */
#define T float
#define R float
#define P S
#define LOWER s
#include "typed.inc"
